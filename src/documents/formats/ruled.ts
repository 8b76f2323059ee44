/** Tables with a rule under the names and bars between cells, as databases print them and libraries draw them. */
import type { JsonValue } from '../../protocol/json.ts'
import type { LineIndex } from '../../text/lines.ts'
import { asideOf, distinct, type FoundTable, joinerOf, recordsOf, withoutEmphasis } from './cells.ts'

const SAMPLE = 200
export const LONGEST = 20_000
/** Lines before the header, such as "Query result:". */
const MOST_BEFORE = 4
/** Lines below a table that are no rows: a legend, or how many there are. */
export const MOST_BELOW = 12
/** No row has more lines. */
const MOST_LINES_OF_ROW = 500
/** `----+----`, `+-----+-----+`, `├─────┼─────┤`, `┡━━━━━╇━━━━━┩`. */
const RULE = /^\s*[+|\u2500-\u257f]?[-=─━═]{2,}[-=+|\u2500-\u257f]*\s*$/
/** The same of Markdown: `| --- | :-: |`. */
const SEPARATOR = /^(?:\|\s*)?:?-+:?(?:\s*\|\s*:?-+:?)+(?:\s*\|)?$/
export const isRule = (line: string): boolean => RULE.test(line) || SEPARATOR.test(line.trim())
/** A bar before the first cell. */
const BAR = /^\s*[|│┃║]/
/** Bars between cells. Markdown writes a bar inside a cell as `\\|`. */
export const BARS = /(?<!\\)[|│┃║]/
const DRAWN_BARS = /[│┃║]/
const WRITTEN_BARS = /(?<!\\)\|/
const CROSSING = /[+|\u250c-\u254b\u2551-\u2570]/
/** Marks between columns in a rule, also in one under some columns. */
const EDGES = /[+|\u2502-\u2503\u250c-\u254b\u2551-\u2570]/
export const FOOTER = /^\s*\(?[\d,]+ rows?\b[^|]{0,80}$/

/** The table with its names above the first rule with crossings; undefined where most lines below do not fit. */
export function readRuled(lines: LineIndex): FoundTable | undefined {
  const rule = firstRule(lines)
  if (rule < 1) return undefined
  const typed = typesAbove(lines, rule) ? 1 : 0
  const head = lines.at(rule - 1 - typed)
  const names = cellsBetween(barsOf(head), head)
  if (names.length < 2 || names.some((name) => name === '' || name.length > 128)) return undefined
  const rows = new Rows(lines, rule, names.length)
  let seen = 0
  let good = 0
  const foot = footOf(lines, rule)
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = rule + 1; index < foot; index += step) {
    index = rows.firstFrom(index)
    if (isNoRow(lines.at(index))) continue
    seen += 1
    if (rows.at(index).cells) good += 1
  }
  if (good === 0 || good < seen * 0.9) return undefined
  const end = foot < lines.count ? foot : endOfCells(lines, rule, (index) => rows.isPart(index))
  return {
    json: () => {
      const read: (readonly string[] | string)[] = []
      for (let index = rule + 1; index < end; ) {
        const line = lines.at(index)
        const { cells, next } = isNoRow(line) ? { cells: names, next: index + 1 } : rows.at(index)
        // The names come again where several statements have the same columns.
        const isAgain = cells?.join('|') === names.join('|') && isRule(lines.at(next))
        const isLeftOut = typed > 0 && cells?.every((cell) => cell === LEFT_OUT)
        if (!isNoRow(line) && !isAgain && !isLeftOut) read.push(cells ?? line)
        index = next
      }
      const all = withSurplus(read, barsOf(head), names.length)
      const isMarkdown = SEPARATOR.test(lines.at(rule).trim())
      const bare = (row: readonly string[]) => (isMarkdown ? row.map(withoutEmphasis) : row)
      const cells = all.map((row) => (typeof row === 'string' ? row : bare(row)))
      return recordsOf(distinct(bare(names)), cells).map(withNulls)
    },
    asides: outside(lines, rule, end, typed),
  }
}

/** The rows, and of lines in a frame with more cells than names the rows that they are. */
function withSurplus(
  rows: readonly (readonly string[] | string)[],
  bars: RegExp,
  count: number,
): (readonly string[] | string)[] {
  const mayBeRow = (row: readonly string[] | string): row is string =>
    typeof row === 'string' && BAR.test(row) && cellsBetween(bars, row).length > count
  if (!rows.some(mayBeRow)) return [...rows]
  const joined = joinerOf(
    rows.filter((row) => typeof row !== 'string'),
    count,
  )
  return rows.map((row) => (mayBeRow(row) ? (joined(cellsBetween(bars, row)) ?? row) : row))
}

