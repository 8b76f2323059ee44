/**
 * References in arguments: in place of a value a model writes where it is kept. `{"$from": "<cache_id>", "path": "…"}` stands for a
 * kept result or a part of it. `{"$template": "… {name} …", "name": {"$from": …}}` stands for a text with such parts in it. A part may also
 * stand in the text itself. Where a schema wants a text, models write the JSON of these as one; that is read as well. An object of a tool's own that looks so is written with
 * one more `$`: `{"$$from": …}` stands for `{"$from": …}`.
 */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import { HANDLE, isHandle } from '../store/handles.ts'
import { literal } from '../text/patterns/literal.ts'

/** `path` absent: the whole content. */
export interface Reference {
  readonly from: string
  readonly path: string | undefined
}

/** How the bytes of a file are written. */
const WRITINGS = ['text', 'base64', 'data-uri'] as const
export type Writing = (typeof WRITINGS)[number]

/** A file: by its path, or part `part` of what is kept, or its only one. */
export type FileReference = { readonly as: Writing } & (
  | { readonly path: string }
  | { readonly from: string; readonly part: number | undefined }
)

export interface Template {
  readonly text: string
  /** The values for the names in braces. */
  readonly parts: ReadonlyMap<string, Reference | string>
}

/** An object that only looks like one of them, without the `$` that says so. */
interface Literal {
  readonly literal: JsonObject
}

/** Where a reference stands: keys of objects and positions in lists, from the arguments inward. */
export type KeyPath = readonly (string | number)[]

export interface Found {
  readonly place: KeyPath
  readonly wanted: Reference | FileReference | Template | Literal
}

/** References of one call; levels and values that are looked at for them. A reference that is deeper or beyond is data. */
export const MOST_REFERENCES = 20
const deepest = 64
const mostValues = 200_000

/** All references in the arguments, outermost first. A malformed one is a `fault`, which says what to write. */
export function findReferences(args: JsonObject): Found[] | { fault: string } {
  const found: Found[] = []
  const work = { left: mostValues }
  const fault = search(args, [], found, work)
  if (fault !== undefined) return { fault }
  if (found.length > MOST_REFERENCES)
    return {
      fault: `There are ${found.length} references in the arguments; ${MOST_REFERENCES} are the most.`,
    }
  return found
}

/** The one argument that is shown where arguments come from a file (`argumentsFile`). No tool is called with it. */
export const FROM_FILE = '_fromFile'

/** True when there is something to put in, or what was meant to be: such arguments are checked when that is done. */
export function hasReferences(args: JsonObject): boolean {
  const found = findReferences(args)
  return 'fault' in found || found.length > 0
}

