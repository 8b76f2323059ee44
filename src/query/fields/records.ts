/** The records of a document as the steps see them. */

import { columnsOf } from '../../documents/columns/column.ts'
import type { Document } from '../../documents/document.ts'
import { type Collection, collectionsOf, keyedRecords } from '../../documents/shape/collections.ts'
import { Table, tableOf } from '../../documents/table.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Reading } from '../../text/values/reading.ts'
import { Refusal } from '../refusal.ts'
import { ownLines } from './own-lines.ts'
import { formatPath, named, type Path, parsePath, withinEach } from './path.ts'
import { valuesAt } from './walk.ts'

/** A field of records. */
export interface Field {
  /** The field's name within a record, in plain form: `user.login`, `labels[*].name`. */
  name: string
  path: Path
  /** "`State` read as `state`", when it was not taken as written. */
  note?: string
  /** The milliseconds of one, for a time less another: days of dates, seconds or less of numbers since 1970. */
  unit?: number
  /** How the fields that it is computed of were read, where they have units. */
  reading?: Reading
}

export interface Records {
  readonly table: Table
  /** From the root to the collection. */
  readonly path: Path
  /** Records of a map carry their key as `_key`. */
  readonly values: readonly JsonValue[]
  /** The records that these were chosen from: a field that one of them has is a field. The same list where nothing was chosen. */
  readonly whole: readonly JsonValue[]
  /** Every field of a sample of the records, `a.b` for nested ones, `a.*.b` within maps, with a few of its values. */
  names(): ReadonlyMap<string, readonly JsonValue[]>
  /** The remark on a field that no record has: where it is, or what the records are. */
  hint(field: string): string
  /** Fields that the question itself names, in lower case: `total` of `price * qty as total`. A field of the records comes first. */
  readonly named: ReadonlyMap<string, Field>
  /** To the lines that each record was read from; undefined where it does not say which they are. */
  readonly lines: Path | undefined
}

/** Undefined when nothing in the document repeats. */
export function recordsOf(document: Document): Records | undefined {
  const table = document.table()
  if (!table) return undefined
  return table.derived('records', () => {
    const { whole, path } = table
    // A question about chosen records is reported over the records they were chosen from.
    const base = whole === table ? undefined : (whole.found<Records>('records') ?? asRecords(whole, () => ''))
    return asRecords(
      table,
      base?.hint ?? ((field) => otherPlace(document, path, field)),
      base?.named ?? columnsNamed(table),
      base ? base.lines : ownLines(document, table),
    )
  })
}

/** The document with more names for its records: every name that `field` knows. Itself where it knows none. */
export function withNames(
  document: Document,
  names: readonly string[],
  field: (records: Records, name: string) => Field | undefined,
): Document {
  const table = document.table()
  const before = table && recordsOf(document)
  if (!table || !before) return document
  const { columns, path, provenance, whole } = table
  // The meaning of a name is remembered with the table: the names of one question are no names for the next.
  const view = new Table(columns, path, provenance, whole === table ? undefined : whole)
  const named = new Map(before.named)
  const records = view.derived('records', () => asRecords(view, before.hint, named, before.lines))
  for (const name of names) {
    const found = field(records, name)
    if (found) named.set(name.toLowerCase(), found)
  }
  if (named.size === before.named.size) return document
  const { kind, format, traits, asides, json, lines, lineTable, rows } = document
  return {
    ...{ kind, format, traits, asides, json, lines, lineTable, rows },
    ...{
      provenance: document.provenance,
      records: document.records,
      glimpse: document.glimpse,
      table: () => view,
    },
    get text() {
      return document.text
    },
    get bytes() {
      return document.bytes
    },
    get characters() {
      return document.characters
    },
  }
}

/** Throws a `Refusal` when the document has no records. `doing` completes "nothing to". */
export function requireRecords(document: Document, doing: string): Records {
  const records = recordsOf(document)
  if (records) return records
  if (document.json() === undefined) return linesOf(document)
  throw new Refusal(
    `Nothing in this result repeats, so there is nothing to ${doing}. Name the list or map with \`path\`; \`_key\` and \`_value\` are its fields and their values.`,
  )
}

