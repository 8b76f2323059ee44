/** Pairs in a text: `key=value` and `key="a value"`, as log lines have them. */

/** The longest key, in characters. */
const LONGEST_KEY = 40

/** Told of a pair: its key, its value as written without the quotes. */
type TellPair = (key: string, value: string, quoted: boolean) => void

/**
 * Tells all pairs from left to right, at most `most`. A key follows a separator. A value is quoted or ends at white space, comma,
 * semicolon or bracket. Linear in the length of the text, but for runs of backslashes and quotes.
 */
export function scanPairs(text: string, most: number, tell: TellPair): void {
  let left = most
  /** The end of the pair before: the separator of the next one lies behind it. */
  let free = 0
  for (let equals = text.indexOf('='); equals >= 0 && left > 0; equals = text.indexOf('=', equals + 1)) {
    const start = keyStart(text, equals, free)
    if (start < 0) continue
    const quoted = text.charCodeAt(equals + 1) === QUOTE
    const end = quoted ? closingQuote(text, equals + 2) : bareEnd(text, equals + 1)
    if (end < 0) continue
    tell(
      text.slice(start, equals),
      quoted ? text.slice(equals + 2, end) : text.slice(equals + 1, end),
      quoted,
    )
    left -= 1
    free = quoted ? end + 1 : end
    equals = free - 1
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** Bits of what an ASCII character may be. */
const WORD = 1
const FIRST = 2
const BEFORE = 4
const AFTER = 8
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return (
    (/[\w.-]/.test(character) ? WORD : 0) |
    (/[A-Za-z_]/.test(character) ? FIRST : 0) |
    (/[\s,;([{]/.test(character) ? BEFORE : 0) |
    (/[\s",;)\]}]/.test(character) ? AFTER : 0)
  )
})

function isOf(text: string, at: number, what: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 128) return ((classes[code] ?? 0) & what) !== 0
  return (what & (BEFORE | AFTER)) !== 0 && /\s/.test(text.charAt(at))
}

/** Where the key that ends at `equals` begins, with its separator at `free` or behind it; -1 when there is none. */
function keyStart(text: string, equals: number, free: number): number {
  let start = equals
  const least = Math.max(free, equals - LONGEST_KEY - 1)
  while (start > least && isOf(text, start - 1, WORD)) start -= 1
  if (start === equals || equals - start > LONGEST_KEY || !isOf(text, start, FIRST)) return -1
  if (start === 0) return 0
  return start > free && isOf(text, start - 1, BEFORE) ? start : -1
}

function bareEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && !isOf(text, end, AFTER)) end += 1
  return end > from ? end : -1
}

/** The place of the quote that closes; -1 when there is none. A backslash takes the next character with it, but for line breaks. */
function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH && (++at >= text.length || /[\n\r\u2028\u2029]/.test(text.charAt(at)))) return -1
  }
  return -1
}
