/** What of a tool's definition is searched, apart by how much it says. */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { partsOfName } from './run-together.ts'
import { wordsOf } from './words.ts'

/** A tool as the search sees it. */
export interface SearchedTool {
  /** The name a client calls it by. */
  readonly name: string
  readonly server: string
  /** As its server lists it (MCP specification, server/tools, "Tool"). */
  readonly definition: JsonObject
}

/** The words of a definition by field. */
export interface ToolFields {
  name: string[]
  server: string[]
  /** With the title. */
  description: string[]
  parameters: string[]
}

export const fieldNames = [
  'name',
  'server',
  'description',
  'parameters',
] as const satisfies readonly (keyof ToolFields)[]

/** Longer descriptions are manuals: their later parts name everything and tell nothing apart. */
const longestDescription = 2_000
const longestTitle = 200
const mostParameters = 200
/** Characters of all parameters of a tool. */
const longestParameters = 10_000
const deepest = 5

/** Definitions are not changed; a list that comes anew has most of those it had before. */
const remembered = new WeakMap<JsonObject, { server: string; fields: ToolFields }>()

export function fieldsOf({ server, definition }: SearchedTool): ToolFields {
  const known = remembered.get(definition)
  if (known?.server === server) return known.fields
  const fields = readFields(server, definition)
  remembered.set(definition, { server, fields })
  return fields
}

function readFields(server: string, definition: JsonObject): ToolFields {
  const description = text(own(definition, 'description')).trim().slice(0, longestDescription)
  const annotations = own(definition, 'annotations')
  const title =
    text(own(definition, 'title')) || (isObject(annotations) ? text(own(annotations, 'title')) : '')
  const name = text(own(definition, 'name'))
  return {
    name: [...wordsOf(name), ...partsOfName(name, description)],
    server: wordsOf(server),
    description: wordsOf(description, wordsOf(title.slice(0, longestTitle))),
    parameters: parametersIn(own(definition, 'inputSchema')),
  }
}

/** Names, descriptions and allowed values of the parameters, nested ones and those that are defined apart included. */
function parametersIn(schema: JsonValue | undefined): string[] {
  const words: string[] = []
  let left = longestParameters
  const take = (said: string): void => {
    if (left > 0) wordsOf(said.slice(0, left), words)
    left -= said.length + 1
  }
  const open: { schema: JsonValue | undefined; depth: number }[] = [{ schema, depth: 0 }]
  for (let next = open.pop(); next && left > 0; next = open.pop()) {
    const { depth } = next
    if (!isObject(next.schema) || depth > deepest) continue
    for (const [name, property] of entriesOf(own(next.schema, 'properties'))) {
      take(name)
      if (!isObject(property)) continue
      take(text(own(property, 'description')).slice(0, longestDescription))
      take(valuesOf(property))
      open.push({ schema: property, depth: depth + 1 })
    }
    open.push({ schema: own(next.schema, 'items'), depth: depth + 1 })
    const choices = own(next.schema, 'anyOf')
    if (Array.isArray(choices))
      for (const choice of choices.slice(0, 20)) open.push({ schema: choice, depth: depth + 1 })
    for (const [, defined] of entriesOf(own(next.schema, '$defs')))
      open.push({ schema: defined, depth: depth + 1 })
  }
  return words
}

function entriesOf(value: JsonValue | undefined): [string, JsonValue | undefined][] {
  if (!isObject(value)) return []
  return Object.keys(value)
    .slice(0, mostParameters)
    .map((key) => [key, own(value, key)])
}

function valuesOf(property: JsonObject): string {
  const values = own(property, 'enum')
  return Array.isArray(values)
    ? values
        .filter((value) => typeof value === 'string')
        .slice(0, 50)
        .join(' ')
    : ''
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
