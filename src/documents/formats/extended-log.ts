/** Logs that name the fields of their lines: the extended format of the W3C (IIS, CloudFront, proxies), and that of Zeek. */
import type { JsonObject } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfData } from '../overview/records.ts'
import { asideOf, distinct, type FoundTable, recordsOf } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

const FIELDS = /^#fields[:\t][ \t]*([^\s,]+(?:[ \t]+[^\s,]+)+)\s*$/i
/** `#Software: x`, `#separator \\x09`; a row may begin with the sign as well. */
const DIRECTIVE = /^#(?:[A-Za-z][A-Za-z_-]*(?:[:\t ]|$)|\s|$)/
/** Lines above the first names. */
const MOST_BEFORE = 40
const LONGEST = 16_384
const SAMPLE = 400
const MOST_ASIDES = 6
/** A text in quotes may have blanks; a quote in it is written twice. */
const CELL = /"(?:[^"]|"")*"|\S+/g

/** The names that a line gives to the cells below it, and whether a tab parts these. */
interface Head {
  readonly names: readonly string[]
  readonly isTabbed: boolean
}

/** Records by the names that stand above them. A line that has other cells becomes `{_line}`; other lines with `#` are asides. */
function readExtended(text: string): FoundTable | undefined {
  if (!/^#fields[:\t]/im.test(text.slice(0, BEGINNING)) || !text.trimStart().startsWith('#')) return undefined
  const lines = indexLines(text)
  let first = 0
  while (first < Math.min(MOST_BEFORE, lines.count) && isAside(at(lines, first))) first += 1
  if (first === 0 || first === lines.count) return undefined
  const asides = new Set<string>()
  let [head, seen, good] = [undefined as Head | undefined, 0, 0]
  for (let index = 0; index < Math.min(lines.count, first + SAMPLE); index++) {
    const line = at(lines, index)
    const named = headIn(lines, index)
    if (named) head = named
    else if (isAside(line)) asides.add(line.trim())
    else {
      seen += 1
      if (head && cellsOf(line, head)) good += 1
    }
  }
  if (good === 0 || good < seen * 0.9) return undefined
  asides.delete('')
  return { json: () => records(lines), asides: [...asides].slice(0, MOST_ASIDES).map(asideOf) }
}

function at(lines: LineIndex, index: number): string {
  return lines.end(index) - lines.start(index) > LONGEST ? '' : lines.at(index)
}

function isAside(line: string): boolean {
  return DIRECTIVE.test(line) || line.trim() === ''
}

/** A tab stands between the cells of lines where it does so in the first one below the names. */
function headIn(lines: LineIndex, index: number): Head | undefined {
  const line = lines.at(index)
  const [, named] = (line.startsWith('#') && FIELDS.exec(line.slice(0, LONGEST))) || []
  if (named === undefined) return undefined
  let below = index + 1
  while (below < Math.min(lines.count, index + MOST_BEFORE) && isAside(at(lines, below))) below += 1
  return { names: distinct(named.split(/[ \t]+/)), isTabbed: at(lines, below).includes('\t') }
}

/** Undefined where they are not as many as the names. A dash stands for nothing. */
function cellsOf(line: string, { names, isTabbed }: Head): string[] | undefined {
  const cells = isTabbed
    ? line.split('\t')
    : (line.match(CELL) ?? []).map((cell) =>
        cell.length > 1 && cell.startsWith('"') && cell.endsWith('"')
          ? cell.slice(1, -1).replaceAll('""', '"')
          : cell,
      )
  return cells.length === names.length ? cells.map((cell) => (cell === '-' ? '' : cell)) : undefined
}

/** The names may change within a log. */
function records(lines: LineIndex): JsonObject[] {
  const found: JsonObject[] = []
  let [head, rows] = [undefined as Head | undefined, [] as (string[] | string)[]]
  const close = (): void => {
    for (const record of recordsOf(head?.names ?? [], rows)) found.push(told(record))
    rows = []
  }
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const named = headIn(lines, index)
    if (named) {
      if (named.names.join(' ') !== head?.names.join(' ')) close()
      head = named
    } else if (!isAside(line)) rows.push((head && cellsOf(line, head)) ?? line)
  }
  close()
  return found
}

const [DAY, TIME] = [/^\d{4}-\d\d-\d\d$/, /^\d\d:\d\d/]

/** An empty cell is null. A time is told with its day, as in other logs, for it is compared with both. */
function told(record: JsonObject): JsonObject {
  for (const key in record) if (record[key] === '') record[key] = null
  const { date, time } = record
  if (typeof date === 'string' && typeof time === 'string' && DAY.test(date) && TIME.test(time))
    record.time = `${date} ${time}`
  return record
}

/** Tried before CSV, which takes names for a comment. Never takes a text without a line `#Fields` above all others. */
export const extendedLog = defineFormat<FoundTable>({
  name: 'extended log',
  family: 'table',
  kind: 'json',
  line: 'record',
  detect: readExtended,
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
  overview: overviewOfData,
})
