/** Numbers in text: `12` and `-3.5` are numbers, `007`, `1.50` and `1e3` are not, because they would not come back. */

/** The number a text is, when writing that number gives the same text. */
export function exactNumber(text: string): number | undefined {
  const first = text.charCodeAt(0)
  if (text.length > 24 || text.length === 0 || (first !== 45 && (first < 48 || first > 57))) return undefined
  const number = Number(text)
  return String(number) === text && Number.isFinite(number) ? number : undefined
}
