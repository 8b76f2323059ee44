/** The order of texts with numbers in them: `v1.9` before `v1.10`, `item 2` before `item 10`. */

/** Negative, 0 or positive, like a comparison of code units, but that runs of digits compare by their value. */
export function compareNaturally(a: string, b: string): number {
  let at = 0
  let to = 0
  while (at < a.length && to < b.length) {
    const one = a.charCodeAt(at)
    const other = b.charCodeAt(to)
    if (isDigit(one) && isDigit(other)) {
      const end = digitsEnd(a, at)
      const stop = digitsEnd(b, to)
      const difference = compareDigits(a.slice(at, end), b.slice(to, stop))
      if (difference !== 0) return difference
      at = end
      to = stop
    } else if (one !== other) return one - other
    else {
      at += 1
      to += 1
    }
  }
  const left = a.length - at - (b.length - to)
  return left !== 0 ? left : a < b ? -1 : a > b ? 1 : 0
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function digitsEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1
  return at
}

/** As numbers of any length; zeros in front do not count. */
function compareDigits(a: string, b: string): number {
  const one = a.replace(/^0+/, '')
  const other = b.replace(/^0+/, '')
  if (one.length !== other.length) return one.length - other.length
  return one < other ? -1 : one > other ? 1 : 0
}
