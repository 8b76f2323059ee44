/**
 * Headers that repeat parts of the body of a modern request, so that intermediaries need not parse it. They are `Mcp-Name`, and
 * `Mcp-Param-*` for the properties of a tool's inputSchema that `x-mcp-header` marks. See MCP 2026-07-28,
 * basic/transports/streamable-http, "Standard Headers" and "Custom Headers from Tool Parameters".
 */
import { RPC, RpcError } from './errors.ts'
import { isObject, type JsonObject, type JsonValue, own } from './json.ts'

/** One property that travels as a header too. */
export interface ParamHeader {
  /** Names of properties, from the arguments down. */
  readonly path: readonly string[]
  /** As declared; the header is `Mcp-Param-` and this, and compares without case. */
  readonly name: string
  readonly type: string
}

/**
 * `reason` says why the tool's annotations are not valid: a client must not offer such a tool. `declared` holds what can still be
 * checked then.
 */
export interface ParamHeaderScan {
  readonly declared: readonly ParamHeader[]
  readonly reason?: string
}

const ANNOTATION = 'x-mcp-header'
const PREFIX = 'Mcp-Param-'
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = new Set(['string', 'integer', 'boolean'])
/** Real schemas do not nest deeper; an annotation below is refused, so that a hostile schema costs no more than its length. */
const MAX_DEPTH = 64
const MAX_HEADERS = 256

/** Keywords that hold one schema or a list of them, where no annotation may be. */
const NESTED = [
  ...[
    'items',
    'prefixItems',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
  ],
  ...['propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
]
/** Keywords that hold schemas by name, where no annotation may be. */
const NESTED_BY_NAME = ['patternProperties', 'dependentSchemas', '$defs', 'definitions']

interface Node {
  schema: JsonObject
  /** Absent for the root. */
  above: Node | undefined
  key: string
  depth: number
  /** A chain of `properties` leads here. */
  reachable: boolean
}

const scans = new WeakMap<JsonObject, ParamHeaderScan>()

/** The annotations of a tool's inputSchema. Remembered for the schema, which must not change. */
export function scanParamHeaders(inputSchema: JsonValue | undefined): ParamHeaderScan {
  if (!isObject(inputSchema)) return { declared: [] }
  const known = scans.get(inputSchema)
  if (known) return known
  const scan = walk(inputSchema)
  scans.set(inputSchema, scan)
  return scan
}

/** The `Mcp-Param-*` headers of a call with these arguments. A value that is absent, null or no primitive has none. */
export function buildParamHeaders(
  declared: readonly ParamHeader[],
  args: JsonObject | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { path, name } of declared) {
    const text = textOf(valueAt(args, path))
    if (text !== undefined) headers[`${PREFIX}${name}`] = encodeHeaderValue(text)
  }
  return headers
}

/**
 * The answer of a server (with HTTP 400) when headers and arguments of a call disagree; undefined when all is well.
 * `getHeader` is asked for names in lower case.
 */
export function validateParamHeaders(
  inputSchema: JsonValue | undefined,
  args: JsonObject | undefined,
  getHeader: (name: string) => string | undefined,
): RpcError | undefined {
  for (const { path, name, type } of scanParamHeaders(inputSchema).declared) {
    const value = valueAt(args, path)
    const expected = textOf(value)
    if (expected === undefined) continue
    const header = `${PREFIX}${name}`
    const sent = getHeader(header.toLowerCase())
    const fault = sent === undefined ? 'is missing' : differs(decodeHeaderValue(sent), expected, type, value)
    if (fault !== undefined) {
      return headerMismatch(header, `${header} ${fault}; it must repeat the argument \`${path.join('.')}\``)
    }
  }
  return undefined
}

/** The answer to a request with a header that disagrees with its body (HTTP 400). `text` says how. */
export function headerMismatch(header: string, text: string): RpcError {
  return new RpcError(RPC.headerMismatch, `Header mismatch: ${text}`, { header })
}

/** The member of params that `Mcp-Name` repeats, by method. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
  ['tasks/result', 'taskId'],
])

/** The value that `Mcp-Name` of this request must have, not encoded; undefined when it has none. */
export function nameOf(method: string, params: JsonObject | undefined): string | undefined {
  const member = NAMED_BY.get(method)
  const value = member === undefined || params === undefined ? undefined : own(params, member)
  return typeof value === 'string' ? value : undefined
}

const OPEN = '=?base64?'
const CLOSE = '?='
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/** A header's value as it can be sent: as it is, or as Base64 of its UTF-8 between `=?base64?` and `?=`. */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !(value.startsWith(OPEN) && value.endsWith(CLOSE))) return value
  return `${OPEN}${Buffer.from(value, 'utf8').toString('base64')}${CLOSE}`
}

