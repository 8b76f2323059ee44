/** Ready-made calls on records: filter what stands out, group what repeats, search what is written. */
import { isObject, type JsonObject, type JsonPrimitive, type JsonValue } from '../../protocol/json.ts'
import { DAY } from '../../text/values/dates.ts'
import { pathStep } from '../shape/collections.ts'
import { distinctCount, type Field, fieldsOf, frequent, isNoise } from '../shape/fields.ts'
import { knownOf } from '../shape/known-list.ts'
import { nestedPath, nestingOf } from '../shape/nesting.ts'
import type { Shape } from '../shape/shape.ts'
import { call, type Template } from '../template.ts'
import type { Records } from './facts.ts'
import { at, positionsOf } from './facts.ts'
import {
  idOf,
  isDated,
  isEnumerated,
  isGrouped,
  isMeasured,
  isProse,
  isVaried,
  labelOf,
  numbersOf,
  scalarCount,
  timeUnitOf,
  worth,
} from './rank.ts'
import { failureIn } from './unusual.ts'
import { distinctiveWord, phraseOrWord } from './words.ts'

/** The most fields in a suggested call, and characters of their names. */
const MOST_FIELDS = 5
const MOST_CHARACTERS = 72

/** Up to three calls, each with fields and values that exist. `path` leads to the records. */
export function callsOn({ profile, values, keys }: Records, path: string): Template[] {
  const { record } = profile
  if (record.objects === 0) return onScalars(record, values)
  if (record.values) return onMaps(path, values, keys)
  const fields = fieldsOf(record, 4).filter(
    ({ path }) => /^[\w .*[\]-]+$/.test(path) && path.length <= 80 && !path.includes('__proto__'),
  )
  const flat = fields.filter(({ many, depth }) => !many && depth <= 3)
  const list = listing(flat, values)
  const inner = nested(fields, path, values) ?? grouping(flat)
  // Of a tree, what is asked of the outer records alone says little.
  const both = nestingOf(values, path) ? [inner, list] : [list, inner]
  return [...both, searching(flat)].filter((made) => made !== undefined)
}

/** Calls on lists of strings, numbers or lists. */
function onScalars(record: Shape, values: readonly JsonValue[]): Template[] {
  const count = values.length
  if (record.arrays) {
    const [column] = positionsOf(record, values)
      .filter((field) => (isEnumerated(field) || isGrouped(field)) && isGathering(field))
      .sort((one, other) => worth(other) - worth(one))
    return [
      ...(column ? [call('proxy_filter', { group_by: column.path, limit: 20 })] : []),
      call('proxy_filter', { limit: 10 }),
    ]
  }
  if (numbersOf(record)?.count === record.count)
    return [
      call('proxy_filter', { aggregate: 'min(_value), max(_value), avg(_value)' }),
      call('proxy_filter', { sort: '-_value', limit: 10 }),
    ]
  const repeats = frequent(record)[0]?.[1] ?? 0
  const word = distinctiveWord([...record.distinct.counts.keys()].map(String))
  return [
    ...(repeats > 1 && repeats > count * 0.01
      ? [call('proxy_filter', { group_by: '_value', aggregate: 'count', limit: 20 })]
      : []),
    ...(word === undefined ? [] : [call('proxy_search', { pattern: word, max_results: 10 })]),
    call('proxy_filter', { limit: 20 }),
  ]
}

/** Records that are maps are looked into one by one. */
function onMaps(path: string, values: readonly JsonValue[], keys: readonly string[] | undefined): Template[] {
  const [first] = values
  const key = isObject(first) ? Object.keys(first)[0] : undefined
  const word = key === undefined ? undefined : /[\p{L}\p{N}]{3,30}/u.exec(key)?.[0]
  const step = keys?.[0] === undefined ? '[0]' : pathStep(keys[0])
  return [
    ...(key === undefined ? [] : [call('proxy_filter', { path: path + step, limit: 20 })]),
    ...(word === undefined ? [] : [call('proxy_search', { pattern: word, max_results: 10 })]),
  ]
}

