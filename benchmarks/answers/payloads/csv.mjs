/** Tables of text by RFC 4180, with commas, semicolons, tabs or bars. */
import { hasHeader } from './csv-header.mjs'

const DELIMITERS = [',', ';', '\t', '|']

/** Rows that are looked at to tell what parts the cells. */
const LOOKED_AT = 100

/**
 * Rows of a text, each with where it begins and ends in it (the end after its line break).
 * @returns {{cells: string[], start: number, end: number}[]}
 */
export function rowsOf(text, delimiter, most = Number.POSITIVE_INFINITY) {
  const rows = []
  let cells = []
  let start = 0
  let at = 0
  while (at < text.length && rows.length < most) {
    let cell = ''
    if (text[at] === '"') {
      at++
      for (;;) {
        const quote = text.indexOf('"', at)
        if (quote < 0) throw new Error(`a quote opened in the row at ${start} is never closed`)
        cell += text.slice(at, quote)
        at = quote + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
    }
    let end = at
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++
    cell += text.slice(at, end)
    at = end
    cells.push(cell)
    if (text[at] === delimiter) {
      at++
      if (at === text.length) cells.push('')
      else continue
    } else {
      if (text[at] === '\r') at++
      if (text[at] === '\n') at++
    }
    rows.push({ cells, start, end: at })
    cells = []
    start = at
  }
  if (cells.length > 0) rows.push({ cells: [...cells, ''], start, end: at })
  return rows.filter((row) => row.cells.length > 1 || row.cells[0] !== '')
}

/**
 * The sign between the cells: the one by which most rows have as many cells as the first. Of several such signs it is the one that makes
 * most cells.
 */
function delimiterOf(text, name) {
  if (/\.(tsv|tab)$/i.test(name)) return '\t'
  const judged = DELIMITERS.map((sign) => {
    const rows = attempt(() => rowsOf(text, sign, LOOKED_AT)) ?? []
    const width = rows[0]?.cells.length ?? 0
    const like = rows.filter(({ cells }) => cells.length === width).length
    return { sign, width, share: width > 1 ? like / rows.length : 0 }
  })
  const best = judged.reduce((one, other) =>
    other.share > one.share || (other.share === one.share && other.width > one.width) ? other : one,
  )
  if (best.share === 0) throw new Error('no columns')
  return best.sign
}

function attempt(work) {
  try {
    return work()
  } catch {
    return undefined
  }
}

/**
 * The rows with a header, and which of them is which record. Throws when the text is no table with a header.
 * @param {{ header?: boolean }} [known] `header`: the first row is known to be one
 */
export function tableOf(text, name, { header: known = false } = {}) {
  const [header, ...rows] = rowsOf(text, delimiterOf(text, name))
  if (header === undefined || header.cells.length < 2) throw new Error('no columns')
  const columns = header.cells.map((cell) => cell.trim())
  if (columns.some((cell) => cell === '') || new Set(columns).size < columns.length) {
    throw new Error('columns without a name of their own')
  }
  const long = rows.find(({ cells }) => cells.slice(columns.length).some((cell) => cell !== ''))
  if (long !== undefined) throw new Error(`more cells than columns in the row at ${long.start}`)
  if (!known && !hasHeader(header.cells, rows))
    throw new Error('no header, or none that can be told from the rows')
  return { columns, rows }
}

/**
 * Cells stay strings, as in the file. An empty cell is no value, except where the whole column is empty.
 * @param {string} name
 * @param {string} text
 * @param {{ header?: boolean }} [known] `header`: the first row is known to be one
 * @returns {import('../contract.mjs').Payload[]}
 */
export function readCsv(name, text, known) {
  const { columns, rows } = tableOf(text, name, known)
  const empty = columns.map((_, at) => rows.every(({ cells }) => (cells[at] ?? '') === ''))
  const records = rows.map(({ cells }) => {
    const held = columns.flatMap((column, at) =>
      cells[at] === undefined || (cells[at] === '' && !empty[at]) ? [] : [[column, cells[at]]],
    )
    return Object.fromEntries(held)
  })
  return [{ name, kind: 'csv', text, source: name, collections: [{ at: [], keyed: false, records }] }]
}
