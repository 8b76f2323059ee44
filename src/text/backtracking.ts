/** Patterns that need lookahead or backreferences: V8's own RegExp, under a time limit. */
import { eachMatch, firstMatch, limited } from './matching.ts'
import type { Pattern, PatternOptions, Span } from './pattern.ts'

/**
 * Milliseconds for backtracking, which is exponential when it goes wrong. By the clock on the wall: on a busy machine the worker
 * may stand still for some tenths of a second, which is no fault of the pattern.
 */
const backtrackingLimit = 600

/** Undefined when V8 rejects it too. */
export function backtracking(source: string, options: PatternOptions): Pattern | undefined {
  const regex = compileBacktracking(source, options)
  if (regex === undefined) return undefined
  let left = backtrackingLimit
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
  return {
    source,
    engine: 'v8',
    test: (text) => next(text, 0) !== undefined,
    matches: (text, from = 0) => eachMatch(text, from, next),
    candidate: (_text, from) => from,
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
      (written, name: string) => spellings[name] ?? (identity.test(name) ? `\\x${hex(name)}` : written),
    )
  try {
    return new RegExp(body, flags.join(''))
  } catch {
    return undefined
  }
}

/** Escapes of other engines, as V8 spells them. */
const spellings: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  Z: '(?![\\s\\S])',
  z: '(?![\\s\\S])',
  h: '[ \\t]',
}
/** Punctuation that needs no backslash; V8's `u` flag rejects it with one. */
const identity = /[!"#%&',:;<=>@_`~ -]/
const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')
