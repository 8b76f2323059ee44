/** How questions are put in words. */
import { say } from '../contract.mjs'

/** A field as a user says it. */
export function sayField(way) {
  return way.length === 1 && way[0] === '_key' ? 'key' : say(way)
}

/** ` in items`, or nothing for the whole. */
export function sayIn(collection) {
  const words = say(collection)
  return words === '' ? '' : ` in ${words}`
}

export const sayValue = (value) => (typeof value === 'string' ? `"${value}"` : String(value))

const OPS = {
  '=': 'is',
  '!=': 'is not',
  '>': 'is greater than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
  contains: 'contains',
}
const DATES = { '>': 'is after', '>=': 'is at or after', '<': 'is before', '<=': 'is at or before' }

/** A condition: `state is "open"`, `one of labels.name is "bug"`. */
export function sayCondition({ field, op, value }) {
  const dated = typeof value === 'string' ? DATES[op] : undefined
  return `${field.includes('[]') ? 'one of ' : ''}${sayField(field)} ${dated ?? OPS[op]} ${dated ? value : sayValue(value)}`
}

/** ` where state is "open" and comments is greater than 5`. */
export function sayWhere(where) {
  return where.length === 0 ? '' : ` where ${where.map(sayCondition).join(' and ')}`
}
