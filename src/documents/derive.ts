/** Documents that answers are made of: what one step hands to the next. */
import type { JsonValue } from '../protocol/json.ts'
import { withColumns } from './columnar.ts'
import { recognise } from './detect.ts'
import type { Document, Rows } from './document.ts'
import type { Traits } from './formats/define.ts'
import { makeDocument } from './make.ts'
import { madeRows, rowsOf } from './rows.ts'
import { toJson } from './stringify.ts'
import type { Table } from './table.ts'
import { unfold } from './unfold.ts'

/** A value as a document. A string is recognised like any text a server sends; `noun` names one row. */
export function fromValue(value: JsonValue, options: { noun?: string } = {}): Document {
  if (typeof value === 'string') return fromRecognised(value)
  return makeDocument({
    format: 'json',
    text: () => toJson(value),
    json: () => withColumns(unfold(value)),
    ...(options.noun === undefined ? {} : { noun: options.noun }),
  })
}

/** A text as lines, whatever it looks like. */
export function fromText(text: string): Document {
  return makeDocument({ format: 'text', text: () => text })
}

/** From this length on the text of JSON is not kept beside its data: hardly any question needs it. */
const LARGE = 1_000_000

/** Nothing here may refer to the text, or it would be kept. */
function fromData(
  format: Traits,
  value: JsonValue | undefined,
  characters: number,
  asides: readonly string[],
  text: () => string,
  bytes: number | undefined,
): Document {
  const parts = { format, text, characters, json: () => value, asides }
  return makeDocument(bytes === undefined ? parts : { ...parts, bytes })
}

/** A text as what it is: JSON, a table, a log. `bytes` defaults to those of the text; `again` gives it once more. */
export function fromRecognised(
  written: string,
  beside: { bytes?: number; asides?: readonly string[]; again?: () => string } = {},
): Document {
  const { text, traits, json, asides } = recognise(written)
  if (
    traits.search === 'values' &&
    json &&
    beside.again &&
    text.length > LARGE &&
    text.length === written.length
  ) {
    const remarks = [...(beside.asides ?? []), ...asides]
    return fromData(traits, json(), text.length, remarks, beside.again, beside.bytes)
  }
  return makeDocument({
    format: traits,
    text: () => text,
    ...(beside.bytes === undefined ? {} : { bytes: beside.bytes }),
    ...(json ? { json } : {}),
    asides: [...(beside.asides ?? []), ...asides],
  })
}

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
