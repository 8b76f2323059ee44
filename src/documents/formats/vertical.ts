/** Rows that databases print a column a line: `\x` of psql and `\G` of mysql. */
import type { JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { distinct, recordsOf } from './cells.ts'
import { defineFormat } from './define.ts'
import { withNulls } from './ruled.ts'

/** The text above each row and in each of its lines. */
interface Style {
  /** Its group is the number of the row. */
  readonly head: RegExp
  /** Its groups are the name of a column and the value. */
  readonly pair: RegExp
}

const STYLES: readonly Style[] = [
  { head: /^-\[ RECORD (\d{1,9}) \][-+]*\s*$/, pair: /^(\S.{0,127}?) *\|(?: (.*))?$/ },
  { head: /^\*{5,} *(\d{1,9})\. row \*{5,}\s*$/, pair: /^ *(\S.{0,127}?): ?(.*)$/ },
]
const FOOTER = /^\(?\d[\d,]* rows?\b[^|]{0,80}$/
const MOST_BEFORE = 4
const LEAST = 2

interface Found {
  style: Style
  first: number
}

/** Where the first row begins; undefined unless there are at least two, of as many columns. */
function detect(text: string): Found | undefined {
  if (!/^(?:-\[ RECORD |\*{5,} *\d)/m.test(text.slice(0, 4_096))) return undefined
  const lines = indexLines(text)
  for (const style of STYLES) {
    const heads: number[] = []
    for (let index = 0; index < lines.count && heads.length < LEAST; index++) {
      if (heads.length === 0 && index > MOST_BEFORE) break
      if (style.head.test(lines.at(index))) heads.push(index)
    }
    const [first = 0, second] = heads
    if (second !== undefined && style.pair.test(lines.at(first + 1))) return { style, first }
  }
  return undefined
}

/** The rows of all tables, one behind the other: a row that is the first again begins a table. */
function read(lines: LineIndex, { style, first }: Found): JsonValue[] {
  const tables: { names: string[]; rows: string[][] }[] = []
  let row: string[] | undefined
  for (let index = first; index < lines.count; index++) {
    const line = lines.at(index)
    const number = style.head.exec(line)?.[1]
    let table = tables.at(-1)
    if (number !== undefined) {
      if (!table || Number(number) <= table.rows.length) {
        table = { names: [], rows: [] }
        tables.push(table)
      }
      row = []
      table.rows.push(row)
      continue
    }
    if (!row || !table) continue
    if (FOOTER.test(line)) {
      row = undefined
      continue
    }
    const [, name = '', value = ''] = style.pair.exec(line) ?? []
    const isFirst = table.rows.length === 1
    if (name !== '' && (isFirst ? !table.names.includes(name) : table.names[row.length] === name)) {
      if (isFirst) table.names.push(name)
      row.push(value)
    } else if (row.length > 0) row.push(`${wrapped(row.pop() ?? '')}\n${line.replace(/^ *\| ?/, '')}`)
  }
  return tables.flatMap(({ names, rows }) =>
    recordsOf(
      distinct(names),
      rows.map((cells) => cells.map((value) => value.replace(/\s+$/, ''))),
    ).map(withNulls),
  )
}

/** The mark of psql for a value that goes on in the next line. */
function wrapped(value: string): string {
  return value.replace(/ *\+$/, '')
}

/** Tried before tables, in which bars part cells as well. Never takes one row alone. */
export const vertical = defineFormat<Found>({
  name: 'vertical',
  family: 'table',
  detect,
  read: (text, found) => read(indexLines(text), found),
})
