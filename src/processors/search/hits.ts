/**
 * Hits in data as rows. A row has the place of the record (`at`, a name that no data has), the part that matched, and the fields that
 * identify the record.
 */
import type { Document, Rows } from '../../documents/document.ts'
import { BESIDE } from '../../documents/formats/cells.ts'
import { madeRows, rowsOf } from '../../documents/opening/rows.ts'
import { listOf } from '../../documents/overview/markup.ts'
import { isWithin } from '../../documents/reply/size.ts'
import { isNaming } from '../../documents/shape/identity.ts'
import { recordPath } from '../../documents/table.ts'
import {
  isObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
  own,
  setOwn,
} from '../../protocol/json.ts'
import type { LineIndex } from '../../text/lines.ts'
import { type LineRange, lastAtMost } from '../../text/passages.ts'
import type { Pattern, Span } from '../../text/patterns/pattern.ts'
import { ellipsis, excerpt } from '../../text/shorten.ts'
import { entryAround, entryTest } from './entries.ts'
import { type FieldName, type Hit, type Leaf, type LeafIndex, longUnit, placeWidth } from './searchable.ts'

/** Matches listed for one record; characters of a value; fields that identify. */
const mostMatches = 12
export const valueWidth = 200
/** Characters of the first line of an entry, beside a hit further down in it. */
const headWidth = 120
const mostIdentifying = 3
const identifierWidth = 80

/** A hit within a leaf. Offsets are those of the index's text. */
export interface LeafHit extends Span {
  unit: number
}

/** The hits of one record; `record` is -1 outside of the main collection. */
export interface RecordHits<H extends LeafHit = LeafHit> {
  record: number
  hits: H[]
}

/** The shown part of a string around a place in it. */
export type Show = (value: string, place: Span) => string

const aroundPlace: Show = (value, place) => excerpt(value, place, valueWidth)

/** The note on places beside data, where no value matches. */
export const ONLY_BESIDE = 'No value matches, but the text beside the data does.'
const mostBeside = 5
const besideWidth = 600

/** Matches in the words above and below JSON, which are no values of it: all are counted, some shown. Throws what the pattern throws. */
export function besideData({ asides }: Document, pattern: Pattern): { rows: string[]; count: number } {
  const rows: string[] = []
  let count = 0
  for (const aside of asides) {
    if (!aside.startsWith(BESIDE)) continue
    const text = aside.slice(BESIDE.length)
    let shown = -1
    for (const place of pattern.matches(text)) {
      count += 1
      if (place.end <= shown || rows.length === mostBeside) continue
      rows.push(excerpt(text, place, besideWidth))
      shown = place.end + besideWidth / 2
    }
  }
  return { rows, count }
}

/** Hits by record, in order. Each leaf outside of all records is a group of its own. */
export function byRecord<H extends LeafHit>(leaves: LeafIndex, hits: readonly H[]): RecordHits<H>[] {
  const groups: RecordHits<H>[] = []
  for (const hit of hits) {
    const record = leaves.recordOf(hit.unit)
    const last = groups.at(-1)
    if (last !== undefined && last.record === record && record >= 0) last.hits.push(hit)
    else groups.push({ record, hits: [hit] })
  }
  return groups
}

/** The parts of a row beside its hits. */
export interface RowOptions {
  show?: Show
  /** Characters of the other fields of a record that a hit is in. 0: those alone that tell which record it is. */
  room?: number
}

/** Characters of the other fields: of the one record that was found, of each of a few, of each that was found by its key. */
const ROOM_OF_ONE = 600
const ROOM_OF_FEW = 160
const ROOM_OF_KEYED = 200
const FEW = 3

/** How much of each record is shown where so many were found. */
export function roomFor(groups: number): number {
  return groups === 1 ? ROOM_OF_ONE : groups <= FEW ? ROOM_OF_FEW : 0
}