/** Of DuckDB, in the place of rows that are not printed. */
const LEFT_OUT = '·'
const TYPE = /^[a-z][a-z0-9_ ]{0,60}(?:[([].{0,200})?$/
const TOP = /^\s*[┌┏╔][─━═┬┳╦╤]+[┐┓╗]\s*$/

/** True where a drawn head has types in a second line below the names, as DuckDB prints them. */
function typesAbove(lines: LineIndex, rule: number): boolean {
  const [top, head, types] = [3, 2, 1].map((above) => lines.at(rule - above)) as [string, string, string]
  if (rule < 3 || !TOP.test(top)) return false
  const names = cellsBetween(DRAWN_BARS, head)
  const below = cellsBetween(DRAWN_BARS, types)
  return (
    names.length > 1 &&
    names.length === below.length &&
    names.every((name) => name !== '') &&
    new Set(names).size === names.length &&
    below.every((type) => TYPE.test(type))
  )
}

/** A rule that columns end at: below it, one cell is as wide as the table. */
const FOOT = /^\s*[├┠╟╠][─━═]+(?:[┴┻╩╧][─━═]+)+[┤┨╢╣]\s*$/
/** One cell in drawn bars. */
const FRAMED = /^\s*[│┃║][^│┃║]*[│┃║]\s*$/
const LAST_BAR = /^\s*[│┃║]|[│┃║]\s*$/g

/** The line of the rule that all columns end at; behind the last line where there is none. */
function footOf(lines: LineIndex, rule: number): number {
  for (let index = lines.count - 1; index > rule && index > lines.count - 1 - MOST_BELOW; index--)
    if (!FRAMED.test(lines.at(index)) && !isRule(lines.at(index)) && lines.at(index).trim() !== '') {
      if (FOOT.test(lines.at(index).slice(0, LONGEST))) return index
      // A row of several cells.
      if (DRAWN_BARS.test(lines.at(index))) return lines.count
    } else if (FOOT.test(lines.at(index).slice(0, LONGEST))) return index
  return lines.count
}

/** The spellings of databases for an absent value. */
export function withNulls(record: Record<string, JsonValue>): Record<string, JsonValue> {
  for (const key of Object.keys(record))
    if (record[key] === 'NULL' || record[key] === '<null>') record[key] = null
  return record
}

/** The trimmed cells of a line; none where it is too long. */
export function cellsBetween(bars: RegExp, line: string): string[] {
  if (line.length > LONGEST) return []
  const trimmed = line.trim()
  const framed = BAR.test(trimmed)
  const cells = (framed ? trimmed.slice(1) : line).split(bars)
  if (framed && cells.length > 1 && cells.at(-1) === '') cells.pop()
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** The bars of the line of names: where they are drawn, `|` is a character of a value. */
function barsOf(head: string): RegExp {
  return DRAWN_BARS.test(head) ? DRAWN_BARS : WRITTEN_BARS
}

function isNoRow(line: string): boolean {
  return line.trim() === '' || isRule(line) || FOOTER.test(line)
}

/** The rule under the names: the first that has crossings and names above. */
function firstRule(lines: LineIndex): number {
  for (let index = 1; index < Math.min(lines.count, MOST_BEFORE + 3); index++) {
    const line = lines.at(index)
    if (line.length > LONGEST || !isRule(line) || !CROSSING.test(line.trim().slice(1, -1))) continue
    if (/[|│┃║]/.test(lines.at(index - 1))) return index
  }
  return -1
}

/** The line behind the last row: paragraphs below the rows say something about them. A row that is cut off stays with the others. */
function endOfCells(lines: LineIndex, rule: number, isPart: (index: number) => boolean): number {
  let end = lines.count
  for (let index = end - 1; index > rule && index > lines.count - 1 - MOST_BELOW; index--) {
    if (lines.at(index).trim() !== '' && isPart(index)) break
    if (lines.at(index).trim() !== '' && lines.at(index - 1).trim() === '') end = index
  }
  return end
}

/** The lines that are no rows; with `typed` lines of types between the names and the rule. */
function outside(lines: LineIndex, rule: number, end: number, typed: number): string[] {
  const before = Array.from({ length: rule }, (_, index) => index)
    .filter((index) => index !== rule - 1 - typed)
    .map((index) => lines.at(index))
  const within = Array.from({ length: Math.min(3, end - rule - 1) }, (_, index) => lines.at(end - 1 - index))
  const after = Array.from({ length: lines.count - end }, (_, index) => lines.at(end + index))
  return [...before, ...within.filter((line) => FOOTER.test(line)), ...after]
    .filter((line) => line.trim() !== '' && !isRule(line))
    .map((line) => asideOf(FRAMED.test(line) ? line.replace(LAST_BAR, '') : line))
}

interface Row {
  /** Undefined: the line is no row. */
  readonly cells: readonly string[] | undefined
  /** The line behind the row. */
  readonly next: number
}

/**
 * The rows below a rule. One has several lines where a value has: `psql` ends these with `+`, `mysql` prints them as they are, and in a
 * grid each row ends with a rule. Where a rule is under some columns only, the cells of the others count for the next row as well.
 */
class Rows {
  readonly #lines: LineIndex
  readonly #first: number
  readonly #count: number
  readonly #bars: RegExp
  readonly #isFramed: boolean
  /** A blank stands before the names, as `psql` writes them. */
  readonly #isPadded: boolean
  /** The names end with a bar. */
  readonly #isClosed: boolean
  readonly #width: number
  /** Before the first column, between columns, and behind the last one; none where the rule does not say it. */
  readonly #edges: readonly number[]
  readonly #isGrid: boolean
  /** The cells that go on below the last part of a rule, and the line they go on in. */
  #above: { readonly at: number; readonly cells: readonly string[] } = { at: -1, cells: [] }

  constructor(lines: LineIndex, rule: number, count: number) {
    const head = lines.at(rule - 1)
    this.#lines = lines
    this.#first = rule + 1
    this.#count = count
    this.#bars = barsOf(head)
    this.#isFramed = BAR.test(head)
    this.#isPadded = !this.#isFramed && head.startsWith(' ')
    this.#isClosed = this.#isFramed && head.trimEnd().endsWith('|')
    const drawn = lines.at(rule).trimEnd()
    this.#width = drawn.length
    const pluses = [...drawn.matchAll(/\+/g)].map(({ index }) => index)
    const isPlain = /^(?:\+-+)+\+$|^-+(?:\+-+)+$/.test(drawn)
    this.#edges = !isPlain ? [] : this.#isFramed ? pluses : [-1, ...pluses, LONGEST]
    this.#isGrid = this.#isFramed && this.#rowsEndWithRules()
  }

  /** True for a line with a cell for each column, in a frame where the names have one. */
  isPart(index: number): boolean {
    const line = this.#lines.at(index)
    return this.#isFramed === BAR.test(line) && this.#cellsOf(line) !== undefined
  }

  /** The first line from here on that is not amid a row. */
  firstFrom(index: number): number {
    const last = Math.min(this.#lines.count - 1, index + MOST_LINES_OF_ROW)
    let from = index
    if (this.#isFramed && !this.#isGrid) {
      if (this.#isInOpenRow(index)) while (from < last && !BAR.test(this.#lines.at(from))) from++
      return from
    }
    while (from < last && from > this.#first && this.#isAmid(from)) from++
    return from
  }

  at(index: number): Row {
    if (this.#isGrid) return this.#toRule(index)
    const line = this.#lines.at(index)
    const cells = this.#cellsOf(line)
    if (cells === undefined || this.#isOpen(line)) return this.#toBar(index) ?? { cells, next: index + 1 }
    const parts = cells.map((cell) => [cell])
    let next = index + 1
    for (let above = line; next < this.#lines.count && next < index + MOST_LINES_OF_ROW; next++) {
      const goesOn = this.#goesOn(above)
      const line = this.#lines.at(next)
      const more = goesOn.includes(true) ? this.#cellsOf(line) : undefined
      if (more === undefined) break
      for (const [at, part] of parts.entries()) {
        if (!goesOn[at]) continue
        part.push((part.pop() ?? '').replace(/ *\+$/, ''), more[at] ?? '')
      }
      above = line
    }
    return { cells: parts.map((part) => part.join('\n')), next }
  }

  #cellsOf(line: string): string[] | undefined {
    const found = cellsBetween(this.#bars, line)
    return found.length === this.#count ? found : this.#cutAtEdges(line)
  }

  /** True for a line without the bar that closes the line of names. */
  #isOpen(line: string): boolean {
    return this.#isClosed && !line.trimEnd().endsWith('|')
  }

  /** `psql` and `mysql` do not mark bars within cells. */
  #cutAtEdges(line: string): string[] | undefined {
    const edges = this.#edges
    const bars = this.#isFramed ? edges : edges.slice(1, -1)
    if (bars.length === 0 || line.length > LONGEST || bars.some((at) => line[at] !== '|')) return undefined
    return edges.slice(1).map((end, nth) => line.slice((edges[nth] ?? 0) + 1, end).trim())
  }

  /** For each column of a line of `psql`, whether its value goes on in the next line. */
  #goesOn(line: string): boolean[] {
    if (!this.#isPadded || line.length > LONGEST || !line.includes('+')) return []
    const isWhole = line.trimEnd().length === this.#width
    return this.#edges
      .slice(1)
      .map((at) =>
        at === LONGEST ? isWhole && line[this.#width - 1] === '+' : line[at] === '|' && line[at - 1] === '+',
      )
  }

  #isAmid(index: number): boolean {
    if (isNoRow(this.#lines.at(index))) return false
    const above = this.#lines.at(index - 1)
    return this.#isGrid ? !this.#endsRow(above) : this.#goesOn(above).includes(true)
  }

  /** True where the last line above that begins with a bar does not end with one. */
  #isInOpenRow(index: number): boolean {
    if (!this.#isClosed) return false
    let from = index
    const first = Math.max(this.#first, index - MOST_LINES_OF_ROW)
    while (from > first && !BAR.test(this.#lines.at(from))) from--
    return from < index && this.#isOpen(this.#lines.at(from))
  }

  /** A value with line breaks, up to the line with the last bar of the row. */
  #toBar(index: number): Row | undefined {
    const lines = this.#lines
    let text = lines.at(index).trimEnd()
    if (!this.#isFramed || !BAR.test(text)) return undefined
    let parts = text.split(this.#bars).length
    for (let next = index + 1; next < Math.min(lines.count, index + MOST_LINES_OF_ROW); next++) {
      const line = lines.at(next).trimEnd()
      parts += line.split(this.#bars).length - 1
      if (isRule(line) || this.isPart(next) || parts > this.#count + 2) return undefined
      text += `\n${line}`
      if (text.length > LONGEST) return undefined
      if (parts === this.#count + 2 && line.endsWith('|'))
        return { cells: cellsBetween(this.#bars, text), next: next + 1 }
    }
    return undefined
  }

  /** The row of a grid. */
  #toRule(index: number): Row {
    const lines = this.#lines
    const parts: string[][] = []
    let next = index
    for (; next < lines.count && parts.length < MOST_LINES_OF_ROW; next++) {
      const line = lines.at(next)
      const found = this.#endsRow(line) ? undefined : this.#cellsOf(line)
      if (found === undefined) break
      parts.push(found)
    }
    if (parts.length === 0) return { cells: undefined, next: index + 1 }
    const goingOn = this.#above.at === index ? this.#above.cells : []
    const cells = Array.from({ length: this.#count }, (_, at) => {
      const own = parts.map((part) => part[at] ?? '').filter(Boolean)
      return own.join('\n') || (goingOn[at] ?? '')
    })
    const under = next < lines.count ? this.#partsOfRule(lines.at(next)) : undefined
    if (under === undefined) return { cells, next }
    this.#above = { at: next + 1, cells: cells.map((cell, at) => (under[at] ? '' : cell)) }
    return { cells, next: next + 1 }
  }

  #endsRow(line: string): boolean {
    return isRule(line) || this.#partsOfRule(line) !== undefined
  }

  /** Whether each column has a rule under it; undefined for other lines. */
  #partsOfRule(line: string): boolean[] | undefined {
    if (!this.#isFramed || line.length > LONGEST || !/[-─━═]{2}/.test(line)) return undefined
    const parts = line.trim().split(EDGES).slice(1, -1)
    const isDrawn = parts.map((part) => /^[-─━═]{2,}$/.test(part))
    const isOther = parts.some((part, at) => !isDrawn[at] && part.trim() !== '')
    return parts.length === this.#count && !isOther && isDrawn.includes(true) ? isDrawn : undefined
  }

  /** True where rows end with rules, and the further lines of a row leave most of its cells empty. */
  #rowsEndWithRules(): boolean {
    let [ends, inRow] = [0, [] as string[]]
    // A double rule under the names is that of a grid; below another one, a line with a first cell is a row.
    const isDouble = /[=═]{2}/.test(this.#lines.at(this.#first - 1))
    for (let index = this.#first; index < this.#lines.count && index < this.#first + SAMPLE; index++) {
      const line = this.#lines.at(index)
      if (this.#endsRow(line)) {
        ends += 1
        inRow = []
        continue
      }
      const cells = this.#cellsOf(line)
      if (cells === undefined) break
      const filled = cells.filter(Boolean).length
      const isNext = cells[0] !== '' && !isDouble
      if (inRow.length > 0 && (isNext || filled * 2 > this.#count || filled >= inRow.filter(Boolean).length))
        return false
      if (inRow.length === 0) inRow = cells
    }
    return ends > 2
  }
}
