/**
 * Tokens of every expression that a model writes: conditions, paths, calls, lists of names. The only place where brackets and
 * quotes are told apart from other characters.
 */
import { withoutEscapes } from '../../text/values/compare.ts'

/** One token, with its place in the text. */
export interface Token {
  /** `sign`: an operator or a separator; `other`: a character that means nothing by itself. */
  kind: 'word' | 'number' | 'text' | 'sign' | 'open' | 'close' | 'other'
  /** As written, quotes included. */
  text: string
  /** Of a text in quotes: what is in them. Of all others: `text`. */
  value: string
  /** Where it begins in the source, and where it ends. In UTF-16 units. */
  from: number
  to: number
  /** True: blanks come before it, or it is the first. */
  apart: boolean
  /** Brackets that are open around it; a bracket itself is outside of what it opens. */
  depth: number
  /** The index of the bracket that closes or opens this one, -1 for all other tokens and where there is none. */
  match: number
}

/** How quotes are read. */
export interface ScanOptions {
  /**
   * True: a quote opens a text wherever it stands, as in JSONPath. False: only where a value may begin, so that `don't` and
   * `5" disk` are read as they are.
   */
  strict?: boolean
}

/** The most tokens of an expression: the text after them is one token. */
const MOST_TOKENS = 4_000

/** Signs of more than one character, longest first: at each place the longest counts. */
const SIGNS =
  /!=~\*|!=~|!~\*|!\*=|===|!==|->>|\.\.\.|~\*|=~|~=|\*=|\^=|\$=|@>|<>|<=|=<|>=|=>|==|!=|!~|&&|\|\||->|\.\.|::|\?\.|\*\*|[=!<>~*^$@&|+\-/%?:.,;#\\]/y
const WORD = /[\p{L}\p{N}_]+(?:['’]\p{L}+(?![\p{L}\p{N}_'"’]))*/uy
const NUMBER = /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\p{L}\p{N}_])/uy
const BLANKS = /\s+/y
const OPENING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}'])
const QUOTES: ReadonlySet<string> = new Set(['"', "'", '`'])

/** Reads a text from left to right, once. Never throws: a quote that is not closed is a character like any other. */
export function scan(source: string, { strict = false }: ScanOptions = {}): Token[] {
  const tokens: Token[] = []
  const open: number[] = []
  const unclosed: Unclosed[] = []
  let apart = true
  const add = (kind: Token['kind'], from: number, to: number, value?: string): Token => {
    const text = source.slice(from, to)
    const token = { kind, text, value: value ?? text, from, to, apart, depth: open.length, match: -1 }
    tokens.push(token)
    apart = false
    return token
  }
  for (let at = 0; at < source.length; ) {
    const blanks = lengthAt(BLANKS, source, at)
    if (blanks > 0) {
      at += blanks
      apart = true
      continue
    }
    if (tokens.length >= MOST_TOKENS) {
      add('other', at, source.length)
      break
    }
    const char = source.charAt(at)
    if (QUOTES.has(char) && (strict || opensText(source, at))) {
      const end = endOfText(source, at, strict)
      if (end > at) {
        add('text', at, end + 1, withoutEscapes(source.slice(at + 1, end), char))
        at = end + 1
        continue
      }
    }
    if (OPENING[char] !== undefined) {
      add('open', at, at + 1)
      open.push(tokens.length - 1)
      at++
      continue
    }
    if (CLOSING.has(char)) {
      const opened = open.findLastIndex((index) => OPENING[tokens[index]?.text ?? ''] === char)
      // A bracket that nothing opened closes nothing; brackets that were opened after its own enclose nothing.
      if (opened >= 0) {
        const index = open[opened] as number
        for (const left of open.splice(opened + 1)) unclosed.push({ from: left + 1, to: tokens.length })
        open.length = opened
        add('close', at, at + 1).match = index
        ;(tokens[index] as Token).match = tokens.length - 1
      } else add('close', at, at + 1)
      at++
      continue
    }
    const number = lengthAt(NUMBER, source, at)
    const length = number || lengthAt(WORD, source, at) || lengthAt(SIGNS, source, at)
    const kind =
      number > 0 ? 'number' : lengthAt(WORD, source, at) > 0 ? 'word' : length > 0 ? 'sign' : 'other'
    const to = at + (length || 1)
    add(kind, at, to)
    at = to
  }
  for (const left of open) unclosed.push({ from: left + 1, to: tokens.length })
  if (unclosed.length > 0) unopen(tokens, unclosed)
  return tokens
}

