/**
 * Mends items of lists that break the protocol. The SDKs check a list as a whole: one tool with a description of null would
 * cost a client the tools of all servers, of which it sees a single list.
 */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import type { ListKind } from './upstreams.ts'

type Check = (value: JsonValue) => boolean

const isString: Check = (value) => typeof value === 'string'
/** JSON Schema for an object, as tools need it (MCP specification, server/tools, "Tool"). */
const isObjectSchema: Check = (value) => isObject(value) && own(value, 'type') === 'object'

/** What names an item: without it, it is none. */
const KEYS: Readonly<Record<ListKind, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
}

/** Members that may be absent, and what they are when they are there. */
const OPTIONAL: Readonly<Record<string, Check>> = {
  title: isString,
  description: isString,
  mimeType: isString,
  size: (value) => typeof value === 'number',
  icons: Array.isArray,
  arguments: Array.isArray,
  annotations: isObject,
  execution: isObject,
  outputSchema: isObjectSchema,
  _meta: isObject,
}

/**
 * The item itself when nothing is wrong with it; a copy without the members that are; undefined when it has no name. A tool
 * without a schema takes any object, and what has a URI alone is called by it.
 */
export function wellFormed(kind: ListKind, item: JsonObject): JsonObject | undefined {
  const key = own(item, KEYS[kind])
  if (typeof key !== 'string') return undefined
  const mended: JsonObject = {}
  if (typeof own(item, 'name') !== 'string') mended.name = key
  const schema = own(item, 'inputSchema')
  if (kind === 'tools' && (schema === undefined || !isObjectSchema(schema)))
    mended.inputSchema = { ...(isObject(schema) ? schema : {}), type: 'object' }
  const wrong = Object.keys(OPTIONAL).filter((member) => {
    const value = own(item, member)
    return value !== undefined && OPTIONAL[member]?.(value) === false
  })
  if (wrong.length === 0 && Object.keys(mended).length === 0) return item
  const right = Object.entries(item).filter(([member]) => !wrong.includes(member))
  return { ...Object.fromEntries(right), ...mended }
}