/** The records that matter most, in a few fields that these records have. */
function listing(fields: readonly Field[], values: readonly JsonValue[]): Template | undefined {
  const where = condition(fields)
  const matching = where ? holders(fields, values, where) : []
  const filtered = where !== undefined && matching.length > 0
  const known = filtered
    ? fields.filter(({ path }) => matching.some((record) => isTold(at(record, path))))
    : fields
  const sorted = sorting(known.filter(({ path }) => path !== where?.field))
  const asked = [...(filtered ? [where.field] : []), ...(sorted === undefined ? [] : [sorted])]
  const shown = chosen(known, asked, values.length)
  if (shown.length === 0) return undefined
  // One field, the same in all, or one of many, tells nothing of the records.
  const tells = shown.length > 1 || (fields.length === 1 && !filtered)
  return call('proxy_filter', {
    ...(filtered ? { where: [`${where.field} = ${where.value}`] } : {}),
    ...(tells ? { fields: shown } : {}),
    ...(sorted === undefined ? {} : { sort: `-${sorted}` }),
    limit: 20,
  })
}

/** How many of the first records are looked at where it takes time to make them. */
const LOOKED = 200

/** The records that hold a value: of long lists some of the first and the one that is known to. */
function holders(
  fields: readonly Field[],
  values: readonly JsonValue[],
  { field, value }: { field: string; value: JsonPrimitive },
): readonly JsonValue[] {
  const holds = (record: JsonValue | undefined) => at(record, field) === value
  if (!knownOf(values)) return values.filter(holds)
  const first = fields.find(({ path }) => path === field)?.shape.distinct.firstOf(value)
  const known = first === undefined || first < LOOKED ? [] : values.slice(first, first + 1)
  return [...values.slice(0, LOOKED), ...known].filter(holds)
}

function isTold(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null
}

/** The fields that identify a record, that are asked for, and that tell most about it: few and short enough. */
function chosen(fields: readonly Field[], asked: readonly string[], count: number): string[] {
  const identity = [idOf(fields), labelOf(fields)].filter((field) => field !== undefined)
  const others = [...fields]
    .filter((field) => scalarCount(field) > count * 0.2 && !isNoise(field) && worth(field) > 0)
    .sort((one, other) => worth(other) - worth(one))
  const paths = new Set([...identity.map(({ path }) => path), ...asked, ...others.map(({ path }) => path)])
  const kept: string[] = []
  let length = 0
  for (const path of paths) {
    length += path.length
    if (kept.length > 0 && (kept.length === MOST_FIELDS || length > MOST_CHARACTERS)) break
    kept.push(path)
  }
  return kept
}

function condition(fields: readonly Field[]): { field: string; value: JsonPrimitive } | undefined {
  const listable = fields
    .filter((field) => isEnumerated(field) && !isDated(field) && !isMeasured(field) && isPlain(field.path))
    .sort((one, other) => worth(other) - worth(one))
  const failing = fields.find((field) => isPlain(field.path) && failureIn(field))
  const field = failing ?? listable[0]
  if (!field) return undefined
  const values = frequent(field.shape).filter(([value]) => isPlainValue(String(value)))
  const failure = failing && failureIn(failing)?.[0]
  const value =
    failure !== undefined && isPlainValue(String(failure))
      ? failure
      : (values.find(([, count]) => count < field.of * 0.6) ?? values[0])?.[0]
  return value === undefined ? undefined : { field: field.path, value }
}

/** Values that need no quoting in a condition, and that no condition reads as a word of its own. */
function isPlainValue(value: string): boolean {
  return /^\w[\w.:/-]*(?: [\w.:/-]+){0,5}$/.test(value) && value.length <= 40 && !WORDS.test(value)
}

const WORDS = /(?:^|\s)(?:where|and|or|not|in|is|has|null|exists|between|like|contains|matches)(?:\s|$)/i

/** Paths that need no quoting in a condition or an order, and are no word of a condition. */
function isPlain(path: string): boolean {
  return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(path) && !WORDS.test(path)
}

function sorting(fields: readonly Field[]): string | undefined {
  const sortable = fields.filter((field) => isPlain(field.path) && (isMeasured(field) || isVaried(field)))
  return [...sortable].sort((one, other) => worth(other) - worth(one))[0]?.path
}

