/** Reads `join_on`: which fields of two collections must be equal. */
import { parseCondition } from '../../query/parser.ts'
import { Refusal, shown } from '../../query/refusal.ts'
import { type Condition, type Expression, sourceOf } from '../../query/tree.ts'

/** One equality. `right` is undefined where one name was written for both sides. */
export interface Pair {
  left: string
  right: string | undefined
}

export interface JoinCondition {
  pairs: Pair[]
  /** Only records with a match are wanted. */
  inner: boolean
}

const MOST_PAIRS = 5

/** `a = b`, `a`, `a = b and c = d`, `inner a = b`, `a b`, `lower(a) = lower(b)`. Throws a `Refusal`. */
export function parseJoin(written: readonly string[]): JoinCondition {
  let inner = false
  const pairs = written.flatMap((text) => {
    const [, kind, rest = ''] =
      /^(?:(inner|left)\s+(?:outer\s+)?)?(?:join\s+)?(?:on\s+|using\s+)?(.*)$/is.exec(text.trim()) ?? []
    inner ||= kind?.toLowerCase() === 'inner'
    return pairsIn(rest.trim())
  })
  if (pairs.length > MOST_PAIRS)
    throw new Refusal(`At most ${MOST_PAIRS} pairs of fields are compared in \`join_on\`.`)
  if (pairs.length === 0) throw new Refusal(`\`join_on\` names no fields. ${howTo}`)
  return { pairs, inner }
}

export const howTo =
  'Write like "product_id = id", or with the lists named "orders.product_id = products.id".'

/** Arrows between two fields, as some draw them. */
const ARROWS = /\s*(?:<?->|=>)\s*/g

function pairsIn(text: string): Pair[] {
  if (text === '') return []
  const [, one, other] = /^([\w.[\]*$@-]+)\s+([\w.[\]*$@-]+)$/.exec(text) ?? []
  if (one !== undefined && other !== undefined) return [{ left: one, right: other }]
  try {
    return pairsOf(parseCondition(text.replaceAll(ARROWS, ' = ')), text)
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(`\`join_on\` cannot read \`${shown(text)}\`. ${howTo}`)
    throw error
  }
}

function pairsOf(condition: Condition, text: string): Pair[] {
  if (condition.kind === 'and') return condition.parts.flatMap((part) => pairsOf(part, text))
  const isEquation = condition.kind === 'comparison' && !condition.negated
  const [right, another] = isEquation ? condition.operands : []
  if (isEquation && condition.operator === 'is true')
    return [{ left: nameOf(condition.left), right: undefined }]
  if (isEquation && condition.operator === '=' && right && !another && !/[<>=~]/.test(nameOf(right)))
    return [{ left: nameOf(condition.left), right: nameOf(right) }]
  throw new Refusal(`\`join_on\` cannot read \`${shown(text)}\`. ${howTo}`)
}

function nameOf(expression: Expression): string {
  return expression.kind === 'literal' ? expression.text : sourceOf(expression)
}
