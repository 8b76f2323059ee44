/** A value as written in a condition, with everything that it may mean. */
import { type ClockSpan, parseClock } from './clock.ts'
import { parseWanted, type Span } from './dates.ts'
import { duration, looseNumber, quantity } from './quantity.ts'

/** What a condition compares with, in all the forms in which it can be read. */
export interface Operand {
  text: string
  lower: string
  quoted: boolean
  number: number | undefined
  /** Set when written with a unit. */
  size: number | undefined
  /** Milliseconds, when written with a unit of time. */
  duration: number | undefined
  date: Span | undefined
  /** A time of day alone. */
  clock: ClockSpan | undefined
  boolean: boolean | undefined
}

/** `new Date("…")`, `date '…'`, `ISODate("…")`, `N'…'`: what programs put around a literal. */
const wrapper =
  /^(?:new\s+)?(?:date|datetime|datetime64|timestamp|timestamptz|time|iso_?date|to_?date|to_?datetime|to_?timestamp|parse_?date|from_?iso_?format|object_?id|uuid|str|string|text|int|integer|float|number|decimal|lower|upper|date\.parse|datetime\.fromisoformat|pd\.timestamp|[bnru])\s*\(?\s*(["'])(.*?)\1\s*(?:,[^()]*)?\)?$/is
const cast = /^((["']).*\2)::\w+(?:\[\])?$/s

/** Reads what was written: in quotes, with a unit, as a number, as a date. */
export function operandOf(written: string): Operand {
  const trimmed = written.trim()
  const bare = cast.exec(trimmed)?.[1] ?? trimmed
  const [, , literal] = wrapper.exec(bare) ?? []
  const quote = bare.charAt(0)
  const quoted =
    literal !== undefined ||
    (bare.length >= 2 && (quote === '"' || quote === "'" || quote === '`') && bare.endsWith(quote))
  const inner = literal ?? (quoted ? bare.slice(1, -1) : bare)
  const text = quoted ? withoutEscapes(inner, bare.charAt(0)) : inner
  const lower = text.toLowerCase()
  return {
    text,
    lower,
    quoted,
    number: looseNumber(text.replaceAll(/(?<=\d)_(?=\d{3})/g, '')),
    size: quantity(text),
    duration: duration(text),
    date: parseWanted(text),
    clock: parseClock(text),
    boolean: lower === 'true' ? true : lower === 'false' ? false : undefined,
  }
}

/** `\\'` and `''` within single quotes are one, and the same for the others. */
function withoutEscapes(text: string, quote: string): string {
  if (!'"\'`'.includes(quote)) return text
  return text.replaceAll(`\\${quote}`, quote).replaceAll(quote + quote, quote)
}

/** True for a bare word that means that there is nothing. */
export function isNull({ lower, quoted }: Operand): boolean {
  return !quoted && (lower === 'null' || lower === 'none' || lower === 'undefined' || lower === 'nil')
}
