/** Changes every string below a value, however deep it is nested; the value itself stays as it is. */
import { isUtf8 } from 'node:buffer'
import { CONTENT_KINDS, UNKNOWN_KIND } from '../../protocol/content.ts'
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import type { TextSort } from '../../text/change/change-rules.ts'

/** `name`: what data has the text beside. */
export type Apply = (text: string, sort: TextSort, name?: string) => string

/**
 * The part of a result that a value belongs to. `envelope`: members that MCP knows, among them names, URIs and what only the server
 * understands. `data`: names and values that somebody chose. `schema`: names that say what a value will be, not what it is. `texts`: data
 * of which only strings count, not names and numbers.
 */
export type StringKind = 'envelope' | 'data' | 'schema' | 'texts'

/** Names of the members in which content blocks of all kinds have this. */
function membersWith(what: 'text' | 'uri' | 'data'): ReadonlySet<string> {
  const kinds = [...Object.values(CONTENT_KINDS), UNKNOWN_KIND]
  return new Set(kinds.flatMap((kind) => kind[what]?.slice(-1) ?? []))
}

const TEXTS = membersWith('text')
const ENCODED = membersWith('data')

/** Members of the envelope that others go by. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  ...membersWith('uri'),
  'name',
  'uriTemplate',
  'id',
  'toolUseId',
  'src',
  'websiteUrl',
  'url',
])

/** Members of the envelope that go back to where they came from, or are words of the protocol. */
const OPAQUE: ReadonlySet<string> = new Set([
  'cursor',
  'nextCursor',
  'progressToken',
  'requestState',
  'taskId',
  'elicitationId',
  'type',
  'mimeType',
  'role',
  'method',
  'resultType',
  'protocolVersion',
])

/** Members that hold content of the user. */
const DATA: ReadonlySet<string> = new Set([
  'structuredContent',
  'arguments',
  '_meta',
  'data',
  'input',
  'value',
  'metadata',
])

const SCHEMAS: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema', 'requestedSchema'])

/** From here on an own stack takes over from that of the engine. */
const DEEP = 200

/** The same value where nothing was changed. */
export function changeStrings(value: JsonValue, apply: Apply, place: StringKind): JsonValue {
  return changed(value, apply, place, undefined, 0)
}

function changed(
  value: JsonValue,
  apply: Apply,
  place: StringKind,
  name: string | undefined,
  depth: number,
): JsonValue {
  if (typeof value !== 'object' || value === null) return leaf(value, apply, place, name)
  if (depth > DEEP) return deeplyChanged(value, apply, place, name)
  if (Array.isArray(value)) {
    let items: JsonValue[] | undefined
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as JsonValue
      const now = changed(item, apply, place, name, depth + 1)
      if (now === item) continue
      items ??= [...value]
      items[index] = now
    }
    return items ?? value
  }
  let copy: JsonObject | undefined
  let hasNewNames = false
  const beside = nameBeside(value, place)
  for (const key in value) {
    const inner = value[key] as JsonValue
    const now =
      typeof inner === 'object' && inner !== null
        ? changed(inner, apply, placeOf(key, place), key, depth + 1)
        : member(value, key, inner, apply, place, beside)
    if (now !== inner) {
      copy ??= { ...value }
      setOwn(copy, key, now)
    }
    if (place === 'data' && apply(key, 'data') !== key) hasNewNames = true
  }
  return hasNewNames ? renamed(copy ?? value, apply) : (copy ?? value)
}

/** The changed value of a member that is neither an object nor a list. */
function member(
  object: JsonObject,
  key: string,
  inner: JsonValue,
  apply: Apply,
  place: StringKind,
  beside: string | undefined,
): JsonValue {
  if (place === 'envelope') {
    if (OPAQUE.has(key)) return inner
    if (typeof inner === 'string') {
      // `data` is what else a message may call anything.
      if (ENCODED.has(key) && (key !== 'data' || typeof object.mimeType === 'string'))
        return encoded(inner, apply)
      if (IDENTIFIERS.has(key)) return apply(inner, 'identifier')
      if (TEXTS.has(key) || key === 'description') return apply(inner, 'prose')
    }
  }
  return leaf(inner, apply, place, key === 'value' ? (beside ?? key) : key)
}

