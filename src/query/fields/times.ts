/** The fields of records that say when something was. */
import type { JsonValue } from '../../protocol/json.ts'
import { parseDate } from '../../text/values/dates.ts'
import type { Records } from './records.ts'

/** Characters of a day with its year. */
const LEAST_OF_TIME = 8

/** Seconds since 1970 of times in this century, and the names of fields that hold such. */
const FIRST = 946_684_800
const LAST = 4_102_444_800
const OF_TIMES = /(?:time|date|stamp|_at|At|^ts|_ts)$/

/** The names of fields that hold nothing but dates with a year, or are called so and hold seconds or milliseconds since 1970. */
export function timeFields(records: Records): string[] {
  const isTime = (value: JsonValue, name: string): boolean => {
    if (typeof value === 'string') return value.length >= LEAST_OF_TIME && parseDate(value) !== undefined
    if (typeof value !== 'number' || !OF_TIMES.test(name)) return false
    return [value, value / 1000].some((seconds) => seconds >= FIRST && seconds < LAST)
  }
  return [...records.names()]
    .filter(([name, samples]) => samples.length > 0 && samples.every((value) => isTime(value, name)))
    .map(([name]) => name)
}
