/** Durations of one field that have hours only where they are needed: `54:37` beside `1:02:03`. */
import { duration, plainNumber } from './quantities.ts'

const CLOCK = /^\s*(\d{1,4}):[0-5]\d(:[0-5]\d(?:[.,]\d{1,9})?)?\s*$/

/** Hours that a day has: no time of day begins with more. */
const HOURS = 24

/**
 * True for texts of two parts beside others of three that are no times of day. In two parts some have more minutes than a day has hours, or
 * none is padded with a zero.
 */
export function areClocks(texts: readonly string[]): boolean {
  let [short, long, isBeyond, isPadded, hasDigit] = [false, false, false, false, false]
  for (const text of texts) {
    const [, first = '', seconds] = CLOCK.exec(text) ?? []
    if (first === '') return false
    if (seconds === undefined) short = true
    else long = true
    if (seconds === undefined && Number(first) >= HOURS) isBeyond = true
    if (seconds !== undefined && first.length === 1) hasDigit = true
    if (/^0\d/.test(first)) isPadded = true
  }
  return short && long && (isBeyond || (hasDigit && !isPadded))
}

/** Milliseconds: 3,277,000 of `54:37`, 3,723,000 of `1:02:03`, and of `1 hour`; a plain number is seconds. */
export function clockIn(text: string): number | undefined {
  const [, minutes, rest] = CLOCK.exec(text) ?? []
  if (minutes !== undefined && rest === undefined)
    return (Number(minutes) * 60 + Number(text.split(':')[1])) * 1_000
  const number = plainNumber(text)
  return number === undefined ? duration(text) : number * 1_000
}
