/** Reads `join_on`: which fields of two collections must be equal. */
import { Refusal, shown } from '../refusal.ts'

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

const mostPairs = 5
const equality = /\s*(?:={1,3}|<?->|=>)\s*/

/** `a = b`, `a`, `a = b and c = d`, `inner a = b`, `a b`. Throws a `Refusal`. */
export function parseJoin(written: readonly string[]): JoinCondition {
  let inner = false
  const parts = written.flatMap((text) => {
    const [, kind, rest = ''] =
      /^(?:(inner|left)\s+(?:outer\s+)?)?(?:join\s+)?(?:on\s+|using\s+)?(.*)$/is.exec(text.trim()) ?? []
    inner ||= kind?.toLowerCase() === 'inner'
    return rest.replace(/^\((.*)\)$/s, '$1').split(/\s+and\s+/i)
  })
  const pairs = parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(pairOf)
  if (pairs.length > mostPairs)
    throw new Refusal(`At most ${mostPairs} pairs of fields are compared in \`join_on\`.`)
  if (pairs.length === 0) throw new Refusal(`\`join_on\` names no fields. ${howTo}`)
  return { pairs, inner }
}

export const howTo =
  'Write like "product_id = id", or with the lists named "orders.product_id = products.id".'

function pairOf(text: string): Pair {
  const sides = text.split(equality)
  const [left = '', right, more] = sides
  if (more !== undefined || left === '' || right === '' || /[<>!~]/.test(text.replace(equality, '')))
    throw new Refusal(`\`join_on\` cannot read \`${shown(text)}\`. ${howTo}`)
  if (right !== undefined) return { left, right }
  const [one = '', other, third] = left.split(/\s*:\s*|\s+/)
  return third === undefined && other !== undefined ? { left: one, right: other } : { left, right: undefined }
}
