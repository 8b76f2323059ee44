/**
 * References in arguments: in place of a value a model writes where it is kept. `{"$from": "<cache_id>", "path": "…"}` stands for a
 * kept result or a part of it; `{"$template": "… {name} …", "name": {"$from": …}}` for a text with such parts in it.
 */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'

/** `path` absent: the whole content. */
export interface Reference {
  readonly from: string
  readonly path: string | undefined
}

export interface Template {
  readonly text: string
  /** What the names in braces stand for. */
  readonly parts: ReadonlyMap<string, Reference | string>
}

/** Where a reference stands: keys of objects and positions in lists, from the arguments inward. */
export type Place = readonly (string | number)[]

export interface Found {
  readonly place: Place
  readonly wanted: Reference | Template
}

/** References of one call; levels and values that are looked at for them. What is deeper or beyond is data. */
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

/** True when there is something to put in, or what was meant to be: such arguments are checked when that is done. */
export function hasReferences(args: JsonObject): boolean {
  const found = findReferences(args)
  return 'fault' in found || found.length > 0
}

function search(value: JsonValue, place: Place, found: Found[], work: { left: number }): string | undefined {
  if (typeof value !== 'object' || value === null || place.length > deepest || work.left-- <= 0)
    return undefined
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const element = value[at]
      if (typeof element !== 'object' || element === null) continue
      const fault = search(element, [...place, at], found, work)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  const read = readReference(value)
  if (read !== undefined) {
    if (typeof read === 'string') return `${place.join('.') || 'The arguments'}: ${read}`
    found.push({ place, wanted: read })
    return undefined
  }
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (typeof member !== 'object' || member === null) continue
    const fault = search(member, [...place, key], found, work)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** A reference or template, what is wrong with one, or undefined for an object that is data. */
function readReference(object: JsonObject): Reference | Template | string | undefined {
  if (Object.hasOwn(object, '$from')) return readFrom(object)
  return Object.hasOwn(object, '$template') ? readTemplate(object) : undefined
}

const FROM = 'write {"$from": "<cache_id>"} or {"$from": "<cache_id>", "path": "$.items[0].name"}'

/** An object that has other members as well is nobody's reference. */
function readFrom(object: JsonObject): Reference | string | undefined {
  const { $from: from, path, ...others } = object
  if (Object.keys(others).length > 0) return undefined
  if (typeof from !== 'string') return `$from is not a cache_id: ${FROM}.`
  if (path !== undefined && typeof path !== 'string') return `path is not a text: ${FROM}.`
  return { from: from.trim(), path: path === undefined || path.trim() === '' ? undefined : path }
}

const TEMPLATE = 'write {"$template": "… {rows} …", "rows": {"$from": "<cache_id>", "path": "…"}}'

function readTemplate(object: JsonObject): Template | string | undefined {
  const text = own(object, '$template')
  const names = Object.keys(object).filter((name) => name !== '$template')
  if (typeof text !== 'string') return `$template is not a text: ${TEMPLATE}.`
  const parts = new Map<string, Reference | string>()
  for (const name of names) {
    const part = own(object, name) ?? null
    const read = typeof part === 'string' ? { text: part } : isObject(part) ? readFrom(part) : undefined
    if (read === undefined || typeof read === 'string')
      return `${name} of a $template is no reference: ${TEMPLATE}.`
    if (!text.includes(`{${name}}`)) return `{${name}} does not stand in the $template.`
    parts.set(name, 'text' in read ? read.text : read)
  }
  return { text, parts }
}

export function isTemplate(wanted: Reference | Template): wanted is Template {
  return 'text' in wanted
}