/**
 * One row a group, in the order of the groups. `at`: where the record is, or the value outside of all records; `match`: what matches
 * in it, by field; `record`: other fields of it. Hits of a group are in order.
 */
export function recordRows(
  document: Document,
  leaves: LeafIndex,
  groups: readonly RecordHits[],
  { show = aroundPlace, room = 0 }: RowOptions = {},
): JsonObject[] {
  const outside = groups.flatMap(({ record, hits }) => (record < 0 ? hits.slice(0, 1) : []))
  const loose = leaves.locate(
    -1,
    outside.map(({ unit }) => unit).sort((a, b) => a - b),
  )
  const byUnit = new Map(loose.map((leaf) => [leaf.unit, leaf]))
  return groups.map((group) => {
    const { record, hits } = group
    const only = hits[0]
    if (record >= 0 || only === undefined) return recordRow(document, leaves, group, show, room)
    const leaf = byUnit.get(only.unit)
    const row: JsonObject = { at: `$${leaf?.path ?? ''}`, value: shownValue(leaf, only, leaves, show) }
    // The object that holds the value is what was looked for, as often as not.
    const holder = room > 0 && isObject(leaf?.holder ?? null) ? (leaf?.holder as JsonObject) : {}
    return withFields(row, shownFields(holder, [String(leaf?.step ?? '')], false, room))
  })
}

function recordRow(
  document: Document,
  leaves: LeafIndex,
  { record, hits }: RecordHits,
  show: Show,
  room: number,
): JsonObject {
  const records = document.records()
  const whole = records?.values[record] ?? null
  const hasKey = records?.keys !== undefined
  const shown = hits.slice(0, mostMatches)
  const found = leaves.locate(
    record,
    shown.map(({ unit }) => unit),
  )
  const row: JsonObject = { at: recordPath(document, record) }
  const nodes = found.flatMap((leaf) => nodePath(whole, leaf.path) ?? [])
  if (nodes.length > 0 && nodes.length === found.length) {
    row.paths = nodes
    if (hits.length > shown.length) row.more_matches = hits.length - shown.length
    return row
  }
  const match: JsonObject = {}
  const matched: string[] = []
  let isKeyed = false
  found.forEach((leaf, nth) => {
    const hit = shown[nth]
    if (hit === undefined) return
    const name = leaf.path.replace(/^\./, '')
    matched.push(name)
    if (name !== '') setOwn(match, name, shownValue(leaf, hit, leaves, show))
    // The key of a map, which is in the place already.
    else if (hasKey && nth === 0 && leaf.value === records?.keys?.[record]) isKeyed = true
    else row.value ??= shownValue(leaf, hit, leaves, show)
  })
  if (Object.keys(match).length > 0) {
    delete row.value
    row.match = match
  } else if (isKeyed && !isObject(whole)) row.value = shownAlone(whole) ?? null
  const inner = elementsAround(whole, matched)
  if (Object.keys(inner).length > 0) row.within = inner
  if (hits.length > shown.length) row.more_matches = hits.length - shown.length
  const more = isKeyed ? Math.max(room, ROOM_OF_KEYED) : room
  if (more > 0 && isObject(whole)) return withFields(row, shownFields(whole, matched, hasKey, more))
  const constant = constantFields(records?.values ?? [])
  return withFields(row, identityOf(whole, [...matched, ...constant], hasKey))
}

/** The most elements of lists within a record that are named. */
const mostElements = 3

