/** The times that lines of a log begin with. All expressions are anchored and linear. */

/** A time as written, and the offset of what follows it. */
export interface LogTime {
  time: string
  end: number
  /** Written without a date. */
  clock?: true
}

const FORMS = [
  // 2024-05-03T08:00:00.123Z, 2024/05/03 08:00:00,123 +0200
  /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)\]?/,
  // 03-May-2024 08:00:00.123 UTC, 03/May/2024:08:00:00 +0200, 03 May 2024 08:00:00.123
  /^\[?(\d\d[-/ ][A-Z][a-z]{2}[-/ ]\d{4}[ :]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: (?:UTC|GMT|[A-Z][a-z]+\/[A-Z]\w+|[+-]\d{4}))?)\]?/,
  // 03.05.2024 08:00:00,123
  /^\[?(\d\d\.\d\d\.\d{4},? \d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]?/,
  // Fri May  3 08:00:00.123456 2024
  /^\[?([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: [A-Z]{3,4})? \d{4})\]?/,
]
const CLOCK = /^(?:\[(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]|(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?=[ \t|]))/
/** Characters that a time may have. */
const LONGEST = 64

/** The time at the start of a line; undefined when there is none. */
export function readTime(line: string): LogTime | undefined {
  const start = line.slice(0, LONGEST)
  for (const form of FORMS) {
    const match = form.exec(start)
    if (match) return { time: match[1] ?? '', end: match[0].length }
  }
  const match = CLOCK.exec(start)
  return match ? { time: match[1] ?? match[2] ?? '', end: match[0].length, clock: true } : undefined
}
