/** Grids below titles and within each other, as `aws --output table` draws them: records, with the records of inner grids in them. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import type { LineIndex } from '../../text/lines.ts'
import { asideOf, distinct, exactNumber, type FoundTable, namesOf, recordsOf } from './cells.ts'

/** Lines before the first grid, such as the command. */
const MOST_BEFORE = 4
const SAMPLE = 200
const LONGEST = 20_000
/** The commands nest no deeper, and a text that does is none of theirs. */
const DEEPEST = 20
const TOP = /^(?:-{4,}|\+-{2,}\+)$/
/** Each grid stands one bar further in than the grid that it belongs to. */
const RULE = /^(\|{0,20})\+[-+]{2,}\+\|{0,20}$/
/** `mysql` says it below a grid. */
const FOOTER = /^\d[\d,]{0,15} rows? in set\b/
const TITLE = /^\|{1,21}([^|]{3,512})\|{1,21}$/

/** A grid: a title, and below it rows, perhaps with names above them. */
interface Grid {
  readonly title: string
  readonly depth: number
  /** Records, or values where there is one column without a name. */
  readonly items: JsonValue[]
  /** The grids that belong to the last record. */
  readonly inner: Grid[]
}

/** The grids of a text that consists of them; undefined for any other. */
export function readGrids(lines: LineIndex): FoundTable | undefined {
  let first = 0
  while (first <= MOST_BEFORE && !isGrid(lines, first)) first++
  if (first > MOST_BEFORE || !isDrawn(lines, first)) return undefined
  const before = Array.from({ length: first }, (_, index) => lines.at(index)).filter((line) => line.trim())
  const title = lines.at(first + 1).replaceAll('|', '')
  const after = [lines.at(lines.count - 1)].filter((line) => FOOTER.test(line))
  return {
    json: () => recordsFrom(lines, first),
    asides: [...before, title, ...after].map(asideOf),
  }
}

/** A border, a title, a rule, and rows; a frame around one row or two is a notice. */
function isGrid(lines: LineIndex, index: number): boolean {
  if (!TOP.test(written(lines, index))) return false
  const [title, rule, row, next] = [1, 2, 3, 4].map((below) => written(lines, index + below)) as [
    string,
    string,
    string,
    string,
  ]
  if (depthOf(title) !== 0 || !TITLE.test(title) || RULE.exec(rule)?.[1] !== '') return false
  if (!row.startsWith('|')) return false
  return bordersOf(rule).length > 2 || row.startsWith('||') || next.startsWith('|')
}

/** Nearly all lines begin and end as lines of a grid do. */
function isDrawn(lines: LineIndex, first: number): boolean {
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  let [seen, good] = [0, 0]
  for (let index = first; index < lines.count; index += step) {
    const line = written(lines, index)
    if (line === '' || FOOTER.test(line)) continue
    seen += 1
    if (/^[|+]/.test(line) ? /[|+]$/.test(line) : TOP.test(line)) good += 1
  }
  return good >= seen * 0.9
}

function written(lines: LineIndex, index: number): string {
  return lines.end(index) - lines.start(index) > LONGEST ? '?' : lines.at(index).trimEnd()
}

/** The number of grids around the grid of a line of cells; -1 for any other line. */
function depthOf(line: string): number {
  let bars = 0
  while (line.charAt(bars) === '|') bars++
  return bars > DEEPEST || !line.endsWith('|') ? -1 : bars - 1
}

function bordersOf(rule: string): number[] {
  return [...rule.matchAll(/\+/g)].map(({ index }) => index)
}

function recordsFrom(lines: LineIndex, first: number): JsonValue[] {
  const roots: Grid[] = []
  const others: JsonObject[] = []
  /** The last grid of each depth. */
  const open: Grid[] = []
  for (let index = first; index < lines.count; ) {
    const found = gridAt(lines, index)
    if (found === undefined) {
      const line = lines.at(index)
      if (line.trim() !== '' && !isRule(line.trimEnd()) && !FOOTER.test(line)) others.push({ _line: line })
      index += 1
      continue
    }
    const { grid, next } = found
    open.length = Math.min(open.length, grid.depth)
    const outer = open.at(-1)
    if (outer) outer.inner.push(grid)
    else roots.push(grid)
    open.push(grid)
    index = next
  }
  return [...roots.flatMap(withinRoot), ...others]
}

/** The grid with its title in this line, and the number of the line after it. */
function gridAt(lines: LineIndex, index: number): { grid: Grid; next: number } | undefined {
  const head = written(lines, index)
  const depth = depthOf(head)
  const title = TITLE.exec(head)?.[1]?.trim()
  const rule = written(lines, index + 1)
  if (depth < 0 || !title || RULE.exec(rule)?.[1]?.length !== depth) return undefined
  const borders = bordersOf(rule)
  let next = index + 2
  /** The rows from here to the next rule, and none where the first line is no row of this grid. */
  const takeRows = (): (string[] | string)[] => {
    const rows: (string[] | string)[] = []
    if (cellsOf(written(lines, next), depth, borders) === undefined) return rows
    for (; next < lines.count && !isRule(written(lines, next)); next++) {
      const line = written(lines, next)
      if (line !== '') rows.push(cellsOf(line, depth, borders) ?? lines.at(next))
    }
    return rows
  }
  const rows = takeRows()
  const [names] = rows
  const isNamed = rows.length === 1 && typeof names === 'object' && areNames(lines, next - 1, depth, borders)
  if (isNamed) next += 1
  const items = isNamed ? recordsOf(distinct(names), takeRows()) : withoutNames(rows, depth)
  return { grid: { title, depth, items, inner: [] }, next }
}

