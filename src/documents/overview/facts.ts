/** Facts about records, a line each: frequent values, ranges, extremes, what is missing. */
import { isObject, type JsonPrimitive, type JsonValue, own } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import { headOf } from '../columns/columnar.ts'
import { wereTyped } from '../columns/encodings.ts'
import { parseJson, toJson } from '../json/stringify.ts'
import { distinctCount, type Field, fieldsOf, frequent, isNoise } from '../shape/fields.ts'
import { type Profile, profile } from '../shape/profile.ts'
import type { Shape } from '../shape/shape.ts'
import { typeNotation } from '../shape/type-notation.ts'
import {
  isDated,
  isEnumerated,
  isGrouped,
  isMeasured,
  isUnique,
  isVaried,
  labelOf,
  numbersOf,
  scalarCount,
  timeUnitOf,
  worth,
} from './rank.ts'
import { measure } from './sizes.ts'

/** The records that facts are about. */
export interface Records {
  profile: Profile
  values: readonly JsonValue[]
  keys: readonly string[] | undefined
}

/** How many lines of frequent values come before the ranges, and how many fields share one line. */
const LEADING = 4
const PER_LINE = 8
/** The most characters of a line that several fields share. */
const LINE = 280

/**
 * The fields of records, and the values of lists of scalars in them (`tags[]`). For records that are scalars or lists themselves, the
 * fields have the names that queries know.
 */
export function factFields({ profile: { record }, values }: Records): Field[] {
  const fields = fieldsOf(record, 5)
  if (fields.length > 0) return [...fields, ...fields.flatMap(listed)]
  const positions = positionsOf(record, values)
  if (positions.length > 0) return positions
  const inner = record.arrays ? record.elements : record
  if (!inner) return []
  const path = inner === record ? '_value' : '[]'
  return [{ path, name: 'value', shape: inner, of: inner.count, depth: 1, many: inner !== record }]
}

function listed(field: Field): Field[] {
  const { elements } = field.shape
  if (!elements || elements.objects > 0 || elements.arrays || elements.count === 0) return []
  return [
    {
      ...field,
      path: `${field.path}[]`,
      shape: elements,
      of: elements.count,
      depth: field.depth + 1,
      many: true,
    },
  ]
}

/** Facts in the order of their worth: frequent values, ranges, dates, flags, then what is left. */
export function factsOf(records: Records): string[] {
  const { record } = records.profile
  const all = factFields(records)
  const fields = all
    .map((field, index) => ({ field, index, score: worth(field) }))
    .filter(({ field, score }) => score > -5 && !isNoise(field))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .map(({ field }) => field)
  const named = { left: 2 }
  const telling = labelOf(all)
  // A name that many records have does not say which is meant.
  const label = telling && isUnique(telling) ? telling : undefined
  const repeating = values(fields)
  const dated = fields.filter(isVaried)
  const gathered = [
    record.arrays && record.elements ? `each: ${lengthsOf(record.arrays)}` : '',
    keysOf(records),
    unlike(record),
    gather('numbers', fields.filter(isMeasured), (field) => range(field, records, label, named)),
    gather('dates', dated.slice(0, 1), ({ shape }) => moments(shape)),
    gather('days', dated.slice(1), ({ shape }) => days(shape)),
    gather('true', fields.filter(isFlag), trueOf),
    gather(
      'lists',
      fields.filter(({ shape }) => (shape.arrays?.max ?? 0) > 1),
      ({ shape }) => (shape.arrays ? lengthsOf(shape.arrays) : ''),
    ),
    heavy(records),
    constants(all),
  ].filter((line) => line !== '')
  const sampled =
    records.profile.every > 1 ? [`frequent values are from every ${records.profile.every}th record`] : []
  const titles = headOf(records.values)?.titles
  const changed = [
    wereTyped(records.values) ? 'the server names the type around each value, left out here' : '',
    titles ? 'the first row has the names of the fields, and is no record here' : '',
    titles?.length ? `above it: ${titles.join(' | ')}` : '',
  ].filter((line) => line !== '')
  return [...changed, ...repeating.slice(0, LEADING), ...gathered, ...repeating.slice(LEADING), ...sampled]
}

/** A line for each set of frequent values; fields with the same values share it. */
function values(fields: readonly Field[]): string[] {
  const said = new Map<string, string[]>()
  for (const field of fields) {
    if (isFlag(field) || isDated(field) || isMeasured(field)) continue
    const text = isEnumerated(field) ? enumerated(field) : isGrouped(field) ? grouped(field) : undefined
    if (text === undefined) continue
    const whole = text + missingOf(field)
    const paths = said.get(whole)
    if (paths) paths.push(field.path)
    else said.set(whole, [field.path])
  }
  return [...said].map(([text, paths]) => `${paths.slice(0, 4).join(' = ')} ${text}`)
}

