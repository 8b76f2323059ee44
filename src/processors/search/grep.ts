/** Regular expressions: lines of a text, paths and records of data. */

import type { Document, Rows } from '../../documents/document.ts'
import { fromMadeRows } from '../../documents/opening/derive.ts'
import { rowsOf } from '../../documents/opening/rows.ts'
import { listed } from '../../query/refusal.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { groupedBy } from '../../text/groups.ts'
import type { LineIndex } from '../../text/lines.ts'
import { compilePattern, isPattern, type Pattern } from '../../text/patterns/pattern.ts'
import { ellipsis } from '../../text/shorten.ts'
import { wordsInName } from '../../text/words/bare-name.ts'
import { type SearchParams, searchStepParams } from '../parameters.ts'
import { defineStep } from '../step.ts'
import { insteadOf } from './bm25.ts'
import {
  besideData,
  byRecord,
  fieldRows,
  groupLines,
  groupRows,
  type LeafHit,
  labelsFor,
  lineHitRows,
  lineRows,
  ONLY_BESIDE,
  recordHitRows,
  recordRows,
  roomFor,
} from './hits.ts'
import { linkNotes } from './links.ts'
import { readable, unitsIn } from './readable.ts'
import {
  brokenByLineEnds,
  contextLines,
  counts,
  inOtherLetters,
  otherReading,
  type Read,
  readPattern,
  runPattern,
  searches,
  timesIn,
} from './search.ts'
import {
  type FieldName,
  findHits,
  findRanges,
  type Hit,
  type Leaf,
  type LeafIndex,
  longUnit,
  mostKept,
  type Searchable,
  searchable,
} from './searchable.ts'

/** Leaves that are looked at for the records they are in. */
const mostLeaves = 2_000_000
/** Characters of a text that is looked through again for hits in capital letters. */
const mostTwice = 2_000_000

/** The hits, as rows, and remarks on them. */
interface Found {
  rows: Rows
  kind: 'json' | 'text'
  total: number
  matched: number
  notes: string[]
  /** The noun of the searched units, where they differ from those of the document. */
  unit?: string
}

export const grep = defineStep({
  name: 'grep',
  params: searchStepParams,
  wanted: (params) => searches(params, 'regex'),
  run(given, params) {
    const document = readable(given)
    const view = searchable(document)
    const countOf = (pattern: Pattern): number => countIn(given, view, pattern)
    const find = (read: Read): Found => findIn(given, document, view, read.pattern, read.params)
    let sought = readPattern(view, params)
    let found = find(sought)
    const notes = [sought.note]
    if (found.matched === 0 && document !== given) {
      const source = searchable(given)
      const inSource = findIn(given, given, source, sought.pattern, params)
      if (inSource.matched > 0) {
        found = { ...inSource, unit: source.leaves ? 'value' : 'line' }
        notes.push(given.traits.source ?? '')
      }
    }
    const other = found.matched === 0 ? otherReading(view, params) : undefined
    if (other) {
      sought = other
      found = find(other)
      notes.splice(0, notes.length, other.note)
    } else if (found.matched === 0) {
      const instead = insteadOf(document, view, params)
      notes.push(...instead.notes)
      if (instead.rows) found = { ...found, rows: instead.rows, notes: [] }
    } else if (found.unit === undefined && view.text.length <= mostTwice)
      notes.push(
        inOtherLetters(params, found.matched, countOf),
        brokenByLineEnds(view, params, found.matched, countOf),
      )
    const { pattern } = sought
    const links =
      found.matched > 0 ? runPattern(pattern, () => linkNotes(given, (text) => pattern.test(text))) : []
    return {
      content: fromMadeRows(found.kind, found.rows),
      metadata: {
        ...counts(found.total, found.matched, [
          ...notes.filter((note) => note !== undefined),
          ...found.notes,
          ...links,
        ]),
        ...(found.unit !== undefined && { unit: found.unit }),
      },
    }
  },
})

/** How many lines match, or records, or values of a document in which these count. */
function countIn(given: Document, view: Searchable, pattern: Pattern): number {
  const { leaves } = view
  const { kept, units } = findHits(view, pattern, leaves ? mostLeaves : 0)
  return leaves && !given.records()?.gathered ? byRecord(leaves, kept).length : units
}

function findIn(
  given: Document,
  document: Document,
  view: Searchable,
  pattern: Pattern,
  params: SearchParams,
): Found {
  return view.leaves === undefined
    ? inText(view, view.lines ?? document.lines(), pattern, params, labelsFor(document))
    : inData(given, document, view, view.leaves, pattern, params)
}

