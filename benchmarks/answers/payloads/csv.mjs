/** CSV by RFC 4180, and the same with tabs or semicolons. */

/**
 * Rows of a text, each with where it begins and ends in it (the end after its line break).
 * @returns {{cells: string[], start: number, end: number}[]}
 */
export function rowsOf(text, delimiter) {
  const rows = []
  let cells = []
  let start = 0
  let at = 0
  while (at < text.length) {
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

function delimiterOf(text, name) {
  if (/\.(tsv|tab)$/i.test(name)) return '\t'
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const count = (sign) => line.split(sign).length
  return [',', ';', '\t', '|'].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

/** The rows with a header, and which of them is which record. Throws when the text is no table with a header. */
export function tableOf(text, name) {
  const [header, ...rows] = rowsOf(text, delimiterOf(text, name))
  if (header === undefined || header.cells.length < 2) throw new Error('no columns')
  if (header.cells.some((cell) => cell.trim() === '') || new Set(header.cells).size < header.cells.length) {
    throw new Error('columns without a name of their own')
  }
  // Numbers, versions, hashes: the first row is one like the others.
  if (header.cells.some((cell) => /^(?:-?[\d.]+|v\d[\w.-]*)$|=|.{61}/.test(cell)))
    throw new Error('no header')
  return { columns: header.cells, rows }
}

/**
 * Cells stay strings, as in the file. An empty cell is no value, except where the whole column is empty.
 * @param {string} name
 * @param {string} text
 * @returns {import('../contract.mjs').Payload[]}
 */
export function readCsv(name, text) {
  const { columns, rows } = tableOf(text, name)
  const empty = columns.map((_, at) => rows.every(({ cells }) => (cells[at] ?? '') === ''))
  const records = rows.map(({ cells }) => {
    const held = columns.flatMap((column, at) =>
      cells[at] === undefined || (cells[at] === '' && !empty[at]) ? [] : [[column, cells[at]]],
    )
    return Object.fromEntries(held)
  })
  return [{ name, kind: 'csv', text, source: name, collections: [{ at: [], keyed: false, records }] }]
}
