/** Numbers in strings: plain, with a currency, in thousands, with a unit of size. */

const plain = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?\s*$/i
const dressed = /^\s*[-+]?[$€£]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?%?\s*$/
const sized = /^\s*([-+]?\d+(?:\.\d+)?)\s*(?:([kmgtp])(i?)b?|b|bytes)\s*$/i
const powers = ['k', 'm', 'g', 't', 'p']
/** Longer strings hold no number that anybody compares. */
const longest = 40

/** `12.5` of "12.5"; undefined for anything that is not a plain number. */
export function plainNumber(text: string): number | undefined {
  return text.length <= longest && plain.test(text) ? Number(text) : undefined
}

/** Like `plainNumber`, and 1234.5 of "$1,234.50", 12 of "12%". */
export function looseNumber(text: string): number | undefined {
  if (text.length > longest) return undefined
  if (plain.test(text)) return Number(text)
  return dressed.test(text) ? Number(text.replaceAll(/[^\d.+-]/g, '')) : undefined
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