function inText(
  view: Searchable,
  lines: LineIndex,
  pattern: Pattern,
  params: SearchParams,
  labelOf: (line: number, before?: number) => string,
): Found {
  const placer = (row: string, { unit }: Hit, before: Hit | undefined): string =>
    row + labelOf(unit, before?.unit)
  const context = contextLines(params)
  if (params.multiline === true) {
    const { ranges, count } = runPattern(pattern, () => findRanges(view.text, lines, pattern))
    const rows = groupRows(lines, groupLines(ranges, context, lines.count), new Map())
    const notes = capped(count, ranges.length)
    return { rows: rowsOf('hit', rows), kind: 'text', total: lines.count, matched: count, notes }
  }
  const hits = runPattern(pattern, () => findHits(view, pattern))
  const { kept, count, units: matched } = hits
  const notes = [...timesIn(hits), ...capped(count, kept.length)]
  if (context === 0)
    return { rows: lineHitRows(lines, kept, placer), kind: 'text', total: lines.count, matched, notes }
  const groups = inGroups(lines, kept, context)
  const rows = rowsOf(groups.length === kept.length ? 'hit' : 'passage', groups)
  return { rows, kind: 'text', total: lines.count, matched, notes }
}

/** Lines with those around them; in a long line each hit is a row of its own. */
function inGroups(lines: LineIndex, hits: readonly Hit[], context: number): string[] {
  const rows: string[] = []
  let run: Hit[] = []
  const end = () => {
    const ranges = run.map(({ unit }) => ({ first: unit, last: unit }))
    rows.push(
      ...groupRows(
        lines,
        groupLines(ranges, context, lines.count),
        groupedBy(run, ({ unit }) => unit),
      ),
    )
    run = []
  }
  for (const hit of hits) {
    if (lines.end(hit.unit) - lines.start(hit.unit) <= longUnit) run.push(hit)
    else {
      end()
      rows.push(...lineRows(lines, [hit]))
    }
  }
  end()
  return rows
}

