/** Tables of a page as records. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { attribute } from './html-scan.ts'

interface Cell {
  text: string
  /** Names what stands below or beside it. */
  heading: boolean
  columns: number
  rows: number
}

interface OpenTable {
  rows: Cell[][]
  row: Cell[] | undefined
  cell: Cell | undefined
}

/** Deeper tables are layout; their cells count as text of the outer one. */
const MAX_DEPTH = 16
/** Columns of a table, and columns and rows that one cell may cover. */
const MAX_COLUMNS = 500
const MAX_SPAN = 60

/** Collects rows and cells as tags open and close; end tags may be missing, as HTML allows. */
export class HtmlTables {
  readonly #open: OpenTable[] = []
  readonly #done: JsonValue[] = []

  open(tag: string, attributes: string): void {
    if (tag === 'table') {
      if (this.#open.length < MAX_DEPTH) this.#open.push({ rows: [], row: undefined, cell: undefined })
      return
    }
    const table = this.#open.at(-1)
    if (!table) return
    if (tag === 'tr') {
      endRow(table)
      table.row = []
    } else if (tag === 'td' || tag === 'th') {
      endCell(table)
      table.row ??= []
      table.cell = {
        text: '',
        heading: tag === 'th',
        columns: span(attributes, 'colspan'),
        rows: span(attributes, 'rowspan'),
      }
    }
  }

  close(tag: string): void {
    const table = this.#open.at(-1)
    if (!table) return
    if (tag === 'td' || tag === 'th') endCell(table)
    else if (tag === 'tr') endRow(table)
    else if (tag === 'table') this.#finishTable()
  }

  text(text: string): void {
    const table = this.#open.at(-1)
    if (table?.cell !== undefined) table.cell.text += text
  }

  finish(): JsonValue[] {
    while (this.#open.length > 0) this.#finishTable()
    return this.#done
  }

  #finishTable(): void {
    const table = this.#open.pop()
    if (!table) return
    endRow(table)
    const rows = spread(table.rows)
    if (rows.length >= 2 && rows.some((row) => row.length > 1)) this.#done.push(records(rows))
  }
}

function span(attributes: string, name: string): number {
  if (!attributes.includes('span')) return 1
  const count = Number(attribute(attributes, name) ?? 1)
  return Number.isInteger(count) && count > 1 ? Math.min(count, MAX_SPAN) : 1
}

function endCell(table: OpenTable): void {
  if (table.cell === undefined) return
  table.cell.text = table.cell.text.replace(/\s+/g, ' ').trim()
  table.row?.push(table.cell)
  table.cell = undefined
}

function endRow(table: OpenTable): void {
  endCell(table)
  if (table.row && table.row.length > 0) table.rows.push(table.row)
  table.row = undefined
}

/** Rows with as many cells as columns: what covers several places stands in each of them. */
function spread(rows: readonly Cell[][]): Cell[][] {
  let above: { cell: Cell; left: number }[] = []
  return rows.map((row) => {
    const placed: Cell[] = []
    const below: typeof above = []
    const put = (cell: Cell, left: number) => {
      if (left > 0) below[placed.length] = { cell, left }
      placed.push(cell)
    }
    const fromAbove = () => {
      for (let held = above[placed.length]; held !== undefined; held = above[placed.length])
        put(held.cell, held.left - 1)
    }
    for (const cell of row) {
      fromAbove()
      for (let column = 0; column < cell.columns && placed.length < MAX_COLUMNS; column++)
        put(cell, cell.rows - 1)
    }
    fromAbove()
    above = below
    return placed
  })
}

/** The rows at the top that hold headings alone name the columns; without any, the first row does. */
function records(rows: Cell[][]): JsonValue[] {
  const headings = rows.findIndex((row) => !row.every(({ heading }) => heading))
  const beside =
    headings === 0 &&
    rows.every(([first, ...others]) => first?.heading && others.some((cell) => !cell.heading))
  const top = headings < 0 || beside ? 0 : Math.max(1, headings)
  const width = Math.max(...rows.map((row) => row.length))
  const named = headings < 0 ? rows.slice(0, 1) : rows.slice(0, top)
  const names = namesOf(named, width)
  return rows.slice(named.length).map((row) => {
    const record: JsonObject = {}
    row.forEach(({ text }, index) => {
      setOwn(record, names[index] ?? `column_${index + 1}`, text)
    })
    return record
  })
}

/** Under several rows of headings a column is named by all of them: `Count m`. */
function namesOf(rows: readonly Cell[][], width: number): string[] {
  const header = Array.from({ length: width }, (_, column) => {
    const cells = rows.flatMap((row) => row[column] ?? [])
    return [...new Set(cells)]
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join(' ')
  })
  return header.map((name, index) =>
    name === '' || header.indexOf(name) < index ? `column_${index + 1}` : name,
  )
}
