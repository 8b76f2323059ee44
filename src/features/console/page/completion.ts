/** The values that may be written at a place of the configuration file, by its JSON Schema. */

export interface Schema {
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  type?: string
  default?: unknown
  description?: string
}

/** Where the caret is. */
interface Place {
  /** The keys down to the value that the caret is in; `*` for an element of a list. */
  path: string[]
  /** A key is being written; else a value. */
  isKey: boolean
  /** Keys that the object has already. */
  keys: string[]
  /** The written part of the word, and where the word begins. */
  word: string
  from: number
}

export interface Suggestion {
  /** The replacement for the word. */
  text: string
  name: string
  what: string
}

/** Reads the text before the caret, comments included, to learn which key or value the person is writing. */
export function placeAt(text: string, caret: number): Place {
  const open: { key: string | undefined; keys: string[]; isList: boolean }[] = []
  let isKey = false
  let at = 0
  let [word, from] = ['', caret]
  while (at < caret) {
    const rest = text.slice(at, caret)
    const skipped = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/.exec(rest)?.[0]
    const token = skipped ?? /^(?:"(?:[^"\\]|\\.)*"?|[^\s{}[\],:"/]+|[\s\S])/.exec(rest)?.[0] ?? ' '
    const inside = open.at(-1)
    if (skipped === undefined) {
      ;[word, from] = ['', caret]
      if (token === '{' || token === '[') {
        open.push({ key: undefined, keys: [], isList: token === '[' })
        isKey = token === '{'
      } else if (token === '}' || token === ']') {
        open.pop()
        isKey = false
      } else if (token === ',') isKey = inside?.isList === false
      else if (token === ':') isKey = false
      else if (at + token.length === caret && !(token.length > 1 && token.endsWith('"')))
        [word, from] = [token.replace(/^"/, ''), at]
      else if (isKey && inside) {
        inside.key = token.replace(/^"|"$/g, '')
        inside.keys.push(inside.key)
      }
    }
    at += token.length
  }
  const path = open.slice(0, isKey ? -1 : undefined).map(({ key, isList }) => (isList ? '*' : (key ?? '')))
  return { path, isKey, keys: open.at(-1)?.keys ?? [], word, from }
}

/** The best first: words that begin so, then words that have it inside. */
export function suggestionsAt(
  schema: Schema,
  text: string,
  caret: number,
): { from: number; all: Suggestion[] } {
  const { path, isKey, keys, word, from } = placeAt(text, caret)
  const here = path.reduce((schemas, key) => schemas.flatMap((one) => below(one, key)), choices(schema))
  const found = isKey ? here.flatMap((one) => keysOf(one, keys)) : here.flatMap(valuesOf)
  const wanted = word.toLowerCase()
  const fitting = [...new Map(found.map((one) => [one.name, one])).values()].filter(({ name }) =>
    name.toLowerCase().includes(wanted),
  )
  const rank = ({ name }: Suggestion) => (name.toLowerCase().startsWith(wanted) ? 0 : 1)
  return { from, all: fitting.sort((a, b) => rank(a) - rank(b)) }
}

function choices(schema: Schema): Schema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(choices)]
}

function below(schema: Schema, key: string): Schema[] {
  const { properties = {}, additionalProperties, items } = schema
  const found = key === '*' ? items : Object.hasOwn(properties, key) ? properties[key] : additionalProperties
  return typeof found === 'object' ? choices(found) : []
}

function keysOf({ properties = {} }: Schema, there: readonly string[]): Suggestion[] {
  return Object.entries(properties)
    .filter(([name]) => !there.includes(name))
    .map(([name, { description = '' }]) => ({ name, text: `${JSON.stringify(name)}: `, what: description }))
}

function valuesOf({
  enum: values = [],
  const: only,
  type,
  default: usual,
  description = '',
}: Schema): Suggestion[] {
  const all = [...values, ...(only === undefined ? [] : [only]), ...(type === 'boolean' ? [true, false] : [])]
  const said = all.length === 0 && usual !== undefined && typeof usual !== 'object' ? [usual] : all
  return said.map((value) => ({
    name: String(value),
    text: JSON.stringify(value),
    what: value === usual ? `The default. ${description}` : description,
  }))
}
