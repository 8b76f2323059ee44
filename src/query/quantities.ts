/** Numbers in strings: plain, with a currency, in thousands, with a decimal comma, with a unit of size or time; and integers beyond 2^53. */
import type { JsonValue } from '../protocol/json.ts'

const PLAIN = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?\s*$/i
const DRESSED = /^\s*[-+]?[$€£]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?%?\s*$/
const COMMA = /^\s*[-+]?[$€£]?\s?(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}\s?[€%]?\s*$/
/** `5 (3h ago)`, as restarts are counted. */
const COUNTED = /^\s*(\d{1,9}) \([^()]{1,20} ago\)\s*$/
const SIZED = /^\s*([-+]?\d+(?:\.\d+)?)\s*(?:([kmgtp])(i?)b?|b|bytes)\s*$/i
const POWERS = ['k', 'm', 'g', 't', 'p']
/** Longer strings hold no number that anybody compares. */
const LONGEST = 40

/** `12.5` of "12.5"; undefined for anything that is not a plain number. */
export function plainNumber(text: string): number | undefined {
  return text.length <= LONGEST && PLAIN.test(text) ? Number(text) : undefined
}

/** Like `plainNumber`, and 1234.5 of "$1,234.50" and "1.234,50", 12 of "12%", 5 of "5 (3h ago)". */
export function looseNumber(text: string): number | undefined {
  if (text.length > LONGEST) return undefined
  if (PLAIN.test(text)) return Number(text)
  if (DRESSED.test(text)) return Number(text.replaceAll(/[^\d.+-]/g, ''))
  if (COMMA.test(text)) return Number(text.replaceAll(/[^\d,+-]/g, '').replace(',', '.'))
  const [, count] = COUNTED.exec(text) ?? []
  return count === undefined ? undefined : Number(count)
}

/** Bytes, or just a multiple: 10,000,000 of "10MB", 2³¹ of "2GiB" and "2Gi", 1,000 of "1k". Undefined without a unit. */
export function quantity(text: string): number | undefined {
  if (text.length > LONGEST) return undefined
  const parts = SIZED.exec(text)
  if (!parts) return undefined
  const [, number, letter, binary] = parts
  const power = letter === undefined ? 0 : POWERS.indexOf(letter.toLowerCase()) + 1
  return Number(number) * (binary ? 1024 : 1000) ** power
}

const CORES = /^\s*(\d+(?:\.\d+)?)([num]?)\s*$/
const PARTS: Readonly<Record<string, number>> = { '': 1, m: 1e3, u: 1e6, n: 1e9 }

/** Processors as Kubernetes writes them: 0.25 of "250m", 2 of "2". To be asked where `areCores` holds: elsewhere `m` is a minute or a megabyte. */
export function cores(text: string): number | undefined {
  const [, number, part = ''] = (text.length <= LONGEST && CORES.exec(text)) || []
  return number === undefined ? undefined : Number(number) / (PARTS[part] ?? 1)
}

/** True when all texts of a field are processors: thousandths beside whole ones, or the name of the field says so. */
export function areCores(texts: readonly string[], hasNumbers: boolean, name = ''): boolean {
  let [parts, whole] = [false, hasNumbers]
  for (const text of texts) {
    if (cores(text) === undefined) return false
    if (/[num]\s*$/.test(text)) parts = true
    else whole ||= Number(text) !== 0
  }
  return parts && (whole || /cpu|cores/i.test(name))
}

const TIMED =
  /^\s*(-?)((?:\d+(?:\.\d+)?\s*(?:ns|µs|us|ms|secs?|seconds?|s|mins?|minutes?|m|hours?|hrs?|h|days?|d|weeks?|w|y)\s*)+)$/
const MILLISECONDS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  µs: 1e-3,
  us: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
}

/** Milliseconds: 1,500 of "1.5s", 5,400,000 of "1h30m" and "1 hour 30 min". Undefined without a unit of time. */
export function duration(text: string): number | undefined {
  if (text.length > LONGEST) return undefined
  const [, sign, parts] = TIMED.exec(text) ?? []
  if (parts === undefined) return undefined
  let sum = 0
  for (const [, number, unit = ''] of parts.matchAll(/([\d.]+)\s*([a-zµ]+)/g))
    sum += Number(number) * (MILLISECONDS[unit] ?? MILLISECONDS[unit.charAt(0)] ?? 0)
  return sign === '-' ? -sum : sum
}

const LONG_WRITTEN = /^\s*[-+]?\d{16,400}\s*$/

/** An integer, to the digit, of a number or a text that is too long for a double. As doubles such integers equal their neighbours; their
 * digits differ. Undefined for what a double holds exactly, and for all else. */
export function longInteger(value: JsonValue): bigint | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(plainDigits(value)) : undefined
  return typeof value === 'string' && LONG_WRITTEN.test(value) ? BigInt(value.trim()) : undefined
}

/** `10000000000000000000000000` of 1e25. A number has the digits that it is written with: numbers written otherwise are kept as texts. */
function plainDigits(number: number): string {
  const [digits = '', exponent] = String(number).split('e+')
  if (exponent === undefined) return digits
  const [whole = '', fraction = ''] = digits.split('.')
  return `${whole}${fraction.padEnd(Number(exponent), '0')}`
}

/** -1, 0 or 1 for two values that are the same double; 0 unless both are such integers. */
export function besideToTheDigit(one: JsonValue, other: JsonValue): number {
  const [first, second] = [longInteger(one), longInteger(other)]
  if (first === undefined || second === undefined || first === second) return 0
  return first < second ? -1 : 1
}
