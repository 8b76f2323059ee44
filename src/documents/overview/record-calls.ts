/** Ready-made calls on records: filter what stands out, group what repeats, search what is written. */
import type { JsonObject } from '../../protocol/json.ts'
import { type Field, fieldsOf, frequent, isNoise } from '../fields.ts'
import type { Template } from '../fit.ts'
import { call } from '../template.ts'
import type { Records } from './facts.ts'
import {
  idOf,
  isDated,
  isEnumerated,
  isGrouped,
  isMeasured,
  isProse,
  labelOf,
  scalarCount,
  worth,
} from './rank.ts'
import { failureIn } from './unusual.ts'
import { distinctiveWord } from './words.ts'

/** Up to three calls, each with fields and values that exist. `path` leads to the records. */
export function callsOn({ profile }: Records, path: string): Template[] {
  const fields = fieldsOf(profile.record, 4).filter(
    ({ path }) => /^[\w .*[\]-]+$/.test(path) && path.length <= 80,
  )
  const flat = fields.filter(({ many, depth }) => !many && depth <= 3)
  return [listing(flat), nested(fields, path) ?? grouping(flat), searching(flat)].filter(
    (made) => made !== undefined,
  )
}

/** The records that matter most, in a few fields. */
function listing(fields: readonly Field[]): Template | undefined {
  const chosen = best(fields, 5)
  if (chosen.length === 0) return undefined
  const where = condition(fields)
  const sorted = sorting(fields.filter(({ path }) => path !== where?.field))
  const shown = [
    ...new Set([...chosen, ...(where ? [where.field] : []), ...(sorted === undefined ? [] : [sorted])]),
  ]
  return call('proxy_filter', {
    ...(where ? { where: [where.text] } : {}),
    fields: shown.slice(0, 6),
    ...(sorted === undefined ? {} : { sort: `-${sorted}` }),
    limit: 20,
  })
}

/** What identifies a record, and what tells most about it. */
function best(fields: readonly Field[], count: number): string[] {
  const identity = [idOf(fields), labelOf(fields)].filter((field) => field !== undefined)
  const others = [...fields]
    .filter((field) => scalarCount(field) > 0 && !isNoise(field) && worth(field) > 0)
    .sort((one, other) => worth(other) - worth(one))
  return [...new Set([...identity, ...others].map(({ path }) => path))].slice(0, count)
}

function condition(fields: readonly Field[]): { field: string; text: string } | undefined {
  const listable = fields
    .filter((field) => isEnumerated(field) && !isDated(field) && !isMeasured(field) && isPlain(field.path))
    .sort((one, other) => worth(other) - worth(one))
  const failing = fields.find((field) => isPlain(field.path) && failureIn(field))
  const field = failing ?? listable[0]
  if (!field) return undefined
  const values = frequent(field.shape).filter(([value]) => /^[\w][\w .:/-]{0,40}$/.test(String(value)))
  const value =
    (failing && failureIn(failing)?.[0]) ??
    (values.find(([, count]) => count < field.of * 0.6) ?? values[0])?.[0]
  return value === undefined ? undefined : { field: field.path, text: `${field.path} = ${value}` }
}

/** Paths that need no quoting in a condition or an order. */
function isPlain(path: string): boolean {
  return /^\w+(?:\.\w+)*$/.test(path)
}

function sorting(fields: readonly Field[]): string | undefined {
  const sortable = fields.filter((field) => isPlain(field.path) && (isMeasured(field) || isDated(field)))
  return [...sortable].sort((one, other) => worth(other) - worth(one))[0]?.path
}

/** Counting by what repeats too often to be listed, or averages by what is listed already. */
function grouping(fields: readonly Field[]): Template | undefined {
  const plain = fields.filter(({ path }) => isPlain(path))
  const by = (test: (field: Field) => boolean) =>
    [...plain.filter(test)].sort((one, other) => worth(other) - worth(one))[0]
  const grouped = by((field) => isGrouped(field) && !isDated(field))
  if (grouped) return call('proxy_filter', { group_by: grouped.path, aggregate: 'count', limit: 20 })
  const listed = by((field) => isEnumerated(field) && !isDated(field) && !isMeasured(field))
  const measured = by(isMeasured)
  if (listed && measured && listed !== measured) {
    return call('proxy_filter', { group_by: listed.path, aggregate: `avg(${measured.path})` })
  }
  return listed ? call('proxy_filter', { group_by: listed.path, aggregate: 'count' }) : undefined
}

/** The records inside the records: `$.items[*].labels[*]`, when there are many. */
function nested(fields: readonly Field[], path: string): Template | undefined {
  const inner = fields
    .filter(
      ({ shape, depth }) =>
        depth === 1 &&
        (shape.elements?.fields.size ?? 0) > 1 &&
        (shape.arrays?.total ?? 0) > shape.count * 1.5,
    )
    .sort((one, other) => (other.shape.arrays?.total ?? 0) - (one.shape.arrays?.total ?? 0))[0]
  if (!inner?.shape.elements || !/^\w+$/.test(inner.path)) return undefined
  const parameters: JsonObject = { path: `${path}[*].${inner.path}[*]` }
  const below = fieldsOf(inner.shape.elements, 2).filter(
    (field) => isPlain(field.path) && scalarCount(field) > 0,
  )
  const by = [...below]
    .sort((one, other) => worth(other) - worth(one))
    .find((field) => isEnumerated(field) || isGrouped(field))
  if (by) return call('proxy_filter', { ...parameters, group_by: by.path, aggregate: 'count' })
  return call('proxy_filter', { ...parameters, limit: 20 })
}

function searching(fields: readonly Field[]): Template | undefined {
  const prose = fields.filter((field) => isProse(field) && field.depth === 1)
  const field = prose.find(({ name }) => /title|name|message|subject|desc|text|body/i.test(name)) ?? prose[0]
  if (!field) return undefined
  const pattern = distinctiveWord([...field.shape.distinct.counts.keys()].map(String))
  return pattern === undefined ? undefined : call('proxy_search', { pattern, mode: 'bm25', top_k: 5 })
}
