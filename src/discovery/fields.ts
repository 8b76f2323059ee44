/** What of a tool's definition is searched, apart by how much it says. */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
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
  /** The first sentence of the description, which says what the tool is for; what follows are conditions and examples. */
  lead: string[]
  description: string[]
  parameters: string[]
}

/** Longer descriptions are manuals: their later parts name everything and tell nothing apart. */
const longestDescription = 2_000
const longestLead = 200
const mostParameters = 200
const deepest = 5

export function fieldsOf({ server, definition }: SearchedTool): ToolFields {
  const description = text(own(definition, 'description')).trim().slice(0, longestDescription)
  const annotations = own(definition, 'annotations')
  const title =
    text(own(definition, 'title')) || (isObject(annotations) ? text(own(annotations, 'title')) : '')
  return {
    name: wordsOf(`${text(own(definition, 'name'))}`),
    server: wordsOf(server),
    lead: wordsOf(
      `${title} ${/^[^\n]*?(?:[.!?](?=\s|$)|$)/m.exec(description)?.[0].slice(0, longestLead) ?? ''}`,
    ),
    description: wordsOf(description),
    parameters: wordsOf(parametersIn(own(definition, 'inputSchema'))),
  }
}

/** Names, descriptions and allowed values of the parameters, nested ones included. */
function parametersIn(schema: JsonValue | undefined): string {
  const found: string[] = []
  const open: { schema: JsonValue | undefined; depth: number }[] = [{ schema, depth: 0 }]
  for (let next = open.pop(); next && found.length < mostParameters; next = open.pop()) {
    if (!isObject(next.schema) || next.depth > deepest) continue
    const properties = own(next.schema, 'properties')
    if (isObject(properties)) {
      for (const name of Object.keys(properties)) {
        const property = own(properties, name)
        found.push(name)
        if (!isObject(property)) continue
        found.push(text(own(property, 'description')).slice(0, longestDescription), valuesOf(property))
        open.push({ schema: property, depth: next.depth + 1 })
      }
    }
    open.push({ schema: own(next.schema, 'items'), depth: next.depth + 1 })
  }
  return found.join(' ')
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
