/** The records of a document as the steps see them. */
import type { Collection, Document } from '../documents/document.ts'
import { areMaps, isMap, shareKey } from '../documents/map-like.ts'
import { collectionsOf, keyedRecords, pathStep } from '../documents/records.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { parsePath } from './path/parse.ts'
import { formatPath, newWork, type Path } from './path/path.ts'
import { readValues } from './path/walk.ts'
import { Refusal } from './refusal.ts'

/** Records looked at for the names of fields, names in all, and levels below a record. */
const mostSampled = 200
const mostNames = 3_000
const deepest = 6

export interface Records {
  /** From the root to the collection. */
  readonly path: Path
  /** Records of a map carry their key as `_key`. */
  readonly values: readonly JsonValue[]
  /** The records that these were chosen from: a field that one of them has is a field. The same list where nothing was chosen. */
  readonly whole: readonly JsonValue[]
  /** Every field of a sample of the records, `a.b` for nested ones, `a.*.b` within maps, with a few of its values. */
  names(): ReadonlyMap<string, readonly JsonValue[]>
  /** What to say of a field that no record has: where it is, or what the records are. */
  hint(field: string): string
}

const known = new WeakMap<Collection, Records>()

/** Undefined when nothing in the document repeats. */
export function recordsOf(document: Document): Records | undefined {
  const collection = document.records()
  if (!collection) return undefined
  const before = known.get(collection)
  if (before) return before
  const own = asRecords(keyedRecords(collection), parsePath(collection.path), (field) =>
    otherPlace(document, collection, field),
  )
  const origin = origins.get(document)
  const records = origin ? { ...origin, values: own.values, path: own.path } : own
  known.set(collection, records)
  return records
}

const origins = new WeakMap<Document, Records>()

/** Says that the records of a document were chosen from those of another, so that names mean the same in both. */
export function chosenFrom(chosen: Document, from: Document): void {
  const records = chosen === from || from.json() === undefined ? undefined : recordsOf(from)
  if (records) origins.set(chosen, records)
}

/** Throws a `Refusal` when the document has no records. `doing` completes "nothing to". */
export function requireRecords(document: Document, doing: string): Records {
  const records = recordsOf(document)
  if (records) return records
  if (document.json() === undefined) return linesOf(document)
  throw new Refusal(
    `Nothing in this result repeats, so there is nothing to ${doing}. Name the list or map with \`path\`.`,
  )
}

const read = new WeakMap<Document, Records>()

/** The lines of a text, each a value. */
function linesOf(document: Document): Records {
  const before = read.get(document)
  if (before) return before
  const lines = document.lines()
  const values = Array.from({ length: lines.count }, (_, index) => lines.at(index))
  const records = asRecords(values, [], () => ' The result is text and its records are its lines.')
  read.set(document, records)
  return records
}

/** Records looked at in other collections, and such collections. */
const mostGlanced = 50
const mostOthers = 20

/** Says which other collection of the document has records with the field. */
function otherPlace(document: Document, own: Collection, field: string): string {
  const wanted = parsePath(field)
  const others = collectionsOf(document.json() ?? null).filter(({ path }) => path !== own.path)
  for (const { path, values } of others.slice(0, mostOthers)) {
    const within = parsePath(path)
    const step = (one: Path, at: number) => formatPath(one.slice(at, at + 1))
    const below = within.every((_, at) => step(within, at) === step(wanted, at))
      ? wanted.slice(within.length)
      : wanted
    const rest = below[0]?.selectors[0]?.kind === 'all' ? below.slice(1) : below
    const at = rest.length === 0 ? -1 : values.slice(0, mostGlanced).findIndex((value) => has(value, rest))
    if (at < 0) continue
    // Of a list of tables one is meant.
    const place = Array.isArray(values[at]) ? `${path}[${at}]` : path
    return ` \`${place}\` has it: add "path": ${JSON.stringify(place)}.`
  }
  return ''
}

function has(value: JsonValue, path: Path): boolean {
  const found: JsonValue[] = []
  readValues(value, path, found, newWork())
  return found.length > 0
}

/** The records of the collections that are not the main one. Of a list of tables the tables are asked, not the list. */
export function otherRecords(document: Document): Records[] {
  const main = document.records()?.path
  const all = collectionsOf(document.json() ?? null)
  const holdsOthers = ({ path, values }: Collection): boolean =>
    Array.isArray(values[0]) && all.some((other) => other.path.startsWith(`${path}[`))
  return all
    .filter((one) => one.path !== main && !holdsOthers(one))
    .slice(0, mostOthers)
    .map((collection) => asRecords(keyedRecords(collection), parsePath(collection.path), () => ''))
}

const ofValues = new WeakMap<readonly JsonValue[], Records>()

/** Values as records without a place of their own: the elements of lists in records. The same for the same list. */
export function recordsOfValues(values: readonly JsonValue[]): Records {
  const records = ofValues.get(values) ?? asRecords(values, [], () => '')
  ofValues.set(values, records)
  return records
}

function asRecords(values: readonly JsonValue[], path: Path, hint: Records['hint']): Records {
  let names: Map<string, JsonValue[]> | undefined
  return {
    path,
    values,
    whole: values,
    hint,
    names() {
      names ??= collectNames(values)
      return names
    },
  }
}

/** Again where small objects at one place turn out to be maps: then their keys are no names. */
function collectNames(values: readonly JsonValue[]): Map<string, JsonValue[]> {
  const maps = new Set<string>()
  for (let round = 0; ; round++) {
    const names = new Map<string, JsonValue[]>()
    const objects = new Map<string, JsonObject[]>()
    const step = Math.max(1, Math.floor(values.length / mostSampled))
    for (let at = 0; at < values.length; at += step)
      addNames(values[at] ?? null, '', 0, { names, objects, maps })
    const found = [...objects].filter(([, held]) => held.length > 1 && areMaps(held) && !shareKey(held))
    if (found.length === 0 || round === mostRounds) return names
    for (const [place] of found) maps.add(place)
  }
}

/** Levels of small maps within small maps. */
const mostRounds = 3

interface Collecting {
  names: Map<string, JsonValue[]>
  /** By name: what is no map by itself. */
  objects: Map<string, JsonObject[]>
  /** Names of what is a map for all that. */
  maps: ReadonlySet<string>
}

function addNames(value: JsonValue, name: string, depth: number, into: Collecting): void {
  if (into.names.size >= mostNames || depth > deepest) return
  if (Array.isArray(value)) {
    for (const element of value.slice(0, 5)) addNames(element, name, depth + 1, into)
    return
  }
  if (name !== '') addSample(name, value, into.names)
  if (!isObject(value)) return
  const map = depth > 0 && (into.maps.has(name) || isMap(value))
  if (depth > 0 && !map) {
    const held = into.objects.get(name)
    if (held) held.push(value)
    else into.objects.set(name, [value])
  }
  for (const key of Object.keys(value).slice(0, map ? 5 : 500)) {
    const step = map ? '.*' : pathStep(key)
    addNames(own(value, key) ?? null, name === '' ? step.replace(/^\./, '') : name + step, depth + 1, into)
  }
}

function addSample(name: string, value: JsonValue, names: Map<string, JsonValue[]>): void {
  const samples = names.get(name)
  if (!samples) names.set(name, [value])
  else if (samples.length < 4 && typeof value !== 'object' && !samples.includes(value)) samples.push(value)
}
