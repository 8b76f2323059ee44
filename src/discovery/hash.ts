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

/** Goes without recursion: a schema may be nested deeper than the stack. */
function sorted(value: JsonValue): string {
  let written = ''
  // Values that are to be written, the next one last, and text that comes between them.
  const open: ({ value: JsonValue } | string)[] = [{ value }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') written += next
    else if (typeof next.value !== 'object' || next.value === null) written += JSON.stringify(next.value)
    else open.push(...partsOf(next.value).reverse())
  }
  return written
}

function partsOf(value: JsonValue[] | JsonObject): ({ value: JsonValue } | string)[] {
  if (Array.isArray(value))
    return ['[', ...value.flatMap((item, at) => (at > 0 ? [',', { value: item }] : [{ value: item }])), ']']
  const parts = Object.keys(value)
    .sort()
    .flatMap((key, at) => [`${at > 0 ? ',' : ''}${JSON.stringify(key)}:`, { value: own(value, key) ?? null }])
  return ['{', ...parts, '}']
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
