/** Patterns that a model writes: never trusted, always bounded in time. */
import { RE2JS } from 're2js'
import { allOf } from './all-of.ts'
import { backtracking } from './backtracking.ts'
import { inOrder, type OrderedPart, partsInOrder, remembering } from './in-order.ts'
import { eachMatch, firstMatch, limited } from './matching.ts'
import { plainPattern } from './plain-pattern.ts'
import { requiredLiteral } from './required-literal.ts'

export { PatternError } from './matching.ts'

/** Half-open, in UTF-16 code units. */
export interface Span {
  start: number
  end: number
}

export interface PatternOptions {
  caseInsensitive?: boolean
  /** A match may span lines: `.` matches line breaks. `^` and `$` match at lines either way. */
  multiline?: boolean
}

export interface Pattern {
  readonly source: string
  /** `re2js`: its syntax, linear in the text. `v8`: lookahead or backreferences, backtracking under a time limit. */
  readonly engine: 're2js' | 'v8'
  /** How the pattern was read, when not as written. */
  readonly note?: string
  /** True when it matches anywhere in `text`. Throws `PatternError` when the time is up. */
  test(text: string): boolean
  /** Matches from left to right, without overlap, empty ones included. Throws like `test`. */
  matches(text: string, from?: number): Iterable<Span>
  /**
   * A place at or after `from`: no line that begins there or later and ends before this place matches by itself; -1 when
   * none matches to the end. `from` is the start of a line. Cheap, and often far ahead: it tells which lines to test.
   */
  candidate(text: string, from: number): number
  /**
   * Runs `work`, which may use this pattern as often as it likes, under one time limit. Use it around every loop:
   * outside of it each use of a `v8` pattern pays for a limit of its own. `work` may be stopped anywhere.
   */
  run<T>(work: () => T): T
}

/** What is wrong with a pattern, and what to write instead. */
export interface PatternFailure {
  error: string
}

/** Milliseconds for linear matching: a large program on a large text, or all matches of `x*y|x`, can still take long. */
const linearLimit = 5_000
const longestPattern = 1_000

/**
 * Compiles what a model wrote. Lookaround and backreferences are allowed, at the price of a tighter time limit; what is
 * no regular expression at all is searched as plain text, and `note` says so.
 */
export function compilePattern(source: string, options: PatternOptions = {}): Pattern | PatternFailure {
  if (source.length > longestPattern) {
    return {
      error: `The pattern has ${source.length} characters; at most ${longestPattern} are allowed. Search for a shorter, distinctive part.`,
    }
  }
  return (
    plain(source, options) ??
    ordered(source, options) ??
    linear(source, source, options) ??
    conjunction(source, options) ??
    backtracking(source, options) ??
    literally(source, options)
  )
}

export function isPattern(compiled: Pattern | PatternFailure): compiled is Pattern {
  return !('error' in compiled)
}

/** The fast way for most of what is searched: V8, where it is proven to be linear. */
function plain(source: string, options: PatternOptions): Pattern | undefined {
  const found =
    options.multiline === true ? undefined : plainPattern(source, options.caseInsensitive === true)
  if (found === undefined) return undefined
  const regex = new RegExp(found.regex, options.caseInsensitive === true ? 'giu' : 'gu')
  const next = (text: string, from: number): Span | undefined => firstMatch(regex, text, from)
  return {
    source,
    engine: 're2js',
    test: (text) => next(text, 0) !== undefined,
    matches: (text, from = 0) => eachMatch(text, from, next),
    candidate: (text, from) => (found.finds ? (next(text, from)?.start ?? -1) : from),
    run: (work) => limited(source, linearLimit, work),
  }
}

/** `A.*B`: plain parts one after the other. */
function ordered(source: string, options: PatternOptions): Pattern | undefined {
  const found = options.multiline === true ? undefined : partsInOrder(source)
  if (found === undefined) return undefined
  const caseInsensitive = options.caseInsensitive === true
  const parts: OrderedPart[] = []
  for (const part of found.parts) {
    const read = mayBreakLines.test(part) ? undefined : plainPattern(part, caseInsensitive)
    if (read === undefined || !read.single) return undefined
    const regex = new RegExp(read.regex, caseInsensitive ? 'giu' : 'gu')
    const literal = !caseInsensitive && /^[\w ]+$/.test(part) ? part : undefined
    const find = remembering((text, from) => firstMatch(regex, text, from))
    parts.push({ find, isEmpty: part === '', literal })
  }
  const { test, matches, candidate } = inOrder(parts, found.lazy)
  return {
    source,
    engine: 're2js',
    test,
    matches,
    candidate: (text, from) => candidate(text, from),
    run: (work) => limited(source, linearLimit, work),
  }
}

/** White space, and classes of what is not in them. */
const mayBreakLines = /\\s|\[\^|[\n\r]/

/** Lookahead that only says what else a line holds. */
function conjunction(source: string, options: PatternOptions): Pattern | undefined {
  if (options.multiline === true) return undefined
  const found = allOf(source, (regex) => plain(regex, options) ?? linear(regex, regex, options))
  return found && { ...found, run: (work) => limited(source, linearLimit, work) }
}

function literally(source: string, options: PatternOptions): Pattern | PatternFailure {
  const pattern = linear(source, RE2JS.quote(source), options)
  if (pattern === undefined) return { error: `The pattern ${JSON.stringify(source)} cannot be searched.` }
  return {
    ...pattern,
    note: `${JSON.stringify(source)} is not a valid regular expression; it was searched as plain text.`,
  }
}

/** Undefined when re2js rejects it. `regex` is what is compiled for `source`. */
function linear(source: string, regex: string, options: PatternOptions): Pattern | undefined {
  const compiled = compileLinear(regex, options)
  if (compiled === undefined) return undefined
  const literal = requiredLiteral(regex)
  const seek = literal === undefined ? undefined : seeker(literal, options.caseInsensitive === true)
  return {
    source,
    engine: 're2js',
    test: (text) => compiled.test(text),
    *matches(text, from = 0) {
      const matcher = compiled.matcher(text)
      // `find(from)` starts over, `find()` goes on: after an empty match by one character.
      let found = from <= text.length && matcher.find(from)
      while (found) {
        yield { start: matcher.start(), end: matcher.end() }
        found = matcher.find()
      }
    },
    candidate: (text, from) => (seek === undefined ? from : seek(text, from)),
    run: (work) => limited(source, linearLimit, work),
  }
}

/** Finds the next place of a literal, as `indexOf` does. */
function seeker(literal: string, caseInsensitive: boolean): (text: string, from: number) => number {
  if (!caseInsensitive) return (text, from) => text.indexOf(literal, from)
  const regex = new RegExp(literal.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&'), 'giu')
  return (text, from) => firstMatch(regex, text, from)?.start ?? -1
}

function compileLinear(regex: string, options: PatternOptions): RE2JS | undefined {
  let flags = RE2JS.LOOKBEHINDS | RE2JS.MULTILINE
  if (options.caseInsensitive === true) flags |= RE2JS.CASE_INSENSITIVE
  if (options.multiline === true) flags |= RE2JS.DOTALL
  for (const spelling of [readForms(regex), RE2JS.translateRegExp(regex)]) {
    try {
      return RE2JS.compile(spelling, flags)
    } catch {
      // Not in this spelling.
    }
  }
  return undefined
}

/** Forms of other engines that have an exact equivalent: `\Z` (end of text), `\h` (blank). */
function readForms(regex: string): string {
  return regex.replace(/\\([\s\S])/g, (written, name: string) =>
    name === 'Z' ? '\\z' : name === 'h' ? '[ \\t]' : written,
  )
}
