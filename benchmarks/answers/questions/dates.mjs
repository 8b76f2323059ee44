/** Dates as text that sorts: what a reader does in the head when asked for the lines between ten and eleven. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ISO = /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?)?$/
const ACCESS = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/

/**
 * A date as `2024-01-02T03:04:05.678` in its own zone, with the way it is written (zone and precision).
 * @param {unknown} value
 * @returns {{iso: string, form: string} | undefined} undefined for what is no date with a year
 */
export function dateOf(value) {
  if (typeof value !== 'string') return undefined
  const iso = ISO.exec(value)
  if (iso) {
    const [, year, month, day, time, fraction, zone] = iso
    if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return undefined
    if (time === undefined) return { iso: `${year}-${month}-${day}`, form: 'day' }
    return {
      iso: `${year}-${month}-${day}T${time}${fraction ? `.${fraction}` : ''}`,
      form: `time ${zone ?? ''}`,
    }
  }
  const access = ACCESS.exec(value)
  const month = access ? MONTHS.indexOf(access[2].toLowerCase()) + 1 : 0
  if (month === 0) return undefined
  return {
    iso: `${access[3]}-${String(month).padStart(2, '0')}-${access[1]}T${access[4]}`,
    form: `access ${access[5]}`,
  }
}

/** A value a question gives: a date, or the beginning of one (`2024-01`, `2024-01-02T03`). */
export const isDatePrefix = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d+)?)?)?)?)?$/.test(value)
