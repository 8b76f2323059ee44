/** What stands around each match: its paragraph, section, sentence or lines. */
import { fromRows } from '../documents/derive.ts'
import type { JsonValue } from '../protocol/json.ts'
import { indexLines, type LineIndex } from '../text/lines.ts'
import { type LineRange, paragraphAround } from '../text/passages.ts'
import type { Span } from '../text/pattern.ts'
import { findHeadings, sectionAt } from '../text/sections.ts'
import { sentenceAround } from '../text/sentences.ts'
import { excerpt } from './excerpt.ts'
import { byRecord, recordRows, type Show } from './leaf-hits.ts'
import { groupLines, groupRows } from './line-hits.ts'
import { nearMisses } from './near-misses.ts'
import { passageRows } from './passage-row.ts'
import { counts } from './search-counts.ts'
import { contextLines, type SearchParams, searches, searchStepParams } from './search-params.ts'
import { requirePattern, runPattern } from './search-pattern.ts'
import { findHits, type Hit, isRecordLines, mostKept, searchable } from './searchable.ts'
import { defineStep } from './step.ts'

/** Lines around a match when none are asked for. */
const defaultLines = 3
/** A string of data is shown whole up to this many characters. */
const longestValue = 2_000

export const context = defineStep({
  name: 'context',
  params: searchStepParams,
  wanted: (params) => searches(params, 'context'),
  run(document, params) {
    const pattern = requirePattern(params)
    const view = searchable(document)
    const { kept, count } = runPattern(pattern, () => findHits(view, pattern, mostKept, true))
    const notes = pattern.note === undefined ? [] : [pattern.note]
    if (count === 0) notes.push(...nearMisses(view, params))
    if (view.leaves === undefined) {
      const rows = textRows(view.text, view.lines ?? document.lines(), kept, params, !isRecordLines(document))
      return {
        content: fromRows({ noun: 'passage', items: rows }),
        metadata: counts(view.units.count, count, notes),
      }
    }
    const groups = byRecord(view.leaves, kept)
    const rows = recordRows(document, view.leaves, groups, undefined, show(params))
    const total = document.records()?.values.length ?? view.units.count
    return {
      content: fromRows({ noun: 'passage', items: rows }),
      metadata: counts(total, groups.length, notes),
    }
  },
})

function textRows(
  text: string,
  lines: LineIndex,
  hits: readonly Hit[],
  params: SearchParams,
  wrapped: boolean,
): JsonValue[] {
  switch (params.context_type ?? 'paragraph') {
    case 'lines':
      return lineGroups(lines, hits, contextLines(params, defaultLines))
    case 'sentence':
      return sentences(text, lines, hits, wrapped)
    case 'section': {
      const headings = findHeadings(lines)
      const paths = new Map<LineRange, readonly string[]>()
      const sections = around(hits, (line) => {
        const section = sectionAt(lines, headings, line)
        paths.set(section, section.path)
        return section
      })
      return sections.flatMap((found) =>
        passageRows(lines, found.range, found.lines, paths.get(found.range) ?? []),
      )
    }
    case 'paragraph':
      return around(hits, (line) => paragraphAround(lines, line)).flatMap((found) =>
        passageRows(lines, found.range, found.lines, []),
      )
  }
}

/** A passage and the lines in it that match. */
interface Around {
  range: LineRange
  lines: number[]
}

/** The passages of the hits, each once. Passages lie side by side; one that reaches back into another joins it. */
function around(hits: readonly Hit[], passage: (line: number) => LineRange): Around[] {
  const found: Around[] = []
  for (const { unit } of hits) {
    const last = found.at(-1)
    if (last !== undefined && unit <= last.range.last) {
      if (last.lines.at(-1) !== unit) last.lines.push(unit)
      continue
    }
    const range = passage(unit)
    if (last !== undefined && range.first <= last.range.last) {
      last.range.last = Math.max(last.range.last, range.last)
      last.lines.push(unit)
    } else found.push({ range, lines: [unit] })
  }
  return found
}

function lineGroups(lines: LineIndex, hits: readonly Hit[], around: number): string[] {
  const ranges = hits.map(({ unit }) => ({ first: unit, last: unit }))
  const places = new Map(hits.map((hit) => [hit.unit, hit]))
  return groupRows(lines, groupLines(ranges, around, lines.count), places)
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