/** How many entries there are in records that are maps. */
function keysOf({ profile: { record }, values }: Records): string {
  if (!record.values) return ''
  const counts = values.slice(0, 10_000).map((value) => (isObject(value) ? Object.keys(value).length : 0))
  const [min, max] = [Math.min(...counts), Math.max(...counts)]
  return `each: ${min === max ? min : `${min}-${max}`} keys`
}

/** How strings differ that are the records themselves. */
function unlike(record: Shape): string {
  const { strings } = record
  if (!strings || strings.count < record.count || isEnumerated({ shape: record })) return ''
  const distinct = distinctCount(record)
  const different = distinct === undefined ? '' : `${formatCount(distinct)} different, `
  return `values: ${different}${strings.minLength}-${strings.maxLength} characters`
}

/** `(2 values): open ×21, closed ×9` when all of them are listed, `(12 values, most frequent): …` otherwise. */
function enumerated(field: Field): string {
  const { text, all } = counted(field, 12, 130)
  return `(${distinctCount(field.shape)} values${all ? '' : ', most frequent'}): ${text}`
}

function grouped(field: Field): string {
  const distinct = distinctCount(field.shape)
  // An uncounted value may be more frequent than a counted one.
  const title = distinct === undefined ? 'many values, some' : `${distinct} values, most frequent`
  return `(${title}): ${counted(field, 5, 90).text}`
}

function isFlag({ shape }: Field): boolean {
  return shape.booleans > 0 && shape.booleans + shape.nulls === shape.count && (distinctCount(shape) ?? 0) > 1
}

function trueOf({ shape, of }: Field): string {
  return `${shape.distinct.counts.get(true) ?? 0} of ${of}`
}

/** `3 elements`, `0-7 elements, 44 in all`. */
function lengthsOf({ min, max, total }: NonNullable<Shape['arrays']>): string {
  return min === max ? `${min} elements` : `${min}-${max} elements, ${formatCount(total)} in all`
}

/** `numbers: comments 0..57, …; score …`: several fields on one line. */
function gather(title: string, fields: readonly Field[], say: (field: Field) => string): string {
  const said: string[] = []
  let length = 0
  for (const field of fields.slice(0, PER_LINE)) {
    const text = `${field.path} ${say(field)}`
    length += text.length + 2
    if (said.length > 0 && length > LINE) break
    said.push(text)
  }
  if (said.length === 0) return ''
  const left = fields.length - said.length
  return `${title}: ${said.join('; ')}${left > 0 ? `; …${left} more` : ''}`
}

/** `open ×21, closed ×9`, as many as fit; `all` when no value is left out or cut. */
function counted({ shape }: Field, most: number, length: number): { text: string; all: boolean } {
  const said: string[] = []
  let used = 0
  let whole = true
  const all = frequent(shape)
  for (const [value, count] of all.slice(0, most)) {
    const name = word(value)
    const next = `${name} ×${count}`
    if (said.length > 0 && used + next.length > length) break
    whole &&= !name.endsWith('…')
    said.push(next)
    used += next.length + 2
  }
  const complete = said.length === all.length && !shape.distinct.overflow
  return { text: said.join(', '), all: complete && whole }
}

/** A value as a condition would name it; in quotes where it could be read as something else. */
export function word(value: JsonPrimitive): string {
  if (typeof value !== 'string') return String(value)
  const flat = ellipsis(value.replace(/\s+/g, ' '), 48)
  return /^$|^\s|\s$|, |×|"/.test(flat) ? toJson(flat) : flat
}

function missingOf({ shape, of }: Field): string {
  const missing = of - shape.count + shape.nulls
  return missing > 0 ? `; none in ${missing}` : ''
}

/** `same in all: type = Pod, private = false`. */
function constants(fields: readonly Field[]): string {
  const same: string[] = []
  for (const field of [...fields].sort((one, other) => one.depth - other.depth)) {
    const [only] = field.shape.distinct.counts.keys()
    const constant = distinctCount(field.shape) === 1 && scalarCount(field) === field.of && field.of > 1
    if (constant && only !== undefined && field.depth <= 2 && !isNoise(field))
      same.push(`${field.path} = ${word(only)}`)
  }
  if (same.length === 0) return ''
  return ellipsis(`same in all: ${same.join(', ')}`, 160)
}

