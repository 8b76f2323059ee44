/**
 * `ERROR.*timeout`: parts of fixed length in one order on one line, with anything between. It is what most patterns are, and
 * needs neither backtracking nor a slow engine: each part is looked for behind the one before, once a line.
 */
import { codePointLength, eachMatch } from './matching.ts'
import type { Span } from './pattern.ts'

/** Finds the first place of a part at or after `from`. */
export type FindPart = (text: string, from: number) => Span | undefined

/** One part. */
export interface OrderedPart {
  find: FindPart
  /** True for the part that is nothing, at either end: `.*a`, `a.*`. */
  isEmpty: boolean
  /** What the part is when it is plain text. */
  literal: string | undefined
}

export interface InOrder {
  test(text: string): boolean
  matches(text: string, from?: number): Iterable<Span>
  candidate(text: string, from: number): number
}

/** The parts between `.*`, or between `.*?`. Undefined when there is no such thing, or both. */
export function partsInOrder(source: string): { parts: string[]; lazy: boolean } | undefined {
  const parts: string[] = []
  const gaps = new Set<string>()
  let start = 0
  let depth = 0
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at++
    else if (character === '[') {
      // Classes without brackets and escapes in them; all else is for engines that know more.
      const end = source.indexOf(']', at + 2)
      if (end < 0 || /[[\\]/.test(source.slice(at + 1, end))) return undefined
      at = end
    } else if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '|' && depth === 0) return undefined
    else if (character === '.' && depth === 0 && source[at + 1] === '*') {
      const gap = source[at + 2] === '?' ? '.*?' : '.*'
      gaps.add(gap)
      parts.push(source.slice(start, at))
      start = at + gap.length
      at = start - 1
      if (/[*+?{]/.test(source.charAt(start))) return undefined
    }
  }
  parts.push(source.slice(start))
  return gaps.size === 1 ? { parts, lazy: gaps.has('.*?') } : undefined
}

/**
 * The matches of parts in order. Each part must match in one way only at any place, and never a line break: then the first place
 * of the first part leads to a match when any place on its line does.
 */
export function inOrder(parts: readonly OrderedPart[], lazy: boolean): InOrder {
  const telling = parts.find(({ isEmpty }) => !isEmpty)

  /** The first match from `from` on; `whole` false: only whether there is one matters. */
  function next(text: string, from: number, whole: boolean): Span | undefined {
    for (let at = from; at <= text.length; ) {
      const first = parts[0]?.find(text, at)
      if (first === undefined) return undefined
      const newline = text.indexOf('\n', first.end)
      const line = newline < 0 ? text.length : newline
      const end = endOf(text, first.end, line, whole)
      if (end >= 0) return { start: first.start, end }
      at = line + 1
    }
    return undefined
  }

  /** Where the parts after the first end, between `from` and `line`; -1: they are not all there. */
  function endOf(text: string, from: number, line: number, whole: boolean): number {
    let end = from
    let before = from
    for (let nth = 1; nth < parts.length; nth++) {
      const found = parts[nth]?.find(text, end)
      if (found === undefined || found.end > line) return -1
      before = end
      end = found.end
    }
    const last = parts.at(-1)
    return !whole || lazy || last === undefined ? end : lastEnd(text, last, before, line)
  }

  return {
    test: (text) => next(text, 0, false) !== undefined,
    matches: (text, from = 0) => eachMatch(text, from, (whole, at) => next(whole, at, true)),
    candidate: (text, from) => (telling ? (telling.find(text, from)?.start ?? -1) : from),
  }
}

/** The end of the last place of a part between `from` and `line`, where there is one. */
function lastEnd(text: string, { find, isEmpty, literal }: OrderedPart, from: number, line: number): number {
  if (isEmpty) return line
  if (literal !== undefined) return text.lastIndexOf(literal, line - literal.length) + literal.length
  let end = from
  let found = find(text, from)
  while (found !== undefined && found.end <= line) {
    end = found.end
    found = find(text, found.start + codePointLength(text, found.start))
  }
  return end
}

/**
 * The part, which remembers the last place it found: where it is rare it would else be looked for to the end of the text from
 * every line anew.
 */
export function remembering(find: FindPart): FindPart {
  let known: { text: string; from: number; found: Span | undefined } | undefined
  return (text, from) => {
    if (known && known.text === text && from >= known.from) {
      if (known.found === undefined || known.found.start >= from) return known.found
    }
    const found = find(text, from)
    known = { text, from, found }
    return found
  }
}
