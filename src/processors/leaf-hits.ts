/** Hits in data as rows: the path of the record, what matched in it, and the fields that tell which record it is. */
import type { Document } from '../documents/document.ts'
import {
  isObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
  own,
  setOwn,
} from '../protocol/json.ts'
import type { Span } from '../text/pattern.ts'
import { excerpt } from './excerpt.ts'
import type { Leaf, LeafIndex } from './leaves.ts'
import { recordPath } from './origin.ts'

/** Matches listed for one record; characters of a value; fields that identify. */
const mostMatches = 12
export const valueWidth = 200
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

/** What is shown of a string around a place in it. */
export type Show = (value: string, place: Span) => string

const aroundPlace: Show = (value, place) => excerpt(value, place, valueWidth)

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

/** One row a group, in the order of the groups; `more` is appended to each. Hits of a group are in order. */
export function recordRows(
  document: Document,
  leaves: LeafIndex,
  groups: readonly RecordHits[],
  more: (group: RecordHits) => JsonObject = () => ({}),
  show: Show = aroundPlace,
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
    if (record < 0 && only !== undefined) {
      const leaf = byUnit.get(only.unit)
      return { path: `$${leaf?.path ?? ''}`, value: shownValue(leaf, only, leaves, show), ...more(group) }
    }
    return { ...recordRow(document, leaves, group, show), ...more(group) }
  })
}

function recordRow(
  document: Document,
  leaves: LeafIndex,
  { record, hits }: RecordHits,
  show: Show,
): JsonObject {
  const path = recordPath(document, record)
  const shown = hits.slice(0, mostMatches)
  const found = leaves.locate(
    record,
    shown.map(({ unit }) => unit),
  )
  const match: JsonObject = {}
  const matched: string[] = []
  let value: JsonPrimitive | undefined
  found.forEach((leaf, nth) => {
    const hit = shown[nth]
    if (hit === undefined) return
    // The record itself, or the key of a map, which is in the path already.
    if (leaf.path === '') value ??= shownValue(leaf, hit, leaves, show)
    else setOwn(match, leaf.path.replace(/^\./, ''), shownValue(leaf, hit, leaves, show))
    matched.push(leaf.path.replace(/^\./, ''))
  })
  const row: JsonObject = { path }
  if (matched.some((name) => name !== '')) row.match = match
  else if (value !== undefined) row.value = value
  if (hits.length > shown.length) row.more_matches = hits.length - shown.length
  const records = document.records()
  const constant = constantFields(records?.values ?? [])
  const identity = identityOf(
    records?.values[record] ?? null,
    [...matched, ...constant],
    records?.keys !== undefined,
  )
  if (Object.keys(identity).length > 0) row.record = identity
  return row
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
const identifying = [
  /^(?:_?key|_?id|name|title|number|uid|uuid|slug|sku|login|email)$/i,
  /(?:_id|Id|ID|_name|Name|_key|Title)$/,
]

/** A few short fields by which a record is known, without those that are shown already, or its key in a map. */
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
  for (const names of identifying) {
    const named = scalars.filter(([name]) => names.test(name.slice(name.indexOf('.') + 1)))
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
