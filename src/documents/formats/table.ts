/** Tables drawn as text: by databases (with bars and rules), and by commands such as kubectl and docker (aligned). */
import { isObject } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { asideOf, distinct, type FoundTable, recordsOf } from './cells.ts'
import { defineFormat } from './define.ts'
import { readFrame } from './frames.ts'
import { readGrids } from './grids.ts'
import { readHeaded } from './headed.ts'
import { readPages } from './pages.ts'
import { BARS, cellsBetween, FOOTER, isRule, LONGEST, MOST_BELOW, readRuled, withNulls } from './ruled.ts'
import { belowWords } from './words-above.ts'

/** The most lines before the names of a table with marked columns: a legend. */
const MOST_BEFORE_MARKS = 6

/** The table that a text is; undefined when it is none. A line within it that does not fit becomes `{_line}`. */
function readTable(text: string): FoundTable | undefined {
  const lines = indexLines(text)
  if (lines.count < 3) return undefined
  const found = readWhole(lines)
  if (found) return found
  const below = belowWords(
    text,
    // A line with a single bar is one of a log of several programs.
    (rest, above) =>
      / \| .* \| /.test(rest.slice(0, rest.indexOf('\n'))) && !above.some((line) => line.includes(' | ')),
    (body) => readBarred(indexLines(body)),
  )
  return below && { ...below.evidence, asides: [...below.above.map(asideOf), ...below.evidence.asides] }
}

function readWhole(lines: LineIndex): FoundTable | undefined {
  return (
    readRuled(lines) ??
    readGrids(lines) ??
    readBarred(lines) ??
    readMarked(lines) ??
    readFrame(lines) ??
    readHeaded(lines) ??
    readAligned(lines) ??
    readBlocks(lines) ??
    readPages(lines, (table) => readAligned(table, true, true))
  )
}

