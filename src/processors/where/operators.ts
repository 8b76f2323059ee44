/** Where in a condition its operator is. */
import { literal } from '../../text/literal.ts'
import { type Spelling, signTable, wordTable } from './spellings.ts'

export type { Operator } from './spellings.ts'

const anySpace = (name: string): string => literal(name).replaceAll(' ', '\\s+')
const longestFirst = (names: Iterable<string>): string =>
  [...names]
    .sort((a, b) => b.length - a.length)
    .map(anySpace)
    .join('|')
const pattern = new RegExp(
  `(?:${longestFirst(signTable.keys())})|(?<=[\\s\\])"'\`])(?:${longestFirst(wordTable.keys())})(?=\\s|$|[("'[])`,
  'iy',
)

/** A condition cut at its operator. */
export interface Cut extends Spelling {
  field: string
  rest: string
  /** `state:open`, as in search boxes. */
  colon?: true
}

/** How well a name is known as a field: as written, by another spelling, or not at all. */
export type Knows = (name: string) => 'exactly' | 'nearly' | undefined

/** Places looked at in one condition. */
const mostCuts = 8

/** Cuts at the operator that follows the name of a field; failing that at the first one. Undefined: there is none. */
export function cutAtOperator(condition: string, knows: Knows = () => undefined): Cut | undefined {
  const cuts = [...cutsOf(condition)]
  if (cuts.length < 2) return cuts[0]
  const exact = cuts.filter(({ field }) => knows(field) === 'exactly')
  return (
    // A colon belongs to the name where the longer name is a field as well: `scripts.build:all contains tsc`.
    exact.find(({ colon }) => !colon) ??
    exact.at(-1) ??
    cuts.find(({ weak, colon }) => !weak && !colon) ??
    cuts[0]
  )
}

/** Every cut outside of the brackets and quotes that a field may have, from left to right. */
function* cutsOf(condition: string): Generator<Cut> {
  let found = 0
  for (let at = 0; at < condition.length && found < mostCuts; ) {
    const char = condition.charAt(at)
    if (char === '[' || char === '(') {
      at = closing(condition, at)
      continue
    }
    if (
      (char === '"' || char === "'" || char === '`') &&
      (at === 0 || /[\s.([]/.test(condition.charAt(at - 1)))
    ) {
      at = afterQuote(condition, at)
      continue
    }
    const cut = cutAt(condition, at)
    if (cut) {
      found++
      yield cut
      at = condition.length - cut.rest.length
      if (cut.rest === '') return
    } else at++
  }
}

function cutAt(condition: string, at: number): Cut | undefined {
  const field = condition.slice(0, at).trim()
  if (field === '') return undefined
  pattern.lastIndex = at
  const [found] = pattern.exec(condition) ?? []
  if (found !== undefined) {
    const name = found.toLowerCase().replaceAll(/\s+/g, ' ')
    const spelling = signTable.get(name) ?? wordTable.get(name)
    const rest = condition.slice(at + found.length).trim()
    // `name prefix = x`: then the word belongs to the name.
    const within = wordTable.has(name) && /^(?:[=<>~]|!=)/.test(rest)
    return spelling && { ...spelling, ...(within && { weak: true as const }), field, rest }
  }
  if (condition.charAt(at) !== ':' || !/[\w\])"'`]/.test(condition.charAt(at - 1))) return undefined
  const rest = condition.slice(at + 1).trim()
  if (rest === '' || rest.startsWith(':') || rest.startsWith('//')) return undefined
  const inner = /^(?:[<>=!~]|not\b)/i.test(rest) ? cutAt(`x ${rest}`, 2) : undefined
  if (inner) return { ...inner, field }
  if (/^(?:year|month|day|hour)\b/i.test(rest) && /^\w+\s*(?:[=<>!]|in\b|is\b|between\b)/i.test(rest))
    return undefined
  return { operator: '=', negated: false, field, rest, colon: true }
}

/** The position after the bracket that closes the one at `at`; after that one alone when none does. */
function closing(condition: string, at: number): number {
  let depth = 0
  for (let next = at; next < condition.length; next++) {
    const char = condition.charAt(next)
    if ((char === '"' || char === "'") && /[\s.([=<>,~]/.test(condition.charAt(next - 1)))
      next = afterQuote(condition, next) - 1
    else if (char === '[' || char === '(') depth++
    else if ((char === ']' || char === ')') && --depth === 0) return next + 1
  }
  return at + 1
}

function afterQuote(condition: string, at: number): number {
  const end = condition.indexOf(condition.charAt(at), at + 1)
  return end < 0 ? at + 1 : end + 1
}
