/**
 * Regular expressions that a model or a configuration writes: never trusted, always bounded in time.
 *
 * Four steps, each only where the one before does not apply: V8's own RegExp runs what has no unbounded repetition: it is proven linear
 * there, and fastest where most lines match. Then comes re2js for everything it reads. Then comes a rewrite for lookahead that only says
 * what else a line holds. V8 under a time limit runs the rest. A prefilter finds the lines that hold text every match needs.
 */
import type { RE2JS } from 're2js'
import { literal } from './literal.ts'
import { re2 } from './re2.ts'
import { TimeLimitError, withinTime } from './time-limit.ts'

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
  /** `linear` in the text, whatever runs it, or `backtracking` under a time limit: lookahead of any length, backreferences. */
  readonly engine: 'linear' | 'backtracking'
  /** How the pattern was read, when not as written. */
  readonly note?: string
  /** True when it matches anywhere in `text`. Throws `PatternError` when the time is up. */
  test(text: string): boolean
  /** Matches from left to right, without overlap, empty ones included. Throws like `test`. */
  matches(text: string, from?: number): Iterable<Span>
  /**
   * A place at or after `from`. No line that begins between `from` and this place, and ends before it, matches by itself. -1 when no line
   * matches to the end. `from` is the start of a line. Cheap, and often far ahead: it tells which lines to test.
   */
  candidate(text: string, from: number): number
  /**
   * Runs `work`, which may use this pattern as often as it likes, under one time limit. Use it around every loop:
   * outside of it each use of a backtracking pattern pays for a limit of its own. `work` may be stopped anywhere.
   */
  run<T>(work: () => T): T
}

/** The fault of a pattern, and the pattern to write instead. */
export interface PatternFailure {
  error: string
}

/** The pattern needs too long on this text. The message says what to write instead. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Milliseconds for linear matching: a large program on a large text, or all matches of `x*y|x`, can still take long. */
const LINEAR_LIMIT = 5_000
/**
 * Milliseconds for backtracking, which is exponential when it goes wrong. The limit is by the clock on the wall. On a busy machine the
 * worker may stand still for some tenths of a second, which is no fault of the pattern.
 */
const BACKTRACKING_LIMIT = 600
const LONGEST_PATTERN = 1_000

/**
 * Compiles what a model wrote. Lookaround and backreferences are allowed, at the price of a tighter time limit. A text that is no regular
 * expression at all is searched as plain text, and `note` says so.
 */
export function compilePattern(source: string, options: PatternOptions = {}): Pattern | PatternFailure {
  if (source.length > LONGEST_PATTERN) {
    return {
      error: `The pattern has ${source.length} characters; at most ${LONGEST_PATTERN} are allowed. Search for a shorter, distinctive part.`,
    }
  }
  // `(?i)` at the start is the option, written in the pattern: the prefilter knows it as such.
  const inline = /^\(\?([im]+)\)/.exec(source)
  if (inline?.[1]?.includes('i')) {
    const compiled = compilePattern(source.slice(inline[0].length), { ...options, caseInsensitive: true })
    if (isPattern(compiled) && compiled.note === undefined) return { ...compiled, source }
  }
  return (
    bounded(source, options) ??
    linear(source, source, options) ??
    conjunction(source, options) ??
    backtracking(source, options) ??
    literally(source, options)
  )
}

export function isPattern(compiled: Pattern | PatternFailure): compiled is Pattern {
  return !('error' in compiled)
}

/** V8, where the pattern is proven to be linear. */
function bounded(source: string, options: PatternOptions): Pattern | undefined {
  const caseInsensitive = options.caseInsensitive === true
  const found = options.multiline === true ? undefined : boundedPattern(source, caseInsensitive)
  if (found === undefined) return undefined
  const regex = new RegExp(found.regex, caseInsensitive ? 'giu' : 'gu')
  const next = (text: string, from: number): Span | undefined => firstMatch(regex, text, from)
  const seek = found.needsLine ? seeker(requiredTexts(source), caseInsensitive) : undefined
  return {
    source,
    engine: 'linear',
    test: (text) => next(text, 0) !== undefined,
    matches: (text, from = 0) => eachMatch(text, from, next),
    candidate: (text, from) =>
      found.needsLine ? (seek?.next(text, from) ?? from) : (next(text, from)?.start ?? -1),
    run: (work) => limited(source, LINEAR_LIMIT, work),
  }
}

