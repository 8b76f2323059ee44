/** Delimited tables: comma, tab, semicolon or pipe. */

import papaparse from 'papaparse'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { saysNothing } from '../../text/values/quantities.ts'
import { renewable } from '../columns/renewable.ts'
import { namesOf, recordsOf } from './cells.ts'
import { defineFormat } from './define.ts'
import { glimpseOf, layoutOf, type Parting, recordsIn } from './delimited.ts'
import { belowWords } from './words-above.ts'

const DELIMITERS = [',', '\t', ';', '|']
const SAMPLE_ROWS = 60
const FEW_ROWS = 8
const MOST_COLUMNS = 2000
const SAMPLE_CHARACTERS = 65_536
/** Lines of comments before a table. */
const MOST_COMMENTS = 300

/**
 * Reads a table when its first rows agree on their number of cells. `with header`: the first row names the
 * columns. `without header`: columns are called `column_1`…; asks for more agreement, since prose has commas too. The returned function
 * keeps the records of a short table, and those of a long one while they are used.
 */
function readCsv(text: string, header: 'with header' | 'without header'): Rows | undefined {
  const start = bodyStart(text)
  const body = withoutPadding(text.slice(start))
  const named = header === 'with header' ? commentedHeader(text.slice(0, start), body) : undefined
  const commented = start > 1
  const found = readBody(body, header, commented)
  return found ?? (named === undefined ? undefined : readBody(named + body, header, commented))
}

/** A table with tabs without the blanks that fill up its names and cells, as Helm prints them. */
function withoutPadding(text: string): string {
  const head = text.slice(0, Math.max(0, text.indexOf('\n')))
  return / \t/.test(head.slice(0, SAMPLE_CHARACTERS)) && !head.includes('"')
    ? text.replace(/(?<! ) +(?=[\t\r\n]|$)/g, '')
    : text
}

