/** Times of day: `time > 10:00` is about the clock of each record, whatever its day. */

/** Milliseconds since midnight; `to` is exclusive. */
export interface ClockSpan {
  from: number
  to: number
}

const alone = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([ap]m)?$/i
const within = /(?<![\d.,])(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?([ap]m)\b)?/i

/** The time of day that a text is, as wide as it is written; undefined when it is more or something else. */
export function parseClock(text: string): ClockSpan | undefined {
  return text.length > 18 ? undefined : span(alone.exec(text))
}

/** The clock of a date and time, in its own zone; undefined when it has none. */
export function clockOf(text: string): ClockSpan | undefined {
  return text.length > 40 ? undefined : span(within.exec(text))
}

function span(match: RegExpExecArray | null): ClockSpan | undefined {
  if (!match) return undefined
  const [, hour = '', minute = '', second, fraction, half] = match
  let hours = Number(hour)
  if (half !== undefined) hours = (hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  if (hours > 24 || Number(minute) > 59 || Number(second ?? 0) > 60) return undefined
  const whole = ((hours * 60 + Number(minute)) * 60 + Number(second ?? 0)) * 1_000
  const from = whole + Math.floor(Number(`0.${fraction ?? 0}`) * 1_000)
  return { from, to: from + (fraction !== undefined ? 1 : second !== undefined ? 1_000 : 60_000) }
}