/** Records shorter than this (characters) are cheap to show whole. */
const LARGE = 500

/** Fields that make large records large are the ones to leave out. */
function heavy({ values }: Records): string {
  const { fields, mean } = measure(values)
  if (mean < LARGE) return ''
  const large = fields.filter(({ share }) => share >= 0.25 && share < 0.97)
  const said = large.slice(0, 3).map(({ name, share }) => `${name} ≈${Math.round(share * 100)}%`)
  return said.length === 0 ? '' : `size is mostly: ${said.join(', ')}`
}

/** `0..57, mean ≈4.2 (max: "the record")`. The record is named while `named` lasts. */
export function range(
  field: Field,
  records: Records,
  label: Field | undefined,
  named: { left: number },
): string {
  const { shape, many } = field
  const numbers = numbersOf(shape)
  if (!numbers) return ''
  const span = `${numbers.min}..${numbers.max}`
  const unit = timeUnitOf(field)
  if (unit === 'days') return span
  if (unit !== undefined) {
    const [from, to] = [numbers.min, numbers.max].map((time) => new Date(unit === 's' ? time * 1000 : time))
    return `${span} (epoch ${unit}: ${short(from?.toISOString() ?? '')}..${short(to?.toISOString() ?? '')})`
  }
  const mean = numbers.sum / numbers.count
  const rounded = Number(mean.toPrecision(3))
  const text = `${span}, mean ${rounded === mean ? '' : '≈'}${rounded}`
  if (named.left === 0 || (many && numbers.max < mean * 5)) return text
  const record = nameOf(records, numbers.maxAt, label)
  if (record === undefined) return text
  named.left -= 1
  return `${text} (max: ${record})`
}

/** The first and the last moment, as they are written but for zeros that say nothing. */
export function moments({ strings }: Shape): string {
  return strings ? `${short(strings.earliest)}..${short(strings.latest)}` : ''
}

/** The first and the last day. */
export function days({ strings }: Shape): string {
  if (!strings) return ''
  const [first, last] = [strings.earliest.slice(0, 10), strings.latest.slice(0, 10)]
  return first === last ? first : `${first}..${last}`
}

/** The same moment without a fraction of zeros. */
function short(date: string): string {
  return date.replace(/(T\d\d:\d\d:\d\d)\.0+(?=Z|$)/, '$1')
}

/** A record by its key or its label: `"the title"`, `id 17`. */
export function nameOf(
  { keys, values }: Records,
  index: number,
  label: Field | undefined,
): string | undefined {
  const key = keys?.[index]
  if (key !== undefined) return ellipsis(key, 48)
  const name = label && at(values[index], label.path)
  if (typeof name === 'number') return `${label?.name} ${name}`
  return typeof name === 'string' ? JSON.stringify(ellipsis(name, 40)) : undefined
}

/** The target of a path of plain names, through strings of JSON as well. */
export function at(record: JsonValue | undefined, path: string): JsonValue | undefined {
  if (!isObject(record)) return undefined
  let value: JsonValue | undefined = own(record, path)
  if (value !== undefined) return value
  value = record
  for (const name of path.split('.')) {
    const held: JsonValue | undefined = typeof value === 'string' ? parseJson(value)?.value : value
    value = isObject(held) ? own(held, name) : undefined
  }
  return value
}

/** More positions than this are a row of numbers rather than columns. */
const MOST_POSITIONS = 12

/** A field for each position; none when the records are no short lists of scalars. */
export function positionsOf(record: Shape, values: readonly JsonValue[]): Field[] {
  const { arrays, elements } = record
  if (!arrays || arrays.count < record.count || arrays.max > MOST_POSITIONS || !elements) return []
  if (elements.objects > 0 || elements.arrays) return []
  return Array.from({ length: arrays.max }, (_, index) => {
    const column = values.flatMap((value) =>
      Array.isArray(value) && index < value.length ? [value[index] ?? null] : [],
    )
    const path = `[${index}]`
    return {
      path,
      name: path,
      shape: profile({ values: column }).record,
      of: values.length,
      depth: 1,
      many: false,
    }
  })
}

/** `[string, number, number?]`. */
export function positionType(positions: readonly Field[]): string {
  const types = positions.map(({ shape, of }) => {
    const type = typeNotation(shape, { length: 40, depth: 0, enumerate: false })
    return shape.count < of ? `${type}?` : type
  })
  return `[${types.join(', ')}]`
}
