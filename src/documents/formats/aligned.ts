/** Columns under aligned names, as kubectl, docker and the column mode of databases print them. */
import type { LineIndex } from '../../text/lines.ts'
import { distinct, recordsOf } from './cells.ts'
import type { FoundTable } from './table.ts'

const SAMPLE = 400
const LONGEST = 4096
/** A line of dashes under each name. */
const DASHES = /^\s*(?:[-=]{2,} +)+[-=]{2,}\s*$/

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

/** Names that each begin with a capital, small words between them: `Local Address:Port`, `Mounted on`. */
const TITLED =
  /^(?:[A-Z%#][\w%#:./()-]{0,40}|[a-z]{1,3})(?: +(?:[A-Z%#][\w%#:./()-]{0,40}|[a-z]{1,3})){2,} *$/
/** Names in such letters may be a line of prose: then columns must be told apart in more lines, and be filled. */
const LEAST_TITLED = 5
const FILLED = 0.6

/**
 * The names are in capitals or have a line of dashes under them. Columns are told apart where a place between two names
 * is blank in every line; names without such a place between them are one name (`CONTAINER ID`).
 */
export function readAligned(lines: LineIndex): FoundTable | undefined {
  const header = lines.at(0)
  const dashed = DASHES.test(lines.at(1).slice(0, LONGEST))
  const titled = !dashed && /[a-z]/.test(header)
  if (header.length > LONGEST) return undefined
  if (!dashed && !(titled ? TITLED : /^[^a-z]*[A-Z]{2}[^a-z]*$/).test(header)) return undefined
  const first = dashed ? 2 : 1
  const sample = sampleOf(lines, first)
  if (sample.length === 0) return undefined
  if (!dashed && PROCESSES.test(header)) return ofProcesses(lines, header)
  const columns = columnsOf(header, sample)
  if (columns.length < (dashed ? 2 : 3)) return undefined
  if (titled && !isFilled(columns, sample)) return undefined
  const fits = sample.filter((line) => fitsIn(line, columns)).length
  if (fits < sample.length * 0.9) return undefined
  return { json: () => read(lines, first, header, columns), asides: [] }
}

/** True when enough lines have something in every column but the last. */
function isFilled(columns: readonly Column[], sample: readonly string[]): boolean {
  return (
    sample.length >= LEAST_TITLED &&
    columns
      .slice(0, -1)
      .every(
        ({ from, to }) =>
          sample.filter((line) => line.slice(from, to).trim() !== '').length >= sample.length * FILLED,
      )
  )
}

function sampleOf(lines: LineIndex, first: number): string[] {
  const picked: string[] = []
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = first; index < lines.count; index += step) {
    const line = lines.at(index)
    if (line.trim() !== '') picked.push(line)
  }
  return picked
}

function columnsOf(header: string, sample: readonly string[]): Column[] {
  const columns: Column[] = []
  for (const match of header.matchAll(/\S+/g)) {
    const end = match.index + match[0].length
    const last = columns.at(-1)
    const gap = last && blankPlace(sample, last.end, match.index)
    if (last && (gap === undefined || (match.index - last.end === 1 && isEmpty(sample, match.index, end)))) {
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

/** The last place from `from` to before `to` that is blank in nearly all lines. */
function blankPlace(sample: readonly string[], from: number, to: number): number | undefined {
  for (let place = to - 1; place >= from; place--) {
    if (sample.filter((line) => isBlank(line, place)).length >= sample.length * 0.95) return place
  }
  return undefined
}

/** No value stands under this word: it is the end of a name such as `LAST SEEN`. */
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

function read(lines: LineIndex, first: number, header: string, columns: readonly Column[]) {
  const rows: (string[] | string)[] = []
  for (let index = first; index < lines.count; index++) {
    const line = lines.at(index)
    if (line.trim() === '') continue
    rows.push(fitsIn(line, columns) ? columns.map(({ from, to }) => line.slice(from, to).trim()) : line)
  }
  return recordsOf(distinct(columns.map(({ start, end }) => header.slice(start, end))), rows)
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
