/** The collections that can be joined, and a field in one of them. */
import { type Part, partsOf } from '../../documents/combine.ts'
import { fromRows } from '../../documents/derive.ts'
import type { Collection, Document } from '../../documents/document.ts'
import { collectionsOf, keyedRecords } from '../../documents/records.ts'
import { isObject } from '../../protocol/json.ts'
import { type Field, resolveExactly, resolveField } from '../fields.ts'
import { holdsObjects } from '../inner-fields.ts'
import { parsePath } from '../path/parse.ts'
import { formatPath, type Path } from '../path/path.ts'
import { type Records, recordsOf } from '../records.ts'
import { Refusal } from '../refusal.ts'

/** A collection under the name by which a condition may call it. */
export interface Side {
  /** The last name on the way to it that says what is in it: `orders`; `joined` where there is none. */
  name: string
  /** `$.data.orders`, with its handle before it where there are several results. */
  place: string
  /** The result it is in. */
  handle: string
  /** All names on the way: `data`, `orders`. */
  names: readonly string[]
  /** True for a list that is in a record of another. */
  within: boolean
  records: Records
}

/** Collections looked at in one result. */
const mostSides = 24

/** All collections of all results, in each the main one first. */
export function sidesOf(document: Document): Side[] {
  const parts = partsOf(document) ?? [{ handle: '', document }]
  return parts.flatMap((part) => sidesIn(part, parts.length > 1))
}

function sidesIn({ handle, document }: Part, several: boolean): Side[] {
  const main = document.records()
  const others = collectionsOf(document.json() ?? null).filter(({ path }) => path !== main?.path)
  const all = [...(main ? [main] : []), ...others]
  return all
    .filter(({ values }) => values.some(isObject))
    .slice(0, mostSides)
    .flatMap((collection) => {
      const records = recordsIn(collection)
      if (!records) return []
      const within = all.some(({ path }) => path !== '$' && collection.path.startsWith(`${path}[`))
      return [{ ...sideOf(collection.path, records, handle, several), within }]
    })
}

function recordsIn(collection: Collection): Records | undefined {
  return recordsOf(fromRows({ noun: 'record', items: keyedRecords(collection) }))
}

/** Names that say nothing of what is in a list. */
const general: ReadonlySet<string> = new Set([
  'items',
  'data',
  'results',
  'records',
  'rows',
  'value',
  'values',
  'list',
  'content',
])

export function sideOf(path: string, records: Records, handle: string, several: boolean): Side {
  const names = namesOn(parsePath(path))
  const last = names.findLast((name) => !general.has(name.toLowerCase()))
  return {
    name: last ?? 'joined',
    place: several ? `${handle} ${path}` : path,
    handle,
    names,
    within: false,
    records,
  }
}

function namesOn(path: Path): string[] {
  return path.flatMap(({ selectors: [only] }) => (only?.kind === 'name' ? [only.name] : []))
}

/** The field that a reference means in a side; undefined when it has none. `qualified`: the reference names the side. */
export function fieldIn(
  side: Side,
  reference: string,
  leniently = false,
): { field: Field; qualified: boolean } | undefined {
  const path = parsePath(reference)
  const within = unqualified(side, path)
  for (const [candidate, qualified] of [
    [within, true],
    [path, false],
  ] as const) {
    const found = candidate && candidate.length > 0 ? resolveExactly(side.records, candidate) : undefined
    if (found) return { field: keyWithin(side.records, found), qualified }
  }
  if (!leniently) return undefined
  for (const [candidate, qualified] of [
    [within, true],
    [path, false],
  ] as const) {
    if (!candidate || candidate.length === 0) continue
    try {
      return { field: keyWithin(side.records, resolveField(side.records, formatPath(candidate))), qualified }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return undefined
}

/** What is left of a path that begins with the handle, all names or the last name on the way to the side. */
function unqualified(side: Side, path: Path): Path | undefined {
  const names = namesOn(path)
  const start = side.handle !== '' && names[0] === side.handle ? 1 : 0
  const rest = names.slice(start).map((name) => name.toLowerCase())
  const same = (way: readonly string[]): boolean =>
    way.length > 0 && way.length < rest.length && way.every((name, at) => rest[at] === name.toLowerCase())
  const taken = [side.names, side.names.slice(-1), [side.name]].find(same)?.length ?? 0
  if (start + taken === 0) return undefined
  let left = start + taken
  const from = path.findIndex(({ selectors: [only] }) => only?.kind === 'name' && left-- === 0)
  return from < 0 ? undefined : path.slice(from)
}

/** Where a field holds objects, the id in them is what joins. */
function keyWithin(records: Records, field: Field): Field {
  if (!holdsObjects(records, field)) return field
  for (const name of ['id', '_id', 'key', '_key', 'uid', 'name']) {
    const inner = resolveExactly(records, [...field.path, ...parsePath(name)])
    if (inner) return inner
  }
  return field
}
