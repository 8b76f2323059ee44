/** What a reader should know of how a comparison was taken. */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import type { Records } from '../records.ts'
import { shown } from '../refusal.ts'
import { isOrdering } from './adapt.ts'
import { contains, order } from './comparing.ts'
import type { Bound } from './matcher.ts'
import type { Operand } from './operand.ts'

type Values = (record: JsonValue) => readonly JsonValue[]

const mostSampled = 2_000

export function* remarksOn(
  { comparison, field, matches }: Bound,
  records: Records,
  values: Values,
): Generator<string> {
  const { operator, negated, operands } = comparison
  if (operator === 'is true')
    yield `\`${field.name}\` alone is true where it is neither false nor 0, null or empty.`
  if (operator === 'exists') yield* nulls(field.name, records, values)
  if (negated && operands.length > 0) yield* absent(field.name, records, values)
  if (isOrdering(comparison) && comparison.measure === undefined)
    yield* unordered(field.name, operands, records, values)
  if (operator === '=' || operator === 'in' || operator === 'has')
    yield* otherCase(
      operands.map(({ text }) => text),
      records,
      values,
      matches,
      negated,
    )
  if (operator === 'contains') yield* parts(comparison, records, values, matches, negated)
}

/** Values of which is remembered what was found out about them. */
const mostRemembered = 20_000

/** A field that is there and null exists, which is seldom what is asked for. */
function* nulls(name: string, records: Records, values: Values): Generator<string> {
  const count = records.values.filter((record) => {
    const held = values(record)
    return held.length > 0 && held.every((value) => value === null)
  }).length
  if (count > 0)
    yield `\`${name}\` exists in ${count} records as null; \`${name} is not null\` leaves them out.`
}

/** What is not there is not equal to anything either. */
function* absent(name: string, records: Records, values: Values): Generator<string> {
  const count = records.values.filter((record) => values(record).every((value) => value === null)).length
  if (count > 0 && count < records.values.length)
    yield `${formatCount(count)} without \`${name}\` ${count === 1 ? 'is' : 'are'} among them; \`${name} is not null\` leaves them out.`
}

/** Values that are neither before nor after what they are compared with. */
function* unordered(
  name: string,
  operands: readonly Operand[],
  records: Records,
  values: Values,
): Generator<string> {
  const [operand] = operands
  let left = 0
  let all = 0
  let example: JsonValue = null
  const known = new Map<JsonValue, boolean>()
  const isOrdered = (value: JsonValue, than: Operand): boolean => {
    const before = known.get(value)
    if (before !== undefined) return before
    const ordered = !Number.isNaN(order(value, than))
    if (typeof value !== 'object' && known.size < mostRemembered) known.set(value, ordered)
    return ordered
  }
  const look = (value: JsonValue): void => {
    if (Array.isArray(value)) return value.forEach(look)
    if (value === null || value === '') return
    all++
    if (!operand || isOrdered(value, operand)) return
    left++
    example = value
  }
  for (const record of records.values) values(record).forEach(look)
  if (left > 0 && left < all)
    yield `${formatCount(left)} of ${formatCount(all)} values of \`${name}\` cannot be compared, as ${shown(JSON.stringify(example), 40)}, and were left out.`
}

/** Values that are the same but for case, when the comparison was to the letter. */
function* otherCase(
  wanted: readonly string[],
  records: Records,
  values: Values,
  matches: Bound['matches'],
  negated: boolean,
): Generator<string> {
  const lower = new Set(wanted.filter((text) => /\p{L}/u.test(text)).map((text) => text.toLowerCase()))
  if (lower.size === 0) return
  const step = Math.max(1, Math.floor(records.values.length / mostSampled))
  const others = new Set<string>()
  const seen = new Set<string>()
  for (let at = 0; at < records.values.length; at += step) {
    const record = records.values[at] ?? null
    const held = values(record)
    // The same value alone gets the same answer in any record.
    const [alone] = held
    if (held.length === 1 && typeof alone === 'string') {
      if (seen.has(alone)) continue
      if (seen.size < mostRemembered) seen.add(alone)
    }
    for (const value of held.flat().flatMap((each) => (isObject(each) ? Object.values(each) : [each])))
      if (
        typeof value === 'string' &&
        value.length < 100 &&
        lower.has(value.toLowerCase()) &&
        !wanted.includes(value) &&
        matches(record) === negated
      )
        others.add(value)
  }
  if (others.size > 0)
    yield `Compared to the letter: ${[...others]
      .slice(0, 3)
      .map((value) => JSON.stringify(value))
      .join(', ')} ${others.size === 1 ? 'is' : 'are'} another value.`
}

/** Elements of lists that contain the text without being it. */
function* parts(
  { operands: [operand] }: Bound['comparison'],
  records: Records,
  values: Values,
  matches: Bound['matches'],
  negated: boolean,
): Generator<string> {
  if (!operand) return
  const more = records.values.filter(
    (record) => matches(record) === negated && values(record).some((value) => contains(value, operand)),
  ).length
  if (more > 0)
    yield `Whole elements were compared; ${formatCount(more)} more ${more === 1 ? 'record has' : 'records have'} ${JSON.stringify(operand.text)} as a part of one.`
}
