/** Cells of delimited text (RFC 4180): quoted cells may hold delimiters, newlines and doubled quotes. */

const QUOTE = 34
const NEWLINE = 10
const RETURN = 13

/** Yields the cells of each row, empty lines left out. Linear: each character is looked at once. */
export function* cellRows(text: string, delimiter: string): Generator<string[]> {
  const separator = delimiter.charCodeAt(0)
  let row: string[] = []
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < text.length) {
    let cell: string
    if (text.charCodeAt(at) === QUOTE) {
      const close = closingQuote(text, at + 1)
      cell = text.slice(at + 1, close)
      if (cell.includes('""')) cell = cell.replaceAll('""', '"')
      at = close + 1
      const rest = cellEnd(text, at, separator)
      if (rest > at) cell += text.slice(at, trimReturn(text, at, rest))
      at = rest
    } else {
      const end = cellEnd(text, at, separator)
      cell = text.slice(at, trimReturn(text, at, end))
      at = end
    }
    row.push(cell)
    if (text.charCodeAt(at) === separator) {
      at += 1
      if (at < text.length && text.charCodeAt(at) !== NEWLINE && text.charCodeAt(at) !== RETURN) continue
      row.push('')
      if (text.charCodeAt(at) === RETURN) at += 1
    }
    at += 1
    if (row.length > 1 || row[0] !== '') yield row
    row = []
  }
}

function cellEnd(text: string, from: number, separator: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === separator || code === NEWLINE) return at
  }
  return text.length
}

function trimReturn(text: string, from: number, end: number): number {
  const lineEnds = end >= text.length || text.charCodeAt(end) === NEWLINE
  return lineEnds && end > from && text.charCodeAt(end - 1) === RETURN ? end - 1 : end
}

/** The quote that ends a cell: the first one that is not doubled. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2)
  return at < 0 ? text.length : at
}