const BAR_NAME = /^[\p{L}_#%][\p{L}\p{N}_ .()#%/:-]{0,80}$/u

/** Names and cells with a blank on both sides of each bar, and no rule: every line has as many. */
function readBarred(lines: LineIndex): FoundTable | undefined {
  const names = barredCells(lines.at(0))
  if (names.length < 2 || new Set(names).size < names.length || !names.every((name) => BAR_NAME.test(name)))
    return undefined
  const rows: string[][] = []
  const asides: string[] = []
  for (let index = 1; index < lines.count; index++) {
    const line = lines.at(index)
    if (line.trim() === '' || isRule(line)) continue
    const found = barredCells(line)
    if (found.length === names.length) rows.push(found)
    else if (FOOTER.test(line)) asides.push(asideOf(line))
    else return undefined
  }
  return rows.length < 2 ? undefined : { json: () => recordsOf(distinct(names), rows).map(withNulls), asides }
}

function barredCells(line: string): string[] {
  return / \| /.test(line.slice(0, LONGEST)) && !/[^\s|\\]\|[^\s|]/.test(line) ? cellsBetween(BARS, line) : []
}

/** Tried before CSV, since bars part cells there as well. Never takes a table within a text: all lines but a few are rows. */
export const table = defineFormat<FoundTable>({
  name: 'table',
  family: 'table',
  detect: readTable,
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
})

const SAMPLE_LINES = 400
const LONGEST_LINE = 4096
/** A line of dashes under each name. */
const DASHES = /^\s*(?:[-=]{2,} +)+[-=]{2,}\s*$/

/** A line of dashes under all names, or above what stands below the rows. */
const ONE_RULE = /^\s*[-=]{10,}\s*$/
const RULES = /^\s*[-=][-= ]{8,}[-=]\s*$/

/** A run of `=` under each name, and what stands at the head of the line, as `dpkg -l` has it: `+++-=======-=======`. */
const MARKS = /^(?:\+{1,8}-)?(?:={2,}-)+={2,}$/

/** `ps` and `top`: values are wider than their columns, but only the last one has blanks. */
const PROCESSES = /^(?=.*\bPID\b).*\b(?:COMMAND|CMD)\s*$/

interface Column {
  /** Where its name stands in the header. */
  start: number
  end: number
  /** Its cells: from a place to before one that is blank in every line. */
  from: number
  to: number
}

/** Names that each begin with a capital, small words between them: `Local Address:Port`, `Mounted on`. `df` counts `1K-blocks`. */
const TITLED =
  /^(?:[A-Z%#][\w%#:./()-]{0,40}|[a-z]{1,5})(?: +(?:[A-Z%#][\w%#:./()-]{0,40}|[a-z]{1,5}|\([a-z]{1,12}\)|\d{1,4}[KMG]?-blocks)){2,} *$/
/** Names in such letters may be a line of prose: then columns must be told apart in more lines, and be filled. */
const LEAST_TITLED = 5
const FILLED = 0.6
/** So many columns are hardly told apart by chance. */
const MANY_TITLED = 5

/** `Format   : AVC`, `TY  - JOUR`: no column is called by a mark alone. */
const ALONE = /\s[:=-](?:\s|$)/

/**
 * The names are in capitals or have a line of dashes under them. Columns are told apart where a place between two names
 * is blank in every line; names without such a place between them are one name (`CONTAINER ID`). `isHead`: the first line is known to be
 * one of names, however they are written. `areApart`: two blanks or more stand between names.
 */
export function readAligned(lines: LineIndex, isHead = false, areApart = false): FoundTable | undefined {
  const header = lines.at(0)
  const rule = lines.at(1).slice(0, LONGEST_LINE)
  const dashed = DASHES.test(rule)
  // One rule under all names, which stand apart.
  const ruled = ONE_RULE.test(rule) && header.trim().split(/ {2,}/).length >= LEAST_APART
  const isNamed = isHead || ruled
  const titled = !dashed && !isCapital(header) && /[a-z]/.test(header)
  if (header.length > LONGEST_LINE || (!dashed && ALONE.test(header))) return undefined
  if (!dashed && !isNamed && !(titled ? TITLED.test(header.trimStart()) : isCapital(header))) return undefined
  const first = dashed || ruled ? 2 : 1
  const sample = sampleOf(lines, first)
  // One line again and again is no head of rows.
  if (sample.every((line) => line === header)) return undefined
  if (!dashed && (hasOtherHead(lines, header) || isRowAsWell(header, sample))) return undefined
  if (!dashed && PROCESSES.test(header)) return ofProcesses(lines, header)
  const columns = (dashed && underlined(lines.at(1), header, sample)) || columnsOf(header, sample, areApart)
  const apart =
    dashed || !columns.some((column) => GAP.test(named(header, column)))
      ? undefined
      : cutAtGaps(lines, header, first)
  if (apart) return apart
  // Cells with tabs between them, filled up with blanks.
  if (columns.some((column) => named(header, column).trim().includes('\t'))) return undefined
  if (columns.length < (dashed ? 2 : 3)) return undefined
  if (titled && !isNamed && !isFilled(columns, sample)) return undefined
  const fits = sample.filter((line) => fitsIn(line, columns)).length
  if (fits < sample.length * 0.9) return undefined
  const end = endOfRows(lines, first, columns)
  const below = Array.from({ length: lines.count - end }, (_, at) => lines.at(end + at).trim())
  const asides = below.filter((line) => line !== '' && !RULES.test(line)).map(asideOf)
  return { json: () => readColumns(lines, { first, end }, header, columns), asides }
}

/** The line behind the last row. A line below an empty one that fills fewer than half of the columns is no row. */
function endOfRows(lines: LineIndex, first: number, columns: readonly Column[]): number {
  const isRow = (line: string): boolean =>
    fitsIn(line, columns) &&
    columns.filter(({ from, to }) => line.slice(from, to).trim() !== '').length * 2 >= columns.length
  let end = lines.count
  if (FOOTER.test(lines.at(end - 1))) end -= 1
  for (let index = lines.count - 1; index > Math.max(first, lines.count - 1 - MOST_BELOW); index--) {
    const line = lines.at(index)
    const isTotal = TOTAL.test(line) && !fitsIn(line, columns)
    if (line.trim() === '' || RULES.test(line) || isTotal) end = index
    else if (isRow(line) && !RULES.test(lines.at(index - 1))) break
  }
  return end
}

const GAP = /(?:\t| {2}) */

/** Lines that are not aligned: two blanks or more stand between cells, and every line has one for each name. */
function cutAtGaps(lines: LineIndex, header: string, first: number): FoundTable | undefined {
  const names = header.trim().split(GAP)
  const rows: string[][] = []
  for (let index = first; index < lines.count; index++) {
    const line = lines.at(index).trim()
    if (line === '') continue
    const cells = line.split(GAP)
    if (cells.length !== names.length) return undefined
    rows.push(cells)
  }
  return { json: () => recordsOf(distinct(names), rows), asides: [] }
}

/** Names in capitals, with their unit in brackets: `CPU(cores)`. A line that begins with a number is a row, and one with the number of a page a title. */
function isCapital(header: string): boolean {
  if (/^\s*\d+\s|\bPAGE:? +\d+/.test(header)) return false
  return /^[^a-z]*[A-Z]{2}[^a-z]*$/.test(header.replace(/\([a-z]{1,12}\)/g, ''))
}

/** Whether a word with three digits is written alike in all these lines, such as `010000Z`: the first line names nothing. */
function isRowAsWell(header: string, sample: readonly string[]): boolean {
  const shapes = /\d{3}/.test(header) ? sample.map(shapesOf) : []
  return (
    shapes.length > 0 &&
    shapesOf(header).some(
      (shape, at) => /9{3}/.test(shape) && /A/.test(shape) && shapes.every((row) => row[at] === shape),
    )
  )
}

function shapesOf(line: string): string[] {
  const words = line.trim().split(/\s+/)
  return words.map((word) => word.replace(/\d/g, '9').replace(/[A-Z]+/g, 'A'))
}

/** True where names of other columns come after an empty line: these are several tables. */
function hasOtherHead(lines: LineIndex, header: string): boolean {
  if (lines.count > MOST_LINES) return false
  for (let index = 1; index + 2 < lines.count; index++)
    if (lines.at(index).trim() === '') {
      const next = lines.at(index + 1).slice(0, LONGEST_LINE)
      if (isCapital(next) && next.trimEnd() !== header.trimEnd()) return true
    }
  return false
}

/** Lines above the names in a part of a text, lines of a text in parts, and the share of table lines. */
const MOST_TITLES = 2
const MOST_LINES = 20_000
const LEAST_SHARE = 0.5
/** Lines above the first names, an empty line between them; of these, so many have no part in the share. */
const MOST_ABOVE = 12
const FREE_ABOVE = 6
const MOST_ASIDES = 6
/** So many names of a header stand two blanks or more apart: words of prose in capitals do not. */
const LEAST_APART = 3
const LEAST_PROCESSES = 5
const LONGEST_HEAD = 1_000

/** Parts between empty lines: what `netstat`, `systemctl`, `kubectl get all` and `top` print. */
function readBlocks(lines: LineIndex): FoundTable | undefined {
  if (lines.count > MOST_LINES) return undefined
  const isHead = (index: number): boolean => {
    const line = lines.at(index).slice(0, LONGEST_LINE)
    return isCapital(line) || TITLED.test(line.trimStart())
  }
  const read = [0, 1, 2].some(isHead) ? blocksFrom(lines, 0) : undefined
  if (read) return read
  const first = linesAbove(lines)
  return first === 0 ? undefined : blocksFrom(lines, first)
}

/** How many lines stand above the first names, where these are in capitals and apart; 0 when there are no such names. */
function linesAbove(lines: LineIndex): number {
  for (let index = 0; index <= Math.min(MOST_ABOVE, lines.count - 2); index++) {
    const line = lines.at(index).slice(0, LONGEST_LINE)
    if (line.startsWith('```')) return 0
    if (index === 0 || line.length > LONGEST_HEAD || !isCapital(line)) continue
    const isBelow = lines.at(index - 1).trim() === ''
    if (isBelow && line.trim().split(/ {2,}/).length >= LEAST_APART) return index
    if (PROCESSES.test(line) && line.trim().split(/ +/).length >= LEAST_PROCESSES) return index
  }
  return 0
}

/**
 * Tables from line `first` on. The lines above them come again above each round of a list of processes. Undefined when the first part has
 * no table below a line or two.
 */
function blocksFrom(lines: LineIndex, first: number): FoundTable | undefined {
  const above = Array.from({ length: first }, (_, index) => lines.at(index)).filter(
    (line) => line.trim() !== '',
  )
  const word = PROCESSES.test(lines.at(first).slice(0, LONGEST_LINE)) && /^\S+ /.exec(above[0] ?? '')?.[0]
  const isRound = (line = ''): boolean => word !== false && word !== undefined && line.startsWith(word)
  const found: (FoundTable & { round: number })[] = []
  const asides = [...above]
  let [block, ofTables, all, round] = [[] as string[], 0, Math.max(0, above.length - FREE_ABOVE), 1]
  const close = () => {
    if (isRound(block[0])) {
      round += 1
      asides.push(...block.splice(0, above.length))
    }
    all += block.length
    for (const part of partsOf(block)) {
      const read = readPart(part.lines, part.isTitled)
      if (!read) {
        // The lines told beside the records are few: more are records of their own. Titles of further pages are told already.
        const isAgain = part.lines.every((own) =>
          asides.some((told) => own.replace(/\d+/g, '9') === told.replace(/\d+/g, '9')),
        )
        const isTold = found.length === 0 || asides.length + part.lines.length <= MOST_ASIDES
        if (isAgain) continue
        if (isTold) asides.push(...part.lines)
        else found.push({ json: () => part.lines.map((_line) => ({ _line })), asides: [], round })
        continue
      }
      found.push({ ...read.table, round })
      ofTables += part.lines.length
      asides.push(...part.lines.slice(0, read.titles), ...read.table.asides)
    }
    block = []
  }
  for (let index = first; index < lines.count; index++) {
    const line = lines.at(index)
    const isEmpty = line.trim() === ''
    if (isEmpty || isRound(line)) {
      close()
      if (found.length === 0) return undefined
    }
    if (!isEmpty) block.push(line)
  }
  close()
  if (found.length === 0 || ofTables < all * LEAST_SHARE) return undefined
  return {
    json: () =>
      found.flatMap(({ json, round: of }) =>
        round === 1 ? json() : json().map((row) => (isObject(row) ? { round: of, ...row } : row)),
      ),
    asides: asides.slice(0, Math.max(MOST_ASIDES, above.length)).map(asideOf),
  }
}

interface BlockPart {
  readonly lines: readonly string[]
  /** It begins with a title, and names below it. */
  readonly isTitled: boolean
}

/** `Active UNIX domain sockets (w/o servers)`, and the names below it. */
const TITLE = /^[A-Z]\S* \S+(?: \S+)*$/
const NAMES = /^ *[A-Za-z%#(]\S*(?: +[A-Za-z%#(]\S*){2,}$/

/** A block without empty lines may have several tables, with a title above the names of each. */
function partsOf(block: readonly string[]): BlockPart[] {
  const begins = [...block.keys()].filter(
    (at) =>
      TITLE.test(line(at)) && NAMES.test(line(at + 1)) && / {2}/.test(line(at + 1)) && at + 2 < block.length,
  )
  function line(at: number): string {
    return block[at]?.slice(0, LONGEST_HEAD).trimEnd() ?? ''
  }
  if (begins.length < 2) return [{ lines: block, isTitled: false }]
  const before = block.slice(0, begins[0])
  return [
    ...(before.length > 0 ? [{ lines: before, isTitled: false }] : []),
    ...begins.map((at, nth) => ({ lines: block.slice(at, begins[nth + 1]), isTitled: true })),
  ]
}

/** The table in a part, and how many lines above it are titles. */
function readPart(
  lines: readonly string[],
  isTitled: boolean,
): { table: FoundTable; titles: number } | undefined {
  for (let titles = isTitled ? 1 : 0; titles <= MOST_TITLES && titles + 1 < lines.length; titles++) {
    const table = readAligned(indexLines(lines.slice(titles).join('\n')), isTitled)
    if (table) return { table, titles }
  }
  return undefined
}

/** The columns stand where a line has marks; the names are in the line above. */
function readMarked(lines: LineIndex): FoundTable | undefined {
  let marks = 1
  while (marks <= MOST_BEFORE_MARKS && !MARKS.test(lines.at(marks).slice(0, LONGEST_LINE))) marks++
  if (marks > MOST_BEFORE_MARKS || marks >= lines.count) return undefined
  const header = lines.at(marks - 1)
  const columns: Column[] = [...lines.at(marks).matchAll(/[^-]+/g)].map(({ 0: run, index }) => {
    const end = index + run.length
    return { start: index, end, from: index, to: end }
  })
  const last = columns.at(-1)
  if (last) Object.assign(last, { end: header.length, to: Number.POSITIVE_INFINITY })
  const sample = sampleOf(lines, marks + 1)
  const fits = sample.filter((line) => fitsIn(line, columns)).length
  if (fits === 0 || fits < sample.length * 0.9) return undefined
  const before = Array.from({ length: marks - 1 }, (_, index) => lines.at(index).trim())
  const first = marks + 1
  return {
    json: () => readColumns(lines, { first, end: endOfRows(lines, first, columns) }, header, columns),
    asides: before.filter(Boolean),
  }
}

/** True when enough lines have something in every column but the last. */
function isFilled(columns: readonly Column[], sample: readonly string[]): boolean {
  return (
    sample.length >= (columns.length < MANY_TITLED ? LEAST_TITLED : 2) &&
    columns
      .slice(0, -1)
      .every(
        ({ from, to }) =>
          sample.filter((line) => line.slice(from, to).trim() !== '').length >= sample.length * FILLED,
      )
  )
}

/** Of all rows above: its words and its sum keep to no columns. */
const TOTAL = /^\s*(?:\p{L}{1,20} )?(?:sub|grand )?totals?\b/iu

function isBelow(line: string): boolean {
  return FOOTER.test(line) || TOTAL.test(line)
}

function sampleOf(lines: LineIndex, first: number): string[] {
  const picked: string[] = []
  const step = Math.max(1, Math.floor(lines.count / SAMPLE_LINES))
  for (let index = first; index < lines.count; index += step) {
    const line = lines.at(index)
    if (line.trim() !== '' && !isBelow(line.slice(0, LONGEST_LINE))) picked.push(line)
  }
  return picked
}

/** The columns that a line of dashes marks; undefined where the names or the rows are wider than they. */
function underlined(rule: string, header: string, sample: readonly string[]): Column[] | undefined {
  const runs = [...rule.matchAll(/[-=]+/g)]
  const columns = runs.map(({ 0: run, index }, at): Column => {
    const next = runs[at + 1]
    const [end, to] = next ? [index + run.length, next.index - 1] : [header.length, Number.POSITIVE_INFINITY]
    return { start: index, end, from: at === 0 ? 0 : index, to }
  })
  const isNamed = columns.every(({ start, end }) => header.slice(start, end).trim() !== '')
  const fits = [header, ...sample].every((line) => fitsIn(line, columns))
  return isNamed && fits ? columns : undefined
}

function columnsOf(header: string, sample: readonly string[], areApart: boolean): Column[] {
  const columns: Column[] = []
  for (const match of header.matchAll(/\S+/g)) {
    const end = match.index + match[0].length
    const last = columns.at(-1)
    const gap = last && blankPlace(sample, last.end, match.index, areApart)
    const isOneName =
      last &&
      (gap === undefined ||
        (areApart && match.index - last.end === 1) ||
        (match.index - last.end === 1 &&
          (isEmpty(sample, match.index, end) || isEmpty(sample, last.from, gap))))
    if (isOneName) {
      last.end = end
      continue
    }
    if (last && gap !== undefined) last.to = gap
    columns.push({
      start: match.index,
      end,
      from: gap === undefined ? 0 : gap + 1,
      to: Number.POSITIVE_INFINITY,
    })
  }
  return columns
}

/** The last place from `from` to before `to` that is blank in nearly all lines; where names stand apart, rather in all. */
function blankPlace(
  sample: readonly string[],
  from: number,
  to: number,
  areApart: boolean,
): number | undefined {
  let nearly: number | undefined
  for (let place = to - 1; place >= from; place--) {
    const blank = sample.filter((line) => isBlank(line, place)).length
    if (blank < sample.length * 0.95) continue
    if (!areApart || blank === sample.length) return place
    nearly ??= place
  }
  return nearly
}

/** No value stands under this word: it is a part of a name such as `LAST SEEN`. */
function isEmpty(sample: readonly string[], from: number, to: number): boolean {
  return sample.every((line) => line.slice(from, to).trim() === '')
}

function isBlank(line: string, place: number): boolean {
  const character = line.charAt(place)
  return character === '' || character === ' '
}

function fitsIn(line: string, columns: readonly Column[]): boolean {
  return columns.every(({ to }) => to === Number.POSITIVE_INFINITY || isBlank(line, to))
}

function readColumns(
  lines: LineIndex,
  { first, end }: { first: number; end: number },
  header: string,
  columns: readonly Column[],
) {
  const head = header.trimEnd()
  const rows: (string[] | string)[] = []
  for (let index = first; index < end; index++) {
    const line = lines.at(index)
    if (line.trim() === '' || line.trimEnd() === head) continue
    rows.push(
      fitsIn(line, columns)
        ? columns.map(({ from, to }) => line.slice(from, to).trim().replace(BULLET, ''))
        : line,
    )
  }
  const names = columns.map((column, at) => nameOf(named(header, column), at))
  const counts = names.map((name, at) => numbersUnder(name, at, rows))
  const cells = rows.map((row) =>
    typeof row === 'string'
      ? row
      : row.flatMap((cell, at) => (counts[at] === 1 ? [cell] : cell.split(/\s+/))),
  )
  return recordsOf(
    distinct(names.flatMap((name, at) => (counts[at] === 1 ? [name] : name.split(/\s+/)))),
    cells,
  )
}

const NUMBER = /^-?\d[\d.,]*%?$/

/** Numbers under as many words, without a place between them that is blank in every line, are columns of their own: `us sy id` of `vmstat`. */
function numbersUnder(name: string, at: number, rows: readonly (readonly string[] | string)[]): number {
  const count = name.split(/\s+/).length
  if (count === 1) return 1
  const isCut = rows.every((row) => {
    const words = typeof row === 'string' ? [] : (row[at] ?? '').split(/\s+/)
    return typeof row === 'string' || (words.length === count && words.every((word) => NUMBER.test(word)))
  })
  return isCut ? count : 1
}

function named(header: string, { start, end }: Column): string {
  return header.slice(start, end)
}

/** Before the name of a unit that failed. */
const BULLET = /^[●○×] +/

/** The name of a column; marks such as `||/` are none. */
function nameOf(written: string, at: number): string {
  const name = written.trim()
  return /[\p{L}\p{N}#%]/u.test(name) ? name : `column_${at + 1}`
}

/** Rows cut at blanks, as many cells as names. */
function ofProcesses(lines: LineIndex, header: string): FoundTable {
  const names = header.trim().split(/\s+/)
  return {
    json: () => {
      const rows: (string[] | string)[] = []
      for (let index = 1; index < lines.count; index++) {
        const line = lines.at(index)
        if (line.trim() === '') continue
        const cells = cutCells(line, names.length)
        rows.push(cells.length === names.length ? cells : line)
      }
      return recordsOf(distinct(names), rows)
    },
    asides: [],
  }
}

/** At most `count` cells; the last one is the rest of the line. */
function cutCells(line: string, count: number): string[] {
  const cells: string[] = []
  const words = /\S+/g
  while (cells.length < count - 1) {
    const word = words.exec(line)?.[0]
    if (word === undefined) return cells
    cells.push(word)
  }
  const rest = line.slice(words.lastIndex).trim()
  return rest === '' ? cells : [...cells, rest]
}
