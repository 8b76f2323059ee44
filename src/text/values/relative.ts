/** Times that are said from now, as people, Elasticsearch and Grafana write them: `now-7d/d`, `7 days ago`, `last 30 days`, `this month`. */
import type { Span } from './dates.ts'
import { startOf, timeUnit, unitsLater } from './intervals.ts'

const UNIT =
  'milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|w|months?|mo|M|quarters?|q|years?|yrs?|y|m'
/** The names that programs have for now, and for this day. */
const NOW = /^(?:now(?:\(\))?|current_timestamp(?:\(\))?|getdate\(\)|sysdate|date\.now\(\)|new date\(\))/i
const TODAY = /^(?:(?:today|current_date)(?:\(\))?|curdate\(\))/i
const MOVED = new RegExp(String.raw`^\s*([+-])\s*(\d{1,6})\s*(${UNIT})(?![a-z])`, 'i')
const ROUNDED = new RegExp(String.raw`^\s*/\s*(${UNIT})$`, 'i')
const AGO = new RegExp(String.raw`^(an?|one|\d{1,6})\s*(${UNIT})\s+ago$`, 'i')
const LAST = new RegExp(String.raw`^(?:the\s+)?(?:last|past|previous)\s+(\d{1,6})\s*(${UNIT})$`, 'i')
const NAMED = new RegExp(String.raw`^(?:the\s+)?(this|current|last|past|previous|next)\s+(${UNIT})$`, 'i')
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, tomorrow: 1 }
const PLACES: Readonly<Record<string, number>> = { this: 0, current: 0, next: 1 }
/** Longer texts are no times. */
const LONGEST = 60

/**
 * The time that a text says from `now` on (milliseconds since 1970): an instant, or as long as it says, a day or a month. `since`: of the last
 * days the instant where they begin. Undefined for a text that says no such time.
 */
export function relativeSpan(written: string, now: number, since = false): Span | undefined {
  const text = written.trim().replace(/^current (?=date|time)/i, 'current_')
  if (text.length > LONGEST) return undefined
  const day = DAYS[text.toLowerCase()]
  if (day !== undefined) return unitAt(unitsLater(now, day, 'day'), 'day')
  const [today] = TODAY.exec(text) ?? []
  // Postgres takes days from a date.
  if (today !== undefined)
    return inMoves(unitAt(now, 'day'), text.slice(today.length).replace(/^(\s*[+-]\s*\d+)$/, '$1d'))
  const [instant] = NOW.exec(text) ?? []
  if (instant !== undefined) return inMoves({ from: now, to: now }, text.slice(instant.length))
  const [, count = '', unit = ''] = AGO.exec(text) ?? []
  if (unit !== '') return at(unitsLater(now, -(Number(count) || 1), unitNamed(unit)))
  const [, many = '', ofLast = ''] = LAST.exec(text) ?? []
  if (ofLast !== '') {
    const from = unitsLater(now, -Number(many), unitNamed(ofLast))
    return since ? at(from) : { from, to: now }
  }
  const [, place = '', named = ''] = NAMED.exec(text) ?? []
  if (named === '') return undefined
  const whole = unitNamed(named)
  return unitAt(unitsLater(startOf(now, whole), PLACES[place.toLowerCase()] ?? -1, whole), whole)
}

/** `-7d`, `-1M/d`, `+1d-2h`, one after the other. Undefined where anything else follows. */
function inMoves(start: Span, moves: string): Span | undefined {
  let { from, to } = start
  let rest = moves
  for (let found = MOVED.exec(rest); found; found = MOVED.exec(rest)) {
    const [all, sign, count, unit = ''] = found
    const many = Number(count) * (sign === '-' ? -1 : 1)
    const name = unitNamed(unit)
    to = to === from ? unitsLater(to, many, name) : unitsLater(from, many, name) + (to - from)
    from = unitsLater(from, many, name)
    rest = rest.slice(all.length)
  }
  const [, rounded] = ROUNDED.exec(rest) ?? []
  if (rounded !== undefined) return unitAt(from, unitNamed(rounded))
  return rest.trim() === '' ? { from, to } : undefined
}

/** `M` is a month and `m` a minute. */
function unitNamed(word: string): string {
  return word === 'M' || /^mo$/i.test(word) ? 'month' : (timeUnit(word) ?? 'day')
}

function unitAt(time: number, unit: string): Span {
  const from = startOf(time, unit)
  return { from, to: unitsLater(from, 1, unit) }
}

function at(time: number): Span {
  return { from: time, to: time }
}