function inData(
  given: Document,
  document: Document,
  view: Searchable,
  leaves: LeafIndex,
  pattern: Pattern,
  params: SearchParams,
): Found {
  const { kept, count, units } = runPattern(pattern, () => findHits(view, pattern, mostLeaves))
  // `"level":"error"|ERROR` is about values and about pairs.
  const further = kept.length > 0 && SAYS_PAIR.test(pattern.source) ? pairsIn(leaves, pattern, kept) : []
  const groups = byRecord(leaves, further.length > 0 ? byPlace([...kept, ...further]) : kept)
  const { noun, total } = unitsIn(given, document, leaves.units.count)
  const rows = recordHitRows(document, leaves, groups.slice(0, mostKept))
  const notes = capped(groups.length, mostKept)
  if (further.length > 0)
    notes.push(
      `${formatPlural(further.length, 'value')} ${further.length === 1 ? 'matches' : 'match'} as \`"name": value\`.`,
    )
  else if (groups.length < count) {
    notes.push(`${formatPlural(count, 'value')} in ${formatPlural(groups.length, 'record')} match.`)
  }
  const fields = leaves.fieldNames()
  const named = runPattern(pattern, () => fields.filter(({ name }) => pattern.test(name)))
  const beside = runPattern(pattern, () => besideData(given, pattern))
  if (rows.count > 0) {
    if (beside.count > 0)
      notes.push(
        `${formatPlural(beside.count, 'place')} in the text beside the data ${beside.count === 1 ? 'matches' : 'match'} too.`,
      )
    if (named.length > 0)
      notes.push(
        `Names of fields match too: ${listed(
          named.map(({ path }) => path),
          4,
        )}.`,
      )
    return {
      rows,
      kind: 'json',
      total,
      matched: noun === 'value' ? units + further.length : groups.length,
      notes,
    }
  }
  const alike = named.length > 0 ? named : namedByWords(fields, pattern.source)
  if (alike.length > 0) {
    notes.push(`No value matches, but names of fields ${named.length > 0 ? 'do' : 'have these words'}.`)
    const rows = rowsOf('field', fieldRows(alike))
    return { rows, kind: 'json', total: fields.length, matched: alike.length, notes }
  }
  // A pattern with a quote or a colon, or one that begins with the name of a field, may be meant for JSON text.
  const [first = ''] = /[\w-]+/.exec(pattern.source) ?? []
  const saysPair = /["':]/.test(pattern.source) || fields.some(({ name }) => name === first)
  const written = saysPair ? pairsIn(leaves, pattern) : []
  const ofField = written.length > 0 ? undefined : inField(leaves, fields, pattern.source, params)
  const pairs = ofField?.hits ?? written
  if (pairs.length === 0 && beside.count > 0) {
    const { rows, count } = beside
    return {
      rows: rowsOf('passage', rows),
      kind: 'text',
      total: count,
      matched: count,
      unit: 'place',
      notes: [...notes, ONLY_BESIDE],
    }
  }
  if (ofField) notes.push(ofField.told)
  else if (pairs.length > 0) notes.push('No value matches; the pattern was matched against `"name": value`.')
  const inPairs = byRecord(leaves, pairs)
  const found = recordRows(document, leaves, inPairs, { room: roomFor(inPairs.length) })
  const matched = noun === 'value' ? pairs.length : found.length
  return { rows: rowsOf('hit', found), kind: 'json', total, matched, notes }
}

function capped(count: number, kept: number): string[] {
  return count > kept ? [`The first ${formatCount(kept)} of ${formatCount(count)} hits are kept.`] : []
}

// Patterns that are about names: fields called so, and `"state": "open"` as JSON text would show it.

/** The fields with names that have all words of a plain text: `startDateStruct` for `start date`. */
function namedByWords(fields: readonly FieldName[], source: string): FieldName[] {
  const words = wordsInName(source)
  if (words.length < 2 || !/^[\p{L}\p{N}\s_-]+$/u.test(source)) return []
  return fields.filter(({ name }) => {
    const own = wordsInName(name)
    return words.every((word) => own.includes(word))
  })
}

/** A name in quotes with a colon behind it, as JSON text has them. */
const SAYS_PAIR = /"[\w.-]{1,80}"(?:\s|\\s[*+?]?)*:/

function byPlace(hits: LeafHit[]): LeafHit[] {
  return hits.sort((one, other) => one.unit - other.unit || one.start - other.start)
}

/** The leaves of which `"name": value` matches, with or without the blank, but for `known` ones. */
function pairsIn(leaves: LeafIndex, pattern: Pattern, known: readonly LeafHit[] = []): LeafHit[] {
  const units = new Set(known.map(({ unit }) => unit))
  return runPattern(pattern, () => findPairs(leaves, pattern)).filter(({ unit }) => !units.has(unit))
}

function findPairs(leaves: LeafIndex, pattern: Pattern): LeafHit[] {
  return leavesWhere(leaves, (key, { value }) => {
    const written = JSON.stringify(value)
    return pattern.test(`${key}: ${written}`) || pattern.test(`${key}:${written}`)
  })
}

/** `title:memory` and `login = dev3`, as search boxes have them: the values of a field in which the rest is found. */
function inField(
  leaves: LeafIndex,
  fields: readonly FieldName[],
  source: string,
  params: SearchParams,
): { hits: LeafHit[]; told: string } | undefined {
  const [, name, rest = ''] = /^\s*([\w-]+)\s*[:=]=?\s*(?=\S)["']?(.+?)["']?\s*$/s.exec(source) ?? []
  const isField = (text: string | undefined): boolean => fields.some((field) => field.name === text)
  // `title:open|state:closed` is about two.
  const others = [...rest.matchAll(/\|\s*([\w-]+)\s*[:=]/g)].map(([, other]) => other)
  if (name === undefined || !isField(name) || others.some(isField)) return undefined
  // `comments: 3` does not mean 30.
  const wanted = /^\d+$/.test(rest) ? `^${rest}$` : rest
  const pattern = compilePattern(wanted, {
    caseInsensitive: params.case_insensitive !== false,
    multiline: params.multiline === true,
  })
  if (!isPattern(pattern)) return undefined
  const key = JSON.stringify(name)
  const hits = runPattern(pattern, () =>
    leavesWhere(leaves, (own, { value }) => own === key && pattern.test(String(value))),
  )
  return hits.length > 0
    ? { hits, told: `No value matches as written; \`${ellipsis(rest, 60)}\` was looked for in \`${name}\`.` }
    : undefined
}

/** The leaves for which `holds` is true of their name, as JSON, and of them. */
function leavesWhere(leaves: LeafIndex, holds: (key: string, leaf: Leaf) => boolean): LeafHit[] {
  const hits: LeafHit[] = []
  for (const leaf of allLeaves(leaves)) {
    const name = /(?:\.(\w+)|\[("(?:[^"\\]|\\.)*")\])$/.exec(leaf.path)
    if (name === null || !holds(name[2] ?? JSON.stringify(name[1]), leaf)) continue
    const start = leaves.units.start(leaf.unit)
    hits.push({ unit: leaf.unit, start, end: start })
    if (hits.length >= mostKept) break
  }
  return hits
}

function* allLeaves(leaves: LeafIndex): Generator<Leaf> {
  for (let unit = 0; unit < leaves.units.count; ) {
    const record = leaves.recordOf(unit)
    const units: number[] = []
    while (unit < leaves.units.count && leaves.recordOf(unit) === record) units.push(unit++)
    yield* leaves.locate(record, units)
  }
}
