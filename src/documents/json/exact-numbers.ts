/** Numbers of JSON that JavaScript would change: ids beyond 2^53, more digits than a double holds, 1e400. */

/** Sixteen digits in a row or an exponent of three: without either no number is changed. */
const SUSPECT = /\d{16}|\d\.\d{15}|\d[eE]\+?\d{3}/g
const TOKEN = /[\d.eE+-]+/y
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * JSON with such numbers as strings, to the digit as they were sent; the same string when there is none. Linear. `before`: what each
 * of these strings begins with, so that they can be told from others.
 */
export function withExactNumbers(json: string, before = ''): string {
  return hasLongRun(json) || EXPONENT.test(json) ? withoutChanged(json, before) : json
}

const EXPONENT = /\d[eE]\+?\d{3}/

/** Digits in a row that a match of `SUSPECT` has at least, unless it has an exponent. */
const RUN = 15

/** True when there is such a run. Only every fifteenth character is looked at: each run holds one of them. */
function hasLongRun(json: string): boolean {
  for (let at = RUN - 1; at < json.length; at += RUN) {
    if (!isDigit(json, at)) continue
    let start = at
    while (start > 0 && isDigit(json, start - 1)) start -= 1
    let end = at + 1
    while (end - start < RUN && isDigit(json, end)) end += 1
    if (end - start >= RUN) return true
  }
  return false
}

function isDigit(json: string, at: number): boolean {
  const code = json.charCodeAt(at)
  return code >= 48 && code <= 57
}

function withoutChanged(json: string, before: string): string {
  const parts: string[] = []
  const suspect = new RegExp(SUSPECT)
  let copied = 0
  /** Outside of strings, always; and the quote that opens the next string. */
  let at = 0
  let quote = nextQuote(json, 0)
  for (let found = suspect.exec(json); found; found = suspect.exec(json)) {
    while (quote < found.index) {
      at = stringEnd(json, quote + 1)
      quote = nextQuote(json, at)
    }
    if (at > found.index) {
      suspect.lastIndex = at
      continue
    }
    const token = tokenAt(json, found.index, at)
    if (NUMBER.test(token.text) && isChanged(token.text)) {
      parts.push(json.slice(copied, token.start), `"${before}${token.text}"`)
      copied = token.start + token.text.length
    }
    at = token.start + token.text.length
    suspect.lastIndex = at
  }
  return parts.length === 0 ? json : parts.join('') + json.slice(copied)
}

function nextQuote(json: string, from: number): number {
  const quote = json.indexOf('"', from)
  return quote < 0 ? json.length : quote
}

/** The number that a place lies in, which begins at `least` or after it. */
function tokenAt(json: string, place: number, least: number): { start: number; text: string } {
  let start = place
  while (start > least && /[\d.eE+-]/.test(json.charAt(start - 1))) start -= 1
  const token = new RegExp(TOKEN)
  token.lastIndex = start
  return { start, text: token.exec(json)?.[0] ?? '' }
}

/** True when reading and writing the number gives another number; `1.0`, `1E5` and `-0` stay what they are. */
function isChanged(token: string): boolean {
  const number = Number(token)
  if (!Number.isFinite(number)) return true
  const [digits = ''] = token.toLowerCase().split('e')
  const significant = significantOf(digits)
  // A double keeps 15 decimal digits, whatever they are.
  if (significant.length <= 15) return false
  return significantOf(String(number).split('e')[0] ?? '') !== significant
}

/** Without sign, point, and the zeros around: `1203` of `-0.0120300`. */
function significantOf(digits: string): string {
  const bare = digits.replace(/^-?0*\.?0*/, '').replace('.', '')
  let end = bare.length
  while (end > 0 && bare.charCodeAt(end - 1) === 48) end -= 1
  return bare.slice(0, end)
}

/** The offset after the quote that closes a string. */
function stringEnd(json: string, from: number): number {
  let quote = json.indexOf('"', from)
  while (quote >= 0 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1)
  return quote < 0 ? json.length : quote + 1
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0
  while (json.charCodeAt(at - 1 - backslashes) === 92) backslashes += 1
  return backslashes % 2 === 1
}
