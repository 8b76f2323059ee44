/** Tables of a page as records. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'

interface OpenTable {
  rows: string[][]
  row: string[] | undefined
  cell: string | undefined
}

/** Deeper tables are layout; their cells count as text of the outer one. */
const MAX_DEPTH = 16

/** Collects rows and cells as tags open and close; end tags may be missing, as HTML allows. */
export class HtmlTables {
  readonly #open: OpenTable[] = []
  readonly #done: JsonValue[] = []

  open(tag: string): void {
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
      table.cell = ''
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
    if (table?.cell !== undefined) table.cell += text
  }

  finish(): JsonValue[] {
    while (this.#open.length > 0) this.#finishTable()
    return this.#done
  }

  #finishTable(): void {
    const table = this.#open.pop()
    if (!table) return
    endRow(table)
    if (table.rows.length >= 2 && table.rows.some((row) => row.length > 1))
      this.#done.push(records(table.rows))
  }
}

function endCell(table: OpenTable): void {
  if (table.cell !== undefined) table.row?.push(table.cell.replace(/\s+/g, ' ').trim())
  table.cell = undefined
}

function endRow(table: OpenTable): void {
  endCell(table)
  if (table.row && table.row.length > 0) table.rows.push(table.row)
  table.row = undefined
}

function records([header = [], ...rows]: string[][]): JsonValue[] {
  const names = header.map((name, index) =>
    name === '' || header.indexOf(name) < index ? `column_${index + 1}` : name,
  )
  return rows.map((row) => {
    const record: JsonObject = {}
    row.forEach((cell, index) => {
      setOwn(record, names[index] ?? `column_${index + 1}`, cell)
    })
    return record
  })
}
