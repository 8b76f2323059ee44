/** The text around each match: its paragraph, section, sentence or lines. */

import type { Document } from '../../documents/document.ts'
import { fromMadeRows, fromRows } from '../../documents/opening/derive.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { groupedBy } from '../../text/groups.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import {
  findHeadings,
  type LineRange,
  paragraphAround,
  sectionAt,
  sentenceAround,
} from '../../text/passages.ts'
import type { Span } from '../../text/patterns/pattern.ts'
import { excerpt } from '../../text/shorten.ts'
import { type SearchParams, searchStepParams } from '../parameters.ts'
import { defineStep } from '../step.ts'
import { insteadOf } from './bm25.ts'
import { entryAround, entryTest } from './entries.ts'
import {
  besideData,
  byRecord,
  fieldRows,
  groupLines,
  groupRows,
  lineRows,
  ONLY_BESIDE,
  passageRows,
  recordRows,
  roomFor,
  type Show,
} from './hits.ts'
import { readable, unitsIn } from './readable.ts'
import {
  contextLines,
  counts,
  otherReading,
  type Read,
  readPattern,
  runPattern,
  searches,
  timesIn,
} from './search.ts'
import {
  findHits,
  findRanges,
  type Hit,
  type Hits,
  isRecordLines,
  mostKept,
  type Searchable,
  searchable,
} from './searchable.ts'

/** Lines around a match when none are asked for. */
const defaultLines = 3
/** Characters of a section that is shown with the sections below it, and of a line that is shown whole. */
const longestSection = 4_000
const longestLine = 4_000
/** Characters shown around a match in a longer line. */
const longPlace = 600
/** A string of data is shown whole up to this many characters. */
const longestValue = 2_000

export const context = defineStep({
  name: 'context',
  params: searchStepParams,
  wanted: (params) => searches(params, 'context'),
  run(given, params) {
    const document = readable(given)
    const view = searchable(document)
    const read = readPattern(view, params)
    const { pattern } = read
    const notes = read.note === undefined ? [] : [read.note]
    let hits = hitsOf(document, view, read)
    const named = hits.count === 0 ? (view.leaves?.fieldNames() ?? []) : []
    const called = runPattern(pattern, () => named.filter(({ name }) => pattern.test(name)))
    if (called.length > 0)
      return {
        content: fromRows({ noun: 'field', items: fieldRows(called) }),
        metadata: counts(named.length, called.length, [
          ...notes,
          'No value matches, but names of fields do.',
        ]),
      }
    const beside =
      hits.count === 0 && view.leaves ? runPattern(pattern, () => besideData(given, pattern)) : undefined
    if (beside && beside.count > 0)
      return {
        content: fromRows({ noun: 'passage', items: beside.rows }),
        metadata: { ...counts(beside.count, beside.count, [...notes, ONLY_BESIDE]), unit: 'place' },
      }
    const other = hits.count === 0 ? otherReading(view, params) : undefined
    if (other) {
      notes.splice(0, notes.length, other.note)
      hits = hitsOf(document, view, other)
    }
    const { kept } = hits
    if (hits.count === 0) {
      const instead = insteadOf(document, view, params)
      notes.push(...instead.notes)
      if (instead.rows)
        return {
          content: fromMadeRows(view.leaves === undefined ? 'text' : 'json', instead.rows),
          metadata: counts(unitsIn(given, document, view.units.count).total, 0, notes),
        }
    }
    notes.push(...timesIn(hits))
    if (view.leaves === undefined) {
      const rows = textRows(document, view.lines ?? document.lines(), kept, params)
      return {
        content: fromRows({ noun: 'passage', items: rows }),
        metadata: counts(view.units.count, hits.units, notes),
      }
    }
    const groups = byRecord(view.leaves, kept)
    const rows = recordRows(document, view.leaves, groups, {
      show: show(params),
      room: roomFor(groups.length),
    })
    const { total } = unitsIn(given, document, view.units.count)
    return {
      content: fromRows({ noun: 'passage', items: rows }),
      metadata: counts(total, groups.length, notes),
    }
  },
})

/** The places that match; with `multiline` a match may go on over lines of a text. */
function hitsOf(document: Document, view: Searchable, { pattern, params }: Read): Hits {
  if (params.multiline !== true || view.leaves !== undefined)
    return runPattern(pattern, () => findHits(view, pattern, mostKept, true))
  const lines = view.lines ?? document.lines()
  const { ranges, count } = runPattern(pattern, () => findRanges(view.text, lines, pattern))
  const kept = ranges.map(({ first, start, end }) => ({ unit: first, start, end }))
  return { kept, count, units: count, long: 0, inLong: 0 }
}

function textRows(
  document: Document,
  lines: LineIndex,
  hits: readonly Hit[],
  params: SearchParams,
): JsonValue[] {
  const type = params.context_type ?? 'paragraph'
  if (type === 'lines') return lineGroups(lines, hits, contextLines(params, defaultLines))
  if (type === 'sentence') return sentences(document.text, lines, hits, !isRecordLines(document))
  const passage = passageOf(document, lines, type)
  const rows: string[] = []
  const found = around(lines, hits, passage)
  for (const each of type === 'section' ? titledFirst(found) : found) {
    if ('place' in each) rows.push(...lineRows(lines, [each.place], longPlace))
    else rows.push(...passageRows(lines, each.range, each.lines, each.path))
  }
  return rows
}