function isRule(line: string): boolean {
  return RULE.test(line) || TOP.test(line)
}

/** True for a row with more rows below its rule. One cell there may be a title, which stands in the middle, as names do. */
function areNames(lines: LineIndex, index: number, depth: number, borders: readonly number[]): boolean {
  if (!RULE.test(written(lines, index + 1))) return false
  const below = written(lines, index + 2)
  if (cellsOf(below, depth, borders) === undefined) return false
  return borders.length > 2 || (isCentred(written(lines, index)) && /^\|+ {1,2}[^ ]/.test(below))
}

function isCentred(line: string): boolean {
  const inner = line.replaceAll('|', '')
  const left = inner.length - inner.trimStart().length
  const right = inner.length - inner.trimEnd().length
  return Math.abs(left - right) < 2
}

/** The cells of a line at this depth, as many as the rule has parts; undefined for any other line. */
function cellsOf(line: string, depth: number, borders: readonly number[]): string[] | undefined {
  if (depthOf(line) !== depth) return undefined
  const inner = line.slice(depth + 1, line.length - depth - 1)
  const count = borders.length - 1
  const parted = inner.split('|', count + 1)
  if (parted.length === count) return parted.map((cell) => cell.trim())
  if (borders.some((at) => line[at] !== '|')) return undefined
  return borders.slice(1).map((end, nth) => line.slice((borders[nth] ?? 0) + 1, end).trim())
}

const KEY = /^[A-Za-z][A-Za-z0-9]{0,127}$/

/** One column is values. A wide record has a row for each key, keys in order; other rows have columns without names. */
function withoutNames(rows: readonly (string[] | string)[], depth: number): JsonValue[] {
  const cells = rows.filter((row) => typeof row !== 'string')
  const width = cells[0]?.length ?? 0
  if (width === 1)
    return rows.map((row) => (typeof row === 'string' ? row : (exactNumber(row[0] ?? '') ?? row[0] ?? '')))
  if (width === 2 && isRecord(cells, depth)) {
    const record: JsonObject = {}
    for (const [key = '', value = ''] of cells) setOwn(record, key, exactNumber(value) ?? value)
    return [record, ...rows.filter((row) => typeof row === 'string').map((_line) => ({ _line }))]
  }
  return recordsOf(namesOf(cells[0] ?? [], false), rows)
}

/** Keys of one record are in order. Two columns of an outermost grid may be a list: then its values are of one kind. */
function isRecord(rows: readonly string[][], depth: number): boolean {
  const isOrdered = rows.every(
    ([key = ''], at) => KEY.test(key) && (at === 0 || key > (rows[at - 1]?.[0] ?? '')),
  )
  return (
    isOrdered && (depth > 0 || rows.length === 1 || new Set(rows.map(([, value]) => kindOf(value))).size > 1)
  )
}

function kindOf(value = ''): string {
  if (/^\d{1,20}$/.test(value)) return 'number'
  if (/^(?:True|False)$/.test(value)) return 'flag'
  return value.startsWith('arn:') ? 'name' : /^\d{4}-\d\d-\d\dT/.test(value) ? 'time' : 'text'
}

/** The records of the outermost grid, or of the only grids in it. */
function withinRoot(grid: Grid): JsonValue[] {
  const items = itemsOf(grid)
  const [only] = items
  if (grid.items.length > 0 || !isObject(only)) return items.map((item) => asRecord(item, grid.title))
  const [[name, inner] = [grid.title, []], ...more] = Object.entries(only)
  if (more.length > 0) return items
  return (Array.isArray(inner) ? inner : [inner]).map((item) => asRecord(item, name))
}

/** A value stands under the title of its grid. */
function asRecord(item: JsonValue, name: string): JsonValue {
  return isObject(item) ? item : { [name]: item }
}

/** Names of lists are in the plural: `Tags`, but neither `Address` nor `Status`. */
const PLURAL = /s$/
const SINGULAR = /(?:ss|us|Options)$/

/** The records of a grid; those of its inner grids are in the last of them. */
function itemsOf({ items, inner }: Grid): JsonValue[] {
  if (inner.length === 0) return items
  const lists = new Map<string, JsonValue[]>()
  for (const grid of inner) {
    const list = lists.get(grid.title) ?? []
    lists.set(grid.title, list)
    for (const item of itemsOf(grid)) list.push(item)
  }
  const last = items.at(-1)
  const record: JsonObject = isObject(last) ? last : {}
  for (const [name, list] of lists) {
    const [only = null] = list
    const isList = list.length !== 1 || !isObject(only) || (PLURAL.test(name) && !SINGULAR.test(name))
    setOwn(record, name, isList ? list : only)
  }
  return record === last ? items : [...items, record]
}
