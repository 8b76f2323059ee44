/** The fields of a profile as a list, each with the path a query would use. */

import type { JsonPrimitive } from '../../protocol/json.ts'
import { keptFor } from '../../text/kept.ts'
import type { Shape } from './shape.ts'

export interface Field {
  /** As queries write it: `state`, `user.login`, `labels[].name`, `variants.*.price`. */
  path: string
  name: string
  shape: Shape
  /** How often the field could be there: the objects that might have it. */
  of: number
  depth: number
  /** True below an array or a map: a record has several. */
  many: boolean
}

/** Lists fields, outer ones first. */
export function fieldsOf(record: Shape, maxDepth = 6): Field[] {
  const list: Field[] = []
  let level = childrenOf(record, { path: '', depth: 0, many: false })
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    list.push(...level)
    level = level.flatMap((field) => childrenOf(field.shape, field))
  }
  return list
}

function childrenOf(shape: Shape, { path, depth, many }: Pick<Field, 'path' | 'depth' | 'many'>): Field[] {
  const prefix = path === '' ? '' : `${path}.`
  const list: Field[] = []
  for (const [name, field] of shape.fields) {
    list.push({ path: prefix + quoted(name), name, shape: field, of: shape.objects, depth: depth + 1, many })
  }
  if (shape.values)
    list.push(...childrenOf(shape.values, { path: `${prefix}*`, depth: depth + 1, many: true }))
  // Queries look into strings of JSON as if they were what they hold.
  if (shape.held && path !== '') list.push(...childrenOf(shape.held, { path, depth, many }))
  if (shape.elements && path !== '')
    list.push(...childrenOf(shape.elements, { path: `${path}[]`, depth: depth + 1, many: true }))
  return list
}

function quoted(name: string): string {
  return /^[^.[\]"'*]+$/.test(name) ? name : `[${JSON.stringify(name)}]`
}

/** Frequent values first; ties keep their order of appearance. */
export function frequent({ distinct: { counts } }: Shape): readonly [JsonPrimitive, number][] {
  return keptFor(orders, counts, () => [...counts].sort((one, other) => other[1] - one[1]))
}

/** A preview asks again and again. Counts do not change: what is counted again is a new map. */
const orders = new WeakMap<ReadonlyMap<JsonPrimitive, number>, readonly [JsonPrimitive, number][]>()

/** How many different values there are; undefined when they were too many to count. */
export function distinctCount(shape: Shape): number | undefined {
  return shape.distinct.overflow ? undefined : shape.distinct.counts.size
}

/** True for what tells a reader nothing: URLs, hashes, encoded ids, places that are always empty. */
export function isNoise({ shape }: Pick<Field, 'shape'>): boolean {
  const { strings, count } = shape
  if (shape.nulls === count) return true
  if (!strings || strings.count < count - shape.nulls)
    return shape.arrays !== undefined && shape.arrays.max === 0
  if (strings.urls >= strings.count * 0.9) return true
  if (strings.maxLength === 0) return true
  return isEncoded(shape)
}

/** Long strings without spaces that all differ. */
function isEncoded(shape: Shape): boolean {
  const { strings } = shape
  if (!strings || strings.total / strings.count < 20 || strings.dates > 0) return false
  const values = [...shape.distinct.counts.keys()].slice(0, 8)
  return (
    values.length > 0 &&
    values.every((value) => /^[\w+/=:-]{18,}$/.test(String(value)) && /\d/.test(String(value)))
  )
}
