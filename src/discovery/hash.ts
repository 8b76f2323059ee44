/** Tells whether a tool is still what it was (seed S1, section 6). */
import { createHash } from 'node:crypto'
import { type JsonObject, type JsonValue, own } from '../protocol/json.ts'

/**
 * SHA-256, in hex, of name, description and parameters with `||` between them. The parameters are the input schema as JSON
 * without spaces, its keys sorted by code units, so that a server may list them in any order.
 */
export function hashTool(definition: JsonObject): string {
  return createHash('sha256')
    .update(
      [
        text(own(definition, 'name')),
        text(own(definition, 'description')),
        sorted(own(definition, 'inputSchema') ?? {}),
      ].join('||'),
    )
    .digest('hex')
}

/** A list or an object that is being written. */
interface Open {
  readonly value: JsonValue[] | JsonObject
  /** In their order; undefined for a list. */
  readonly keys: readonly string[] | undefined
  next: number
}

/** Goes without recursion: a schema may be nested deeper than the stack. */
function sorted(root: JsonValue): string {
  if (!isContainer(root)) return JSON.stringify(root)
  const written: string[] = []
  const open = [begin(root)]
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const { value, keys } = at
    const place = at.next++
    if (place === 0) written.push(keys ? '{' : '[')
    if (place === (keys ?? (value as JsonValue[])).length) {
      written.push(keys ? '}' : ']')
      open.pop()
      continue
    }
    if (place > 0) written.push(',')
    const key = keys?.[place]
    if (key !== undefined) written.push(JSON.stringify(key), ':')
    const child = (key === undefined ? (value as JsonValue[])[place] : own(value as JsonObject, key)) ?? null
    if (isContainer(child)) open.push(begin(child))
    else written.push(JSON.stringify(child))
  }
  return written.join('')
}

function begin(value: JsonValue[] | JsonObject): Open {
  return { value, keys: Array.isArray(value) ? undefined : Object.keys(value).sort(), next: 0 }
}

function isContainer(value: JsonValue): value is JsonValue[] | JsonObject {
  return typeof value === 'object' && value !== null
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