function placeOf(key: string, place: StringKind): StringKind {
  if (place !== 'envelope') return place
  if (SCHEMAS.has(key)) return 'schema'
  return DATA.has(key) ? 'data' : 'envelope'
}

function leaf(value: JsonValue, apply: Apply, place: StringKind, name: string | undefined): JsonValue {
  if (typeof value === 'string') return apply(value, 'data', place === 'schema' ? undefined : name)
  if (typeof value !== 'number' || place === 'texts') return value
  // One that is something to hide is 0 from then on: what was promised to be a number still is one.
  const text = String(value)
  const isNamed = place !== 'schema' && name !== undefined && /pass|pwd/i.test(name)
  return apply(text, 'data', isNamed ? name : undefined) === text ? value : 0
}

/** Of `{ "name": "PASSWORD", "value": "…" }` the name of the value. */
function nameBeside(object: JsonObject, place: StringKind): string | undefined {
  if (place === 'schema' || !Object.hasOwn(object, 'value')) return undefined
  for (const key of ['name', 'key', 'variable', 'header']) {
    const name = Object.hasOwn(object, key) ? object[key] : undefined
    if (typeof name === 'string') return name
  }
  return undefined
}

/** Text files come as base64 as well. */
function encoded(value: string, apply: Apply): string {
  const text = textOfBase64(value)
  if (text === undefined) return value
  const now = apply(text, 'prose')
  return now === text ? value : Buffer.from(now, 'utf8').toString('base64')
}

/** Two that are called the same now stay two. */
function renamed(object: JsonObject, apply: Apply): JsonObject {
  const result: JsonObject = {}
  for (const [key, value] of Object.entries(object)) {
    const now = apply(key, 'data')
    let unique = now
    for (let count = 2; now !== key && Object.hasOwn(result, unique); count++) unique = `${now} ${count}`
    setOwn(result, unique, value)
  }
  return result
}

/** A part that waits for its copy to be filled. */
interface Work {
  from: JsonValue[] | JsonObject
  to: JsonValue[] | JsonObject
  place: StringKind
  name: string | undefined
}

/** The same for what is nested deeper than the engine's stack would bear. */
function deeplyChanged(
  root: JsonValue[] | JsonObject,
  apply: Apply,
  place: StringKind,
  name: string | undefined,
): JsonValue {
  let isChanged = false
  const top = emptyLike(root)
  const work: Work[] = [{ from: root, to: top, place, name }]
  for (let next = work.pop(); next; next = work.pop()) {
    const { from, to } = next
    const later = (value: JsonValue, at: StringKind, key: string | undefined): JsonValue => {
      if (typeof value !== 'object' || value === null) return leaf(value, apply, at, key)
      const copy = emptyLike(value)
      work.push({ from: value, to: copy, place: at, name: key })
      return copy
    }
    const put = (before: JsonValue, now: JsonValue): JsonValue => {
      if (typeof before !== 'object' && now !== before) isChanged = true
      return now
    }
    if (Array.isArray(from)) {
      for (const item of from) (to as JsonValue[]).push(put(item, later(item, next.place, next.name)))
      continue
    }
    const beside = nameBeside(from, next.place)
    for (const [key, inner] of Object.entries(from)) {
      const isLeaf = typeof inner !== 'object' || inner === null
      const now = isLeaf
        ? put(inner, member(from, key, inner, apply, next.place, beside))
        : later(inner, placeOf(key, next.place), key)
      const called = next.place === 'data' ? apply(key, 'data') : key
      if (called !== key) isChanged = true
      setOwn(to as JsonObject, called, now)
    }
  }
  return isChanged ? top : root
}

function emptyLike(value: JsonValue[] | JsonObject): JsonValue[] | JsonObject {
  return Array.isArray(value) ? [] : {}
}

// Text files that are carried as base64, as resources and blobs are.

/** Characters that tell that most files are no text, before all of them is decoded. A multiple of four. */
const HEAD = 64

/** The encoded text, where it is text in UTF-8. Undefined: pictures, archives, and what is no base64. */
function textOfBase64(value: string): string | undefined {
  if (value.length === 0 || !/^[A-Za-z0-9+/_=\s-]{1,64}/.test(value)) return undefined
  if (Buffer.from(value.slice(0, HEAD), 'base64').includes(0)) return undefined
  const bytes = Buffer.from(value, 'base64')
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined
}
