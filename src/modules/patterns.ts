/** Patterns in the options of modules that mean items of servers: one that fits none of them is most likely misspelt. */
import type { JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { matcherOf } from '../text/glob.ts'
import { KINDS, type Kind, namesOf } from './roster.ts'

export interface NamingPattern {
  /** The option it stands in. */
  readonly option: string
  /** As it is written. */
  readonly pattern: string
  /** What it may mean, as the lists that have it are called: `tools`, `prompts`, `resources`, `resourceTemplates`. */
  readonly kinds: readonly Kind[]
  /** Whether it means this item of such a list. */
  fits(item: JsonObject, kind: Kind): boolean
}

/** A pattern for each of these, by the test that `fitsOf` makes of it. */
export function patternsIn(
  option: string,
  patterns: readonly string[] = [],
  kinds: readonly Kind[],
  fitsOf: (pattern: string) => NamingPattern['fits'] = byNames,
): NamingPattern[] {
  return patterns.map((pattern) => ({ option, pattern, kinds, fits: fitsOf(pattern) }))
}

/** By the name under which an item is listed, or as `server/name`. */
function byNames(pattern: string): NamingPattern['fits'] {
  const fits = matcherOf([pattern])
  return (item, kind) => namesOf(item, kind).some(fits)
}

/** By what clients call it alone: its name, or its URI. */
export function byShownName(pattern: string): NamingPattern['fits'] {
  const fits = matcherOf([pattern])
  return (item, kind) => {
    if (kind === 'resourceTemplates') return mayStandFor(item, pattern)
    const name = item[KINDS[kind].key]
    return typeof name === 'string' && fits(name)
  }
}

/** True where a listed template may stand for what the pattern of URIs means. In doubt it does: what it stands for nobody lists. */
export function mayStandFor(template: JsonObject, pattern: string): boolean {
  const { uriTemplate } = template
  if (typeof uriTemplate !== 'string') return false
  const origin = originOf(template)
  const whose = origin === undefined ? '' : `${origin.server}/`
  const uri = whose !== '' && pattern.startsWith(whose) ? pattern.slice(whose.length) : pattern
  const [known, wanted] = [uriTemplate.replace(/\{.*$/s, ''), uri.replace(/[*?].*$/s, '')]
  return (
    known.toLowerCase().startsWith(wanted.toLowerCase()) ||
    wanted.toLowerCase().startsWith(known.toLowerCase())
  )
}
