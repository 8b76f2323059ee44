/** JSON as a text to search: every leaf is a unit of it, and can tell its path. */
import type { Document } from '../documents/document.ts'
import { pathStep } from '../documents/records.ts'
import { isObject, type JsonObject, type JsonPrimitive, type JsonValue, own } from '../protocol/json.ts'
import { lastAtMost } from '../text/lines.ts'
import { type Spans, StartList } from '../text/spans.ts'
import { type FieldName, listFieldNames } from './field-names.ts'

/** Where a leaf is and what it is. `path` leads from the record, or from the root when it is outside of all. */
export interface Leaf {
  unit: number
  path: string
  value: JsonPrimitive
}

export interface LeafIndex {
  /** The text of all leaves, in order, with a newline between two. */
  readonly text: string
  readonly units: Spans
  /** The record that holds a leaf; -1 outside of the main collection. */
  recordOf(unit: number): number
  /** The leaves of a record: the first one, and the one after the last. */
  unitsOf(record: number): { first: number; after: number }
  /** What a record is, without its key. */
  valueOf(record: number): JsonValue
  /** Leaves of one record (or of what is outside), by ascending numbers. One walk. */
  locate(record: number, units: readonly number[]): Leaf[]
  /** Calls `visit` for each leaf of one record, or of what is outside, in order. */
  visit(record: number, visit: Visit): void
  /** Distinct names of fields, with how often they occur. Computed on first use. */
  fieldNames(): readonly FieldName[]
}

/**
 * Called for each leaf in order; `path` changes afterwards and must be read at once. Its steps before `changed` are those
 * of the leaf before. `holder` has the leaf under the last step; undefined where there is no path.
 */
export type Visit = (
  value: JsonPrimitive,
  path: readonly Step[],
  changed: number,
  holder: JsonObject | readonly JsonValue[] | undefined,
) => void

/** A key, or the index of an element. */
type Step = string | number

export function indexLeaves(document: Document): LeafIndex {
  const root = document.json() ?? null
  const records = document.records()
  const values = records?.values ?? []
  /** First unit of each record; what is outside comes last. */
  const firsts = new Int32Array(values.length + 1)
  const walkRecord = (record: number, visit: Visit): void => {
    const key = records?.keys?.[record]
    // The key of a map is data: the name of the record.
    if (key !== undefined) visit(key, [], 0, undefined)
    walk(values[record] ?? null, new Trail(), visit)
  }
  const walkRest = (visit: Visit): void => {
    if (records?.path !== '$') walk(root, new Trail(), visit, values.length === 0 ? undefined : values)
  }
  const { text, units } = collected((collect, count) => {
    for (let record = 0; record < values.length; record++) {
      firsts[record] = count()
      walkRecord(record, collect)
    }
    firsts[values.length] = count()
    walkRest(collect)
  })
  let names: readonly FieldName[] | undefined
  return {
    text,
    units,
    recordOf: (unit) => (unit >= (firsts[values.length] ?? 0) ? -1 : lastAtMost(firsts, unit)),
    unitsOf: (record) => ({ first: firsts[record] ?? 0, after: firsts[record + 1] ?? units.count }),
    valueOf: (record) => values[record] ?? null,
    locate(record, wanted) {
      const found: Leaf[] = []
      let unit = firsts[record < 0 ? values.length : record] ?? 0
      const look: Visit = (value, path) => {
        if (wanted[found.length] === unit) found.push({ unit, path: formatPath(path), value })
        unit++
      }
      if (record < 0) walkRest(look)
      else walkRecord(record, look)
      return found
    },
    visit(record, visit) {
      if (record < 0) walkRest(visit)
      else walkRecord(record, visit)
    },
    fieldNames: () => (names ??= listFieldNames(root, records)),
  }
}

/** The text of all leaves that `walkAll` visits. What is needed on the way is not kept: hence a function of its own. */
function collected(walkAll: (collect: Visit, count: () => number) => void): { text: string; units: Spans } {
  const parts: string[] = []
  const starts = new StartList()
  let offset = 0
  walkAll(
    (value) => {
      const part = String(value)
      parts.push(part)
      starts.add(offset)
      offset += part.length + 1
    },
    () => parts.length,
  )
  return { text: parts.join('\n'), units: starts.spans(offset) }
}

/** Where a walk is, and how much of that is as it was at the leaf before. */
class Trail {
  readonly path: Step[] = []
  changed = 0
  /** What the last step was taken in. */
  holder: JsonObject | readonly JsonValue[] | undefined = undefined
}

/** Visits strings, numbers and booleans. `skipped`: the elements of a collection that is not entered. */
function walk(value: JsonValue, trail: Trail, visit: Visit, skipped?: readonly JsonValue[]): void {
  if (typeof value !== 'object') {
    visit(value, trail.path, trail.changed, trail.holder)
    trail.changed = trail.path.length
  } else if (Array.isArray(value)) {
    if (value === skipped) return
    for (let index = 0; index < value.length; index++)
      descend(value, value[index] ?? null, index, trail, visit, skipped)
  } else if (value !== null) {
    const keys = Object.keys(value)
    if (skipped !== undefined && keys.length === skipped.length && isCollection(value, keys, skipped)) return
    // Keys of its own: what they lead to is its own, too.
    for (const key of keys) descend(value, value[key] ?? null, key, trail, visit, skipped)
  }
}

function descend(
  holder: JsonObject | readonly JsonValue[],
  value: JsonValue,
  step: Step,
  trail: Trail,
  visit: Visit,
  skipped: readonly JsonValue[] | undefined,
): void {
  const depth = trail.path.push(step) - 1
  if (depth < trail.changed) trail.changed = depth
  trail.holder = holder
  walk(value, trail, visit, skipped)
  trail.path.pop()
}

function formatPath(path: readonly Step[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : pathStep(step))).join('')
}

function isCollection(value: JsonValue, keys: readonly string[], elements: readonly JsonValue[]): boolean {
  return isObject(value) && keys.every((key, index) => own(value, key) === elements[index])
}
