/** Which fields of a profile a reader wants to know about first. */

import { compactDate } from '../../text/values/dates.ts'
import { distinctCount, type Field, frequent, isNoise } from '../shape/fields.ts'
import { IDS, LABELS, plainName } from '../shape/identity.ts'
import { type NumberStats, type Shape, sumOf } from '../shape/shape.ts'

/** Names of states, which questions are most often about. */
const STATES =
  /(?:^|_|\b)(?:level|severity|status|state|type|kind|phase|priority|category|role|method|result|outcome|error|license|language)s?$/i

/** Few values that repeat: what counting and grouping is for. */
export function isEnumerated({ shape }: Pick<Field, 'shape'>): boolean {
  const distinct = distinctCount(shape)
  const values = scalarCount({ shape })
  return distinct !== undefined && distinct >= 2 && distinct <= 12 && values >= distinct * 1.5
}

/** So few numbers that their counts say more than their range. */
const FEW_NUMBERS = 5

/**
 * The numbers of a field, those in strings included when all its strings hold one, or beside numbers. Undefined where that
 * would leave some out: ids of more digits than a double holds.
 */
export function numbersOf({ numbers, numeric, strings }: Shape): NumberStats | undefined {
  if (!numbers) return numeric && numeric.count === strings?.count ? numeric : undefined
  if (!strings || strings.numeric === 0) return numbers
  return numeric?.count === strings.numeric ? sumOf(numbers, numeric) : undefined
}

/** Values of which some are frequent, too many to list them all. */
export function isGrouped(field: Field): boolean {
  const distinct = distinctCount(field.shape)
  if ((distinct !== undefined && distinct <= 12) || /^(?:time|date|timestamp)$/i.test(field.name))
    return false
  const top = frequent(field.shape)[0]?.[1] ?? 0
  // Where most differ, what occurs three times by chance says nothing.
  if (distinct === undefined ? top < scalarCount(field) * 0.03 : distinct > scalarCount(field) * 0.5)
    return false
  return (
    top >= 3 &&
    top >= scalarCount(field) * (field.depth === 1 ? 0.004 : 0.02) &&
    !isDated(field) &&
    !isNoise(field) &&
    !isMeasured(field)
  )
}

/** A number with a meaningful size, not an id. */
export function isMeasured({ shape, name }: Pick<Field, 'shape' | 'name'>): boolean {
  const numbers = numbersOf(shape)
  if (!numbers || numbers.min === numbers.max || numbers.count < shape.count * 0.5) return false
  if (isEnumerated({ shape }) && shape.distinct.counts.size <= FEW_NUMBERS) return false
  return !/(?:^|_)(?:[a-z]?id|line|zip|port|year|status|code|number|version)$|(?:Id|ID|Code|Port|Version)$|^id(?:_|[A-Z])/.test(
    name,
  )
}

/** The unit of numbers that are times, by their name and size: seconds or milliseconds since 1970, or days as `20240103`. */
export function timeUnitOf({ shape, name }: Pick<Field, 'shape' | 'name'>): 's' | 'ms' | 'days' | undefined {
  const numbers = numbersOf(shape)
  if (!numbers || !TIMES.test(name)) return undefined
  const { min, max } = numbers
  if (min >= 300_000_000 && max <= 7_000_000_000) return 's'
  if (min >= 300_000_000_000 && max <= 7_000_000_000_000) return 'ms'
  return compactDate(min) && compactDate(max) ? 'days' : undefined
}

const TIMES =
  /time|date|stamp|_at$|At$|^(?:dt|ts)$|_ts$|created|updated|expire|since|until|sunrise|sunset|^day$/i

export function isDated({ shape }: Pick<Field, 'shape'>): boolean {
  return (
    shape.strings !== undefined && shape.strings.dates >= shape.strings.count * 0.9 && shape.strings.dates > 0
  )
}

/** Dates that are not the same in all records, so that sorting and grouping by them makes sense. */
export function isVaried(field: Pick<Field, 'shape'>): boolean {
  const { strings } = field.shape
  return isDated(field) && strings?.earliest !== strings?.latest
}

