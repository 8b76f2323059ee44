/** The overview of data: records, values, or one object. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { ellipsis } from '../../text/cut.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import type { Collection, Document } from '../document.ts'
import { fieldsOf, isNoise } from '../fields.ts'
import type { Template } from '../fit.ts'
import { profile } from '../profile.ts'
import { collectionsOf } from '../records.ts'
import { shorten } from '../shorten.ts'
import { call } from '../template.ts'
import { typeNotation } from '../type-notation.ts'
import { digest, sampleFields } from './digest.ts'
import { factsOf, type Records } from './facts.ts'
import type { Overview } from './overview.ts'
import { callsOn } from './record-calls.ts'
import { unusualOf } from './unusual.ts'

/** The overview of a document's main collection, or of its one value. */
export function overviewOfData(document: Document): Overview {
  const value = document.json() ?? null
  const collection = document.records()
  return collection && collection.values.length > 0 ? ofCollection(value, collection) : ofValue(value)
}

function ofCollection(root: JsonValue, collection: Collection): Overview {
  const { path, keys, values } = collection
  const records: Records = { values, keys, profile: profile(collection) }
  const kind = typeof values[0] === 'object' ? 'record' : 'value'
  const keyed = keys ? ' by key' : ''
  return {
    totals: [`${formatPlural(values.length, kind)}${keyed} in ${path}`],
    type: (max) => typed(records, keys, max),
    facts: [...surroundings(root, path), ...factsOf(records)],
    sample: (max) => sample(records, max),
    calls: [...callsOn(records, path), ...otherCollections(root, path)].slice(0, 3),
  }
}

function typed({ profile: { record } }: Records, keys: readonly string[] | undefined, max: number): string {
  const label = keys
    ? `_key: string (${keys
        .slice(0, 3)
        .map((key) => JSON.stringify(ellipsis(key, 30)))
        .join(', ')}…) → `
    : ''
  return label + typeNotation(record, { length: max - label.length, depth: 4, enumerate: false })
}

/** What stands beside the records in the same result: totals, cursors, other lists. */
function surroundings(root: JsonValue, path: string): string[] {
  if (path === '$' || !isObject(root)) return []
  const scalars = Object.keys(root)
    .filter((key) => typeof root[key] !== 'object')
    .map((key) => `${key} = ${ellipsis(String(own(root, key)), 60)}`)
  const others = collectionsOf(root).filter((other) => other.path !== path)
  const lists = others.slice(0, 6).map((other) => `${other.path} (${formatCount(other.values.length)})`)
  const facts = scalars.length > 0 ? [ellipsis(`beside the records: ${scalars.join(', ')}`, 240)] : []
  return lists.length > 0 ? [...facts, `other collections: ${lists.join(', ')}`] : facts
}

function otherCollections(root: JsonValue, path: string): Template[] {
  const other = collectionsOf(root).find(
    (candidate) => candidate.path !== path && candidate.values.length > 2,
  )
  return other ? [call('proxy_explore', { path: other.path })] : [call('proxy_explore', {})]
}

/** First, last and an unusual record, without what tells nothing. */
function sample(records: Records, max: number): string[] {
  const { values } = records
  const fields = fieldsOf(records.profile.record, 3)
  const quiet = new Set(fields.filter((field) => field.depth === 1 && isNoise(field)).map(({ name }) => name))
  const best = sampleFields(fields)
  const unusual = unusualOf(records, fields)
  const picked = new Map<number, string>([[0, 'first']])
  if (values.length > 1) picked.set(values.length - 1, 'last')
  if (unusual) picked.set(unusual.index, `${picked.get(unusual.index) ?? 'unusual'}, ${unusual.why}`)
  const others = picked.size > 1 ? Math.floor((max * 0.55) / (picked.size - 1)) : 0
  return [...picked].map(([index, name]) => {
    const each = index === 0 ? (picked.size > 1 ? Math.floor(max * 0.45) : max) : others
    const key = records.keys?.[index]
    const title = ellipsis(
      key === undefined ? `${name}: ` : `${name}, ${JSON.stringify(key)}: `,
      Math.min(each, 100),
    )
    return title + digest(without(values[index] ?? null, quiet), best, each - title.length)
  })
}

function without(value: JsonValue, quiet: ReadonlySet<string>): JsonValue {
  if (!isObject(value) || quiet.size === 0) return value
  const kept: JsonObject = {}
  for (const key of Object.keys(value)) if (!quiet.has(key)) setOwn(kept, key, own(value, key) ?? null)
  return kept
}

function ofValue(value: JsonValue): Overview {
  const shape = profile({ values: [value] }).record
  const parts = collectionsOf(value)
  const largest = isObject(value) ? largestPart(value) : undefined
  return {
    totals: [
      isObject(value) ? `one object of ${formatPlural(Object.keys(value).length, 'field')}` : describe(value),
    ],
    type: (max) => typeNotation(shape, { length: max, depth: 5, enumerate: false }),
    facts: parts.slice(0, 6).map(({ path, values }) => `${path}: ${formatPlural(values.length, 'element')}`),
    sample: (max) => [shorten(value, max)],
    calls: [
      call('proxy_explore', largest === undefined ? {} : { path: largest }),
      call('proxy_filter', {}),
    ].slice(0, largest === undefined ? 1 : 2),
  }
}

function describe(value: JsonValue): string {
  if (Array.isArray(value)) return 'an empty list'
  return value === null ? 'null' : `one ${typeof value}`
}

/** The path of the field that holds most, when it is one that can be looked into. */
function largestPart(object: JsonObject): string | undefined {
  let best: { key: string; size: number } | undefined
  for (const key of Object.keys(object).slice(0, 100)) {
    const child = own(object, key)
    if (typeof child !== 'object' || child === null || !/^[A-Za-z_]\w*$/.test(key)) continue
    const size = Object.keys(child).length
    if (!best || size > best.size) best = { key, size }
  }
  return best ? `$.${best.key}` : undefined
}
