/** The operators of a condition, in every spelling that models use. */

export type Operator =
  | '='
  | '<'
  | '<='
  | '>'
  | '>='
  | '~'
  | 'like'
  | 'has'
  | 'contains'
  | 'in'
  | 'starts with'
  | 'ends with'
  | 'between'
  | 'is null'
  | 'is empty'
  | 'is true'
  | 'exists'

interface Spelling {
  operator: Operator
  negated: boolean
}

/** Signs need no blanks around them. Longer ones first. */
const signs: readonly (readonly [string, Spelling])[] = [
  ['===', { operator: '=', negated: false }],
  ['!==', { operator: '=', negated: true }],
  ['==', { operator: '=', negated: false }],
  ['!=', { operator: '=', negated: true }],
  ['<>', { operator: '=', negated: true }],
  ['>=', { operator: '>=', negated: false }],
  ['<=', { operator: '<=', negated: false }],
  ['=~', { operator: '~', negated: false }],
  ['!~', { operator: '~', negated: true }],
  ['=', { operator: '=', negated: false }],
  ['>', { operator: '>', negated: false }],
  ['<', { operator: '<', negated: false }],
  ['~', { operator: '~', negated: false }],
]

/** Words stand alone. More words first, so that `is not null` is not read as `is`. */
const words: readonly (readonly [string, Spelling])[] = [
  ['is not null', { operator: 'is null', negated: true }],
  ['is not empty', { operator: 'is empty', negated: true }],
  ['does not contain', { operator: 'contains', negated: true }],
  ['does not exist', { operator: 'exists', negated: true }],
  ['does not have', { operator: 'has', negated: true }],
  ['is null', { operator: 'is null', negated: false }],
  ['is empty', { operator: 'is empty', negated: false }],
  ['is not', { operator: '=', negated: true }],
  ['is in', { operator: 'in', negated: false }],
  ['not contains', { operator: 'contains', negated: true }],
  ['not contain', { operator: 'contains', negated: true }],
  ['not exists', { operator: 'exists', negated: true }],
  ['not has', { operator: 'has', negated: true }],
  ['not in', { operator: 'in', negated: true }],
  ['not like', { operator: 'like', negated: true }],
  ['not between', { operator: 'between', negated: true }],
  ['not matches', { operator: '~', negated: true }],
  ['starts with', { operator: 'starts with', negated: false }],
  ['ends with', { operator: 'ends with', negated: false }],
  ['not starts with', { operator: 'starts with', negated: true }],
  ['not ends with', { operator: 'ends with', negated: true }],
  ['startswith', { operator: 'starts with', negated: false }],
  ['endswith', { operator: 'ends with', negated: false }],
  ['contains', { operator: 'contains', negated: false }],
  ['includes', { operator: 'has', negated: false }],
  ['exists', { operator: 'exists', negated: false }],
  ['between', { operator: 'between', negated: false }],
  ['matches', { operator: '~', negated: false }],
  ['equals', { operator: '=', negated: false }],
  ['like', { operator: 'like', negated: false }],
  ['has', { operator: 'has', negated: false }],
  ['in', { operator: 'in', negated: false }],
  ['is', { operator: '=', negated: false }],
]

const table = new Map<string, Spelling>([...signs, ...words])
const escaped = (text: string) => text.replaceAll(' ', '\\s+')
const longestFirst = [...words].sort(([a], [b]) => b.length - a.length)
const pattern = new RegExp(
  `(?:${signs.map(([sign]) => sign).join('|')})|(?<=[\\s\\])"'])(?:${longestFirst.map(([word]) => escaped(word)).join('|')})(?=\\s|$|[("'[])`,
  'iy',
)

/** A condition cut at its operator. */
export interface Cut extends Spelling {
  field: string
  rest: string
}

/** Cuts at the first operator outside of the brackets and quotes that a field may have. Undefined: there is none. */
export function cutAtOperator(condition: string): Cut | undefined {
  let at = 0
  while (at < condition.length) {
    const char = condition.charAt(at)
    if (char === '[') {
      at = closing(condition, at)
      continue
    }
    if ((char === '"' || char === "'" || char === '`') && (at === 0 || condition.charAt(at - 1) === '.')) {
      at = afterQuote(condition, at)
      continue
    }
    pattern.lastIndex = at
    const [found] = pattern.exec(condition) ?? []
    const field = condition.slice(0, at).trim()
    const spelling = found === undefined ? undefined : table.get(found.toLowerCase().replaceAll(/\s+/g, ' '))
    if (found !== undefined && spelling && field !== '') {
      return { ...spelling, field, rest: condition.slice(at + found.length).trim() }
    }
    at++
  }
  return undefined
}

/** The position after the bracket that closes the one at `at`; after that one alone when none does. */
function closing(condition: string, at: number): number {
  let depth = 0
  for (let next = at; next < condition.length; next++) {
    const char = condition.charAt(next)
    if (char === '"' || char === "'") next = afterQuote(condition, next) - 1
    else if (char === '[') depth++
    else if (char === ']' && --depth === 0) return next + 1
  }
  return at + 1
}

function afterQuote(condition: string, at: number): number {
  const end = condition.indexOf(condition.charAt(at), at + 1)
  return end < 0 ? at + 1 : end + 1
}
