/** The proxy's own tools in few tokens: whoever hides the servers' tools for their cost keeps these short as well. */
import { isObject, type JsonObject, own } from '../protocol/json.ts'

/** Parameters that are understood and not listed: rarely needed, or said in an example of the description. */
const UNLISTED: Readonly<Record<string, readonly string[]>> = {
  proxy_filter: ['tool', 'arguments', 'exclude', 'mode'],
  proxy_search: ['tool', 'arguments', 'multiline', 'threshold', 'top_k', 'context_type', 'exclude', 'offset'],
  proxy_explore: ['tool', 'arguments', 'offset'],
}

/** Parameters listed with their types alone. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  proxy_filter: ['sort', 'limit', 'fields', 'cache_id'],
  proxy_search: ['max_results'],
}

/** The definition without its title and without what it can do without; another tool's definition as it is. */
export function lean(definition: JsonObject): JsonObject {
  const { title: _, ...rest } = definition
  const name = String(definition.name)
  const schema = own(definition, 'inputSchema')
  const unlisted = UNLISTED[name]
  if (unlisted === undefined || !isObject(schema) || !isObject(schema.properties)) return definition
  const properties = Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([parameter]) => !unlisted.includes(parameter))
      .map(([parameter, property]) => [
        parameter,
        PLAIN[name]?.includes(parameter) && isObject(property) ? typeOf(property) : property,
      ]),
  )
  const description = String(rest.description)
    .replace(' or a fresh call (tool + arguments)', '')
    .replace(' or from a fresh call (tool + arguments)', '')
  return { ...rest, description, inputSchema: { ...schema, properties } }
}

function typeOf({ description: _, ...type }: JsonObject): JsonObject {
  return type
}
