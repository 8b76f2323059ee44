/** Dates as servers write them: ISO 8601 whole or cut short, and the date of a web server's log. */

/** A span of time in milliseconds since 1970, UTC: a day, a month, an instant. `to` is exclusive. */
export interface Span {
  from: number
  to: number
}

const iso =
  /^(\d{4})(?:[-/](\d\d)(?:[-/](\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?)?)?$/i
const log = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4})(?::(\d\d):(\d\d):(\d\d))?(?:\s*([+-]\d{4}))?$/
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The time that `text` names, as wide as it was written. Without a zone it is UTC. Undefined when it is no date. */
export function parseDate(text: string): Span | undefined {
  const first = text.charCodeAt(0)
  if (text.length > 40 || text.length < 4 || first < 48 || first > 57) return undefined
  const parts = iso.exec(text)
  if (parts) return isoSpan(parts)
  const logged = log.exec(text)
  if (!logged) return undefined
  const [, day = '', name = '', year, hour = '', minute = '', second = '', zone] = logged
  const month = months.indexOf(name) + 1
  return span([Number(year), month, Number(day), ...given([hour, minute, second])], 0, zone)
}

/** The value's own second, minute and so on, for grouping: `2024-05` for a month. UTC. */
export function bucket(date: Span, unit: 'year' | 'month' | 'day' | 'hour'): string {
  const length = { year: 4, month: 7, day: 10, hour: 13 }[unit]
  return new Date(date.from).toISOString().slice(0, length)
}

function isoSpan([, year, month, day, hour, minute, second, fraction = '', zone]: RegExpExecArray):
  | Span
  | undefined {
  const milliseconds = Math.floor(Number(`0.${fraction || 0}`) * 1_000)
  return span(given([year, month, day, hour, minute, second]), milliseconds, zone, fraction !== '')
}

function given(parts: readonly (string | undefined)[]): number[] {
  return parts.filter((part) => part !== undefined && part !== '').map(Number)
}

/** Year, month, day, hour, minute, second: as many as are known. */
function span(
  parts: readonly number[],
  milliseconds: number,
  zone: string | undefined,
  precise = false,
): Span | undefined {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60)
    return undefined
  const shift = offset(zone)
  const from = utc(year, month - 1, day, hour, minute, second) + milliseconds - shift
  if (precise) return { from, to: from + 1 }
  const next = [year, month - 1, day, hour, minute, second] as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const last = Math.max(0, Math.min(parts.length, 6) - 1)
  next[last] = (next[last] ?? 0) + 1
  return { from, to: utc(...next) - shift }
}

function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  date.setUTCHours(hour, minute, second)
  return date.getTime()
}

function offset(zone: string | undefined): number {
  const parts = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '')
  if (!parts) return 0
  const [, sign, hours, minutes] = parts
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
