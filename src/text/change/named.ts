/**
 * Secrets that the name before them tells: `password: …`, `API_KEY=…`, `"token": "…"`, also in JSON within JSON, `<secret>…</secret>`,
 * `--password …`, and `{ "name": "PASSWORD", "value": "…" }`. Linear in the text.
 */
import type { Finding } from './scan.ts'

/** The longest text of an element. */
const LONGEST = 1_000_000

const QUOTES: ReadonlySet<number> = new Set([34, 39, 96])
const BACKSLASH = 92
const SPACE = 32
const EQUALS = 61
const MORE_THAN = 62

/** `names`: where names may end, as `scan` found them. */
export function findNamed(text: string, names: readonly number[], into: Finding[]): void {
  let done = 0
  for (const at of names) {
    // Inside of a value that was found.
    if (at < done) continue
    const end = nameEnd(text, at)
    if (!mayTell(text, end)) continue
    const name = text.slice(Math.max(0, end - LONGEST_NAME), end)
    const secrecy = secrecyOf(name) ?? secrecyBeside(text, end, name)
    if (secrecy === undefined) continue
    done = findValue(text, at, end, name, secrecy, into)
  }
}

/** Where the name ends that a mark follows: before spaces, a quote with its backslashes, and stars. */
function nameEnd(text: string, at: number): number {
  let end = at
  while (end > 0 && at - end < 4 && text.charCodeAt(end - 1) === SPACE) end--
  while (end > 0 && at - end < 8 && text.charCodeAt(end - 1) === 42 /* star */) end--
  if (QUOTES.has(text.charCodeAt(end - 1))) {
    end--
    while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) end--
  }
  return end
}

const BESIDE =
  /(?:^|[^A-Za-z0-9])(?:name|key|variable|header)(?:\\{0,8}["'`])?\s{0,8}[:=]\s{0,8}(?:\\{0,8}["'`])?([A-Za-z0-9_.-]{1,64})(?:\\{0,8}["'`])?(?:[\s,;-]|\\{1,8}[nrt]){0,40}(?:\\{0,8}["'`])?$/i
const LONGEST_BESIDE = 160

/** Of `"name": "PASSWORD", "value": …` the name is the value before. */
function secrecyBeside(text: string, end: number, name: string): Secrecy | undefined {
  if (!/(?:^|[^A-Za-z0-9])value$/i.test(name)) return undefined
  const start = end - 'value'.length
  const [, other] = BESIDE.exec(text.slice(Math.max(0, start - LONGEST_BESIDE), start)) ?? []
  return other === undefined ? undefined : secrecyOf(other)
}

/** Adds what stands there. Returns where to go on. */
function findValue(
  text: string,
  at: number,
  nameEndsAt: number,
  name: string,
  secrecy: Secrecy,
  into: Finding[],
): number {
  const mark = text.charCodeAt(at)
  if (mark === MORE_THAN || isEscapeOf(text, at, 'e')) return element(text, at, name, secrecy, into)
  let start = at + (mark === BACKSLASH ? 6 : mark === 37 ? 3 : 1)
  const next = text.charCodeAt(start)
  if (next === EQUALS && mark === EQUALS) return start + 1
  if (next === EQUALS || (next === MORE_THAN && mark === EQUALS)) start++
  start = skipped(text, start)
  if (text.charCodeAt(start) === 91 /* [ */) return list(text, start + 1, secrecy, into)
  const quoted = quotedAt(text, start)
  if (quoted) {
    add(text, quoted, secrecy, true, into)
    return quoted.end
  }
  return unquoted(text, at, start, nameEndsAt, name, secrecy, into)
}

function isEscapeOf(text: string, at: number, last: string): boolean {
  const code = text.charCodeAt(at)
  return (
    (code === BACKSLASH && (text.charCodeAt(at + 5) | 32) === last.charCodeAt(0)) ||
    (code === 37 && (text.charCodeAt(at + 2) | 32) === last.charCodeAt(0))
  )
}

/** Behind blanks, and stars that make a name bold. */
function skipped(text: string, from: number): number {
  let at = from
  while (
    at - from < 16 &&
    (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === 9 || text.charCodeAt(at) === 42)
  )
    at++
  return at
}

interface Part {
  start: number
  end: number
}