/** Counting by what repeats too often to be listed, or averages by what is listed already. */
function grouping(fields: readonly Field[]): Template | undefined {
  const plain = fields.filter(({ path }) => isPlain(path))
  const by = (test: (field: Field) => boolean) =>
    [...plain.filter(test)].sort((one, other) => worth(other) - worth(one))[0]
  const grouped = by((field) => isGrouped(field) && !isDated(field) && !isProse(field) && isGathering(field))
  if (grouped) return call('proxy_filter', { group_by: grouped.path, limit: 20 })
  const listed = by((field) => isEnumerated(field) && !isDated(field) && !isMeasured(field))
  const measured = by((field) => isMeasured(field) && timeUnitOf(field) === undefined)
  if (listed && measured)
    return call('proxy_filter', { group_by: listed.path, aggregate: `avg(${measured.path})` })
  const dated = by(isVaried)
  if (dated && (dated.shape.strings?.count ?? 0) > 12)
    return call('proxy_filter', { group_by: `${dated.path}:${period(dated.shape)}` })
  return listed ? call('proxy_filter', { group_by: listed.path }) : undefined
}

/** Fewer groups than a reader has patience for, or a few that gather much. */
function isGathering(field: Field): boolean {
  const distinct = distinctCount(field.shape)
  const count = scalarCount(field)
  const [first] = frequent(field.shape)
  return distinct !== undefined
    ? distinct <= 30 || distinct <= count * 0.2
    : (first?.[1] ?? 0) >= count * 0.02
}

/** A part of the date that gives some groups and not one for each record. */
function period({ strings }: Shape): string {
  const days = (Date.parse(strings?.latest ?? '') - Date.parse(strings?.earliest ?? '')) / DAY
  if (!(days > 2)) return 'hour'
  return days > 1500 ? 'year' : days > 60 ? 'month' : 'day'
}

/** The records inside the records: `$.items[*].labels[*]`, when there are many. */
function nested(fields: readonly Field[], path: string, values: readonly JsonValue[]): Template | undefined {
  const nesting = nestingOf(values, path)
  if (nesting) {
    const grouped = fields.filter(
      (field) => field.depth === 1 && isPlain(field.path) && scalarCount(field) > 0,
    )
    const by = grouped.find((field) => isEnumerated(field) || isGrouped(field))
    return call('proxy_filter', {
      path: nestedPath(path, nesting).path,
      ...(by ? { group_by: by.path } : { limit: 20 }),
    })
  }
  const inner = fields
    .filter(
      ({ shape, depth }) =>
        depth === 1 &&
        (shape.elements?.fields.size ?? 0) > 1 &&
        (shape.arrays?.total ?? 0) > shape.count * 1.5,
    )
    .sort((one, other) => (other.shape.arrays?.total ?? 0) - (one.shape.arrays?.total ?? 0))[0]
  if (!inner?.shape.elements || !/^\w+$/.test(inner.path)) return undefined
  // The path of records that were gathered from several lists or maps is that of each already.
  const each = /(?:\[\*\]|\.\*)$/.test(path) ? path : `${path}[*]`
  const parameters: JsonObject = { path: `${each}.${inner.path}[*]` }
  const below = fieldsOf(inner.shape.elements, 2).filter(
    (field) => isPlain(field.path) && scalarCount(field) > 0,
  )
  const by = [...below]
    .sort((one, other) => worth(other) - worth(one))
    .find((field) => isEnumerated(field) || isGrouped(field))
  return call('proxy_filter', { ...parameters, ...(by ? { group_by: by.path } : { limit: 20 }) })
}

function searching(fields: readonly Field[]): Template | undefined {
  const prose = fields.filter((field) => isProse(field) && field.depth <= 2)
  const field = prose.find(({ name }) => /title|name|message|subject|desc|text|body/i.test(name)) ?? prose[0]
  if (!field) return undefined
  const texts = [...field.shape.distinct.counts.keys()].map(String)
  const pattern = phraseOrWord(texts)
  return pattern === undefined ? undefined : call('proxy_search', { pattern, mode: 'bm25' })
}
