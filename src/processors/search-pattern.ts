/** The pattern of a search, compiled or refused. */
import { compilePattern, isPattern, type Pattern, PatternError } from '../text/pattern.ts'
import { Refusal } from './refusal.ts'
import type { SearchParams } from './search-params.ts'

/** Throws a `Refusal` that says what to write instead. */
export function requirePattern(params: SearchParams): Pattern {
  const source = requireText(params)
  const multiline = params.multiline === true
  const pattern = compilePattern(multiline ? nearestDots(source) : source, {
    caseInsensitive: params.case_insensitive === true,
    multiline,
  })
  if (!isPattern(pattern)) throw new Refusal(pattern.error)
  return pattern
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
 * Over several lines `a.*b` is meant to end at the next `b`, not at the last one of the text: repeated dots take as little
 * as they can.
 */
export function nearestDots(source: string): string {
  return source.replace(
    /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\](?:[*+](?![?+]))?|\.[*+](?![?+])/g,
    (part) => (/^(?:\.|\[(?:\\s\\S|\\S\\s|\\d\\D|\\w\\W)\])[*+]$/.test(part) ? `${part}?` : part),
  )
}