function search(
  value: JsonValue,
  place: KeyPath,
  found: Found[],
  work: { left: number },
): string | undefined {
  if (typeof value === 'string') {
    const written = readWritten(value)
    if (written !== undefined) found.push({ place, wanted: written })
    return undefined
  }
  if (typeof value !== 'object' || value === null || place.length > deepest || work.left-- <= 0)
    return undefined
  const read = Array.isArray(value) ? undefined : readReference(value)
  if (typeof read === 'string') return `${place.join('.') || 'The arguments'}: ${read}`
  if (read !== undefined) {
    found.push({ place, wanted: read })
    return undefined
  }
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  for (const key of keys) {
    const member = (value as Record<string | number, JsonValue>)[key] ?? null
    const isWorthALook =
      typeof member === 'string' ? mayBeWritten(member) : typeof member === 'object' && member !== null
    if (!isWorthALook) continue
    const fault = search(member, [...place, key], found, work)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The reference in an object, the mistake in it, or undefined for an object that is data. */
function readReference(object: JsonObject): Found['wanted'] | string | undefined {
  if (Object.hasOwn(object, '$from')) return readFrom(object)
  if (Object.hasOwn(object, '$file')) return readFile(object)
  return Object.hasOwn(object, '$template') ? readTemplate(object) : readLiteral(object)
}

const WRITTEN = /^\s*\{\s*"\$(?:from|file|template)"\s*:/
const longestWritten = 4000

function mayBeWritten(text: string): boolean {
  return text.length <= longestWritten && WRITTEN.test(text)
}

/** A text that is the JSON of a reference. A text that is not surely one stays a text. */
function readWritten(text: string): Reference | FileReference | Template | undefined {
  if (!mayBeWritten(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const read = isObject(value) ? readReference(value) : undefined
    return read === undefined || typeof read === 'string' || 'literal' in read ? undefined : read
  } catch {
    return undefined
  }
}

const FROM = 'write {"$from": "<cache_id>"} or {"$from": "<cache_id>", "path": "$.items[0].name"}'
const LITERAL = 'An object of the tool\'s own is written {"$$from": …}'

/** The name of a file with a result ends in its handle. */
const FILE = new RegExp(`^\\P{Cc}*[\\\\/]result-(?:[0-9a-f]+-)?(${HANDLE})\\.[a-z]+$`, 'u')

/** The handle of the result that a file of the proxy holds. */
export function handleOfFile(path: string): string | undefined {
  return FILE.exec(path.trim())?.[1]
}

/** `rlm://<cache_id>`, or a part of that. */
const RESOURCE = /^rlm:\/\/([^/?#]+)(?:\/(\d{1,3}))?\/?$/

/** An object with other members and without a handle is no reference. */
function readFrom(object: JsonObject): Reference | FileReference | string | undefined {
  const { $from: given, path, as, ...others } = object
  const strange = Object.keys(others)
  const [, kept, part] = (typeof given === 'string' && RESOURCE.exec(given.trim())) || []
  const from = typeof given === 'string' ? (kept ?? handleOfFile(given) ?? given.trim()) : undefined
  if (from === undefined || !isHandle(from))
    return strange.length > 0 ? undefined : `$from is no cache_id: ${FROM}. ${LITERAL}.`
  if (strange.length > 0)
    return `beside $from there is path and nothing else, not ${strange.slice(0, 5).join(', ').slice(0, 100)}: ${FROM}. ${LITERAL}.`
  if (path !== undefined && typeof path !== 'string') return `path is not a text: ${FROM}.`
  if (as !== undefined && !isWriting(as)) return AS
  const isFile = part !== undefined || (as !== undefined && as !== 'text')
  if (isFile && path !== undefined)
    return 'path is for what is inside of a result: a file in it is taken whole.'
  if (isFile) return { from, part: part === undefined ? undefined : Number(part), as: as ?? 'base64' }
  return { from, path: path === undefined || path.trim() === '' ? undefined : path }
}

const AS = `as is one of ${WRITINGS.join(', ')}.`

function isWriting(as: JsonValue): as is Writing {
  return WRITINGS.some((one) => one === as)
}

/** An object with other members is no reference. */
function readFile(object: JsonObject): FileReference | string | undefined {
  const { $file: path, as = 'text', ...others } = object
  if (Object.keys(others).length > 0) return undefined
  if (typeof path !== 'string' || path.trim() === '')
    return `$file is no path: write {"$file": "/path/of/a/file", "as": "base64"}. An object of the tool's own is written {"$$file": …}.`
  return isWriting(as) ? { path, as } : AS
}

const TEMPLATE = 'write {"$template": "… {rows} …", "rows": {"$from": "<cache_id>", "path": "…"}}'

function readTemplate(object: JsonObject): Template | string | undefined {
  const text = own(object, '$template')
  const names = Object.keys(object).filter((name) => name !== '$template')
  if (typeof text !== 'string') return `$template is not a text: ${TEMPLATE}.`
  const parts = new Map<string, Reference | string>()
  for (const name of names) {
    const part = own(object, name) ?? null
    const read =
      typeof part === 'string'
        ? (readWritten(part) ?? { text: part })
        : isObject(part)
          ? readFrom(part)
          : undefined
    if (read === undefined || typeof read === 'string' || 'parts' in read || 'as' in read)
      return `${name} of a $template is no reference: ${TEMPLATE}.`
    if (!text.includes(`{${name}}`)) return `{${name}} does not stand in the $template.`
    parts.set(name, 'text' in read ? read.text : read)
  }
  for (const [inner, reference] of referencesWithin(text)) {
    parts.set(inner, reference)
    if (parts.size > MOST_REFERENCES) return `a $template has at most ${MOST_REFERENCES} parts.`
  }
  if (parts.size === 0) return `nothing stands for anything in the $template: ${TEMPLATE}.`
  return { text, parts }
}

const WITHIN = /\{(\s*"\$from"\s*:\s*"[^"\\]*"\s*(?:,\s*"path"\s*:\s*"(?:[^"\\]|\\.)*"\s*)?)\}/g

/** References that are written into the text of a template, by what stands between their braces. */
function* referencesWithin(text: string): Generator<[string, Reference]> {
  for (const [whole, inner] of text.matchAll(WITHIN)) {
    const read = readWritten(whole)
    if (read !== undefined && 'from' in read && !('as' in read) && inner !== undefined) yield [inner, read]
  }
}

const ESCAPED = /^\$\$+(?:from|file|template)$/

function readLiteral(object: JsonObject): Literal | undefined {
  const escaped = Object.keys(object).find((name) => ESCAPED.test(name))
  if (escaped === undefined) return undefined
  const besides = escaped.endsWith('from') ? ['path', 'as'] : escaped.endsWith('file') ? ['as'] : undefined
  if (besides && Object.keys(object).some((name) => name !== escaped && !besides.includes(name)))
    return undefined
  const literal: JsonObject = {}
  for (const name of Object.keys(object))
    setOwn(literal, name === escaped ? name.slice(1) : name, own(object, name) ?? null)
  return { literal }
}

export function isTemplate(wanted: Found['wanted']): wanted is Template {
  return 'text' in wanted
}

export function isFile(wanted: Found['wanted']): wanted is FileReference {
  return 'as' in wanted
}

export function isLiteral(wanted: Found['wanted']): wanted is Literal {
  return 'literal' in wanted
}

/** The handles that the arguments refer to, each once, but for those of files. */
export function handlesIn(found: readonly Found[]): string[] {
  const references = found.flatMap(({ wanted }) => {
    if (isLiteral(wanted) || isFile(wanted)) return []
    return isTemplate(wanted) ? [...wanted.parts.values()] : [wanted]
  })
  return [...new Set(references.flatMap((one) => (typeof one === 'string' ? [] : [one.from])))]
}

// Values put in the place of references. Pure; the arguments as received stay what they are.

/** The arguments with these values at these places: copies along the way, everything else the same object. */
export function withValues(
  args: JsonObject,
  values: readonly { place: KeyPath; value: JsonValue }[],
): JsonObject {
  let expanded: JsonValue = args
  for (const { place, value } of values) expanded = put(expanded, place, value)
  return isObject(expanded) ? expanded : args
}

function put(into: JsonValue, [key, ...rest]: KeyPath, value: JsonValue): JsonValue {
  if (key === undefined) return value
  if (Array.isArray(into)) {
    const at = Number(key)
    return into.with(at, put(into[at] ?? null, rest, value))
  }
  if (!isObject(into)) return into
  const copy: JsonObject = {}
  for (const name of Object.keys(into))
    setOwn(copy, name, name === key ? put(own(into, name) ?? null, rest, value) : (own(into, name) ?? null))
  return copy
}

/** The template with texts for its names, in one brace or in two. In one pass: what a value brings along in braces stays as it is. */
export function filled({ text }: Template, values: ReadonlyMap<string, string>): string {
  const names = [...values.keys()].map(literal)
  if (names.length === 0) return text
  return text.replaceAll(
    new RegExp(`\\{\\{(${names.join('|')})\\}\\}|\\{(${names.join('|')})\\}`, 'g'),
    (whole, twice?: string, once?: string) => values.get(twice ?? once ?? '') ?? whole,
  )
}

/** The kind of value that a schema wants at a place: a text, something else, or it does not say. */
export type Wanted = 'text' | 'data' | 'any'

/** Follows `properties`, `items` and local `$ref`s, as far as that leads to a `type`. */
export function wantedAt(schema: JsonObject, place: KeyPath): Wanted {
  let here: JsonObject | undefined = resolved(schema, schema)
  for (const key of place) {
    if (here === undefined) return 'any'
    const properties: JsonValue | undefined = typeof key === 'string' ? own(here, 'properties') : undefined
    const next: JsonValue | undefined =
      typeof key === 'number'
        ? own(here, 'items')
        : ((isObject(properties) ? own(properties, key) : undefined) ?? own(here, 'additionalProperties'))
    here = isObject(next) ? resolved(next, schema) : undefined
  }
  return here === undefined ? 'any' : wantedBy(here)
}

function wantedBy(schema: JsonObject): Wanted {
  const { type } = schema
  const types = Array.isArray(type) ? type : type === undefined ? alternatives(schema) : [type]
  const known = types.filter((one) => one !== 'null')
  if (known.length === 0) return 'any'
  if (known.every((one) => one === 'string')) return 'text'
  return known.includes('string') ? 'any' : 'data'
}

function alternatives(schema: JsonObject): JsonValue[] {
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  if (!Array.isArray(branches)) return []
  return branches.flatMap((branch) => (isObject(branch) ? [own(branch, 'type') ?? 'unknown'].flat() : []))
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  let here: JsonObject | undefined = schema
  for (let steps = 0; steps < deepest && here; steps++) {
    const ref: JsonValue | undefined = own(here, '$ref')
    if (typeof ref !== 'string') return here
    here = ref.startsWith('#/') ? pointed(root, ref.slice(2)) : undefined
  }
  return undefined
}

function pointed(root: JsonObject, pointer: string): JsonObject | undefined {
  let here: JsonValue | undefined = root
  for (const part of pointer.split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    here = isObject(here) ? own(here, key) : undefined
  }
  return isObject(here) ? here : undefined
}
