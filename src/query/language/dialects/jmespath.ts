/** JMESPath (https://jmespath.org/specification.html): expressions with functions and pipes, `max_by(items, &price).name`. */
import { createRequire } from 'node:module'
import type { JsonValue } from '../../../protocol/json.ts'
import { Refusal } from '../../refusal.ts'

type Library = typeof import('jmespath')

const LONGEST = 4_000
const FUNCTIONS =
  'abs avg ceil contains ends_with floor join keys length map max max_by merge min min_by not_null reverse sort sort_by starts_with sum to_array to_number to_string type values'
/** A call of a function, a reference to a field in one, a pipe, a condition, or an object or list that is made. Other paths are read as such. */
const SIGNS = new RegExp(
  `\\b(?:${FUNCTIONS.replaceAll(' ', '|')})\\(|&\\w|\\|\\s*[\\w[]|\\{\\s*(?:\\w+\\s*:|"[^"]*"\\s*:\\s*[^"\\s])|\\.\\[\\s*\\w+\\s*,|(?:^|\\.)\\[\\s*\\w[^"'?\\]]*\\[|\\[\\?`,
)
/** The library would find these in any object. */
const INHERITED = new RegExp(`\\b(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})\\b`)

/** An expression, and the names that it reads in data. */
interface Expression {
  readonly fields: readonly string[]
  /** @throws Refusal where a function is given what it does not take */
  run(input: JsonValue): JsonValue
}

/** Reads an expression; undefined for other texts. */
export function readJmespath(text: string): Expression | undefined {
  if (text.length > LONGEST || !SIGNS.test(text) || INHERITED.test(text)) return undefined
  const { compile, search } = library()
  let tree: unknown
  try {
    tree = compile(text)
  } catch {
    return undefined
  }
  return {
    fields: fieldsIn(tree),
    run(input) {
      try {
        return search(input, text) as JsonValue
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        throw new Refusal(`JMESPath: ${message.replace(/^\w*Error: /, '').replace(/\.$/, '')}.`)
      }
    },
  }
}

/** Names of fields, without those of the objects that the expression makes. */
function fieldsIn(tree: unknown): string[] {
  const read = new Set<string>()
  const made = new Set<string>()
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const { type, name } = part as { type?: string; name?: unknown }
    if (type === 'Field' && typeof name === 'string') read.add(name)
    if (type === 'KeyValuePair' && typeof name === 'string') made.add(name)
    for (const inner of Object.values(part)) visit(inner)
  }
  visit(tree)
  return [...read].filter((name) => !made.has(name))
}

let loaded: Library | undefined
/** Loaded with the first expression. */
function library(): Library {
  loaded ??= createRequire(import.meta.url)('jmespath') as Library
  return loaded
}
