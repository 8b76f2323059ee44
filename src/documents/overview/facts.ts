/** Facts about records, a line each: frequent values, ranges, extremes, what is missing. */
import { isObject, type JsonPrimitive, type JsonValue, own } from '../../protocol/json.ts'
import { ellipsis } from '../../text/cut.ts'
import { formatCount } from '../../text/format.ts'
import { distinctCount, type Field, fieldsOf, frequent, isNoise } from '../fields.ts'
import type { Profile } from '../profile.ts'
import { isDated, isEnumerated, isGrouped, isMeasured, labelOf, scalarCount, worth } from './rank.ts'
import { shares } from './sizes.ts'

/** What facts are about. */
export interface Records {
  profile: Profile
  values: readonly JsonValue[]
  keys: readonly string[] | undefined
}

/** Facts in the order of their worth: fields first, then what is the same in all, then sizes. */
export function factsOf(records: Records): string[] {
  const fields = fieldsOf(records.profile.record, 4)
  const ranked = fields
    .map((field, index) => ({ field, index, score: worth(field) }))
    .filter(({ score }) => score > -4)
    .sort((one, other) => other.score - one.score || one.index - other.index)
  const facts: string[] = []
  for (const { field } of ranked) {
    const said = factOf(field, records, labelOf(fields))
    if (said !== undefined) facts.push(said)
  }
  facts.splice(3, 0, ...heavy(records))
  const same = constants(fields)
  if (same !== '') facts.splice(6, 0, same)
  if (records.profile.every > 1)
    facts.push(`frequent values are from every ${records.profile.every}th record`)
  return facts
}

function factOf(field: Field, records: Records, label: Field | undefined): string | undefined {
  if (isNoise(field)) return undefined
  const missing = missingOf(field)
  if (isEnumerated(field)) return `${field.path}: ${listed(field, 12, 100)}${missing}`
  if (isDated(field))
    return `${field.path}: ${field.shape.strings?.earliest} to ${field.shape.strings?.latest}${missing}`
  if (isMeasured(field)) return `${field.path}: ${range(field, records, label)}${missing}`
  if (isGrouped(field)) {
    const distinct = distinctCount(field.shape)
    const different = distinct === undefined ? 'over 300' : formatCount(distinct)
    return `${field.path}: ${different} values; most frequent ${listed(field, 5, 90)}${missing}`
  }
  const { arrays } = field.shape
  if (arrays && arrays.max > 0)
    return `${field.path}[]: ${arrays.min}-${arrays.max} each, ${formatCount(arrays.total)} in all`
  return undefined
}

/** `open 21, closed 9`, as many as fit. */
function listed({ shape }: Field, most: number, length: number): string {
  let text = ''
  let shown = 0
  const all = frequent(shape)
  for (const [value, count] of all.slice(0, most)) {
    const next = `${shown > 0 ? ', ' : ''}${word(value)} ${formatCount(count)}`
    if (shown > 0 && text.length + next.length > length) break
    text += next
    shown += 1
  }
  return shown < all.length && shape.distinct.counts.size <= 12 ? `${text}, …` : text
}

function word(value: JsonPrimitive): string {
  if (value === '') return '""'
  return ellipsis(String(value).replace(/\s+/g, ' '), 48)
}

/** `0 to 57, mean 4.2 (57: "the record")`. */
function range({ shape, many }: Field, records: Records, label: Field | undefined): string {
  const { numbers } = shape
  if (!numbers) return ''
  const mean = numbers.sum / numbers.count
  const text = `${formatCount(numbers.min)} to ${formatCount(numbers.max)}, mean ${Number(mean.toPrecision(3))}`
  const named = nameOf(records, numbers.maxAt, label)
  return named === undefined || (many && numbers.max < mean * 5) ? text : `${text}; max in ${named}`
}

/** A record by its key or its label. */
export function nameOf(
  { keys, values }: Records,
  index: number,
  label: Field | undefined,
): string | undefined {
  const key = keys?.[index]
  if (key !== undefined) return ellipsis(key, 60)
  const record = values[index]
  const name = label && isObject(record) ? own(record, label.name) : undefined
  return typeof name === 'string' || typeof name === 'number'
    ? JSON.stringify(ellipsis(String(name), 50))
    : undefined
}

function missingOf({ shape, of }: Field): string {
  const missing = of - shape.count + shape.nulls
  return missing > 0 ? `; none in ${formatCount(missing)}` : ''
}

/** `same in all: type = Pod, private = false`. */
function constants(fields: readonly Field[]): string {
  const same: string[] = []
  for (const field of fields) {
    const [only] = field.shape.distinct.counts.keys()
    const constant = distinctCount(field.shape) === 1 && scalarCount(field) === field.of && field.of > 1
    if (constant && only !== undefined && field.depth <= 2 && !isNoise(field))
      same.push(`${field.path} = ${word(only)}`)
  }
  if (same.length === 0) return ''
  return ellipsis(`same in all: ${same.join(', ')}`, 220)
}

/** Fields that make a result large are the ones to leave out. */
function heavy({ values }: Records): string[] {
  const large = shares(values)
    .filter(({ share }) => share >= 0.2)
    .slice(0, 3)
  if (large.length === 0) return []
  return [
    `largest fields: ${large.map(({ name, share }) => `${name} ${Math.round(share * 100)} %`).join(', ')} of the size`,
  ]
}