/**
 * The text in the quotes that begin here. In JSON within JSON quotes have backslashes before them, and those inside of the text
 * have more.
 */
function quotedAt(text: string, from: number): Part | undefined {
  let open = from
  while (text.charCodeAt(open) === BACKSLASH && open - from < 15) open++
  const quote = text.charCodeAt(open)
  if (!QUOTES.has(quote)) return undefined
  const level = open - from + 1
  const start = open + 1
  const last = text.length
  let slashes = 0
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) {
      slashes++
      continue
    }
    if (code === 10) return { start, end: at }
    // A quote of this level closes, or one further out; one that is further in is part of the text.
    if (code === quote && ((slashes + 1) / level) % 2 !== 0)
      return { start, end: at - Math.min(slashes, level - 1) }
    slashes = 0
  }
  return { start, end: last }
}

function add(
  text: string,
  { start, end }: Part,
  secrecy: Secrecy,
  isQuoted: boolean,
  into: Finding[],
): boolean {
  const value = text.slice(start, end)
  if (!isSecretValue(secrecy, value, isQuoted)) return false
  const scheme = SCHEME.exec(value)?.[0].length ?? 0
  into.push({ start: start + scheme, end, kind: 'secret' })
  return true
}

function list(text: string, from: number, secrecy: Secrecy, into: Finding[]): number {
  let at = from
  for (;;) {
    at = blank(text, at)
    const quoted = quotedAt(text, at)
    if (!quoted) return at
    // Of lists the name is often that of what is in them: tokens of a text, say.
    add(text, quoted, secrecy, true, into)
    at = quoted.end
    while (text.charCodeAt(at) === BACKSLASH) at++
    at = blank(text, at + 1)
    if (text.charCodeAt(at) !== 44) return at
    at++
  }
}

const BLANK = /(?:\s|\\{1,8}[nrt]){0,256}/y

function blank(text: string, at: number): number {
  BLANK.lastIndex = at
  BLANK.test(text)
  return BLANK.lastIndex
}