/** The tokens behind a bracket that nothing closes, up to where that is known. */
interface Unclosed {
  from: number
  to: number
}

/** A bracket that is not closed encloses nothing. One pass over the tokens, however many brackets there are. */
function unopen(tokens: readonly Token[], unclosed: readonly Unclosed[]): void {
  const change = new Array<number>(tokens.length + 1).fill(0)
  for (const { from, to } of unclosed) {
    change[from] = (change[from] ?? 0) - 1
    change[to] = (change[to] ?? 0) + 1
  }
  let less = 0
  tokens.forEach((token, at) => {
    less += change[at] ?? 0
    token.depth += less
  })
}

function lengthAt(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex - at : 0
}

/** A value may begin here: at the start, and after a blank, a bracket or a sign. */
function opensText(source: string, at: number): boolean {
  return at === 0 || /[\s(,=<>~[:{!|&+*/.?;-]/.test(source.charAt(at - 1))
}

/** The quote that ends the text which begins at `at`; -1 where there is none. A doubled quote and one after a backslash do not end it. */
function endOfText(source: string, at: number, strict: boolean): number {
  const quote = source.charAt(at)
  let last = -1
  for (let next = at + 1; next < source.length; next++) {
    const char = source.charAt(next)
    if (char === '\\' && (strict || source.charAt(next + 1) === quote || source.charAt(next + 1) === '\\')) {
      // `'C:\'` at the end: the backslash is a character of its own.
      if (!strict && next + 1 >= source.length - 1) continue
      next++
      continue
    }
    if (char !== quote) continue
    if (strict) return next
    if (next === source.length - 1 || /[\s),\].=<>~!:;&|}+*/-]/.test(source.charAt(next + 1))) return next
    if (source.charAt(next + 1) === quote) next++
    else last = last < 0 ? next : last
  }
  return -1
}

/** The parts of a text between separators, outside of brackets and quotes. Blanks around them and empty parts fall away. */
export function splitAt(source: string, separators: readonly string[], options: ScanOptions = {}): string[] {
  const parts: string[] = []
  let start = 0
  for (const { kind, text, depth, from, to } of scan(source, options)) {
    if (depth > 0 || kind !== 'sign' || !separators.includes(text)) continue
    parts.push(source.slice(start, from))
    start = to
  }
  parts.push(source.slice(start))
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** The text between brackets that enclose the whole text; undefined where none do. `opening`: `(`, `[` or `{`. */
export function enclosed(source: string, opening = '('): string | undefined {
  const text = source.trim()
  if (!text.startsWith(opening)) return undefined
  const tokens = scan(text)
  const [first] = tokens
  return first?.match === tokens.length - 1 && tokens.length > 1 ? text.slice(1, -1) : undefined
}

/** A part of a text, and what comes to stand in its place. */
export interface Replacement {
  readonly from: number
  readonly to: number
  readonly by: string
}

/** The text with some parts replaced, in their order. A part that lies in one before it is left out. */
export function replaced(source: string, parts: Iterable<Replacement>): string {
  let text = ''
  let last = 0
  for (const { from, to, by } of parts) {
    if (from < last) continue
    text += source.slice(last, from) + by
    last = to
  }
  return text + source.slice(last)
}

/** The position of the bracket that closes the one at `open`; -1 when none does. */
export function closingAt(source: string, open: number, options: ScanOptions = {}): number {
  const tokens = scan(source, options)
  const token = tokens.find(({ kind, from }) => kind === 'open' && from === open)
  return token && token.match >= 0 ? (tokens[token.match]?.from ?? -1) : -1
}

/** True for a word, whatever its case. */
export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word
}
