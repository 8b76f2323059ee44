/** Patterns that are about names: fields called so, and `"state": "open"` as JSON text would show it. */
import type { Document } from '../documents/document.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Pattern } from '../text/pattern.ts'
import type { FieldName } from './field-names.ts'
import { byRecord, type LeafHit, recordRows } from './leaf-hits.ts'
import type { Leaf, LeafIndex } from './leaves.ts'
import { mostKept } from './searchable.ts'

/** One row a field, however many records have it. */
export function fieldRows(names: readonly FieldName[]): JsonObject[] {
  return names.map(({ path, name, count }) => ({ path, field: name, occurs: count }))
}

/** True when a pattern may be meant for JSON text: it holds a quote or a colon. */
export function mayBePair(source: string): boolean {
  return /["':]/.test(source)
}

/** Rows for leaves of which `"name": value` matches, with or without the blank. Call it within `pattern.run`. */
export function findPairs(document: Document, leaves: LeafIndex, pattern: Pattern): JsonObject[] {
  const hits: LeafHit[] = []
  for (const leaf of allLeaves(leaves)) {
    const name = /(?:\.(\w+)|\[("(?:[^"\\]|\\.)*")\])$/.exec(leaf.path)
    if (name === null) continue
    const key = name[2] ?? JSON.stringify(name[1])
    const value = JSON.stringify(leaf.value)
    if (!pattern.test(`${key}: ${value}`) && !pattern.test(`${key}:${value}`)) continue
    const start = leaves.units.start(leaf.unit)
    hits.push({ unit: leaf.unit, start, end: start })
    if (hits.length >= mostKept) break
  }
  return recordRows(document, leaves, byRecord(leaves, hits))
}

function* allLeaves(leaves: LeafIndex): Generator<Leaf> {
  for (let unit = 0; unit < leaves.units.count; ) {
    const record = leaves.recordOf(unit)
    const units: number[] = []
    while (unit < leaves.units.count && leaves.recordOf(unit) === record) units.push(unit++)
    yield* leaves.locate(record, units)
  }
}