/** The value that was encoded; undefined when it claims to be encoded and is not, which a server has to refuse. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(OPEN) || !value.endsWith(CLOSE)) return value
  if (value.length < OPEN.length + CLOSE.length) return undefined
  const base64 = value.slice(OPEN.length, -CLOSE.length)
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function walk(root: JsonObject): ParamHeaderScan {
  const declared: ParamHeader[] = []
  const names = new Set<string>()
  let reason: string | undefined
  const stack: Node[] = [{ schema: root, above: undefined, key: '', depth: 0, reachable: true }]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (Object.hasOwn(node.schema, ANNOTATION)) {
      const fault = faultOf(node, names)
      // A number is not permitted, because it has many spellings; a server can check it all the same.
      const number = fault === undefined && !TYPES.has(typeOf(node.schema))
      if (fault !== undefined || number) {
        reason ??= fault ?? `${placeOf(node)}: ${ANNOTATION} is for string, integer and boolean, not number`
      }
      if (fault === undefined) {
        const name = String(node.schema[ANNOTATION])
        names.add(name.toLowerCase())
        declared.push({ path: pathOf(node), name, type: typeOf(node.schema) })
      }
    }
    descend(node, stack)
  }
  return reason === undefined ? { declared } : { declared, reason }
}

/** Puts the schemas below on the stack, the first one on top. */
function descend(node: Node, stack: Node[]): void {
  const below: Node[] = []
  const add = (schema: JsonValue | undefined, key: string, reachable: boolean): void => {
    if (isObject(schema)) below.push({ schema, above: node, key, depth: node.depth + 1, reachable })
  }
  const properties = own(node.schema, 'properties')
  if (isObject(properties)) {
    for (const key of Object.keys(properties)) add(properties[key], key, node.reachable)
  }
  for (const keyword of NESTED) {
    const held = own(node.schema, keyword)
    for (const schema of Array.isArray(held) ? held : [held]) add(schema, `<${keyword}>`, false)
  }
  for (const keyword of NESTED_BY_NAME) {
    const held = own(node.schema, keyword)
    if (isObject(held)) for (const schema of Object.values(held)) add(schema, `<${keyword}>`, false)
  }
  for (let i = below.length - 1; i >= 0; i--) stack.push(below[i] as Node)
}

function faultOf(node: Node, names: ReadonlySet<string>): string | undefined {
  const { schema, above, depth, reachable } = node
  const name = schema[ANNOTATION]
  if (above === undefined || !reachable) {
    return `${placeOf(node)}: ${ANNOTATION} is for properties that only \`properties\` lead to`
  }
  if (depth > MAX_DEPTH) return `${ANNOTATION} is used more than ${MAX_DEPTH} levels deep`
  if (names.size >= MAX_HEADERS) return `${ANNOTATION} is used more than ${MAX_HEADERS} times`
  if (typeof name !== 'string' || !TOKEN.test(name)) {
    return `${placeOf(node)}: ${ANNOTATION} must be the name of a header (letters, digits, - and _)`
  }
  const type = typeOf(schema)
  if (!TYPES.has(type) && type !== 'number') {
    return `${placeOf(node)}: ${ANNOTATION} is for string, integer and boolean, not ${type}`
  }
  if (names.has(name.toLowerCase())) return `${placeOf(node)}: ${ANNOTATION} "${name}" is used twice`
  return undefined
}

function typeOf(schema: JsonObject): string {
  const type = own(schema, 'type')
  return typeof type === 'string' ? type : 'no type'
}

function pathOf(node: Node): string[] {
  const path: string[] = []
  for (let at: Node | undefined = node; at?.above !== undefined; at = at.above) path.unshift(at.key)
  return path
}

function placeOf(node: Node): string {
  if (node.depth > MAX_DEPTH) return 'far below'
  return node.above === undefined ? 'the schema itself' : pathOf(node).join('.')
}

function valueAt(args: JsonObject | undefined, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = args
  for (const key of path) value = isObject(value) ? own(value, key) : undefined
  return value
}

/** The value as a header tells it; undefined for what has no header. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  const exact = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value))
  return exact && Number.isFinite(value) ? String(value) : undefined
}

/** How a header's value differs from the body's; undefined when it does not. Numbers may be spelled in several ways. */
function differs(
  sent: string | undefined,
  expected: string,
  type: string,
  value: JsonValue | undefined,
): string | undefined {
  if (sent === undefined) return 'is not valid Base64 of UTF-8'
  const numeric = typeof value === 'number' && type !== 'string' && /^-?\d+(?:\.\d+)?$/.test(sent)
  const same = sent === expected || (numeric && Number(sent) === value)
  return same ? undefined : `says ${JSON.stringify(sent.slice(0, 100))}`
}
