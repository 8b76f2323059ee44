/** The common part of the modes of a search: each is a step of its own, and all have the same parameters. */
import { Refusal } from '../../query/refusal.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import type { LineIndex } from '../../text/lines.ts'
import { literal } from '../../text/patterns/literal.ts'
import { compilePattern, isPattern, type Pattern, PatternError } from '../../text/patterns/pattern.ts'
import { excerpt } from '../../text/shorten.ts'
import { eachWord } from '../../text/words/tokenize.ts'
import type { SearchMode, SearchParams } from '../parameters.ts'
import type { StepMetadata } from '../processor.ts'
import {
  findHits,
  type Hits,
  hasHit,
  isVocabularyCheap,
  mostKept,
  type Searchable,
  vocabularyOf,
} from './searchable.ts'

/** More lines around a hit than this are never shown. */
const mostContextLines = 50

/** Lines before and after a hit. */
export function contextLines(params: SearchParams, byDefault = 0): number {
  return Math.min(params.context_lines ?? byDefault, mostContextLines)
}

/** True when a search is asked for and `mode` is its mode. An empty pattern is asked for, and refused by the step. */
export function searches(params: SearchParams, mode: SearchMode): boolean {
  return params.pattern !== undefined && (params.mode ?? 'regex') === mode
}

/** Hits on a page. */
export function pageSize(params: SearchParams): number {
  return params.mode === 'bm25' ? (params.top_k ?? params.max_results ?? 5) : (params.max_results ?? 20)
}

// The pattern of a search, compiled or refused.

/** A pattern, as it is read, with parameters that say the same. */
export interface Read {
  pattern: Pattern
  params: SearchParams
  note: string | undefined
}

/** The pattern of a search; one that would match everything is read as plain text. Throws a `Refusal` that says what to write instead. */
export function readPattern(view: Searchable, params: SearchParams): Read {
  const pattern = requirePattern(params)
  return asPlainText(view, params) ?? { pattern, params, note: pattern.note }
}

function requirePattern(params: SearchParams): Pattern {
  const source = requireText(params)
  const multiline = params.multiline === true
  const pattern = compilePattern(withFreeBlanks(multiline ? nearestDots(source) : source), {
    caseInsensitive: params.case_insensitive === true,
    multiline,
  })
  if (!isPattern(pattern)) throw new Refusal(pattern.error)
  return pattern
}

