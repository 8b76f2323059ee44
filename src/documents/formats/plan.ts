/** Plans of queries, as `EXPLAIN` and `EXPLAIN ANALYZE` of PostgreSQL and MySQL print them: a record for each node. */
import { type JsonObject, setOwn } from '../../protocol/json.ts'
import { indentOf, indexLines } from '../../text/lines.ts'
import { asideOf, exactNumber, type FoundTable } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

/** The numbers behind the name of a node: costs and times until its first row, and until its last one. */
const TOLD =
  /^(?:\(cost=(?:(\d+(?:\.\d+)?)\.\.)?(\d[\d.e+]*) rows=(\d[\d.e+]*)(?: width=(\d+))?\) ?)?(?:\(actual (?:time=(\d+(?:\.\d+)?)\.\.(\d[\d.]*) )?rows=(\d[\d.e+]*) loops=(\d+)\))?/
const FIELDS = ['startup_cost', 'cost', 'rows', 'width', 'startup_time', 'time', 'actual_rows', 'loops']
/** `Index Scan using orders_pkey on orders o`. */
const NAMED = /^(.+?)(?: using (\S+))? on (\S+)(?: (\S+))?$/
const PROPERTY = /^([^:()]{1,60}): (.*)$/
const LONGEST = 4_096
/** Lines above the first node. */
const MOST_ABOVE = 6
const MOST_ASIDES = 8

/** The place of the numbers of a node in its line; -1 in any other line. */
function toldAt(line: string): number {
  return line.length > LONGEST
    ? -1
    : line.search(/ \((?:cost=\d[^ )]{0,60} |actual (?:time=\d[^ )]{0,60} )?)rows=\d/)
}

/** Undefined where none of the first lines is a node, or other lines at the margin are as many as nodes. */
function readPlan(text: string): FoundTable | undefined {
  if (!/\((?:cost|actual time)=\d/.test(text.slice(0, BEGINNING))) return undefined
  const lines = indexLines(text)
  let first = 0
  while (first < Math.min(MOST_ABOVE, lines.count) && toldAt(lines.at(first)) < 0) first += 1
  if (toldAt(lines.at(first)) < 0) return undefined
  const margin = indentOf(lines.at(first))
  const records: JsonObject[] = []
  const asides = Array.from({ length: first }, (_, index) => lines.at(index))
  const indents: number[] = []
  const above = (indent: number): void => {
    while ((indents.at(-1) ?? -1) >= indent) indents.pop()
  }
  let [part, isOver] = ['', false]
  for (let index = first; index < lines.count; index++) {
    const line = lines.at(index)
    const [at, indent] = [toldAt(line), indentOf(line)]
    const last = records.at(-1)
    if (at < 0) {
      const [, key, value = ''] = PROPERTY.exec(line.trim()) ?? []
      isOver ||= indent <= margin
      if (isOver || !last) asides.push(line)
      else if (key !== undefined) setOwn(last, key, exactNumber(value) ?? value)
      else part = line.trim()
      if (part !== '') above(indent)
      continue
    }
    above(indent)
    const place = { line: index + 1, depth: indents.length, ...(part !== '' && { part }) }
    records.push({ ...place, ...nodeIn(line.slice(0, at), line.slice(at + 1)) })
    indents.push(indent)
    part = ''
  }
  const told = asides.filter((line) => /[\p{L}\p{N}]/u.test(line))
  if (told.length > Math.max(MOST_ASIDES, records.length)) return undefined
  return { json: () => records, asides: told.slice(0, MOST_ASIDES).map(asideOf) }
}

function nodeIn(name: string, told: string): JsonObject {
  const whole = name.replace(/^ *(?:EXPLAIN: )?(?:-> +)?/, '').trimEnd()
  const [, node = whole, index, relation, alias] = NAMED.exec(whole) ?? []
  const values = TOLD.exec(told)?.slice(1) ?? []
  const numbers = FIELDS.flatMap((field, nth) =>
    values[nth] === undefined ? [] : [[field, Number(values[nth])] as const],
  )
  return {
    node,
    ...(relation !== undefined && { relation }),
    ...(index !== undefined && { index }),
    ...(alias !== undefined && { alias }),
    ...Object.fromEntries(numbers),
  }
}

/** Tried before tables, for a rule stands under its title. Never takes a text that is mostly other lines at the margin. */
export const plan = defineFormat<FoundTable>({
  name: 'plan',
  family: 'entries',
  detect: readPlan,
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
})
