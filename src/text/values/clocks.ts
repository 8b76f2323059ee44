/** Durations of one field that have hours only where they are needed: `54:37` beside `1:02:03`. */
import { duration, plainNumber } from './quantities.ts'

const CLOCK = /^\s*(\d{1,4}):[0-5]\d(:[0-5]\d(?:[.,]\d{1,9})?)?\s*$/

/** Hours that a day has: no time of day begins with more. */
const HOURS = 24

/** True for texts of two parts beside others of three, where in two parts some have more minutes than a day has hours. */
export function areClocks(texts: readonly string[]): boolean {
  let [long, isBeyond] = [false, false]
  for (const text of texts) {
    const [, first = '', seconds] = CLOCK.exec(text) ?? []
    if (first === '') return false
    if (seconds !== undefined) long = true
    else if (Number(first) >= HOURS) isBeyond = true
  }
  return long && isBeyond
}

/** Milliseconds: 3,277,000 of `54:37`, 3,723,000 of `1:02:03`, and of `1 hour`; a plain number is seconds. */
export function clockIn(text: string): number | undefined {
  const [, minutes, rest] = CLOCK.exec(text) ?? []
  if (minutes !== undefined && rest === undefined)
    return (Number(minutes) * 60 + Number(text.split(':')[1])) * 1_000
  const number = plainNumber(text)
  return number === undefined ? duration(text) : number * 1_000
}
