/** The lines of a text that a record was read from, as a field of it. It is there where records say at which line they begin. */
import type { Document } from '../../documents/document.ts'
import { BESIDE } from '../../documents/formats/cells.ts'
import type { Table } from '../../documents/table.ts'
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import type { Path } from './path.ts'

const LINE = 'line'
/** The name of the number of a line where the text itself has a field `line`. */
const OF_TEXT = 'line_2'

/** The names by which the lines of a record are asked for, unless a field is called so. The first is told. */
export const NAMES_OF_LINES: readonly string[] = [
  'raw',
  'text',
  'content',
  'body',
  'raw_text',
  'line_text',
  'full_text',
]

/** The path to the lines of each record. Undefined where their `line` is no number of a line in this text. */
export function ownLines(document: Document, table: Table): Path | undefined {
  const { line, family } = document.traits
  const areNumbered = line === 'entry' || (family === 'markdown' && table.path === '$.records')
  if (!areNumbered || table.whole !== table || table.count === 0) return undefined
  const first = table.row(0)
  if (!isObject(first) || typeof own(first, LINE) !== 'number' || Object.hasOwn(first, OF_TEXT))
    return undefined
  let read: ((line: number) => string | undefined) | undefined
  const values = (record: JsonValue): readonly JsonValue[] => {
    read ??= readerOf(document, table.rows)
    const line = isObject(record) ? own(record, LINE) : undefined
    const text = typeof line === 'number' ? read(line) : undefined
    return text === undefined ? [] : [text]
  }
  return [
    { selectors: [{ kind: 'computed', source: 'raw', key: 'own lines', values }], deep: false, dotted: [] },
  ]
}

/**
 * The lines from that of a record up to the next record, or to a heading or remark between them. The last one has no more lines than others
 * have, for a text may end with other lines. Nothing where the records are in another order.
 */
function readerOf(document: Document, rows: readonly JsonValue[]): (line: number) => string | undefined {
  const lines = document.lines()
  const beside = new Set(
    document.asides.map((aside) => (aside.startsWith(BESIDE) ? aside.slice(BESIDE.length) : aside)),
  )
  const ends = new Map<number, number>()
  let longest = 1
  for (const [at, row] of rows.entries()) {
    const after = rows[at + 1]
    const [line, next] = [lineOf(row), after === undefined ? lines.count + 1 : lineOf(after)]
    if (line === undefined || next === undefined || line < 1 || next <= line) return () => undefined
    const heading = headingOf(after) === headingOf(row) ? undefined : headingOf(after)
    const most = after === undefined && rows.length > 1 ? Math.min(next, line + longest) : next
    let end = line + 1
    for (let index = end; index < most; index++) {
      const text = lines.at(index - 1).trim()
      if ((after === undefined && beside.has(text)) || (heading !== undefined && bare(text) === heading))
        break
      // A heading stands above the next record, unless records begin with one.
      if (MARKED.test(text) && !MARKED.test(lines.at(line - 1))) break
      if (!NOTHING.test(text)) end = index + 1
    }
    longest = Math.max(longest, end - line)
    ends.set(line, end)
  }
  return (line) => {
    const length = (ends.get(line) ?? line) - line
    if (length === 0) return undefined
    return Array.from({ length }, (_, at) => lines.at(line - 1 + at)).join('\n')
  }
}

const MARKED = /^#{1,6} /
/** A line that says nothing: empty, or a rule between records. */
const NOTHING = /^(?:[-=*_]{3,})?$/
/** Characters of a line that may be a heading. */
const LONGEST_HEADING = 200

/** A line without the marks of a heading. */
function bare(line: string): string {
  return line.length > LONGEST_HEADING ? line : line.replace(/^[#>*_\s]+/, '').replace(/[*_:\s]+$/, '')
}

function lineOf(row: JsonValue | undefined): number | undefined {
  const line = row !== undefined && isObject(row) ? own(row, LINE) : undefined
  return typeof line === 'number' && Number.isInteger(line) ? line : undefined
}

function headingOf(row: JsonValue | undefined): string | undefined {
  const heading = row !== undefined && isObject(row) ? own(row, 'heading') : undefined
  return typeof heading === 'string' && heading !== '' ? heading : undefined
}
