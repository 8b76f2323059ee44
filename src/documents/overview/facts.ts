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

/** How many lines of frequent values come before the ranges, and how many fields share one line. */
const LEADING = 4
const PER_LINE = 7

/** Facts in the order of their worth: frequent values, ranges, dates, flags, then what is left. */
export function factsOf(records: Records): string[] {
  const all = fieldsOf(records.profile.record, 5)
  const fields = all
    .map((field, index) => ({ field, index, score: worth(field) }))
    .filter(({ field, score }) => score > -5 && !isNoise(field))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .map(({ field }) => field)
  const label = labelOf(all)
  const repeating = values(fields)
  const gathered = [
    gather('numbers', fields.filter(isMeasured), (field) => range(field, records, label)),
    gather(
      'dates',
      fields.filter(isDated),
      ({ shape }) => `${shape.strings?.earliest} to ${shape.strings?.latest}`,
    ),
    gather(
      'true in',
      fields.filter(isFlag),
      ({ shape, of }) => `${formatCount(shape.distinct.counts.get(true) ?? 0)} of ${formatCount(of)}`,
    ),
    gather(
      'lists',
      fields.filter(({ shape }) => (shape.arrays?.max ?? 0) > 1),
      lengths,
    ),
    heavy(records),
    constants(all),
  ].filter((line) => line !== '')
  const sampled =
    records.profile.every > 1 ? [`frequent values are from every ${records.profile.every}th record`] : []
  return [...repeating.slice(0, LEADING), ...gathered, ...repeating.slice(LEADING), ...sampled]
}

/** A line for each set of frequent values; fields with the same values share it. */
function values(fields: readonly Field[]): string[] {
  const said = new Map<string, string[]>()
  for (const field of fields) {
    if (isFlag(field) || isDated(field) || isMeasured(field)) continue
    const text = isEnumerated(field) ? listed(field, 12, 110) : isGrouped(field) ? grouped(field) : undefined
    if (text === undefined) continue
    const whole = text + missingOf(field)
    const paths = said.get(whole)
    if (paths) paths.push(field.path)
    else said.set(whole, [field.path])
  }
  return [...said].map(([text, paths]) => `${paths.slice(0, 4).join(' = ')}: ${text}`)
}

function grouped(field: Field): string {
  const distinct = distinctCount(field.shape)
  return `${distinct === undefined ? 'many values' : `${formatCount(distinct)} values`}, most frequent ${listed(field, 5, 90)}`
}

function isFlag({ shape }: Field): boolean {
  return shape.booleans > 0 && shape.booleans + shape.nulls === shape.count && (distinctCount(shape) ?? 0) > 1
}

function lengths({ shape }: Field): string {
  const { arrays } = shape
  return arrays ? `${arrays.min}-${arrays.max} each, ${formatCount(arrays.total)} in all` : ''
}

/** `numbers: comments 0 to 57, …; score …`: several fields on one line. */
function gather(title: string, fields: readonly Field[], say: (field: Field) => string): string {
  if (fields.length === 0) return ''
  const said = fields.slice(0, PER_LINE).map((field) => `${field.path} ${say(field)}`)
  let line = said.join('; ')
  while (said.length > 1 && line.length > 300) {
    said.pop()
    line = said.join('; ')
  }
  const left = fields.length - said.length
  return `${title}: ${line}${left > 0 ? `; … ${left} more` : ''}`
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
  const text = `${tidy(numbers.min)} to ${tidy(numbers.max)}, mean ${tidy(Number(mean.toPrecision(3)))}`
  const named = nameOf(records, numbers.maxAt, label)
  return named === undefined || (many && numbers.max < mean * 5) ? text : `${text} (max: ${named})`
}

function tidy(value: number): string {
  return formatCount(Number.isInteger(value) ? value : Number(value.toPrecision(6)))
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
  for (const field of [...fields].sort((one, other) => one.depth - other.depth)) {
    const [only] = field.shape.distinct.counts.keys()
    const constant = distinctCount(field.shape) === 1 && scalarCount(field) === field.of && field.of > 1
    if (constant && only !== undefined && field.depth <= 2 && !isNoise(field))
      same.push(`${field.path} = ${word(only)}`)
  }
  if (same.length === 0) return ''
  return ellipsis(`same in all: ${same.join(', ')}`, 160)
}

/** Fields that make a result large are the ones to leave out. */
function heavy({ values }: Records): string {
  const large = shares(values).filter(({ share }) => share >= 0.2 && share < 0.95)
  const said = large.slice(0, 3).map(({ name, share }) => `${name} ${Math.round(share * 100)} %`)
  return said.length === 0 ? '' : `largest fields: ${said.join(', ')} of the size`
}