/** Sections with a matching heading come before sections that only name them, such as a table of contents. */
function titledFirst(found: readonly (Around | { place: Hit })[]): readonly (Around | { place: Hit })[] {
  const isTitled = (each: Around | { place: Hit }): boolean =>
    'range' in each && each.path.length > 0 && each.lines[0] === each.range.first
  return [...found.filter(isTitled), ...found.filter((each) => !isTitled(each))]
}

/** Finds the passage that holds a line. An entry of a log is one, whatever is asked for; so is a record on a line. */
function passageOf(
  document: Document,
  lines: LineIndex,
  type: 'paragraph' | 'section',
): (line: number) => LineRange & { path?: readonly string[] } {
  const kind = document.traits.line
  if (kind === 'entry') {
    const headings = type === 'section' && document.format === 'log' ? findHeadings(lines) : []
    if (headings.length > 0) return (line) => sectionAt(lines, headings, line, longestSection)
    const begins = entryTest(document)
    return (line) => entryAround(lines, line, begins)
  }
  if (kind === 'record') return (line) => ({ first: line, last: line })
  // A node with what is within it.
  if (kind === 'node')
    return (line) => {
      const { first, last } = sectionAt(lines, [], line)
      return { first, last }
    }
  if (type === 'paragraph') return (line) => paragraphAround(lines, line)
  const headings = findHeadings(lines)
  return (line) => sectionAt(lines, headings, line, longestSection)
}

/** A passage and the lines in it that match. */
interface Around {
  range: LineRange
  path: readonly string[]
  lines: number[]
}

/**
 * The passages of the hits, each once. Passages lie side by side; one that reaches back into another joins it. In a long
 * line each hit is a place of its own.
 */
function around(
  lines: LineIndex,
  hits: readonly Hit[],
  passage: (line: number) => LineRange & { path?: readonly string[] },
): (Around | { place: Hit })[] {
  const found: (Around | { place: Hit })[] = []
  for (const hit of hits) {
    const { unit } = hit
    if (lines.end(unit) - lines.start(unit) > longestLine) {
      found.push({ place: hit })
      continue
    }
    const before = found.at(-1)
    const last = before !== undefined && 'range' in before ? before : undefined
    if (last !== undefined && unit <= last.range.last) {
      if (last.lines.at(-1) !== unit) last.lines.push(unit)
      continue
    }
    const { path = [], ...range } = passage(unit)
    const end = lines.lineAt(Math.max(hit.start, hit.end - 1))
    if (end > range.last) range.last = passage(end).last
    if (last !== undefined && range.first <= last.range.last) {
      last.range.last = Math.max(last.range.last, range.last)
      last.lines.push(unit)
    } else found.push({ range, path, lines: [unit] })
  }
  return found
}

function lineGroups(lines: LineIndex, hits: readonly Hit[], around: number): string[] {
  const ranges = hits.map(({ unit, start, end }) => ({
    first: unit,
    last: Math.max(unit, lines.lineAt(Math.max(start, end - 1))),
  }))
  return groupRows(
    lines,
    groupLines(ranges, around, lines.count),
    groupedBy(hits, ({ unit }) => unit),
  )
}

/** `wrapped`: a sentence may go on in the next line. */
function sentences(text: string, lines: LineIndex, hits: readonly Hit[], wrapped: boolean): string[] {
  const found: Span[] = []
  let paragraph: LineRange = { first: 0, last: -1 }
  for (const hit of hits) {
    const last = found.at(-1)
    if (last !== undefined && hit.end <= last.end) continue
    if (hit.unit > paragraph.last) {
      paragraph = wrapped ? paragraphAround(lines, hit.unit) : { first: hit.unit, last: hit.unit }
    }
    const span = sentenceAround(text, hit, lines.start(paragraph.first), lines.end(paragraph.last))
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end)
    else found.push(span)
  }
  return found.map(
    ({ start, end }) => `${lines.lineAt(start) + 1}: ${text.slice(start, end).replace(/\s*\n\s*/g, ' ')}`,
  )
}

/** The same within a string of data. A section of data is the whole value; the record stands beside it. */
function show(params: SearchParams): Show {
  const type = params.context_type ?? 'paragraph'
  return (value, place) => {
    if (type === 'section') return excerpt(value, place, longestValue)
    const lines = indexLines(value)
    const line = lines.lineAt(place.start)
    const border =
      type === 'lines'
        ? linesAround(lines, line, contextLines(params, defaultLines))
        : paragraphAround(lines, line)
    const whole = { start: lines.start(border.first), end: lines.end(border.last) }
    const part = type === 'sentence' ? sentenceAround(value, place, whole.start, whole.end) : whole
    const within = { start: place.start - part.start, end: place.end - part.start }
    return excerpt(value.slice(part.start, part.end), within, longestValue)
  }
}

function linesAround(lines: LineIndex, line: number, count: number): LineRange {
  return { first: Math.max(0, line - count), last: Math.min(lines.count - 1, line + count) }
}