/** Undefined when re2js rejects it. `regex` is what is compiled for `source`. */
function linear(source: string, regex: string, options: PatternOptions): Pattern | undefined {
  const compiled = compileRe2(regex, options)
  if (compiled === undefined) return undefined
  const seek = seeker(requiredTexts(regex), options.caseInsensitive === true)
  const chain = options.caseInsensitive === true ? undefined : chainOf(regex)
  return {
    source,
    engine: 'linear',
    test: (text) => {
      if (chain && !text.includes('\n')) return endInOrder(text, chain.texts, 0) !== undefined
      return seek?.mayMatch(text) !== false && compiled.test(text)
    },
    *matches(text, from = 0) {
      if (chain?.reach && options.multiline !== true) return yield* chainMatches(text, from, chain)
      const matcher = compiled.matcher(text)
      // `find(from)` starts over, `find()` goes on: after an empty match by one character.
      let found = from <= text.length && matcher.find(from)
      while (found) {
        yield { start: matcher.start(), end: matcher.end() }
        found = matcher.find()
      }
    },
    candidate: (text, from) => seek?.next(text, from) ?? from,
    run: (work) => limited(source, LINEAR_LIMIT, work),
  }
}

/** `ERROR.*timeout`, the most common form of patterns: texts that follow one another in a line. */
interface Chain {
  readonly texts: readonly string[]
  /** Whether matches reach as far as they can or end as soon as they can. Undefined: both stand in the pattern. */
  readonly reach: 'far' | 'near' | undefined
}

