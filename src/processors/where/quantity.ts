/** Numbers in strings: plain, with a currency, in thousands, with a decimal comma, with a unit of size or time. */

const plain = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?\s*$/i
const dressed = /^\s*[-+]?[$€£]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?%?\s*$/
const comma = /^\s*[-+]?[$€£]?\s?(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}\s?[€%]?\s*$/
/** `5 (3h ago)`, as restarts are counted. */
const counted = /^\s*(\d{1,9}) \([^()]{1,20} ago\)\s*$/
const sized = /^\s*([-+]?\d+(?:\.\d+)?)\s*(?:([kmgtp])(i?)b?|b|bytes)\s*$/i
const powers = ['k', 'm', 'g', 't', 'p']
/** Longer strings hold no number that anybody compares. */
const longest = 40

/** `12.5` of "12.5"; undefined for anything that is not a plain number. */
export function plainNumber(text: string): number | undefined {
  return text.length <= longest && plain.test(text) ? Number(text) : undefined
}

/** Like `plainNumber`, and 1234.5 of "$1,234.50" and "1.234,50", 12 of "12%", 5 of "5 (3h ago)". */
export function looseNumber(text: string): number | undefined {
  if (text.length > longest) return undefined
  if (plain.test(text)) return Number(text)
  if (dressed.test(text)) return Number(text.replaceAll(/[^\d.+-]/g, ''))
  if (comma.test(text)) return Number(text.replaceAll(/[^\d,+-]/g, '').replace(',', '.'))
  const [, count] = counted.exec(text) ?? []
  return count === undefined ? undefined : Number(count)
}

/** Bytes, or just a multiple: 10,000,000 of "10MB", 2³¹ of "2GiB" and "2Gi", 1,000 of "1k". Undefined without a unit. */
export function quantity(text: string): number | undefined {
  if (text.length > longest) return undefined
  const parts = sized.exec(text)
  if (!parts) return undefined
  const [, number, letter, binary] = parts
  const power = letter === undefined ? 0 : powers.indexOf(letter.toLowerCase()) + 1
  return Number(number) * (binary ? 1024 : 1000) ** power
}

const timed =
  /^\s*(-?)((?:\d+(?:\.\d+)?\s*(?:ns|µs|us|ms|secs?|seconds?|s|mins?|minutes?|m|hours?|hrs?|h|days?|d|weeks?|w|y)\s*)+)$/
const milliseconds: Readonly<Record<string, number>> = {
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
  if (text.length > longest) return undefined
  const [, sign, parts] = timed.exec(text) ?? []
  if (parts === undefined) return undefined
  let sum = 0
  for (const [, number, unit = ''] of parts.matchAll(/([\d.]+)\s*([a-zµ]+)/g))
    sum += Number(number) * (milliseconds[unit] ?? milliseconds[unit.charAt(0)] ?? 0)
  return sign === '-' ? -sum : sum
}
