/**
 * Logs that name the fields of their lines: the extended format of the W3C (IIS, CloudFront, proxies), and that of Zeek. Flow logs of AWS
 * and `sar` have names alone above as many words in each line.
 */
import type { JsonObject } from '../../protocol/json.ts'
import { indexLines, type LineIndex, linesUpTo } from '../../text/lines.ts'
import { asideOf, distinct, type FoundTable, recordsOf } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

const FIELDS = /^#fields[:\t][ \t]*([^\s,]+(?:[ \t]+[^\s,]+)+)\s*$/i
/** `#Software: x`, `#separator \\x09`; a row may begin with the sign as well. */
const DIRECTIVE = /^#(?:[A-Za-z][A-Za-z_-]*(?:[:\t ]|$)|\s|$)/
/** Lines above the first names. */
const MOST_BEFORE = 40
const LONGEST = 16_384
const at = linesUpTo(LONGEST, '')
const SAMPLE = 400
const MOST_ASIDES = 6
/** A text in quotes may have blanks; a quote in it is written twice. So may a time of the day. */
const CELL = /"(?:[^"]|"")*"|\d{1,2}:\d\d:\d\d [AP]M\b|\S+/g
const CLOCK = /^\d{1,2}:\d\d:\d\d(?: [AP]M)?(?=\s|$)/
/** Names without a mark stand above rows with columns of numbers. Lines above the names are few. */
const NAME = /^[%\p{L}][\p{L}\p{N}_.%:/()-]{0,40}$/u
const NUMBER = /^-?\d[\d.]*$/
const LEAST_NAMES = 4
const LEAST_ROWS = 3
const LEAST_NUMBERS = 2
const MOST_ABOVE = 2

/** The names that a line gives to the cells below it, and whether a tab parts these. */
interface Head {
  readonly names: readonly string[]
  readonly isTabbed: boolean
  /** A time stands in the place of the first name, and in each row. */
  readonly isTimed?: boolean
}

/** How lines with names are told, and lines that are no rows of these. */
interface Kind {
  readonly headIn: (lines: LineIndex, index: number) => Head | undefined
  readonly isAside: (line: string, head?: Head) => boolean
}

const MARKED: Kind = { headIn: markedHead, isAside }
const BARE: Kind = {
  headIn: (lines, index) => bareHead(at(lines, index)),
  isAside: (line, head) => line.trim() === '' || !head || (head.isTimed === true && !CLOCK.test(line)),
}

/** Records by the names that stand above them. A line that has other cells becomes `{_line}`; other lines with `#` are asides. */
function readExtended(text: string): FoundTable | undefined {
  if (!/^#fields[:\t]/im.test(text.slice(0, BEGINNING)) || !text.trimStart().startsWith('#'))
    return readBare(text)
  const lines = indexLines(text)
  let first = 0
  while (first < Math.min(MOST_BEFORE, lines.count) && isAside(at(lines, first))) first += 1
  return first === 0 || first === lines.count ? undefined : readRows(lines, first + SAMPLE, MARKED)?.table
}

/** Undefined where the first lines tell no names, or the cells below are words alone, as those of prose. */
function readBare(text: string): FoundTable | undefined {
  const start = indexLines(text.slice(0, LONGEST))
  let first = 0
  while (first < MOST_ABOVE && !bareHead(at(start, first))) first += 1
  const head = bareHead(at(start, first))
  if (!head || !cellsOf(at(start, first + 1), head)) return undefined
  const { rows, table } = readRows(indexLines(text), SAMPLE, BARE) ?? { rows: [] }
  const numbers = head.names.filter((_, column) => {
    const cells = rows.flatMap((row) => row[column] || [])
    return cells.length * 2 > rows.length && cells.every((cell) => NUMBER.test(cell))
  })
  return rows.length < LEAST_ROWS || numbers.length < LEAST_NUMBERS ? undefined : table
}

/** The first rows, up to this line, and all of them as a table; undefined where most lines are none. */
function readRows(
  lines: LineIndex,
  end: number,
  kind: Kind,
): { rows: string[][]; table: FoundTable } | undefined {
  const asides = new Set<string>()
  const rows: string[][] = []
  let [head, seen] = [undefined as Head | undefined, 0]
  for (let index = 0; index < Math.min(lines.count, end); index++) {
    const line = at(lines, index)
    const named = kind.headIn(lines, index)
    if (named) head = named
    else if (kind.isAside(line, head)) asides.add(line.trim())
    else {
      seen += 1
      const cells = head && cellsOf(line, head)
      if (cells) rows.push(cells)
    }
  }
  if (rows.length === 0 || rows.length < seen * 0.9) return undefined
  asides.delete('')
  const table = {
    json: () => records(lines, kind),
    asides: [...asides].slice(0, MOST_ASIDES).map(asideOf),
  }
  return { rows, table }
}

function isAside(line: string): boolean {
  return DIRECTIVE.test(line) || line.trim() === ''
}

/** A tab stands between the cells of lines where it does so in the first one below the names. */
function markedHead(lines: LineIndex, index: number): Head | undefined {
  const line = lines.at(index)
  const [, named] = (line.startsWith('#') && FIELDS.exec(line.slice(0, LONGEST))) || []
  if (named === undefined) return undefined
  let below = index + 1
  while (below < Math.min(lines.count, index + MOST_BEFORE) && isAside(at(lines, below))) below += 1
  return { names: distinct(named.split(/[ \t]+/)), isTabbed: at(lines, below).includes('\t') }
}

/** A time in the place of a name is one of each row. */
function bareHead(line: string): Head | undefined {
  const [first = '', ...others] = line.match(CELL) ?? []
  const isTimed = CLOCK.test(first)
  const names = [isTimed ? 'time' : first, ...others]
  const areNames = names.length >= LEAST_NAMES && names.every((name) => NAME.test(name))
  return areNames && new Set(names).size === names.length ? { names, isTabbed: false, isTimed } : undefined
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
function records(lines: LineIndex, { headIn, isAside }: Kind): JsonObject[] {
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
    } else if (!isAside(line, head)) rows.push((head && cellsOf(line, head)) ?? line)
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

/** Tried before CSV, which takes names for a comment. Never takes a text without a line `#Fields` above all others, or names alone above as many words and numbers in each line. */
export const extendedLog = defineFormat<FoundTable>({
  name: 'extended log',
  family: 'table',
  detect: readExtended,
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
})
