/** The words of other languages around a condition, one adapter each, tried in this order until none of them changes anything. */
import { fromJq } from './jq.ts'
import { fromJsonPath, withoutArrows } from './jsonpath.ts'
import { fromLambda } from './lambda.ts'
import { fromSql } from './sql.ts'

/** An adapter: the condition in our own words, or the same text. `note` gets what is told by another parameter. */
export interface Dialect {
  readonly name: string
  /** A condition so written, for the documentation. */
  readonly example: string
  read(text: string, note: (text: string) => void): string
}

export const DIALECTS: readonly Dialect[] = [
  { name: 'members with arrows', example: `user->>'login' = 'ann'`, read: withoutArrows },
  {
    name: 'a semicolon at the end',
    example: `state = 'open';`,
    read: (text) => text.replace(/;\s*$/, '').trim(),
  },
  { name: 'SQL', example: `select * from items where state = 'open' and n > 5`, read: fromSql },
  { name: 'JSONPath', example: `$[?(@.state == 'open' && @.n > 5)]`, read: fromJsonPath },
  { name: 'jq', example: '.[] | select(.state == "open" and .n > 5)', read: fromJq },
  { name: 'JavaScript and Python', example: 'x => x.state === "open" && x.n > 5', read: fromLambda },
]

/** Layers taken off one condition. */
const MOST_LAYERS = 6

/** The condition alone. */
export function unwrapped(source: string, note: (text: string) => void = () => undefined): string {
  let text = source.trim()
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const before = text
    for (const { read } of DIALECTS) text = read(text, note)
    if (text === before) return text
  }
  return text
}