/** Prose: long strings with spaces, the thing to search in. */
export function isProse({ shape, name }: Pick<Field, 'shape' | 'name'>): boolean {
  const { strings } = shape
  if (
    /agent|referr?er/i.test(name) ||
    !strings ||
    strings.count < 2 ||
    strings.json > strings.count / 2 ||
    strings.total / strings.count < 24 ||
    strings.urls > strings.count / 2
  )
    return false
  const some = [...shape.distinct.counts.keys()].slice(0, 10)
  return (
    some.length === 0 || some.filter((value) => /\S\s+\S+\s+\S/.test(String(value))).length >= some.length / 2
  )
}

/** Strings, numbers and booleans found at a place. */
export function scalarCount({ shape }: Pick<Field, 'shape'>): number {
  return (shape.strings?.count ?? 0) + (shape.numbers?.count ?? 0) + shape.booleans
}

/** How much a field tells; fields are shown in this order. */
export function worth(field: Field): number {
  const { shape, name, depth } = field
  if (isNoise(field)) return -10
  let score = -2.5 * (depth - 1) - (field.many ? 1 : 0)
  if (isDated(field)) score += 4
  else if (isEnumerated(field))
    score += STATES.test(name) ? 9 : shape.booleans > 0 ? 3 : shape.numbers ? 4 : 5
  else if (isMeasured(field)) score += (distinctCount(shape) ?? 99) > 20 ? 5 : 4
  else if (isGrouped(field)) score += STATES.test(name) ? 7 : 4
  else if (distinctCount(shape) === 1) score -= 2
  if (LABELS.includes(plainName(name))) score += 1
  return shape.count < field.of * RARE ? score - FOR_RARE : score
}

/** Fields that fewer of the records have tell less of them. */
const RARE = 0.1
const FOR_RARE = 6

/** The field that says which record it is: near unique, by a name that promises it, or the first short text that differs. */
export function labelOf(fields: readonly Field[]): Field | undefined {
  const total = totalOf(fields)
  return pick(fields, LABELS) ?? pick(fields, IDS) ?? fields.find((field) => isName(field, total))
}

/** How many records there are. */
function totalOf(fields: readonly Field[]): number {
  return fields.find(({ depth }) => depth === 1)?.of ?? 0
}

/** Short texts that are all different. */
function isName(field: Field, total: number): boolean {
  const { strings, count } = field.shape
  if (field.depth > 2 || field.many || !strings || strings.count < count || isNoise(field) || isDated(field))
    return false
  return (
    strings.total / strings.count <= 40 && strings.numeric === 0 && count >= total * 0.9 && isUnique(field)
  )
}

/** The field that identifies a record for the next question, when it is not the label. */
export function idOf(fields: readonly Field[]): Field | undefined {
  return pick(fields, IDS)
}

/** By name: of the record itself first, then of what it wraps (`node.title`, `metadata.name`). */
function pick(fields: readonly Field[], names: readonly string[]): Field | undefined {
  const total = totalOf(fields)
  for (const level of [1, 2]) {
    const here = fields.filter(
      ({ depth, many, shape }) => depth === level && !many && shape.count >= total * 0.5,
    )
    for (const wanted of names) {
      const field = here.find(({ name }) => plainName(name) === wanted)
      if (
        field &&
        scalarCount(field) >= field.of * 0.5 &&
        (distinctCount(field.shape) ?? 999) > (level === 1 ? 1 : field.of / 2)
      )
        return field
    }
    const ending = here.find((field) => names.some((name) => endsWith(field.name, name)) && isUnique(field))
    if (ending) return ending
  }
  return undefined
}

/** `order_id` and `orderId` end with `id`, `valid` does not. */
function endsWith(name: string, word: string): boolean {
  return (
    name.endsWith(word.charAt(0).toUpperCase() + word.slice(1)) || name.toLowerCase().endsWith(`_${word}`)
  )
}

/** True when hardly two records have the same value. */
export function isUnique(field: Field): boolean {
  const distinct = distinctCount(field.shape)
  return distinct === undefined || distinct >= field.of * 0.9
}