/** By place: what tells the innermost elements of lists apart that the matches stand in, as far as it did not match itself. */
function elementsAround(record: JsonValue, matched: readonly string[]): JsonObject {
  const found: JsonObject = {}
  for (const place of matched) {
    const element = /^.*\[\d+\](?=[.[])/.exec(place)?.[0]
    if (element === undefined || Object.hasOwn(found, element)) continue
    if (Object.keys(found).length >= mostElements) break
    const value = valueAlong(record, element)
    const others = matched.flatMap((one) =>
      one.startsWith(`${element}.`) ? [one.slice(element.length + 1)] : [],
    )
    const known = identityOf(value ?? null, others, false)
    if (Object.keys(known).length > 0) setOwn(found, element, known)
  }
  return found
}

function valueAlong(record: JsonValue, place: string): JsonValue | undefined {
  let value: JsonValue | undefined = record
  for (const [, name, at, quoted] of `.${place}`.matchAll(/\.(\w+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (at !== undefined) value = Array.isArray(value) ? value[Number(at)] : undefined
    else {
      const key = quoted === undefined ? (name ?? '') : String(JSON.parse(quoted))
      value = isObject(value ?? null) ? own(value as JsonObject, key) : undefined
    }
  }
  return value
}

/** `.children[1].children[0].name`, in a list of the same name at each level. */
const IN_TREE = /^((?:\.(\w+)\[\d+\](?:\.\2\[\d+\])*)?)\.(?:name|title|label)$/

/**
 * The names on the way to a node with a matching name, as a path: `src/lib/a.ts` for a node of a tree of folders. Undefined for a value
 * that is
 * no name of a node, or stands in no tree.
 */
function nodePath(record: JsonValue, place: string): string | undefined {
  const [, way, list] = IN_TREE.exec(place) ?? []
  if (way === undefined || !isObject(record)) return undefined
  const field = place.slice(place.lastIndexOf('.') + 1)
  // A record without such a list is a node of a tree where others hold some: a file beside folders.
  const isNode =
    list !== undefined || Array.isArray(own(record, 'children')) || own(record, 'type') === 'file'
  const names: JsonValue[] = []
  let node: JsonValue | undefined = record
  for (const step of ['', ...(way.match(/\[\d+\]/g) ?? [])]) {
    const held: JsonValue | undefined = step === '' ? node : own(node as JsonObject, list ?? '')
    node = step === '' ? held : Array.isArray(held) ? held[Number(step.slice(1, -1))] : undefined
    if (!isObject(node)) return undefined
    names.push(own(node, field) ?? null)
  }
  return isNode && names.every((name) => typeof name === 'string') ? names.join('/') : undefined
}

function withFields(row: JsonObject, fields: JsonObject): JsonObject {
  if (Object.keys(fields).length > 0) row.record = fields
  return row
}

/** Characters of one text among the fields of a record, of one list or object, and of what comes before all longer ones. */
const FIELD_WIDTH = 200
const OBJECT_WIDTH = 320
const SHORT_FIELD = 60

/**
 * The fields of a record as far as `room` characters go, those first that tell which record it is; without the ones that are `shown`
 * already. `…` counts what is left out.
 */
function shownFields(
  record: JsonObject,
  shown: readonly string[],
  hasKey: boolean,
  room: number,
): JsonObject {
  const fields: JsonObject = {}
  const identity = candidates(record, hasKey).map(([name]) => name)
  const lengths = new Map(Object.keys(record).map((name) => [name, lengthOf(own(record, name) ?? null)]))
  const isShort = (name: string): boolean => (lengths.get(name) ?? 0) <= SHORT_FIELD
  const others = [...lengths.keys()]
  // The name of a record may stand in an object of its own: `metadata.name`.
  const names = [...identity, ...others.filter(isShort), ...others]
  let left = room
  let missing = 0
  for (const name of new Set(names)) {
    const value = valueAt(record, name)
    if (value === undefined || value === null || shown.includes(name)) continue
    const brief = briefly(
      value,
      Math.min(left, typeof value === 'string' ? Math.min(room / 4, FIELD_WIDTH) : OBJECT_WIDTH),
    )
    const length = brief === undefined ? Number.POSITIVE_INFINITY : name.length + 6 + lengthOf(brief)
    if (length > left || brief === undefined) missing++
    else {
      setOwn(fields, name, brief)
      left -= length
    }
  }
  if (missing > 0 && Object.keys(fields).length > 0) fields['…'] = missing
  return fields
}

/** The value as far as `room` characters go: a text in its first words, of an object some fields; undefined for longer lists. */
function briefly(value: JsonValue, room: number): JsonValue | undefined {
  if (typeof value === 'string') return excerpt(value, { start: 0, end: 0 }, Math.max(0, room))
  return lengthOf(value) <= room ? value : undefined
}

/** A value by itself: an object in as many fields as `room` characters hold. */
export function shownAlone(value: JsonValue, room = ROOM_OF_KEYED): JsonValue | undefined {
  return isObject(value) && lengthOf(value) > room ? shownFields(value, [], true, room) : briefly(value, room)
}

/** One row a field, however many records have it; with what it holds where there is one. */
export function fieldRows(names: readonly FieldName[]): JsonObject[] {
  return names.map(({ path, name, count, value }) => {
    const shown = count === 1 ? shownAlone(value, names.length === 1 ? undefined : FIELD_VALUE) : undefined
    return { at: path, field: name, ...(shown === undefined ? { occurs: count } : { value: shown }) }
  })
}

/** Characters of the value of one of several fields. */
const FIELD_VALUE = 120

/** Characters of a value as JSON; of what is large, that it is. */
function lengthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return String(value).length
  return isWithin([value], ROOM_OF_ONE) ? JSON.stringify(value).length : Number.POSITIVE_INFINITY
}

function shownValue(leaf: Leaf | undefined, hit: LeafHit, leaves: LeafIndex, show: Show): JsonPrimitive {
  if (leaf === undefined || typeof leaf.value !== 'string') return leaf?.value ?? null
  const start = leaves.units.start(hit.unit)
  return show(leaf.value, { start: hit.start - start, end: hit.end - start })
}

const constants = new WeakMap<readonly JsonValue[], readonly string[]>()
const mostCompared = 50

/** Fields that are the same in all records, which tell none of them apart. */
function constantFields(records: readonly JsonValue[]): readonly string[] {
  const before = constants.get(records)
  if (before) return before
  const [first, ...others] = records.slice(0, mostCompared)
  const found =
    isObject(first ?? null) && others.length > 1
      ? candidates(first as JsonObject, false, true).filter(([name, value]) =>
          others.every((record) => isObject(record) && valueAt(record, name) === value),
        )
      : []
  const names = found.map(([name]) => name)
  constants.set(records, names)
  return names
}

function valueAt(record: JsonObject, name: string): JsonValue | undefined {
  const whole = own(record, name)
  if (whole !== undefined) return whole
  const [outer = '', inner = ''] = name.split('.')
  const within = own(record, outer)
  return isObject(within) ? own(within, inner) : undefined
}

/** Names that tell records apart, the best first. */
const naming: readonly ((name: string) => boolean)[] = [
  isNaming,
  (name) => /(?:_id|Id|ID|_name|Name|_key|Title)$/.test(name),
]

/** A few short fields by which a record is known, without fields that are shown already, or its key in a map. */
export function identityOf(record: JsonValue, shown: readonly string[], hasKey: boolean): JsonObject {
  const identity: JsonObject = {}
  if (!isObject(record)) return identity
  const named = candidates(record, hasKey)
  const others =
    !hasKey && named.every(([name]) => shown.includes(name)) ? candidates(record, hasKey, true) : named
  for (const [name, value] of others) {
    if (Object.keys(identity).length >= mostIdentifying) break
    if (!shown.includes(name))
      setOwn(
        identity,
        name,
        typeof value === 'string' ? excerpt(value, { start: 0, end: 0 }, identifierWidth) : value,
      )
  }
  return identity
}

/** Where records keep what they are called, when not at their own level. */
const holders = ['metadata', 'properties', 'attributes', 'node', '_source', 'fields', 'attrs']

/** Scalars of the record and of its `metadata` and such, by how well their names identify; `all`: whatever they are called. */
function candidates(record: JsonObject, hasKey: boolean, all = false): [string, JsonPrimitive][] {
  const scalars = scalarsOf(record, '')
  for (const holder of holders) {
    const within = own(record, holder)
    if (isObject(within)) scalars.push(...scalarsOf(within, `${holder}.`))
  }
  if (all) return scalars.filter(([, value]) => typeof value !== 'boolean')
  for (const isName of naming) {
    const named = scalars.filter(([name]) => isName(name.slice(name.indexOf('.') + 1)))
    if (named.length > 0) return named
  }
  return hasKey ? [] : scalars.filter(([, value]) => typeof value === 'string').slice(0, 1)
}

function scalarsOf(object: JsonObject, prefix: string): [string, JsonPrimitive][] {
  return Object.keys(object)
    .slice(0, 200)
    .flatMap((key): [string, JsonPrimitive][] => {
      const value = own(object, key)
      return value === undefined || value === null || typeof value === 'object' ? [] : [[prefix + key, value]]
    })
}

// Hits in text as rows: `12: the line`, with the lines around it as `11- the line`.

/** Lines of one row at most; a longer group goes on in the next row. */
export const longestRow = 40

/** Lines around hits that touch or overlap. */
export interface Group extends LineRange {
  /** The lines that hits cover. */
  hits: LineRange[]
}

/** One row a hit, without the lines around it. A long line is shown around the place, with its column (from 1). */
export function lineRows(lines: LineIndex, hits: readonly Hit[], width = placeWidth): string[] {
  return hits.map((hit) => {
    const start = lines.start(hit.unit)
    const column = hit.start - start
    const line = lines.at(hit.unit)
    if (line.length <= longUnit) return `${hit.unit + 1}: ${line}`
    const place = { start: column, end: hit.end - start }
    return `${hit.unit + 1}:${column + 1}: ${excerpt(line, place, width)}`
  })
}

/** Fields that say what a line is a part of, the best first. */
const PLACES = ['path', 'file', 'commit']

/**
 * Says what a line is a part of, if its own text does not. It names the file of several, the way to a node of a drawn tree, or the commit
 * of a log. Elsewhere it names the first line of an entry, but for records of one line. In Markdown it names the headings above, if they
 * are not those of the line before.
 */
export function labelsFor(document: Document): (line: number, before?: number) => string {
  const placeOf = placesIn(document)
  const headOf = document.traits.line === 'entry' ? headsIn(document) : undefined
  const sectionOf = document.format === 'markdown' ? sectionsIn(document) : undefined
  return (line, before) => placeOf?.(line) ?? headOf?.(line) ?? sectionOf?.(line, before) ?? ''
}

/** Headings that are named at most: the nearest ones. */
const MOST_HEADINGS = 3

/** The headings that lead to a line. Undefined where there are no sections. */
function sectionsIn(document: Document): ((line: number, before?: number) => string) | undefined {
  const sections = listOf(document.json(), 'sections').flatMap((section) => {
    const [line, level, title] = ['line', 'level', 'heading'].map((name) => own(section, name))
    return typeof line === 'number' && typeof level === 'number' && typeof title === 'string'
      ? [{ line: line - 1, level, title }]
      : []
  })
  if (sections.length < 2) return undefined
  // A title over all of it says nothing of a part.
  const [first, ...others] = sections
  const isTitled = first !== undefined && others.every(({ level }) => level > first.level)
  const at = (line: number): number => lastAtMost(sections, line)
  return (line, before) => {
    const index = at(line)
    if (index < 0 || sections[index]?.line === line) return ''
    if (before !== undefined && at(before) === index) return ''
    const path: string[] = []
    let level = Number.POSITIVE_INFINITY
    for (let above = index; above >= (isTitled ? 1 : 0) && level > 1; above--) {
      const section = sections[above]
      if (section === undefined || section.level >= level) continue
      level = section.level
      path.unshift(section.title)
    }
    return path.length === 0 ? '' : `  [in ${ellipsis(path.slice(-MOST_HEADINGS).join(' > '), headWidth)}]`
  }
}

/** Undefined: no records have a line and a place. */
function placesIn(document: Document): ((line: number) => string | undefined) | undefined {
  const records = ['files', 'entries'].includes(document.format) ? (document.records()?.values ?? []) : []
  const starts = records.map((record) => ({
    line: isObject(record) ? Number(own(record, 'line')) - 1 : Number.NaN,
  }))
  if (starts.length === 0 || starts.some(({ line }) => Number.isNaN(line))) return undefined
  return (line) => {
    const index = lastAtMost(starts, line)
    const record = records[index] ?? null
    const field = isObject(record) && PLACES.find((name) => typeof own(record, name) === 'string')
    if (!isObject(record) || !field) return undefined
    const value = String(own(record, field))
    const following = records[index + 1] ?? null
    const next = isObject(following) ? own(following, field) : undefined
    const text = document.lines().at(line)
    // The line that names the next file stands before its first one.
    const isTold =
      value === '' || text.includes(value) || (typeof next === 'string' && next !== '' && text.includes(next))
    return isTold ? '' : `  [${field}: ${ellipsis(value, valueWidth)}]`
  }
}

/** The first lines of entries of several lines. */
function headsIn(document: Document): (line: number) => string {
  const lines = document.lines()
  const begins = entryTest(document)
  return (line) => {
    const { first } = entryAround(lines, line, begins)
    return first === line ? '' : `  [in ${first + 1}: ${ellipsis(lines.at(first), headWidth)}]`
  }
}

/** Hits with `context` lines before and after, merged where they touch. `hits` are in order. */
export function groupLines(hits: readonly LineRange[], context: number, lineCount: number): Group[] {
  const groups: Group[] = []
  for (const { first, last } of hits) {
    const from = Math.max(0, first - context)
    const to = Math.min(lineCount - 1, last + context)
    const before = groups.at(-1)
    if (before !== undefined && (from <= before.last || (context > 0 && from === before.last + 1))) {
      before.last = Math.max(before.last, to)
      before.hits.push({ first, last })
    } else {
      groups.push({ first: from, last: to, hits: [{ first, last }] })
    }
  }
  return groups
}

/** One row a group, with `--` between groups. `places` tells where in a long line the hits are: each is shown. */
export function groupRows(
  lines: LineIndex,
  groups: readonly Group[],
  places: ReadonlyMap<number, readonly Hit[]>,
): string[] {
  const rows: string[] = []
  groups.forEach((group, nth) => {
    let row: string[] = nth === 0 ? [] : ['--']
    let next = 0
    for (let line = group.first; line <= group.last; line++) {
      while ((group.hits[next]?.last ?? line) < line) next++
      const isHit = (group.hits[next]?.first ?? line + 1) <= line
      for (const shown of shownLine(lines, line, isHit, places.get(line))) {
        if (row.length >= longestRow) {
          rows.push(row.join('\n'))
          row = []
        }
        row.push(shown)
      }
    }
    rows.push(row.join('\n'))
  })
  return rows
}

/** `12: the line`, `11- one without a hit`; of a long line what is around each hit: `12:3001: …the place…`. */
function shownLine(lines: LineIndex, line: number, isHit: boolean, hits: readonly Hit[] = []): string[] {
  const start = lines.start(line)
  const number = `${line + 1}${isHit ? ':' : '-'}`
  if (lines.end(line) - start <= longUnit) return [`${number} ${lines.at(line)}`]
  if (hits.length === 0) return [`${number} ${ellipsis(lines.at(line), placeWidth)}`]
  return lineRows(lines, hits)
}

// Hits as rows that are made for the page that is asked for: there may be a hundred thousand.

/** A row for each hit in lines. */
export function lineHitRows<H extends Hit>(
  lines: LineIndex,
  hits: readonly H[],
  shown: (row: string, hit: H, before: H | undefined) => string = (row) => row,
): Rows {
  return madeRows('hit', hits.length, (nth) => {
    const hit = hits[nth]
    const [row = ''] = hit ? lineRows(lines, [hit]) : []
    return hit ? shown(row, hit, hits[nth - 1]) : row
  })
}

/** A row for each record with hits. Hits outside of all records are found in one walk, and so all at once. */
export function recordHitRows<G extends RecordHits>(
  document: Document,
  leaves: LeafIndex,
  groups: readonly G[],
  shown: (row: JsonObject, group: G) => JsonObject = (row) => row,
): Rows {
  const room = roomFor(groups.length)
  const made = (some: readonly G[]): JsonObject[] =>
    recordRows(document, leaves, some, { room }).map((row, nth) => shown(row, some[nth] as G))
  if (groups.some(({ record }) => record < 0)) return rowsOf('hit', made(groups))
  return madeRows('hit', groups.length, (nth) => made(groups.slice(nth, nth + 1))[0] ?? null)
}

// A passage of a text as rows: where it is, the headings above it, its lines.

/** Characters of a passage that is shown whole. */
const longestPassage = 4_000
/** Lines shown around each match of a longer one. */
const around = 5

/**
 * `lines 12-30 · Guide > Install`, then the passage. A longer one gives several rows, each the lines around some of its
 * `matches` (line numbers in order): `lines 490-500 of 1-9000 · Guide`.
 */
export function passageRows(
  lines: LineIndex,
  whole: LineRange,
  matches: readonly number[],
  path: readonly string[],
): string[] {
  const title = path.length === 0 ? '' : ` · ${path.map((name) => ellipsis(name, 100)).join(' > ')}`
  if (lines.end(whole.last) - lines.start(whole.first) <= longestPassage) {
    return [`${named(whole)}${title}\n${content(lines, whole)}`]
  }
  // Below a heading that matches, what is asked for begins.
  const begun = matches[0] === whole.first ? beginnings(lines, whole) : []
  const shown = begun.at(-1)?.last ?? -1
  const hits = matches.filter((line) => line > shown).map((line) => ({ first: line, last: line }))
  const groups = groupLines(hits, around, lines.count).map((group) => ({
    ...group,
    first: Math.max(group.first, shown + 1),
  }))
  return [...begun, ...groups]
    .flatMap((part) =>
      begun.includes(part)
        ? [part]
        : pieces(Math.max(part.first, whole.first), Math.min(part.last, whole.last)),
    )
    .map((part) => `${named(part)} of ${whole.first + 1}-${whole.last + 1}${title}\n${content(lines, part)}`)
}

/** Parts from its beginning on that are shown of a longer passage. */
const mostBegun = 6

function beginnings(lines: LineIndex, whole: LineRange): LineRange[] {
  const parts: LineRange[] = []
  for (let first = whole.first; first <= whole.last && parts.length < mostBegun; ) {
    const part = beginning(lines, { first, last: whole.last })
    parts.push(part)
    first = part.last + 1
  }
  return parts
}

/** As many lines from the first on as a passage may have. */
function beginning(lines: LineIndex, { first, last }: LineRange): LineRange {
  let end = first
  while (
    end < last &&
    end - first + 1 < longestRow * 3 &&
    lines.end(end + 1) - lines.start(first) <= longestPassage
  )
    end++
  return { first, last: end }
}

function named({ first, last }: LineRange): string {
  return first === last ? `line ${first + 1}` : `lines ${first + 1}-${last + 1}`
}

function content(lines: LineIndex, { first, last }: LineRange): string {
  const shown: string[] = []
  for (let line = first; line <= last; line++) {
    const isLong = lines.end(line) - lines.start(line) > longestPassage
    shown.push(isLong ? ellipsis(lines.at(line), longUnit) : lines.at(line))
  }
  return shown.join('\n')
}

function pieces(first: number, last: number): LineRange[] {
  const parts: LineRange[] = []
  for (let from = first; from <= last; from += longestRow) {
    parts.push({ first: from, last: Math.min(last, from + longestRow - 1) })
  }
  return parts
}
