/** The pattern of a search, compiled or refused. */
import { compilePattern, isPattern, type Pattern, PatternError } from '../text/pattern.ts'
import { Refusal } from './refusal.ts'
import type { SearchParams } from './search-params.ts'

/** Throws a `Refusal` that says what to write instead. */
export function requirePattern(params: SearchParams): Pattern {
  const source = requireText(params)
  const pattern = compilePattern(source, {
    caseInsensitive: params.case_insensitive === true,
    multiline: params.multiline === true,
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
