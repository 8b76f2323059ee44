/** Names that tell that their value is a secret, and values that are none whatever their name. */

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

/** What a name says of its value; the end of it is enough. Undefined: nothing. */
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

/** What stands where a secret would: nothing, a variable to be filled in, a word for its kind, what was struck out. */
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