/** `"admin": true` is meant however the JSON is laid out: of several files one may be minified and another indented. */
function withFreeBlanks(source: string): string {
  return source.replace(/^("[\w.-]+") ?: ?(?=[\w"[{-])/, '$1\\s*:\\s*')
}

/** `pattern.run`; when the time is up, a `Refusal` that says what to write instead. */
export function runPattern<T>(pattern: Pattern, work: () => T): T {
  try {
    return pattern.run(work)
  } catch (error) {
    if (error instanceof PatternError) throw new Refusal(error.message)
    throw error
  }
}

/** The pattern as plain text. An empty one is refused: it would find everything. */
export function requireText({ pattern = '' }: SearchParams): string {
  if (pattern.trim() === '')
    throw new Refusal('`pattern` is empty. Give the text or regular expression to search for.')
  return pattern
}

/**
 * Over several lines `a.*b` is meant to end at the next `b`, not at the last one of the text. So repeated dots take as little as they
 * can.
 */
export function nearestDots(source: string): string {
  return source.replace(
    /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\](?:[*+](?![?+]))?|\.[*+](?![?+])/g,
    (part) => (/^(?:\.|\[(?:\\s\\S|\\S\\s|\\d\\D|\\w\\W)\])[*+]$/.test(part) ? `${part}?` : part),
  )
}

// The other meanings of a pattern that finds nothing as it is written.

/** One way to read a pattern. */
interface Reading {
  source: string
  caseInsensitive?: boolean
  multiline?: boolean
  /** Completes "it was read", or begins "…, 3 lines would match". */
  how: string
}

/** More readings than this are not tried: each looks through everything. */
const mostReadings = 12
/** Words that are looked for in any order. */
const mostWords = 8
/** The most lines that are shown of near matches, and characters of each. */
const mostTold = 3
const toldWidth = 160

/** The first reading by which something in `view` matches. */
export function otherReading(view: Searchable, params: SearchParams): (Read & { note: string }) | undefined {
  const source = params.pattern ?? ''
  for (const reading of readingsOf(source, params, view.goesOn).slice(0, mostReadings)) {
    const found = tried(view, params, reading)
    if (found)
      return { ...found, note: `Nothing matches ${quoted(source)} as written; it was read ${reading.how}.` }
  }
  return undefined
}

/** Reads a pattern with an empty alternative or group as plain text: as a pattern it would match everything. */
function asPlainText(view: Searchable, params: SearchParams): Read | undefined {
  const source = params.pattern ?? ''
  const bare = source.replace(/\\[\s\S]/g, '')
  if (!/^\s*\||\|\s*$|\|\||\(\)|\[\]/.test(bare)) return undefined
  const found = tried(view, params, { source: literal(source), how: 'as plain text' })
  return found && { ...found, note: `${quoted(source)} was read as plain text.` }
}

function tried(view: Searchable, params: SearchParams, reading: Reading) {
  const caseInsensitive = reading.caseInsensitive ?? params.case_insensitive === true
  const multiline = reading.multiline ?? params.multiline === true
  const source = multiline ? nearestDots(reading.source) : reading.source
  const pattern = compilePattern(source, { caseInsensitive, multiline })
  if (!isPattern(pattern) || !inTime(pattern, () => hasHit(view, pattern, multiline))) return undefined
  return { pattern, params: { ...params, case_insensitive: caseInsensitive, multiline } }
}

/** `pattern.run` of another reading; undefined where that takes too long. */
function inTime<T>(pattern: Pattern, work: () => T): T | undefined {
  try {
    return pattern.run(work)
  } catch (error) {
    if (error instanceof PatternError) return undefined
    throw error
  }
}

/** From what was most likely meant on. */
function readingsOf(source: string, params: SearchParams, goesOn: boolean): Reading[] {
  const found = [...bySyntax(source), ...byOperators(source)]
  if (params.multiline !== true && /\\[nr]|\n/.test(source))
    found.push({ source, multiline: true, how: 'as a match over several lines' })
  if (params.case_insensitive === undefined)
    found.push({ source, caseInsensitive: true, how: 'regardless of case' })
  const overEnd = goesOn ? overLineEnd(phraseOf(params)) : undefined
  if (overEnd !== undefined) found.push({ source: overEnd, multiline: true, how: 'over the ends of lines' })
  return found
}

/** A phrase: words and the marks that stand for themselves in a pattern. */
const PHRASE = /^[\p{L}\p{N} ,;:'"%&@#/_!=-]{6,}$/u

/** Words of a phrase of which each line end is looked for by itself. A longer one is hardly ever whole on a line. */
const MOST_ENDS = 6

const WORDS_APART = String.raw`[ \t]+`
/** With the marks of a quoted text behind it. */
const LINE_END = String.raw`[ \t]*\r?\n[ \t>]*`

/** The words of a pattern that is a phrase. */
function phraseOf({ pattern = '', multiline }: SearchParams): string[] {
  const words = pattern.trim().split(/ +/)
  return multiline !== true &&
    PHRASE.test(pattern) &&
    /\p{L}{2}/u.test(pattern) &&
    words.every((word) => /[\p{L}\p{N}]/u.test(word))
    ? words
    : []
}

/** A phrase that a line end breaks; a long one also where none does. Nothing for less than two words. */
function overLineEnd(words: readonly string[]): string | undefined {
  if (words.length < 2) return undefined
  if (words.length > MOST_ENDS) return words.join('(?: |\\r?\\n[ >]*)')
  const broken = (at: number) =>
    [words.slice(0, at), words.slice(at)].map((part) => part.join(WORDS_APART)).join(LINE_END)
  return words
    .slice(1)
    .map((_, at) => broken(at + 1))
    .join('|')
}

/** The remark on matches of a phrase that no line has whole, beside those lines. `countOf`: how many values match a pattern. */
export function brokenByLineEnds(
  view: Searchable,
  params: SearchParams,
  matched: number,
  countOf: (pattern: Pattern) => number,
): string | undefined {
  const words = phraseOf(params)
  const source = view.goesOn && words.length <= MOST_ENDS ? overLineEnd(words) : undefined
  if (source === undefined) return undefined
  // A record may have the phrase both ways.
  const pattern = compilePattern(view.lines ? source : `${words.join(' ')}|${source}`, {
    caseInsensitive: params.case_insensitive === true,
    multiline: true,
  })
  if (!isPattern(pattern)) return undefined
  const { text, lines } = view
  const places: string[] = []
  const countPlaces = (index: LineIndex): number => {
    let count = 0
    let reached = 0
    for (const line of linesBefore(text, words, index, params.case_insensitive === true)) {
      const from = index.start(line)
      const two = text.slice(from, index.end(Math.min(line + 1, index.count - 1)))
      for (const { start, end } of pattern.matches(two)) {
        // The end of one match begins no other one.
        if (from + start < reached) continue
        reached = from + end
        if (count++ < mostTold) places.push(`${line + 1}-${line + 2}`)
      }
    }
    return count
  }
  const more = inTime(pattern, () => (lines ? countPlaces(lines) : countOf(pattern) - matched)) ?? 0
  if (more <= 0) return undefined
  const where = lines ? ` (lines ${places.join(', ')}${more > mostTold ? ', …' : ''})` : ''
  const call = `\`${words.join(String.raw`[\s>]+`)}\`${lines ? ', multiline: true' : ''}`
  return `${formatCount(more)} more over the end of a line${where}: ${call}.`
}

/** The lines that end with a word of a phrase, not its last: there it may go on. To look for these ends first is fast. */
function linesBefore(
  text: string,
  words: readonly string[],
  index: LineIndex,
  caseInsensitive: boolean,
): Iterable<number> {
  const ends = new RegExp(
    `(?:${words.slice(0, -1).map(literal).join('|')})[ \\t\\r]*\\n`,
    caseInsensitive ? 'giu' : 'gu',
  )
  return new Set(Array.from(text.matchAll(ends), (found) => index.lineAt(found.index)))
}

/** The remark on what a pattern in small letters alone leaves out that has capital ones. `countOf`: how many match a pattern. */
export function inOtherLetters(
  params: SearchParams,
  matched: number,
  countOf: (pattern: Pattern) => number,
): string | undefined {
  const { pattern: source = '', case_insensitive, multiline } = params
  const isSmall = /\p{Ll}/u.test(source) && !/[^\p{Ll}\p{N}\s_-]/u.test(source)
  if (!isSmall || case_insensitive !== undefined || multiline === true) return undefined
  const pattern = compilePattern(source, { caseInsensitive: true })
  const more = (isPattern(pattern) ? (inTime(pattern, () => countOf(pattern)) ?? 0) : 0) - matched
  return more > 0 ? `${formatCount(more)} more in other letters: \`(?i)${source}\`.` : undefined
}

/**
 * The places that would match if less were asked for: another case, the words in another order. Not what was asked, so it is told and
 * counts for nothing.
 */
export function nearMatches(view: Searchable, params: SearchParams): string | undefined {
  const source = params.pattern ?? ''
  const anyCase = { source, caseInsensitive: true, how: 'With case_insensitive: true' }
  const readings: Reading[] =
    params.case_insensitive === true ? byWords(source) : [anyCase, ...byWords(source)]
  for (const reading of readings) {
    const found = tried(view, params, reading)
    const hits = found && inTime(found.pattern, () => findHits(view, found.pattern, mostTold, true))
    if (!hits) continue
    const places = hits.kept.map(({ unit, start, end }) => {
      const from = view.units.start(unit)
      const whole = view.text.slice(from, view.units.end(unit))
      const shown = excerpt(whole, { start: start - from, end: end - from }, toldWidth)
      return view.noun === 'line' ? `${unit + 1}: ${shown}` : shown
    })
    const list = places.map((place) => `\n  ${place}`).join('')
    return `${reading.how}, ${formatPlural(hits.units, view.noun)} would match:${list}`
  }
  return undefined
}

/** `/x/i`, `"x"`, and text that only looks like an expression. */
function bySyntax(source: string): Reading[] {
  const found: Reading[] = []
  const [, inner, flags = ''] = /^\/(.+)\/([a-z]{0,6})$/s.exec(source) ?? []
  if (inner !== undefined) {
    found.push({
      source: inner,
      ...(flags.includes('i') ? { caseInsensitive: true } : {}),
      ...(flags.includes('s') ? { multiline: true } : {}),
      how: 'as the expression between the slashes',
    })
  }
  const [, , bare] = /^(["'`])(.+)\1$/s.exec(source) ?? []
  if (bare !== undefined) found.push({ source: bare, how: 'without the quotes' })
  // A model that escapes for JSON twice.
  if (/\\\\[dwsbDWSB.()[\]{}|+*?$^]/.test(source))
    found.push({ source: source.replaceAll('\\\\', '\\'), how: 'with single backslashes' })
  if (/[\^$\\.*+?()[\]{}|]/.test(source)) found.push({ source: literal(source), how: 'as plain text' })
  if (/^[^\\()[\]{}|^$+?]*\*[^\\()[\]{}|^$+?]*$/.test(source) && /[^*\s]/.test(source)) {
    const parts = source.split('*').map(literal)
    found.push({ source: parts.join('.*'), how: 'with `*` for anything' })
  }
  return found
}

/** `a OR b`, `a AND b`, as search engines have it. */
function byOperators(source: string): Reading[] {
  const any = parts(source, /\s+(?:OR|\|\|)\s+|\s+\|\s+/)
  if (any) return [{ source: any.map((part) => `(?:${part})`).join('|'), how: 'as any of its parts' }]
  const all = parts(source, /\s+(?:AND|&&)\s+/)
  return all ? [{ source: together(all), how: 'as all of its parts in any order' }] : []
}

function parts(source: string, separator: RegExp): string[] | undefined {
  const found = source
    .split(separator)
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/s, '$2'))
    .filter((part) => part !== '')
  return found.length > 1 && found.length <= mostWords ? found : undefined
}

/** Several words that do not stand one after the other. */
function byWords(source: string): Reading[] {
  const words = source.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length < 2 || words.length > mostWords) return []
  return [
    {
      source: together(words.map(literal)),
      caseInsensitive: true,
      how: 'With these words in any order and case',
    },
  ]
}

const together = (all: readonly string[]): string => `^${all.map((part) => `(?=.*${part})`).join('')}`

function quoted(source: string): string {
  return `\`${source.length > 60 ? `${source.slice(0, 60)}…` : source}\``
}

// The remark when nothing was found: what was searched, and what is near.

/** Words of the pattern that are looked up, and near words told for each. */
const mostLookedUp = 3
const mostNear = 4

/** Notes for a search of `view` that found nothing; `near`: what would match if less were asked for. */
export function nearMisses(view: Searchable, params: SearchParams, near?: string): string[] {
  const nothing = `Nothing matches in ${formatPlural(view.units.count, view.noun)}.`
  return near === undefined ? [nothing, ...nearWords(view, params.pattern ?? '')] : [nothing, near]
}

function nearWords(view: Searchable, pattern: string): string[] {
  if (!isVocabularyCheap(view)) return []
  const vocabulary = vocabularyOf(view)
  const words: string[] = []
  // A backslash and a letter is a class, not the beginning of a word.
  const plain = pattern.replace(/\\[a-zA-Z]/g, ' ').slice(0, 200)
  eachWord(plain, (start, end) => {
    if (words.length < mostLookedUp && end - start >= 3) words.push(plain.slice(start, end).toLowerCase())
  })
  return words.flatMap((word) => {
    const near = vocabulary.nearest(word, mostNear)
    return near.length === 0 || near.includes(word) ? [] : [`Near \`${word}\`: ${near.join(', ')}.`]
  })
}

// The remarks of a search beside its hits.

/** Counts are over everything; `notes` only when there are some. */
export function counts(total: number, matched: number, notes: string[]): StepMetadata {
  return { total, matched, ...(notes.length > 0 && { notes }) }
}

/** How often a long line matches, where this exceeds the number of hits. */
export function timesIn({ count, units, long, inLong }: Hits): string[] {
  const hits = count - (units - long)
  if (inLong === hits) return []
  const times = Number.isFinite(inLong) ? formatCount(inLong) : `more than ${formatCount(mostKept)}`
  return [`In long lines it matches ${times} times; matches near each other are one hit.`]
}
