/**
 * `(?=.*a)(?=.*b)` and `^(?!.*a).*b`: lines that hold all of several parts, or lack some. It is what models use lookahead
 * for, and needs none: each part is looked for by itself, in linear time.
 */
import type { Pattern, Span } from './pattern.ts'

/** A condition on a whole line. */
interface Part {
  regex: string
  wanted: boolean
}

interface Reading {
  parts: Part[]
  /** What follows the lookaheads, to be matched from the start of the line. Empty: nothing. */
  rest: string
}

/** Compiles one part; undefined when it is not linear either. */
type Compile = (regex: string) => Pattern | undefined

/** Undefined for every other pattern. A match is the rest, or nothing at the start of its line, as in the original. */
export function allOf(source: string, compile: Compile): Omit<Pattern, 'run'> | undefined {
  const reading = read(source)
  if (reading === undefined) return undefined
  const parts: { pattern: Pattern; wanted: boolean }[] = []
  for (const { regex, wanted } of reading.parts) {
    const pattern = compile(regex)
    if (pattern === undefined) return undefined
    parts.push({ pattern, wanted })
  }
  const last = compile(`^(?:${reading.rest})`)
  if (last === undefined) return undefined
  const rest: Pattern = last
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
        ? rest.matches(line)
        : []
      if (found) yield { start: start + found.start, end: start + found.end }
      start = end + 1
    }
  }

  return {
    source,
    engine: 're2js',
    test: (text) => !matches(text).next().done,
    matches,
    candidate: (text, from) => seek.candidate(text, from),
  }
}

const LOOKAHEAD = /^\(\?([=!])\.\*\??/

function read(source: string): Reading | undefined {
  const anchored = source.startsWith('^')
  let left = anchored ? source.slice(1) : source
  const parts: Part[] = []
  for (let found = LOOKAHEAD.exec(left); found; found = LOOKAHEAD.exec(left)) {
    const [opening, sign] = found
    const close = closing(left, opening.length)
    if (close === undefined) return undefined
    parts.push({ regex: left.slice(opening.length, close), wanted: sign === '=' })
    left = left.slice(close + 1)
  }
  if (parts.length === 0 || hasAlternatives(left)) return undefined
  // Without `^` a match may begin in the middle of a line: the same lines only where nothing more is asked of it.
  if (!anchored && (!/^(?:\.[*+]\$?)?$/.test(left) || parts.some(({ wanted }) => !wanted))) return undefined
  return { parts, rest: left }
}

/** True for `a|b`, of which the lookaheads would belong to `a` alone; not for `(a|b)` or `[|]`. */
function hasAlternatives(regex: string): boolean {
  let bare = regex.replaceAll(/\\[\s\S]/g, '').replaceAll(/\[[^\]]*\]/g, '')
  for (let before = ''; before !== bare; ) {
    before = bare
    bare = bare.replaceAll(/\([^()]*\)/g, '')
  }
  return bare.includes('|')
}

/** Where the group ends whose content begins at `from`. */
function closing(regex: string, from: number): number | undefined {
  let depth = 0
  let inClass = false
  for (let at = from; at < regex.length; at++) {
    const char = regex[at]
    if (char === '\\') at++
    else if (inClass) inClass = char !== ']'
    else if (char === '[') inClass = true
    else if (char === '(') depth++
    else if (char === ')' && depth-- === 0) return at
  }
  return undefined
}
