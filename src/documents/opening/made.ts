/** Documents that answers are made of: what one step hands to the next. Nothing is recognised in them. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Document, Rows } from '../document.ts'
import { toJson } from '../json/stringify.ts'
import type { Table } from '../table.ts'
import { makeDocument } from './make.ts'
import { madeRows, rowsOf } from './rows.ts'

/** Found things in their order. Rows of text make a text of lines, others an array of JSON. */
export function fromRows({ noun, items }: Pick<Rows, 'noun' | 'items'>): Document {
  const texts = items.length > 0 && items.every((item) => typeof item === 'string')
  const values = items as JsonValue[]
  return makeDocument({
    format: texts ? 'text' : 'json',
    text: () => (texts ? items.join('\n') : toJson(values)),
    json: () => values,
    records: () => ({ path: '$', keys: undefined, values: items }),
    rows: () => rowsOf(noun, items),
  })
}

/** The rows of a table, which are put together when they are asked for. */
export function fromTable(noun: string, table: Table): Document {
  const texts = table.count > 0 && typeof table.row(0) === 'string' && table.rows.every(isText)
  const rows = madeRows(noun, table.count, (at) => table.row(at))
  const all: Rows = {
    noun,
    count: table.count,
    get items() {
      return table.rows
    },
    slice: (from, to) => rows.slice(from, to),
  }
  return fromMadeRows(texts ? 'text' : 'json', all, table)
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string'
}

/** The same for rows that are made as they are asked for: all of them texts, or none. */
export function fromMadeRows(kind: 'json' | 'text', rows: Rows, table?: Table): Document {
  return makeDocument({
    ...(table && { table: () => table }),
    format: kind,
    text: () => (kind === 'text' ? rows.items.join('\n') : toJson([...rows.items])),
    json: () => rows.items as JsonValue[],
    records: () => ({
      path: '$',
      keys: undefined,
      get values() {
        return rows.items
      },
    }),
    rows: () => rows,
  })
}