const UNQUOTED = /[^\s"'`\\,;&<>{}()[\]|]{1,4096}/y
const LINE_VALUE = /[^\s"'`\\]{1,4096}/y
const HEADER_VALUE = /[A-Za-z][\w-]{0,30} {1,4}([^\s"'`\\]{6,4096})/y
const COOKIE_VALUE = /[^\s"'`\\=]{1,256}=[^\r\n"'`\\]{4,4096}/y
const NUMBER = /-?\d[\d.eE+-]{0,30}(?=(?:\s|\\{1,8}[nrt]){0,64}[,}\]])/y

function unquoted(
  text: string,
  at: number,
  start: number,
  nameEndsAt: number,
  name: string,
  secrecy: Secrecy,
  into: Finding[],
): number {
  const number = matchAt(NUMBER, text, start)
  if (number) {
    if (mayBeNumber(name)) into.push({ ...number, kind: 'secret' })
    return number.end
  }
  if (/authorization$/i.test(name)) {
    HEADER_VALUE.lastIndex = start
    const found = HEADER_VALUE.exec(text)
    if (found?.[1] !== undefined && /[\d=]/.test(found[1])) {
      into.push({
        start: HEADER_VALUE.lastIndex - found[1].length,
        end: HEADER_VALUE.lastIndex,
        kind: 'secret',
      })
      return HEADER_VALUE.lastIndex
    }
  }
  if (/cookie$/i.test(name)) {
    const cookie = matchAt(COOKIE_VALUE, text, start)
    if (cookie) into.push({ ...cookie, kind: 'secret' })
    if (cookie) return cookie.end
  }
  const isEnv = start === at + 1 && /(?:^|[^A-Za-z0-9_])[A-Z][A-Z0-9_]*$/.test(name)
  const isLine = isLineStart(text, nameEndsAt)
  const value = matchAt(isEnv && isLine ? LINE_VALUE : UNQUOTED, text, start)
  if (!value) return start
  const word = text.slice(value.start, value.end)
  if (!isEnv && !isWritten(text, value, word, isLine)) return value.end
  // Code that gets it from elsewhere.
  if (/^(?:\$[({]|[A-Za-z_][\w.]*[([])/.test(word)) return value.end
  if (secrecy === 'any' || secrecy === 'noPath' || !/^[\d.,-]+$/.test(word))
    add(text, value, secrecy, false, into)
  return value.end
}

/** Rather a value than a word of a sentence or the name of a variable. */
function isWritten(text: string, { end }: Part, word: string, isLine: boolean): boolean {
  const next = text.charCodeAt(end)
  // A word that is called, indexed, or filled in.
  if (next === 40 || next === 91 || next === 123 || next === 60 || /[$%:=]$/.test(word)) return false
  if (/^(?:[A-Za-z_$]\w*[?!]?\.)+[A-Za-z_$]\w*$/.test(word)) return false
  if (/[^A-Za-z_]/.test(word)) return true
  // A word alone on its line.
  return (
    isLine &&
    word.length >= 5 &&
    !word.includes('_') &&
    /^[ \t]{0,4}(?:$|[\r\n"']|\\{1,8}[nr"'])/.test(text.slice(end, end + 14))
  )
}

/** Whether the name is the first thing on its line, but for what marks an item. */
function isLineStart(text: string, nameEndsAt: number): boolean {
  const before = text.slice(Math.max(0, nameEndsAt - 100), nameEndsAt)
  return /(?:^|[\r\n]|\\[nr]|["'])[ \t]{0,40}(?:[-*>] {1,4}|export |set |ENV )?["'`]?[\w.-]{1,64}$/.test(
    before,
  )
}

/** `<password>…</password>`. */
function element(text: string, at: number, name: string, secrecy: Secrecy, into: Finding[]): number {
  const start = at + (text.charCodeAt(at) === BACKSLASH ? 6 : text.charCodeAt(at) === 37 ? 3 : 1)
  if (!/<[A-Za-z][\w:.-]*$/.test(name) && !/(?:\\u003c|%3c)[A-Za-z][\w:.-]*$/i.test(name)) return start
  const end = text.slice(start, start + LONGEST).search(/<|\\u003c|%3c/i)
  if (end <= 0) return start
  const value = { start, end: start + end }
  add(text, value, secrecy, true, into)
  return value.end
}

function matchAt(regex: RegExp, text: string, at: number): Part | undefined {
  regex.lastIndex = at
  return regex.test(text) ? { start: at, end: regex.lastIndex } : undefined
}

// Names with a secret value, and values that are no secret under any name.

/**
 * How much a name says. `any`: whatever stands beside it. `noPath`: the same, but folders go by this name as well. `word`: a single word.
 * `token`: what looks like a key, for the name means other things as well.
 */
export type Secrecy = 'any' | 'noPath' | 'word' | 'token'

const ANY = /(?:pass(?:word|wd|phrase|code)s?|secrets?|authorization|connection[ _.-]?string)$/i
const WORD =
  /(?:(?:api|access|secret|private|signing|encryption|encrypt|decryption|auth|hmac|jwt|ssh|shared[ _.-]?access)[ _.-]?keys?(?:[ _.-]?base)?|secret[ _.-]?key[ _.-]?base|(?:access|refresh|auth|bearer|session|id|oauth2?|api|jwt|personal|github|gitlab|npm|slack|bot|secret|security|user|service)[ _.-]?tokens?|[_.-]pass)$/i
const TOKEN =
  /(?:tokens?|credentials?|(?:^|[^a-z])(?:creds|pass|auth)|cookies?|session[ _.-]?id|sessid|(?:client|master|service|admin|root|deploy|webhook|session|app|license|account|storage|shared|subscription|function|host)[ _.-]?keys?)$/i

/** Tokens that hide nothing: they count, page, or are pieces of a language. */
const NO_TOKEN =
  /(?:next|prev|previous|page|paging|pagination|continuation|cursor|sync|resume|start|end|last|progress|max|min|num|total|pad|eos|bos|unk|sep|cls|mask|stop|special|lexer|syntax|change|upload|resumption|client|request|idempotency)[ _.-]?tokens?$/i

/** The last two letters of all these names: most names are told from them by that alone. */
const ENDINGS = new Uint8Array(26 * 26)
for (const [first, last] of [
  'rd',
  'ds',
  'wd',
  'se',
  'es',
  'de',
  'et',
  'ts',
  'on',
  'ng',
  'ey',
  'ys',
  'en',
  'ns',
  'al',
  'ls',
  'ss',
  'th',
  'ie',
  'id',
  'ue',
])
  ENDINGS[letter((first as string).charCodeAt(0)) * 26 + letter((last as string).charCodeAt(0))] = 1

function letter(code: number): number {
  return (code | 32) - 97
}

/** Whether a name may tell, by its last two letters. `value` is one of them: it may stand beside a name. */
export function mayTell(text: string, end: number): boolean {
  const first = letter(text.charCodeAt(end - 2))
  const last = letter(text.charCodeAt(end - 1))
  return first >= 0 && first < 26 && last >= 0 && last < 26 && ENDINGS[first * 26 + last] === 1
}

/** The longest part of a name that is looked at, from its end. */
export const LONGEST_NAME = 40

const known = new Map<string, Secrecy | undefined>()
const MAX_KNOWN = 2_000

/** The secrecy that a name gives its value; the end of it is enough. Undefined: nothing. */
export function secrecyOf(name: string): Secrecy | undefined {
  if (!mayTell(name, name.length)) return undefined
  const end = name.length > LONGEST_NAME ? name.slice(-LONGEST_NAME) : name
  if (known.has(end)) return known.get(end)
  const found = judged(end)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(end, found)
  return found
}

function judged(name: string): Secrecy | undefined {
  if (ANY.test(name)) return 'any'
  if (/pwd$/i.test(name)) return 'noPath'
  if (NO_TOKEN.test(name)) return undefined
  if (WORD.test(name)) return 'word'
  return TOKEN.test(name) ? 'token' : undefined
}

/** Passwords are numbers as well; a token that is one counts something. */
export function mayBeNumber(name: string): boolean {
  return /(?:pass(?:word|wd|phrase|code)|pwd)$/i.test(name)
}

/** True for a text in place of a secret: nothing, a variable to fill in, a word for its kind, the mark of a struck one. */
export function isPlaceholder(value: string): boolean {
  return value.length < 60 && PLACEHOLDER.test(value)
}
const PLACEHOLDER =
  /^(?:|\s+|[*•x.#?_-]+|<[^>]*>|\$\{[^}]*\}|\$\w+|\$\([^)]*\)|\{\{[^}]*\}\}|\{\w*\}|%\w+%|%[sd]|\[[^\]]*\]|true|false|null|nil|none|undefined|yes|no|on|off|required|optional|hidden|masked|redacted|removed|string|str|text|number|integer|int|bool|boolean|any|bytes|object)$/i

/** The label of a field, or a variable that has the name of what it holds. */
const LABEL = /^(?:P(?:assword|assphrase|asscode)|Secret|Token|API key)$/
const VARIABLE = /^(?:password|passwd|passphrase|pwd|secret|token|api_?key)$/i

/** Whether a value beside a name of this kind is taken for a secret. `isQuoted`: its ends are known. */
export function isSecretValue(secrecy: Secrecy, value: string, isQuoted: boolean): boolean {
  if (isPlaceholder(value) || (isQuoted ? LABEL : VARIABLE).test(value)) return false
  if (secrecy === 'noPath' && /^(?:~?\/|[A-Za-z]:[\\/])/.test(value)) return false
  if (secrecy === 'any' || secrecy === 'noPath') return isQuoted || value.length >= 5
  if (/\s/.test(value)) return secrecy === 'token' && /^[^\s=]+=\S.*; ?[^\s=]+=/.test(value)
  if (secrecy === 'word') return value.length >= 6
  return value.length >= 8 && looksLikeToken(value)
}

/** Digits, or letters that no word of a language has in this order; no path, no address, none of a contract on a chain. */
function looksLikeToken(value: string): boolean {
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|[~.]{0,2}\/|0x[0-9a-f]{40}$)/i.test(value)) return false
  if (!/[A-Za-z]/.test(value)) return false
  return (
    /\d/.test(value) ||
    /[a-z][A-Z].*[a-z][A-Z]/.test(value) ||
    /^[A-Za-z]{24,}$/.test(value) ||
    value.includes('=')
  )
}

/** `Bearer`, `Basic`: what stands before the secret in a value of `authorization`. */
export const SCHEME = /^(?:bearer|basic|token|digest|negotiate|apikey|bot)\s+/i
