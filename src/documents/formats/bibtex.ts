/** BibTeX: works by key, as reference managers and search engines for papers give them. A record for each. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { exactNumber } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

/** Words behind an `@` that begin no entry. */
const NO_ENTRY = /^(?:string|comment|preamble)?$/
const ENTRY = /@([A-Za-z]{1,40})[ \t]{0,8}\{/y
const KEY = /\s*([^\s{},="]{1,200})\s*,/y
const NAME = /[\s,]*([A-Za-z][\w.:+/-]{0,80})\s*=\s*/y
const WORD = /[^\s,{}"#=]{1,200}/y
const JOINED = /\s*#\s*/y
/** The names of people and keywords are lists. */
const PEOPLE = /^(?:author|editor|translator)s?$/
/** Braces that keep capitals as they are written. Those of a command stay. */
const KEEPING = /\{([^{}\\]*)\}/g
const MOST_NESTED = 3
/** An accent and its letter: `\"u`, `\'{e}`, `\v s`. */
const ACCENTED = /\\(["'`^~=.]|[cvuHr](?=[ {])) {0,2}(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))/g
/** Combining characters by the commands of TeX (The TeXbook, chapter 9). */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['"', '\u0308'],
  ["'", '\u0301'],
  ['`', '\u0300'],
  ['^', '\u0302'],
  ['~', '\u0303'],
  ['=', '\u0304'],
  ['.', '\u0307'],
  ['c', '\u0327'],
  ['v', '\u030c'],
  ['u', '\u0306'],
  ['H', '\u030b'],
  ['r', '\u030a'],
])
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['ss', 'ß'],
  ['o', 'ø'],
  ['O', 'Ø'],
  ['ae', 'æ'],
  ['AE', 'Æ'],
  ['aa', 'å'],
  ['AA', 'Å'],
  ['l', 'ł'],
  ['L', 'Ł'],
])
const LETTER = /\\(ss|ae|AE|aa|AA|[oOlL])(?![A-Za-z])\s?/g
/** Signs that TeX wants a backslash before. */
const SIGN = /\\([&%$#_])/g

/** Goes through a text. Where it cannot go on, an expression is undefined and nothing moves. */
class Reader {
  readonly #text: string
  readonly #strings = new Map<string, string>()
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  next(expression: RegExp): string | undefined {
    expression.lastIndex = this.at
    const found = expression.exec(this.#text)
    if (found) this.at = expression.lastIndex
    return found?.[1] ?? found?.[0]
  }

  /** The entry at the next `@`; undefined at the end of the text. All else is passed over, as BibTeX does. */
  entry(): { from: number; record: JsonObject } | undefined {
    for (;;) {
      const from = this.#text.indexOf('@', this.at)
      if (from < 0) return undefined
      this.at = from
      const type = this.next(ENTRY)?.toLowerCase() ?? ''
      if (type === 'string') this.#define()
      const key = NO_ENTRY.test(type) ? undefined : this.next(KEY)
      if (key !== undefined) return { from, record: this.#fields({ type, key }) }
      this.at = Math.max(this.at, from + 1)
    }
  }

  #define(): void {
    const name = this.next(NAME)
    const value = name === undefined ? undefined : this.#value()
    if (name !== undefined && value !== undefined) this.#strings.set(name.toLowerCase(), value)
  }

  #fields(record: JsonObject): JsonObject {
    for (;;) {
      const name = this.next(NAME)?.toLowerCase()
      const value = name === undefined ? undefined : this.#value()
      if (name === undefined || value === undefined) return record
      const own = Object.hasOwn(record, name) ? `@${name}` : name
      setOwn(record, own, plainValue(name, value))
    }
  }

  /** Parts in braces, in quotes, numbers and names of strings, with `#` between them. */
  #value(): string | undefined {
    let value: string | undefined
    do {
      const part = this.#part()
      if (part === undefined) return value
      value = (value ?? '') + part
    } while (this.next(JOINED) !== undefined)
    return value
  }

  #part(): string | undefined {
    const opening = this.#text[this.at]
    if (opening !== '{' && opening !== '"') {
      const word = this.next(WORD)
      return word === undefined ? undefined : (this.#strings.get(word.toLowerCase()) ?? word)
    }
    const from = this.at + 1
    let depth = 0
    for (let at = from; at < this.#text.length; at++) {
      const character = this.#text[at]
      if (character === '\\') at += 1
      else if (character === '\n' && this.#begins(at + 1)) {
        this.at = at + 1
        return undefined
      } else if (depth === 0 && character === (opening === '{' ? '}' : '"')) {
        this.at = at + 1
        return this.#text.slice(from, at)
      } else if (character === '{') depth += 1
      else if (character === '}') depth -= 1
    }
    this.at = this.#text.length
    return undefined
  }

  /** A brace that is left open ends before the next entry, so that it hides no others. */
  #begins(at: number): boolean {
    if (this.#text[at] !== '@') return false
    ENTRY.lastIndex = at
    return ENTRY.test(this.#text)
  }
}

function plainValue(name: string, written: string): JsonValue {
  let text = spelled(written.replace(/\s+/g, ' ').trim())
  for (let times = 0; times < MOST_NESTED && text.includes('{'); times++) text = text.replace(KEEPING, '$1')
  if (PEOPLE.test(name)) return text.split(/ and /i).map((person) => person.trim())
  return exactNumber(text) ?? text
}

/** With letters and signs in place of the commands that TeX writes them with. */
function spelled(text: string): string {
  if (!text.includes('\\')) return text
  return text
    .replace(ACCENTED, (_, accent: string, held?: string, bare?: string) => {
      return `${held ?? bare}${ACCENTS.get(accent) ?? ''}`
    })
    .replace(LETTER, (whole, name: string) => LETTERS.get(name) ?? whole)
    .replace(SIGN, '$1')
    .normalize('NFC')
}

/** Records `{line, type, key, title, author, year, …}`: names of fields in small letters, people as a list, numbers where they come back as written. */
function readBibtex(text: string): JsonValue[] {
  const lines = indexLines(text)
  const reader = new Reader(text)
  const records: JsonObject[] = []
  for (let found = reader.entry(); found !== undefined; found = reader.entry())
    records.push({ line: lines.lineAt(found.from) + 1, ...found.record })
  return records
}

const FIRST =
  /^\ufeff?[ \t]{0,8}@[A-Za-z]{1,40}[ \t]{0,8}\{\s{0,8}[^\s{},="]{1,200}\s{0,8},\s{0,80}[A-Za-z][\w-]{0,80}\s{0,80}=\s{0,80}[{"\w]/
/** A line before the first entry. */
const BEFORE = /^\ufeff?\s*(?:%.*|@(?:string|comment|preamble)\b.*)?$/i
const MOST_BEFORE = 200

/** True where the first line that says something begins an entry with a key and a field. */
function detect(text: string): true | undefined {
  const start = text.slice(0, BEGINNING)
  if (!start.includes('@')) return undefined
  let at = 0
  for (let line = 0; line < MOST_BEFORE; line++) {
    const end = start.indexOf('\n', at)
    if (end < 0 || !BEFORE.test(start.slice(at, end))) break
    at = end + 1
  }
  return FIRST.test(start.slice(at)) ? true : undefined
}

/** Never takes a text that says something else before its first entry, but for comments. */
export const bibtex = defineFormat<true>({
  name: 'bibtex',
  family: 'entries',
  detect,
  read: readBibtex,
})