/** The lines of a text, each a value. */
function linesOf(document: Document): Records {
  const table = document.lineTable()
  return table.derived('records', () =>
    asRecords(table, () => ' The result is text and its records are its lines.'),
  )
}

/** Records looked at in other collections, and such collections. */
const MOST_GLANCED = 50
const MOST_OTHERS = 20

/** Says which other collection of the document has records with the field. */
function otherPlace(document: Document, own: string, field: string): string {
  const wanted = parsePath(field)
  const others = collectionsOf(document.json() ?? null).filter(({ path }) => path !== own)
  for (const { path, values } of others.slice(0, MOST_OTHERS)) {
    const within = parsePath(path)
    const step = (one: Path, at: number) => formatPath(one.slice(at, at + 1))
    const below = within.every((_, at) => step(within, at) === step(wanted, at))
      ? wanted.slice(within.length)
      : wanted
    const rest = withinEach(below)
    const at =
      rest.length === 0
        ? -1
        : values.slice(0, MOST_GLANCED).findIndex((value) => valuesAt(value, rest).length > 0)
    if (at < 0) continue
    // Of a list of tables one is meant.
    const place = Array.isArray(values[at]) ? `${path}[${at}]` : path
    return ` \`${place}\` has it: add "path": ${JSON.stringify(place)}.`
  }
  return ''
}

/** True where a question is about the main list of data, and no path led elsewhere. */
export function asksMain(document: Document): boolean {
  return document.json() !== undefined && document.provenance.path === document.records()?.path
}

/** The records of the collections that are not the main one. Of a list of tables the tables are asked, not the list. */
export function otherRecords(document: Document): Records[] {
  const main = document.records()?.path
  const all = collectionsOf(document.json() ?? null)
  const holdsOthers = ({ path, values }: Collection): boolean =>
    Array.isArray(values[0]) && all.some((other) => other.path.startsWith(`${path}[`))
  return all
    .filter((one) => one.path !== main && !holdsOthers(one))
    .slice(0, MOST_OTHERS)
    .map((collection) => asRecords(tableOf(keyedRecords(collection), collection.path), () => ''))
}

/** Values as records without a place of their own: the elements of lists in records. The same for the same list. */
export function recordsOfValues(values: readonly JsonValue[]): Records {
  return columnsOf(values).derived('records', () => asRecords(tableOf(values), () => ''))
}

const NOTHING: Records['named'] = new Map()

/** Rows that are looked at to tell whether the first one names the columns of the others, and columns that are named. */
const MOST_HEADED = 50
const MOST_COLUMNS = 500

/** The columns of rows of lists, as sheets have them, by the names in the first row; a row may end early. Nothing where it names none. */
function columnsNamed(table: Table): Records['named'] {
  const [names, ...rows] =
    table.count < 3
      ? []
      : Array.from({ length: Math.min(table.count, MOST_HEADED) }, (_, at) => table.row(at))
  if (!Array.isArray(names) || names.length < 2 || names.length > MOST_COLUMNS) return NOTHING
  const texts = names.filter(
    (name): name is string => typeof name === 'string' && name.trim() !== '' && !/^-?[\d.,]+$/.test(name),
  )
  if (texts.length < names.length || new Set(texts).size < names.length) return NOTHING
  if (!rows.every((row) => Array.isArray(row) && row.length <= names.length)) return NOTHING
  return new Map(
    texts.map((name, at) => [
      formatPath([named(name)]).toLowerCase(),
      {
        name,
        path: parsePath(`[${at}]`),
        note: `\`${name}\` is [${at}]: the first row has the names, and is one of the rows.`,
      },
    ]),
  )
}

function asRecords(
  table: Table,
  hint: Records['hint'],
  named: Records['named'] = NOTHING,
  lines?: Path,
): Records {
  const path = parsePath(table.path)
  return {
    table,
    path,
    get values() {
      return table.rows
    },
    get whole() {
      return table.whole.rows
    },
    names: () => table.names(),
    hint,
    named,
    lines,
  }
}