/** The last comment, when it names the columns below it: `#codes<tab>coordinates<tab>TZ`. */
function commentedHeader(comments: string, body: string): string | undefined {
  const last = comments.trimEnd().split('\n').at(-1) ?? ''
  const names = last.replace(/^[#\s\ufeff]+/, '').trimEnd()
  if (names === '') return undefined
  const first = body.slice(0, SAMPLE_CHARACTERS).split('\n', 1)[0] ?? ''
  const delimiter = DELIMITERS.find((each) => names.includes(each))
  const count = (line: string) => line.split(delimiter ?? '').length
  return delimiter !== undefined &&
    !names.includes('"') &&
    Math.abs(count(names) - count(first)) <= 1 &&
    count(first) > 1
    ? `${names}\n`
    : undefined
}

/** `commented`: lines that begin with `#` are no rows, because such lines stood above. */
function readBody(
  text: string,
  header: 'with header' | 'without header',
  commented: boolean,
): Rows | undefined {
  if (!text.slice(0, SAMPLE_CHARACTERS).includes('\n')) return undefined
  let narrow: Rows | undefined
  for (const delimiter of DELIMITERS) {
    const { end, remarks } =
      header === 'with header' ? endOf(text, delimiter) : { end: text.length, remarks: [] }
    const body = text.slice(0, end)
    const start = body.slice(0, SAMPLE_CHARACTERS)
    const rows = firstRows(start, delimiter, start.length < body.length, commented)
    const width = rows?.[0]?.length ?? 0
    if (!rows || (remarks.length > 0 && width < LEAST_CELLS)) continue
    const parting = { delimiter, commented, named: true }
    const heads = header === 'with header' ? headsOf(rows, body) : undefined
    if (heads)
      return {
        ...rowsOf(heads.names.join(delimiter) + body.slice(heads.end), parting),
        remarks,
        units: heads.units,
      }
    const named = isHeader(rows)
    const isSure = named ? header === 'with header' : header === 'without header' && rows.length >= 3
    if (!isSure || !(named || width >= LEAST_CELLS)) continue
    const read = { ...rowsOf(body, { ...parting, named }), remarks }
    // `Total, EUR;State` has a comma in each line, but more semicolons.
    if (width >= LEAST_CELLS) return read
    narrow ??= read
  }
  return narrow
}

/** The names of columns where two lines at the top are none of records, and where these lines end. */
interface Heads {
  readonly names: readonly string[]
  readonly end: number
  readonly units?: string
}

/** Rows below two lines of names that are looked at, at least. */
const LEAST_BELOW_HEADS = 3
/** Characters of the name of a unit. */
const LONGEST_UNIT = 16

/** Groups of columns over their names: `,,North,,South,` over `Product,SKU,Units,Sales,Units,Sales`; or units under the names. */
function headsOf([first = [], second = [], ...below]: readonly string[][], body: string): Heads | undefined {
  const end = body.indexOf('\n', body.indexOf('\n') + 1)
  const heads = body.slice(0, end)
  if (below.length < LEAST_BELOW_HEADS || end < 0 || heads.includes('"') || first.length !== second.length)
    return undefined
  const [over, under] = [first, second].map((row) => row.map((cell) => cell.trim()))
  const isTyped = (at: number): boolean => {
    const cells = below
      .map((row) => (row[at] ?? '').trim())
      .filter((cell) => cell !== '' && !saysNothing(cell))
    return cells.length * 2 > below.length && cells.every((cell) => TYPED.test(cell))
  }
  const typed = first.flatMap((_, at) => (isTyped(at) ? [at] : []))
  if (!over || !under || typed.length < 2) return undefined
  const isName = (cell = ''): boolean => cell !== '' && cell.length <= 64 && !TYPED.test(cell)
  const groups = over.filter((cell) => cell !== '')
  if (groups.length > 1 && over.length - groups.length > 1 && groups.every(isName) && under.every(isName)) {
    let group = ''
    const names = under.map((name, at) => {
      group = over[at] || group
      return group === '' ? name : `${group} ${name}`
    })
    return new Set(under).size < under.length && new Set(names).size === names.length
      ? { names, end }
      : undefined
  }
  const areUnits =
    over.every(isName) &&
    typed.every((at) => isName(under[at]) && !saysNothing(under[at] ?? '')) &&
    under.every((cell) => cell.length <= LONGEST_UNIT && !TYPED.test(cell)) &&
    under.every(
      (cell, at) => typed.includes(at) || cell === '' || !below.some((row) => row[at]?.trim() === cell),
    )
  const units = under.flatMap((unit, at) => (unit === '' ? [] : [`${over[at]} ${unit}`]))
  return areUnits ? { names: over, end, units: units.join(', ') } : undefined
}

/** Rows of fewer cells are told by their header alone, and end where the text does. */
const LEAST_CELLS = 3

/** Lines below a table that may be remarks, and characters of one. */
const MOST_REMARKS = 4
const MOST_LOOKED_AT = 12
const LONGEST_REMARK = 400
/** A sentence, or a line that is marked as a remark. */
const REMARK = /^(?:[*†‡(]|(?:note|source|generated|as of)\b)|\S\s+\S+\s+\S/i

/** Where the rows end, before remarks: lines of a single cell that are marked as such, or stand apart. */
function endOf(text: string, delimiter: string): { end: number; remarks: string[] } {
  const remarks: string[] = []
  let end = text.length
  let at = text.length
  for (let looked = 0; looked < MOST_LOOKED_AT && at > 0 && remarks.length < MOST_REMARKS; looked++) {
    const start = text.lastIndexOf('\n', at - 1) + 1
    const line = text.slice(Math.max(start, at - LONGEST_REMARK - 1), at).trim()
    at = Math.max(0, start - 1)
    if (line === '') continue
    const isApart = /\n[ \t\r]*$/.test(text.slice(Math.max(0, start - 20), Math.max(0, start - 1)))
    const said = /^"([^"]*)"$/.exec(line)?.[1]
    const isRow = said === undefined && (line.includes(delimiter) || line.includes('"'))
    if (isRow || line.length > LONGEST_REMARK || !(isApart || REMARK.test(said ?? line))) break
    remarks.unshift(said ?? line)
    end = start
  }
  return { end, remarks }
}

/** The content that was found in a text. */
interface Rows extends Content {
  /** Lines below the rows that are none of them. */
  readonly remarks: readonly string[]
  /** The units of columns, where a line below their names tells them. */
  readonly units?: string | undefined
}

interface Content {
  readonly records: () => JsonObject[]
  /** The same for a first look, of a long text. */
  readonly glimpse: () => JsonValue[] | undefined
}

/** The records of shorter tables are kept as they are. */
const LONG = 250_000
/** From so many characters on it takes longer to make the records than to look at all cells twice. */
const VERY_LONG = 2_000_000

function rowsOf(text: string, parting: Parting): Content {
  const look = () => {
    const layout = layoutOf(text, parting)
    let seen: JsonValue[] | undefined
    const glimpse = () => {
      seen ??= layout && glimpseOf(layout)
      return seen
    }
    return { layout, glimpse }
  }
  const looked = renewable(look, () => look)
  const read = () => {
    const { layout } = looked()
    return layout ? recordsIn(layout, layout.starts) : oddRecords(text, parting)
  }
  const records = renewable(read, () => (text.length < LONG ? undefined : read))
  return { records, glimpse: () => (text.length < VERY_LONG ? undefined : looked().glimpse()) }
}

/** The sampled rows when they form a table. The last one may be cut and does not count. */
function firstRows(
  start: string,
  delimiter: string,
  isCut: boolean,
  commented: boolean,
): string[][] | undefined {
  const rowsIn = (most: number): string[][] =>
    cellRows(start, delimiter, most).filter(([first]) => !(commented && first?.startsWith('#')))
  // Most texts are no table, which a few rows tell.
  if (!start.includes(delimiter)) return undefined
  const few = rowsIn(FEW_ROWS)
  if (few.length === FEW_ROWS && !tableIn(few, delimiter)) return undefined
  const rows = rowsIn(SAMPLE_ROWS + MOST_COMMENTS).slice(0, SAMPLE_ROWS + 1)
  if (rows.some(({ length }) => length > MOST_COLUMNS)) return undefined
  if (isCut && rows.length > 2) rows.pop()
  return tableIn(rows, delimiter)
}

/** The rows where they are a table; so they may be where no delimiter with a blank behind it parts cells (see `layoutOf`). */
function tableIn(rows: string[][], delimiter: string): string[][] | undefined {
  if (isTable(rows, delimiter)) return rows
  const width = rows[0]?.length ?? 0
  if (delimiter === '\t' || width < LEAST_CELLS) return undefined
  const tight = rows.map((row) => joined(row, delimiter))
  return tight.every(({ length }) => length === width) ? tight : undefined
}

/** The cells of a row, each that begins with a blank joined to the one before it. */
function joined(row: readonly string[], delimiter: string): string[] {
  const cells: string[] = []
  for (const cell of row)
    if (cells.length > 0 && cell.startsWith(' ')) cells.push(`${cells.pop()}${delimiter}${cell}`)
    else cells.push(cell)
  return cells
}

/** Rows of one width; behind tabs the last cell may be left out. */
function isTable(rows: readonly string[][], delimiter: string): boolean {
  const width = rows[0]?.length ?? 0
  if (width < 2 || rows.length < 2 || (rows.length < 3 && width < 3)) return false
  // Statements that end with a semicolon.
  if (width === 2 && rows.every(([, last = '']) => last === '')) return false
  if (areLabelled(rows)) return false
  return (
    rows.filter(({ length }) => length === width || (delimiter === '\t' && width > 2 && length === width - 1))
      .length >=
    rows.length * 0.95
  )
}

/** `PID: 1, Command: init`: each cell says what it is, and those of the rows say the same. */
function areLabelled([first = [], ...others]: readonly string[][]): boolean {
  const labels = first.map((cell) => /^\s*\p{L}[^:=]{0,30}(?:: |=)/u.exec(cell)?.[0])
  const labelled = labels.filter((label) => label !== undefined).length
  const isAlike = (row: readonly string[]): boolean =>
    labels.filter((label, at) => label !== undefined && row[at]?.startsWith(label)).length >= labelled / 2
  return labelled > 1 && labelled >= first.length / 2 && others.filter(isAlike).length > others.length / 2
}

/** A row of distinct short names, none of them a number or a date; years in a row may be among them. */
function isHeader(rows: readonly string[][]): boolean {
  const all = (rows[0] ?? []).map((name) => name.trim())
  if (isOverTyped(rows, all)) return true
  if (isLikeBelow(rows, all)) return false
  // Titles, over the names.
  const below = rows.slice(rows.findIndex((row) => !isTitle(row)))
  if (
    below.length < rows.length &&
    isOverTyped(
      below,
      (below[0] ?? []).map((name) => name.trim()),
    )
  )
    return false
  const years = yearsIn(all, rows[1] ?? [])
  const names = all.filter((name) => !years.has(name))
  if (names.length === 0 || (new Set(all).size < all.length && !isFirstAlone(all) && !isOverNumbers(rows)))
    return false
  if (names.filter((name) => name === '').length > 1 && !isFirstAlone(all)) return false
  const isName = (name: string): boolean =>
    name.length <= 64 && !/^[-+\d([{<"']|[.!?:]$|[{}<>=]|\d{4}-\d\d/.test(name)
  const others = names.filter((name) => !isName(name))
  return (
    others.length < names.length / 2 && others.every((name) => isOverNumber(name, all.indexOf(name), rows))
  )
}

/** A first row that is one of the others: `lib1/stable` over `lib2/stable`. Only its number tells it from them; `node1,node2` are numbered names. */
function isLikeBelow([, ...below]: readonly string[][], names: readonly string[]): boolean {
  const form = (text = ''): string => text.trim().replaceAll(/\d+/g, '0')
  const hasDigit = (text = ''): boolean => /\d/.test(text)
  return (
    below.length >= LEAST_BELOW_HEADS &&
    names.every((name, at) => hasDigit(name) || !below.every((row) => hasDigit(row[at]))) &&
    names.some(
      (name, at) =>
        /\p{L}/u.test(name) &&
        hasDigit(name) &&
        names.every((other, place) => place === at || form(other) !== form(name)) &&
        below.every((row) => form(row[at]) === form(name)),
    )
  )
}

/** One name, and empty cells: the first row of a spreadsheet with unnamed columns. */
function isFirstAlone([first = '', ...others]: readonly string[]): boolean {
  return /^\p{L}/u.test(first) && others.length > 1 && others.every((name) => name === '')
}

/** A text, or a text and what it says, and an empty cell for each further column. */
function isTitle([first = '', ...others]: readonly string[]): boolean {
  return /^\p{L}/u.test(first) && others.length > 1 && others.slice(1).every((cell) => cell.trim() === '')
}

/** Whatever the names are, questions of a form or whole sentences: all differ, none is a value, and one stands over values of a type. */
function isOverTyped([, ...below]: readonly string[][], names: readonly string[]): boolean {
  const isOver = (_: string, at: number): boolean => {
    const cells = below.map((row) => (row[at] ?? '').trim()).filter((cell) => cell !== '')
    return cells.length > below.length / 2 && cells.every((cell) => TYPED.test(cell))
  }
  return (
    below.length > 2 &&
    new Set(names).size === names.length &&
    names.every((name) => /\p{L}/u.test(name) && !TYPED.test(name) && !/^[[{<"']|[{}<>=]/.test(name)) &&
    names.some(isOver)
  )
}

/** A number, or what begins with a date or a time. */
const TYPED = /^[-+]?[\d.,]+%?$|^\d{4}-\d\d-\d\d|^\d{1,4}[/.]\d{1,2}[/.]\d{1,4}\b|^\d{1,2}:\d\d/

/** `2024 Rank` over numbers: a number and words are a name where the cells below are plain numbers. */
function isOverNumber(name: string, at: number, [, ...below]: readonly string[][]): boolean {
  const isNumber = (row: readonly string[]): boolean => /^-?\d[\d.,]*$/.test((row[at] ?? '').trim())
  return /^\d{1,4} \p{L}[\p{L}\d %()]{1,60}$/u.test(name) && below.length > 2 && below.every(isNumber)
}

/** A name that stands twice is one where the row is over a column of numbers, and what stands twice is in no row below. */
function isOverNumbers([header = [], ...below]: readonly string[][]): boolean {
  const twice = header.filter((name, at) => header.indexOf(name) !== at)
  const rows = below.filter((row) => row.length >= header.length)
  const isNumbers = (at: number): boolean => rows.every((row) => /^-?[\d.,]+$/.test((row[at] ?? '').trim()))
  return (
    header.length > 2 &&
    rows.length > 3 &&
    twice.length < header.length / 2 &&
    header.some((name, at) => /\p{L}/u.test(name) && isNumbers(at)) &&
    !rows.some((row) => row.some((cell) => cell !== '' && twice.includes(cell)))
  )
}

/** Names that are years, one after the other, over something that is none. */
function yearsIn(names: readonly string[], below: readonly string[]): ReadonlySet<string> {
  const isYear = (cell: string | undefined) => /^(?:1[5-9]|20|21)\d\d$/.test((cell ?? '').trim())
  const years = names.flatMap((name, column) =>
    isYear(name) && !isYear(below[column]) ? [Number(name)] : [],
  )
  const step = (years[1] ?? 0) - (years[0] ?? 0)
  const inOrder =
    years.length > 1 && step !== 0 && years.every((year, nth) => year === (years[0] ?? 0) + nth * step)
  return new Set(inOrder ? years.map(String) : [])
}

/** Where the rows begin: after lines of comments at the top. */
function bodyStart(text: string): number {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (let skipped = 0; skipped < MOST_COMMENTS && text[at] === '#'; skipped++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return at
    at = end + 1
  }
  return at
}

/**
 * The cells of each row (RFC 4180): quoted cells may hold delimiters, newlines and doubled quotes; empty lines are left out. At most `most`
 * rows. Linear in the length of the text.
 */
function cellRows(text: string, delimiter: string, most = 0): string[][] {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const { data } = papaparse.parse(body, { delimiter, newline: '\n', skipEmptyLines: true, preview: most })
  if (!body.includes('\r')) return data
  for (const row of data) {
    const last = row.at(-1)
    if (last?.endsWith('\r')) row[row.length - 1] = last.slice(0, -1)
  }
  return data.filter(({ length, 0: first }) => length > 1 || first !== '')
}

/** The records of rows of which papaparse makes something. */
function oddRecords(text: string, { delimiter, named, commented }: Parting): JsonObject[] {
  const rows = cellRows(text, delimiter)
  const all = commented ? rows.filter(([first]) => !first?.startsWith('#')) : rows
  return recordsOf(namesOf(all[0] ?? [], named), named ? all.slice(1) : all)
}

const TRAITS = {
  family: 'csv',
  kind: 'json',
  line: 'record',
  renewed: true,
} as const

/** Tried before logs: their lines hold commas at places of their own. Never takes a text with a first line that cannot be names. */
export const csv = defineFormat<TableBelow>({
  name: 'csv',
  ...TRAITS,
  detect(text) {
    const read = readCsv(text, 'with header')
    return read ? { ...read, above: [] } : readBelow(text)
  },
  read: (_, { records }) => records(),
  glimpse: (_, { glimpse }) => glimpse(),
  asides: (_, { above, remarks, units }) => [
    ...around('above', above),
    ...(units ? [`units: ${units}`] : []),
    ...around('below', remarks),
  ],
})

/** A line for a preview about what stands around a table. */
function around(where: 'above' | 'below', lines: readonly string[]): string[] {
  const said = lines.map((line) => line.replace(/[,;|\t]+$/, '')).join(' | ')
  return said === '' ? [] : [`${where} the table: ${said}`]
}

/** Tables in one text that are told apart. */
const MOST_TABLES = 200

/**
 * Several tables with empty lines between them, as exports of reports have them. A title may stand above each: a line of one cell, or the
 * second cell of lines that begin alike.
 */
function tablesOf(text: string): ReadonlyMap<string, Rows> | undefined {
  const start = text.slice(0, SAMPLE_CHARACTERS)
  const apart = start.search(/\n[ \t\r]*\n/)
  // Most texts with empty lines are no table, which two lines of the first part tell.
  const [line = '', next = ''] = start.slice(0, Math.max(0, apart)).split('\n', 2)
  if (!DELIMITERS.some((each) => line.includes(each) || next.includes(each)) || next === '') return undefined
  const blocks = text.split(/\n(?:[ \t\r]*\n)+/).filter((block) => block.trim() !== '')
  // An empty line within quotes is part of a cell.
  const areWhole = blocks.every((block) => block.split('"').length % 2 === 1)
  if (blocks.length < 2 || blocks.length > MOST_TABLES || !areWhole) return undefined
  // Titles are words above a table, and none of their own.
  if (DELIMITERS.some((each) => cellRows(blocks[0] ?? '', each, MOST_LOOKED).every(isTitle))) return undefined
  const first = blocks.map((block) => (block.split('\n', 1)[0] ?? '').replace(/[,;\s]+$/, ''))
  const lead = /^[^,;\t]{1,40}[,;\t]/.exec(first[0] ?? '')?.[0]
  const areLed =
    lead !== undefined &&
    first.every((line) => line.startsWith(lead) && !/[,;\t"]/.test(line.slice(lead.length)))
  const tables = new Map<string, Rows>()
  const heads = new Set<string>()
  for (const [at, block] of blocks.entries()) {
    const title = first[at] ?? ''
    const isTitled = areLed || (title !== '' && !/[,;\t|]/.test(title))
    const body = isTitled ? block.slice(block.indexOf('\n') + 1) : block
    const read = readBody(body, 'with header', false)
    if (!read) return undefined
    const name = (areLed ? title.slice(lead.length) : isTitled ? title : '').trim() || `table_${at + 1}`
    heads.add(body.slice(0, body.indexOf('\n')))
    tables.set(tables.has(name) ? `${name}_${at + 1}` : name, read)
  }
  return heads.size > 1 ? tables : undefined
}

export const csvTables = defineFormat({
  name: 'csv tables',
  family: 'csv',
  kind: 'json',
  detect: tablesOf,
  read: (_, tables) => Object.fromEntries([...tables].map(([name, { records }]) => [name, records()])),
})

/** Rows below the header of a table that stands below words: without them commas may stand by chance. */
const LEAST_BELOW = 4

interface TableBelow extends Rows {
  readonly above: readonly string[]
}

/** A table below a few lines that say what it is. */
function readBelow(text: string): TableBelow | undefined {
  const below = belowWords(
    text,
    (rest, above) => DELIMITERS.some((each) => isHeadOfTable(rest, each, above)),
    (body) => readBody(body, 'with header', false),
  )
  return below && { ...below.evidence, above: below.above }
}

/** True where this line and all below it, as far as they are looked at, have as many cells, and none of those above has. */
function isHeadOfTable(rest: string, delimiter: string, above: readonly string[]): boolean {
  const [first = [], ...below] = rowsAtStart(rest, delimiter)
  return (
    first.length > 1 &&
    below.length === LEAST_BELOW &&
    below.every(({ length }) => length === first.length) &&
    above.every((line) => {
      const [cells = []] = cellRows(line, delimiter, 1)
      return cells.length < first.length || isTitle(cells)
    })
  )
}

/** The first rows of a text; none where one is a line without a delimiter, as most lines of prose are. */
function rowsAtStart(text: string, delimiter: string): string[][] {
  const lines = text
    .split('\n', MOST_LOOKED)
    .filter((line) => line.trim() !== '')
    .slice(0, LEAST_BELOW + 1)
  // A cell in quotes may go on in the next line.
  if (lines.some((line) => line.includes('"'))) return cellRows(text, delimiter, LEAST_BELOW + 1)
  return lines.every((line) => line.includes(delimiter)) ? lines.map((line) => line.split(delimiter)) : []
}

/** Lines of which the first rows are looked for. */
const MOST_LOOKED = 4 * LEAST_BELOW

/** Tried last, since prose has commas too. Never takes rows of two cells, or fewer than three rows, but below the names of columns. */
export const bareCsv = defineFormat<Rows>({
  name: 'csv without header',
  ...TRAITS,
  detect: (text) => readCsv(text, 'without header'),
  read: (_, { records }) => records(),
  glimpse: (_, { glimpse }) => glimpse(),
  asides: (_, { remarks }) => around('below', remarks),
})
