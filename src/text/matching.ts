/** What all ways to match have in common. */
import type { Span } from './pattern.ts'
import { TimeLimitError, withinTime } from './time-limit.ts'

/** The pattern needs too long on this text. The message says what to write instead. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** The first match of a `g` regex at or after `from`. */
export function firstMatch(regex: RegExp, text: string, from: number): Span | undefined {
  regex.lastIndex = from
  let match = regex.exec(text)
  // V8 also finds empty matches between the halves of a surrogate pair.
  while (match !== null && splitsCharacter(text, match.index)) {
    regex.lastIndex = match.index + 1
    match = regex.exec(text)
  }
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length }
}

/** Matches from left to right as `next` finds them, without overlap, empty ones included. */
export function* eachMatch(
  text: string,
  from: number,
  next: (text: string, from: number) => Span | undefined,
): Generator<Span> {
  let span = from <= text.length ? next(text, from) : undefined
  while (span !== undefined) {
    yield span
    const after = span.end > span.start ? span.end : span.end + codePointLength(text, span.end)
    span = after <= text.length ? next(text, after) : undefined
  }
}

const splitsCharacter = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** 2 for a surrogate pair at `at`, otherwise 1. */
export const codePointLength = (text: string, at: number): number =>
  (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1

/** Runs `work`; throws a `PatternError` when it takes longer than `milliseconds`. */
export function limited<T>(source: string, milliseconds: number, work: () => T): T {
  try {
    return withinTime(milliseconds, work)
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    throw new PatternError(
      `The pattern ${JSON.stringify(source)} takes too long on this text. Write it without lookaround, backreferences and nested repetition, or search for plain words.`,
    )
  }
}
