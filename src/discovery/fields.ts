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
const mostChoices = 20
const mostValues = 50
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

/** Words that are gathered, and the characters that there is still room for. */
interface Gathering {
  words: string[]
  left: number
}

/** Names, descriptions and allowed values of the parameters, nested ones and those that are defined apart included. */
function parametersIn(schema: JsonValue | undefined): string[] {
  const gathering: Gathering = { words: [], left: longestParameters }
  gather(gathering, schema, 0)
  return gathering.words
}

function gather(gathering: Gathering, schema: JsonValue | undefined, depth: number): void {
  if (!isObject(schema) || depth > deepest || gathering.left <= 0) return
  const properties = own(schema, 'properties')
  const names = isObject(properties) ? Object.keys(properties) : []
  // All of one level before what is nested in it: where there is no room for everything, that says more.
  for (let at = 0; at < names.length && at < mostParameters; at++) {
    const name = names[at] as string
    take(gathering, name)
    const property = own(properties as JsonObject, name)
    if (!isObject(property)) continue
    take(gathering, text(own(property, 'description')), longestDescription)
    const values = own(property, 'enum')
    if (Array.isArray(values)) takeValues(gathering, values)
  }
  for (let at = 0; at < names.length && at < mostParameters; at++)
    gather(gathering, own(properties as JsonObject, names[at] as string), depth + 1)
  gather(gathering, own(schema, 'items'), depth + 1)
  const choices = own(schema, 'anyOf')
  if (Array.isArray(choices))
    for (const choice of choices.slice(0, mostChoices)) gather(gathering, choice, depth + 1)
  const defined = own(schema, '$defs')
  if (isObject(defined))
    for (const name of Object.keys(defined).slice(0, mostParameters))
      gather(gathering, own(defined, name), depth + 1)
}

function take(gathering: Gathering, said: string, longest = said.length): void {
  if (gathering.left <= 0 || said === '') return
  const room = Math.min(longest, gathering.left)
  wordsOf(said.length > room ? said.slice(0, room) : said, gathering.words)
  gathering.left -= Math.min(said.length, room) + 1
}

function takeValues(gathering: Gathering, values: readonly JsonValue[]): void {
  for (let at = 0; at < values.length && at < mostValues; at++) take(gathering, text(values[at]))
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