function chainOf(regex: string): Chain | undefined {
  if (!/^[\w :=,@/"'#%&;<>~-]+(?:\.\*\??[\w :=,@/"'#%&;<>~-]+)+$/.test(regex)) return undefined
  const texts = regex.split(/\.\*\??/)
  const lazy = regex.split('.*?').length - 1
  return { texts, reach: lazy === 0 ? 'far' : lazy === texts.length - 1 ? 'near' : undefined }
}

/** Where the last of the texts ends when each is found as early as it can be; undefined when one is not found. */
function endInOrder(line: string, texts: readonly string[], from: number): number | undefined {
  let at = from
  for (const text of texts) {
    const found = line.indexOf(text, at)
    if (found < 0) return undefined
    at = found + text.length
  }
  return at
}

/** The matches of a chain, in time linear in the text: re2js takes minutes for a line of 200 MB. */
function* chainMatches(text: string, from: number, { texts, reach }: Chain): Iterable<Span> {
  const [first = '', last = ''] = [texts[0], texts.at(-1)]
  let start = text.indexOf(first, from)
  while (start >= 0) {
    const newline = text.indexOf('\n', start)
    const lineEnd = newline < 0 ? text.length : newline
    const line = text.slice(start, lineEnd)
    let at = 0
    for (;;) {
      const begin = line.indexOf(first, at)
      const soonest = begin < 0 ? undefined : endInOrder(line, texts, begin)
      if (soonest === undefined) break
      at = reach === 'far' ? line.lastIndexOf(last) + last.length : soonest
      yield { start: start + begin, end: start + at }
    }
    start = newline < 0 ? -1 : text.indexOf(first, newline + 1)
  }
}

function literally(source: string, options: PatternOptions): Pattern | PatternFailure {
  const pattern = linear(source, re2().quote(source), options)
  if (pattern === undefined) return { error: `The pattern ${JSON.stringify(source)} cannot be searched.` }
  return {
    ...pattern,
    note: `${JSON.stringify(source)} is not a valid regular expression; it was searched as plain text.`,
  }
}

function compileRe2(regex: string, options: PatternOptions): RE2JS | undefined {
  const engine = re2()
  let flags = engine.LOOKBEHINDS | engine.MULTILINE
  if (options.caseInsensitive === true) flags |= engine.CASE_INSENSITIVE
  if (options.multiline === true) flags |= engine.DOTALL
  for (const spelling of [readForms(regex), engine.translateRegExp(regex)]) {
    try {
      return engine.compile(spelling, flags)
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

// Patterns of a configuration.

/** Called with what was found and its groups by number or name; null for one that took no part, and undefined for one there is not. */
export type Found = (start: number, end: number, group: (which: string) => string | null | undefined) => void

/** Calls `found` for every match from left to right. Empty ones are left out: they would be everywhere, which is never meant. */
export type EachMatch = (text: string, found: Found) => void

/**
 * A pattern of a configuration, always linear. `^` and `$` match at lines. `hasGroups`: `found` asks for groups other than 0.
 * Throws Error with the reason why the source cannot be read.
 */
export function compileLinear(source: string, ignoreCase: boolean, hasGroups: boolean): EachMatch {
  const engine = re2()
  const compiled = engine.compile(source, engine.MULTILINE | (ignoreCase ? engine.CASE_INSENSITIVE : 0))
  const plain = hasGroups ? undefined : boundedPattern(source, ignoreCase)
  if (plain) {
    const regex = new RegExp(plain.regex, ignoreCase ? 'giu' : 'gu')
    return (text, found) => {
      for (const { 0: whole, index } of text.matchAll(regex))
        if (whole !== '') found(index, index + whole.length, (which) => (which === '0' ? whole : undefined))
    }
  }
  const seek = ignoreCase ? undefined : seeker(requiredTexts(source), false)
  const named = compiled.namedGroups()
  return (text, found) => {
    if (seek?.mayMatch(text) === false) return
    const matcher = compiled.matcher(text)
    const group = (which: string): string | null | undefined => {
      const index = /^\d+$/.test(which)
        ? Number(which)
        : Object.hasOwn(named, which)
          ? named[which]
          : undefined
      return index === undefined || index > matcher.groupCount() ? undefined : matcher.group(index)
    }
    while (matcher.find()) if (matcher.end() > matcher.start()) found(matcher.start(), matcher.end(), group)
  }
}

// The patterns that V8 matches in linear time. The proof: without unbounded repetition, the number of ways to match at one position is a
// product of choices and counts. The pattern alone gives this number. It is computed while reading, and a pattern over the limit is not
// bounded.

/** Steps at one position, at most. */
const MOST_STEPS = 500
const DEEPEST = 20

/** One token, with its count where it may have one. Rarer syntax takes the way of re2js. */
const TOKEN =
  /(?<look>\(\?<?[=!])|(?<open>\(\?:|\()(?!\?)|(?<close>\))(?<optional>\?\??)?|(?<or>\|)|(?<place>[\^$]|\\b)|(?<atom>\\[dwts]|\\[!-/:-@[-`{-~]|\[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\\[dw]|[!-%'-,./:-Z_`a-z{}0-9 ])+\]|[^\\()[\]{}|*+?^$])(?:(?<maybe>\?\??)|\{(?<least>\d{1,3})(?:,(?<most>\d{1,3}))?\}\??)?/uy

/** A sequence so far, and the alternatives before it: ways to match at one position, steps to try them all. */
interface Frame {
  /** A lookahead or lookbehind: it takes no character, and matches or does not. */
  looks: boolean
  ways: number
  steps: number
  nullable: boolean
  otherWays: number
  otherSteps: number
  otherNullable: boolean
}

const newFrame = (looks = false): Frame => ({
  looks,
  ways: 1,
  steps: 1,
  nullable: true,
  otherWays: 0,
  otherSteps: 0,
  otherNullable: false,
})

/**
 * `regex`: source for the `u` flag, with `.` and classes spelled as RE2 means them. `needsLine`: it looks at the text around a match
 * (`$`, lookaround). That text differs between a line alone and the same line within the whole text. Undefined when the pattern is not
 * bounded; that says nothing about whether it is valid.
 */
export function boundedPattern(
  source: string,
  caseInsensitive: boolean,
): { regex: string; needsLine: boolean } | undefined {
  // V8 folds U+212A and U+017F into `\w` when case is ignored, RE2 does not.
  if (caseInsensitive && /\\[wWbB]/.test(source)) return undefined
  if (/\p{Cs}/u.test(source)) return undefined
  const frames: Frame[] = [newFrame()]
  let regex = ''
  let needsLine = false
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < source.length) {
    const match = TOKEN.exec(source)
    const frame = frames.at(-1)
    if (match === null || frame === undefined || frames.length > DEEPEST) return undefined
    const { look, open, close, optional, or, place, atom = '', maybe, least, most } = match.groups ?? {}
    // A second count behind a count is for engines that know more.
    if (!look && !open && !or && !place && /[*+?{]/.test(source.charAt(TOKEN.lastIndex))) return undefined
    if (look) {
      frames.push(newFrame(true))
      needsLine = true
      regex += look
    } else if (open) {
      frames.push(newFrame())
      regex += '(?:'
    } else if (or) {
      endAlternative(frame)
      regex += '|'
    } else if (place) {
      if (/[*+?{]/.test(source.charAt(TOKEN.lastIndex))) return undefined
      needsLine ||= place === '$'
      // A place takes a step, and no character.
      follow(frame, 1, 1, true)
      regex += PLACES[place] ?? place
    } else if (close) {
      frames.pop()
      const outer = frames.at(-1)
      endAlternative(frame)
      // To repeat what may be nothing means different things to V8 and RE2.
      if (outer === undefined || (optional && (frame.looks || frame.otherNullable))) return undefined
      if (frame.looks) {
        follow(outer, 1, frame.otherSteps, true)
        regex += ')'
        continue
      }
      const more = optional ? 1 : 0
      follow(outer, frame.otherWays + more, frame.otherSteps + more, frame.otherNullable || more === 1)
      regex += `)${optional ?? ''}`
    } else {
      const from = maybe ? 0 : Number(least ?? 1)
      const to = maybe ? 1 : Number(most ?? least ?? 1)
      if (to < from) return undefined
      follow(frame, to - from + 1, to + 1, from === 0)
      regex += spelled(atom) + match[0].slice(atom.length)
    }
    if (frames.some(({ ways, steps }) => ways > MOST_STEPS || steps > MOST_STEPS)) return undefined
  }
  const whole = frames[0]
  if (frames.length !== 1 || whole === undefined) return undefined
  endAlternative(whole)
  if (whole.otherWays > MOST_STEPS || whole.otherSteps > MOST_STEPS) return undefined
  try {
    // A class may hold a range that runs backwards.
    new RegExp(regex, 'u')
    return { regex, needsLine }
  } catch {
    return undefined
  }
}

function follow(frame: Frame, ways: number, steps: number, nullable: boolean): void {
  frame.steps += frame.ways * steps
  frame.ways *= ways
  frame.nullable &&= nullable
}

function endAlternative(frame: Frame): void {
  frame.otherWays += frame.ways
  frame.otherSteps += frame.steps
  frame.otherNullable ||= frame.nullable
  frame.ways = frame.steps = 1
  frame.nullable = true
}

const PLACES: Readonly<Record<string, string>> = { '^': '(?<![^\\n])', $: '(?![^\\n])' }

/** One character of a pattern as V8 needs it with the `u` flag. */
function spelled(atom: string): string {
  if (atom === '.') return '[^\\n]'
  if (atom === '\\s') return '[\\t\\n\\f\\r ]'
  const escaped = /^\\([^dwt])$/.exec(atom)?.[1]
  if (escaped === undefined) return atom
  return /[\^$\\.*+?()[\]{}|/]/.test(escaped) ? atom : escaped
}

// The prefilter: texts that every match holds.

/** One of these is in every match. */
type AnyOf = readonly string[]

/** More texts than this say little about where to look, and so do more sets of them. */
const MOST_TEXTS = 16
const MOST_SETS = 4

interface Seeker {
  /** A place at or after `from` before which no line ends that holds one text of each set; -1: there is none. */
  next(text: string, from: number): number
  /** False: there is no match in a text. */
  mayMatch(text: string): boolean
}

/** Undefined: there is nothing to look for. */
function seeker(sets: readonly AnyOf[], caseInsensitive: boolean): Seeker | undefined {
  if (sets.length === 0) return undefined
  const finders = sets.map((texts) => finder(texts, caseInsensitive))
  const ahead = finders.map(remembering)
  return {
    next(text, from) {
      let place = from
      for (const find of ahead) {
        const found = find(text, from)
        if (found < 0) return -1
        if (found > place) place = found
      }
      return place
    },
    mayMatch: (text) => finders.every((find) => find(text, 0) >= 0),
  }
}

type Find = (text: string, from: number) => number

function finder(texts: AnyOf, caseInsensitive: boolean): Find {
  const [only = ''] = texts
  if (texts.length === 1 && !caseInsensitive) return (text, from) => text.indexOf(only, from)
  const regex = new RegExp(texts.map((text) => literal(text)).join('|'), caseInsensitive ? 'giu' : 'gu')
  return (text, from) => firstMatch(regex, text, from)?.start ?? -1
}

/** A text that is rare would else be looked for to the end from every line again. */
function remembering(find: Find): Find {
  let known = { text: '', from: 0, found: -1 }
  return (text, from) => {
    if (known.text === text && from >= known.from && (known.found < 0 || known.found >= from))
      return known.found
    known = { text, from, found: find(text, from) }
    return known.found
  }
}

/** Sets of texts of each of which every match holds one, the most telling first. None where the pattern is not understood. */
export function requiredTexts(regex: string): readonly AnyOf[] {
  try {
    const reader = new TextReader(regex)
    const found = reader.alternation()
    return reader.isDone ? found : []
  } catch (error) {
    if (error instanceof NotUnderstood) return []
    throw error
  }
}

class NotUnderstood extends Error {}

/** Longer shortest texts are rarer. */
const worth = (texts: AnyOf): number => Math.min(...texts.map(({ length }) => length))

const CLASS = /\[\^?\]?(?:\\[^\n]|[^\]\\[])*\]/y
const COUNT = /(?:[*+?]|\{\d*,?\d*\})[*+?]?/y

class TextReader {
  readonly #regex: string
  #at = 0
  #depth = 0

  constructor(regex: string) {
    this.#regex = regex
  }

  get isDone(): boolean {
    return this.#at === this.#regex.length
  }

  /** Of several alternatives the most telling set of each, together; none where one has none. */
  alternation(): readonly AnyOf[] {
    if (this.#depth++ > DEEPEST) throw new NotUnderstood()
    const first = this.#sequence()
    let all: AnyOf | undefined
    while (this.#regex[this.#at] === '|') {
      this.#at++
      all ??= first[0] ?? []
      const [next] = this.#sequence()
      all = all.length === 0 || next === undefined ? [] : [...all, ...next]
    }
    this.#depth--
    if (all === undefined) return first
    return all.length === 0 || all.length > MOST_TEXTS ? [] : [all]
  }

  #sequence(): readonly AnyOf[] {
    const sets: AnyOf[] = []
    let run = ''
    const close = (): void => {
      if (run !== '') sets.push([run])
      run = ''
    }
    while (!this.isDone && this.#regex[this.#at] !== '|' && this.#regex[this.#at] !== ')') {
      const part = this.#part()
      const count = this.#take(COUNT)
      const optional = count !== '' && !count.startsWith('+')
      if (typeof part !== 'string') {
        close()
        if (!optional) sets.push(...part)
      } else if (!optional) run += part
      if (count !== '') close()
    }
    close()
    return sets.sort((one, other) => worth(other) - worth(one)).slice(0, MOST_SETS)
  }

  /** A character that stands for itself, or the sets of a group; of all else nothing is told. */
  #part(): string | readonly AnyOf[] {
    const character = String.fromCodePoint(this.#regex.codePointAt(this.#at) ?? 0)
    if (character === '(') return this.#group()
    if (character === '[') {
      if (this.#take(CLASS) === '') throw new NotUnderstood()
      return []
    }
    this.#at += character.length
    if (character === '.' || character === '^' || character === '$') return []
    if (character !== '\\') return character
    const name = this.#regex.charAt(this.#at++)
    if (/[dDwWsSbBtnr1-9]/.test(name)) return []
    if (/[!-/:-@[-`{-~]/.test(name)) return name
    throw new NotUnderstood()
  }

  /** Flags inside a group could change what follows: such patterns are left alone. */
  #group(): readonly AnyOf[] {
    const [opening = '', kind] =
      /^\((?:\?(:|P?<[A-Za-z_]\w*>|<?[=!]))?(?!\?)/.exec(this.#regex.slice(this.#at, this.#at + 80)) ?? []
    if (opening === '') throw new NotUnderstood()
    this.#at += opening.length
    const found = this.alternation()
    if (this.#regex[this.#at++] !== ')') throw new NotUnderstood()
    return kind !== undefined && /[=!]$/.test(kind) ? [] : found
  }

  #take(form: RegExp): string {
    form.lastIndex = this.#at
    const [taken = ''] = form.exec(this.#regex) ?? []
    this.#at += taken.length
    return taken
  }
}

// `(?=.*a)(?=.*b)` and `^(?!.*a).*b`: lines that hold all of several parts, or lack some. Models use lookahead for this, and it needs none:
// each part is looked for by itself, in linear time.

const LOOKAHEAD = /^\(\?([=!])\.\*\??/

/** Undefined for every other pattern. A match is the rest, or nothing at the start of its line, as in the original. */
function conjunction(source: string, options: PatternOptions): Pattern | undefined {
  if (options.multiline === true) return undefined
  const compile = (regex: string): Pattern | undefined =>
    bounded(regex, options) ?? linear(regex, regex, options)
  const isAnchored = source.startsWith('^')
  let left = isAnchored ? source.slice(1) : source
  const parts: { pattern: Pattern; wanted: boolean }[] = []
  for (let found = LOOKAHEAD.exec(left); found; found = LOOKAHEAD.exec(left)) {
    const [opening, sign] = found
    const { closing } = structureOf(left.slice(opening.length))
    const pattern = closing < 0 ? undefined : compile(left.slice(opening.length, opening.length + closing))
    if (pattern === undefined) return undefined
    parts.push({ pattern, wanted: sign === '=' })
    left = left.slice(opening.length + closing + 1)
  }
  // The lookaheads of `(?=…)a|b` belong to `a` alone.
  if (parts.length === 0 || structureOf(left).hasAlternatives) return undefined
  // Without `^` a match may begin in the middle of a line: the same lines only where nothing more is asked of it.
  if (!isAnchored && (!/^(?:\.[*+]\$?)?$/.test(left) || parts.some(({ wanted }) => !wanted))) return undefined
  const rest = compile(`^(?:${left})`)
  if (rest === undefined) return undefined
  const seek = parts.find(({ wanted }) => wanted)?.pattern ?? rest

  function* matches(text: string, from = 0): Generator<Span> {
    for (let start = from; start <= text.length; ) {
      const place = seek.candidate(text, start)
      if (place === -1) return
      if (place > start) start = Math.max(start, text.lastIndexOf('\n', place - 1) + 1)
      const newline = text.indexOf('\n', start)
      const end = newline === -1 ? text.length : newline
      const line = text.slice(start, end)
      const [found] = parts.every(({ pattern, wanted }) => pattern.test(line) === wanted)
        ? (rest as Pattern).matches(line)
        : []
      if (found) yield { start: start + found.start, end: start + found.end }
      start = end + 1
    }
  }

  return {
    source,
    engine: 'linear',
    test: (text) => !matches(text).next().done,
    matches,
    candidate: (text, from) => seek.candidate(text, from),
    run: (work) => limited(source, LINEAR_LIMIT, work),
  }
}

/** The end of the group that starts here with its content (-1: none), and whether a `|` outside of all groups comes before. */
function structureOf(regex: string): { closing: number; hasAlternatives: boolean } {
  let depth = 0
  let hasAlternatives = false
  for (const { 0: part, index } of regex.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|[()|]/g)) {
    if (part === '(') depth++
    else if (part === ')' && depth-- === 0) return { closing: index, hasAlternatives }
    else if (part === '|' && depth === 0) hasAlternatives = true
  }
  return { closing: -1, hasAlternatives }
}

// Patterns that need lookahead or backreferences: V8's own RegExp, under a time limit.

/** Undefined when V8 rejects it too. */
function backtracking(source: string, options: PatternOptions): Pattern | undefined {
  const regex = compileBacktracking(source, options)
  if (regex === undefined) return undefined
  let left = BACKTRACKING_LIMIT
  let running = false
  const run = <T>(work: () => T): T => {
    if (running) return work()
    const before = performance.now()
    running = true
    try {
      return limited(source, left, work)
    } finally {
      running = false
      left = Math.max(1, left - (performance.now() - before))
    }
  }
  const next = (text: string, from: number): Span | undefined => run(() => firstMatch(regex, text, from))
  const seek = seeker(requiredTexts(source), options.caseInsensitive === true)
  return {
    source,
    engine: 'backtracking',
    test: (text) => next(text, 0) !== undefined,
    matches: (text, from = 0) => eachMatch(text, from, next),
    candidate: (text, from) => seek?.next(text, from) ?? from,
    run,
  }
}

function compileBacktracking(source: string, options: PatternOptions): RegExp | undefined {
  const leading = /^\(\?([ims]+)\)/.exec(source)
  const inline = leading?.[1] ?? ''
  const flags = ['g', 'm', options.caseInsensitive === true || inline.includes('i') ? 'i' : '']
  flags.push(options.multiline === true || inline.includes('s') ? 's' : '', 'u')
  const body = source
    .slice(leading?.[0].length ?? 0)
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(
      /\\([\s\S])/g,
      (written, name: string) => SPELLINGS[name] ?? (IDENTITY.test(name) ? `\\x${hex(name)}` : written),
    )
  try {
    return new RegExp(body, flags.join(''))
  } catch {
    return undefined
  }
}

/** Escapes of other engines, as V8 spells them. */
const SPELLINGS: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  Z: '(?![\\s\\S])',
  z: '(?![\\s\\S])',
  h: '[ \\t]',
}
/** Punctuation that needs no backslash; V8's `u` flag rejects it with one. */
const IDENTITY = /[!"#%&',:;<=>@_`~ -]/
const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')

// The common facts of all ways to match.

/** The first match of a `g` regex at or after `from`. */
function firstMatch(regex: RegExp, text: string, from: number): Span | undefined {
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
function* eachMatch(
  text: string,
  from: number,
  next: (text: string, from: number) => Span | undefined,
): Generator<Span> {
  let span = from <= text.length ? next(text, from) : undefined
  while (span !== undefined) {
    yield span
    const width = (text.codePointAt(span.end) ?? 0) > 0xffff ? 2 : 1
    const after = span.end > span.start ? span.end : span.end + width
    span = after <= text.length ? next(text, after) : undefined
  }
}

const splitsCharacter = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** Runs `work`; throws a `PatternError` when it takes longer than `milliseconds`. */
function limited<T>(source: string, milliseconds: number, work: () => T): T {
  try {
    return withinTime(milliseconds, work)
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    throw new PatternError(
      `The pattern ${JSON.stringify(source)} takes too long on this text. Write it without lookaround, backreferences and nested repetition, or search for plain words.`,
    )
  }
}
