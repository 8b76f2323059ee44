/** Tables drawn as text: by databases (with bars and rules), and by commands such as kubectl and docker (aligned). */
import type { JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfData } from '../overview/records.ts'
import { readAligned } from './aligned.ts'
import { distinct, recordsOf } from './cells.ts'
import { defineFormat } from './define.ts'

/** A table as records, and the words around it. */
export interface FoundTable {
  json: () => JsonValue[]
  asides: string[]
}

const SAMPLE = 200
const LONGEST = 20_000
/** Lines before the header, such as "Query result:". */
const MOST_BEFORE = 4
/** `----+----`, `+-----+-----+`, `├─────┼─────┤`. */
const RULE = /^\s*[+|├┌└╞]?[-─═=]{2,}[-─═=+|┼┬┴╪┤┐┘╡]*\s*$/
const CROSSING = /[+|┼┬┴╪├┤┌┐└┘╞╡]/
const FOOTER = /^\s*\(?[\d,]+ rows?\b[^|]{0,80}$/

/** The table that a text is; undefined when it is none. A line within it that does not fit becomes `{_line}`. */
function readTable(text: string): FoundTable | undefined {
  const lines = indexLines(text)
  if (lines.count < 3) return undefined
  return readRuled(lines) ?? readAligned(lines)
}

/** Names over a rule with crossings, cells between bars. */
function readRuled(lines: LineIndex): FoundTable | undefined {
  const rule = firstRule(lines)
  if (rule < 1) return undefined
  const names = cells(lines.at(rule - 1))
  if (names.length < 2 || names.some((name) => name === '' || name.length > 128)) return undefined
  const borders = bordersOf(lines.at(rule))
  const cellsOf = (index: number): string[] | undefined => {
    const line = lines.at(index)
    const found = cells(line)
    return found.length === names.length ? found : cutAt(line, borders)
  }
  const isRow = (index: number): boolean => cellsOf(index)?.length === names.length
  const isSkipped = (line: string): boolean => line.trim() === '' || RULE.test(line) || FOOTER.test(line)
  let seen = 0
  let good = 0
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = rule + 1; index < lines.count; index += step) {
    if (isSkipped(lines.at(index))) continue
    seen += 1
    if (isRow(index)) good += 1
  }
  if (good === 0 || good < seen * 0.9) return undefined
  return {
    json: () => {
      const rows: (string[] | string)[] = []
      for (let index = rule + 1; index < lines.count; index++) {
        const line = lines.at(index)
        const found = isSkipped(line) ? undefined : cellsOf(index)
        if (!isSkipped(line)) rows.push(found?.length === names.length ? found : line)
      }
      return recordsOf(distinct(names), rows).map(withNulls)
    },
    asides: outside(lines, rule),
  }
}

/** The rule under the names: the first that has crossings and names above. */
function firstRule(lines: LineIndex): number {
  for (let index = 1; index < Math.min(lines.count, MOST_BEFORE + 3); index++) {
    const line = lines.at(index)
    if (line.length > LONGEST || !RULE.test(line) || !CROSSING.test(line.trim().slice(1, -1))) continue
    if (/[|│┃║]/.test(lines.at(index - 1))) return index
  }
  return -1
}

/** Where the columns of an unframed table end: psql does not mark bars within cells. */
function bordersOf(rule: string): number[] {
  if (!/^-+(?:\+-+)+\s*$/.test(rule)) return []
  return [...rule.matchAll(/\+/g)].map(({ index }) => index)
}

/** The cells between borders; undefined where one of them is no bar. */
function cutAt(line: string, borders: readonly number[]): string[] | undefined {
  if (borders.length === 0 || borders.some((at) => line[at] !== '|')) return undefined
  return [...borders, line.length].map((end, nth) =>
    line.slice(nth === 0 ? 0 : (borders[nth - 1] ?? 0) + 1, end).trim(),
  )
}

/** Markdown writes a bar inside a cell as `\\|`. */
function cells(line: string): string[] {
  if (line.length > LONGEST) return []
  const trimmed = line.trim()
  const framed = /^[|│┃║]/.test(trimmed)
  const inner = framed ? trimmed.slice(1).replace(/(?<!\\)[|│┃║]$/, '') : line
  return inner.split(/(?<!\\)[|│┃║]/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** What databases write for a value that is not there. */
function withNulls(record: Record<string, JsonValue>): Record<string, JsonValue> {
  for (const key of Object.keys(record))
    if (record[key] === 'NULL' || record[key] === '<null>') record[key] = null
  return record
}

function outside(lines: LineIndex, rule: number): string[] {
  const before = Array.from({ length: Math.max(0, rule - 1) }, (_, index) => lines.at(index))
  const after = Array.from({ length: Math.min(3, lines.count - rule - 1) }, (_, index) =>
    lines.at(lines.count - 1 - index),
  )
  return [
    ...before.filter((line) => line.trim() !== '' && !RULE.test(line)),
    ...after.filter((line) => FOOTER.test(line)),
  ].map((line) => `text beside it: ${line.trim().slice(0, 200)}`)
}

/** Tried before CSV, since bars part cells there as well. Never takes a table within a text: all lines but a few are rows. */
export const table = defineFormat<FoundTable>({
  name: 'table',
  family: 'table',
  kind: 'json',
  line: 'record',
  detect: readTable,
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
  overview: overviewOfData,
})
