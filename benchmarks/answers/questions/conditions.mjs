/** Conditions people put: equal, greater, since a date, contains a word; one or two of them. */
import { dateOf } from './dates.mjs'
import { anyMeets } from './evaluate.mjs'
import { fieldsOf, isName, sayable } from './fields.mjs'
import { isCommon, wordsOf } from './text.mjs'

/** A condition on one field that some records meet, or undefined. */
function conditionOn(field, random) {
  const filled = field.values.filter((own) => own.length > 0)
  const value = random.pick(random.pick(filled) ?? [])
  if (value === undefined) return undefined
  const condition = (op, given = value) => ({ field: field.way, op, value: given })
  if (field.kind === 'boolean') return condition('=')
  if (field.kind === 'number' || field.kind === 'numeric') {
    if (isName(field.way) || (field.counts.size <= 15 && random.often(0.4))) return condition('=')
    // The text says a plain number also where the data has it in a string.
    return condition(random.pick(['>', '>=', '<', '<=']), Number(value))
  }
  if (field.kind === 'date') {
    const { iso } = dateOf(value)
    const prefix = iso.slice(0, random.pick([7, 10]))
    if (value.startsWith(prefix) && random.often(0.4)) return condition('contains', prefix)
    return condition(random.pick(['>=', '<']), iso.slice(0, 10))
  }
  if (field.plain && field.counts.size <= 0.7 * filled.length + 5 && sayable(value, 60)) {
    if (field.complete && field.counts.size <= 12 && field.counts.size > 1 && random.often(0.15))
      return condition('!=')
    return condition('=')
  }
  return containing(field, random, value, condition)
}

/** `contains` a word that means the same whether case and word borders count or not. */
function containing(field, random, value, condition) {
  const word = random.pick(wordsOf(value).filter(({ word }) => word.length >= 4 && !isCommon(word)))?.word
  if (word === undefined) return undefined
  const small = word.toLowerCase()
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${word}(?![\\p{L}\\p{N}_])`, 'u')
  const clear = field.values.flat().every((text) => !text.toLowerCase().includes(small) || whole.test(text))
  return clear ? condition('contains', word) : undefined
}

/**
 * One or two conditions that hold for so many records, on fields not used so far.
 * @param {{most: number, fewest?: number, used?: Set<string>, conditions?: number}} limits
 * @returns {{where: import('../contract.mjs').Condition[], records: unknown[]} | undefined}
 */
export function conditionsFor(collection, random, { most, fewest = 1, used = new Set(), conditions = 2 }) {
  const fields = fieldsOf(collection).filter((field) => field.counts.size > 1 && !used.has(String(field.way)))
  for (let attempt = 0; attempt < 40 && fields.length > 0; attempt++) {
    const [first, second] = random.shuffled(fields)
    const two = conditions > 1 && random.often(0.4) && second !== undefined && !(first.many && second.many)
    const where = (two ? [first, second] : [first]).map((field) => conditionOn(field, random))
    if (where.includes(undefined)) continue
    // That would be looking a record up.
    if (where.some(({ op }, at) => op === '=' && [first, second][at].unique)) continue
    const tests = (two ? [first, second] : [first]).map(
      (field, at) => (_, index) => anyMeets(field.values[index], where[at]),
    )
    const records = collection.records.filter((record, index) => tests.every((test) => test(record, index)))
    if (records.length < fewest || records.length > most || records.length === collection.records.length)
      continue
    // A second condition that changes nothing asks nothing.
    if (two && tests.some((test) => collection.records.filter(test).length === records.length)) continue
    return { where, records }
  }
  return undefined
}
