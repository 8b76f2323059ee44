/** A list or an object of Python or JSON a line, each perhaps behind its number: `Row  2: ['Ann', 5]`, `3. {'id': 7}`. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { parseJson } from '../json/stringify.ts'
import { areNames, asideOf, distinct, type FoundTable, freeName, recordsOf } from './cells.ts'
import { defineFormat } from './define.ts'
import { readPython } from './python.ts'
import { belowWords } from './words-above.ts'

const BEFORE = '(?:[ \\t]{0,8}(?:(?:(\\p{L}{1,30})[ \\t]*)?#?(\\d{1,9})[.:)]|[-*•])[ \\t]+)?'
const ROW = new RegExp(`^${BEFORE}([[({].*[\\])}])[ \\t\\r]*$`, 'u')
const TWO_ROWS = new RegExp(`^${BEFORE}[[({].*[\\])}][ \\t\\r]*\\n${BEFORE}[[({]`, 'u')
const LEAST_ROWS = 3
/** Lines below the rows that are words about them. */
const MOST_BELOW = 12

interface ListedRow {
  readonly label: string
  readonly number: number | undefined
  readonly value: JsonValue[] | JsonObject
}

function rowIn(line: string): ListedRow | undefined {
  const [, label = '', number, written = ''] = ROW.exec(line) ?? []
  if (written === '') return undefined
  const value = parseJson(written)?.value ?? readPython(written)
  if (!Array.isArray(value) && !isObject(value)) return undefined
  return { label, number: number === undefined ? undefined : Number(number), value }
}

/** Rows of one kind, and the words below them; undefined where other lines stand among the rows. */
function readRows(text: string): FoundTable | undefined {
  const lines = indexLines(text)
  const rows: ListedRow[] = []
  const below: string[] = []
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    if (line.trim() === '') continue
    const row = rowIn(line)
    const [first = row] = rows
    const last = rows.at(-1)
    if (row === undefined) {
      if (rows.length < LEAST_ROWS || below.push(line) > MOST_BELOW) return undefined
    } else if (
      below.length === 0 &&
      row.label === first?.label &&
      Array.isArray(row.value) === Array.isArray(first.value) &&
      (row.number === undefined) === (first.number === undefined) &&
      (row.number === undefined || row.number > (last?.number ?? -1))
    )
      rows.push(row)
    else return undefined
  }
  return rows.length < LEAST_ROWS ? undefined : { json: () => recordsIn(rows), asides: below.map(asideOf) }
}

function recordsIn(rows: readonly ListedRow[]): JsonObject[] {
  const [first] = rows
  const lists = rows.flatMap(({ value }) => (Array.isArray(value) ? [value] : []))
  if (lists.length === 0) return rows.map((row) => numbered(row, row.value as JsonObject))
  const [head = [], ...others] = lists
  const isNamed = areNames(head, others) && others.every(({ length }) => length <= head.length)
  const width = lists.reduce((most, { length }) => Math.max(most, length), 0)
  const names = distinct(isNamed ? (first?.value as string[]) : Array.from({ length: width }, () => ''))
  const body = rows.slice(isNamed ? 1 : 0)
  const cells = lists.slice(isNamed ? 1 : 0)
  const areTexts = cells.every((row) => row.every((cell) => typeof cell === 'string'))
  const records = areTexts
    ? recordsOf(names, cells as string[][])
    : cells.map((row) => {
        const record: JsonObject = {}
        for (const [at, cell] of row.entries()) if (at < names.length) setOwn(record, names[at] ?? '', cell)
        if (row.length > names.length) record._more = row.slice(names.length)
        return record
      })
  return records.map((record, at) => numbered(body[at], record))
}

/** The record with the number that stands before it. */
function numbered(row: ListedRow | undefined, record: JsonObject): JsonObject {
  if (row?.number === undefined) return record
  return { [freeName(new Set(Object.keys(record)), row.label || 'number')]: row.number, ...record }
}

/** Tried after JSON a line, which names nothing. Never takes a text with other lines among the rows. */
export const rowLists = defineFormat<FoundTable>({
  name: 'row lists',
  family: 'table',
  detect(text) {
    if (TWO_ROWS.test(text.slice(0, LOOKED_AT))) return readRows(text)
    const mayBegin = (rest: string, above: readonly string[]): boolean =>
      TWO_ROWS.test(rest) && !above.some((line) => ROW.test(line))
    const found = belowWords(text, mayBegin, readRows)
    return found && { ...found.evidence, asides: [...found.above.map(asideOf), ...found.evidence.asides] }
  },
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
})

const LOOKED_AT = 65_536
