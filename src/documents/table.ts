/** The object that every step works on: rows, their columns, and where they come from. */

import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { placesOver } from '../text/spread.ts'
import { type Coded, type Columns, columnsOf, type Derives, Findings, type Reader } from './columns/column.ts'
import { parseJson } from './json/stringify.ts'
import { areMaps, isMap, pathStep, shareKey } from './shape/collections.ts'

/** Where rows stand in the kept result, so that the path of one of them can be asked for. */
export interface Provenance {
  /** JSONPath of the list or map that holds the rows; of the row itself when it is `alone`. */
  readonly path: string
  /** The key of each row, of a map. */
  readonly keys?: readonly string[] | undefined
  readonly alone?: true
  /** The rows are from many places. */
  readonly scattered?: true
  /** The path of a row that is from one of many places; absent where none leads to it. */
  readonly placeOf?: ((row: number) => string) | undefined
}

/** `$.items[3]`, `$.definitions["a b"]`. */
export function recordPath({ provenance }: { readonly provenance: Provenance }, record: number): string {
  const { path, keys, alone, scattered, placeOf } = provenance
  if (alone) return path
  if (placeOf) return placeOf(record)
  if (scattered) return `${path} (record ${record})`
  const key = keys?.[record]
  return `${path}${key === undefined ? `[${record}]` : pathStep(key)}`
}

/** Findings that are kept about one table. */
const MOST_FOUND = 2_000

/** Rows with their columns, each read on first use. Never changes. */
export class Table implements Derives {
  readonly columns: Columns
  /** JSONPath of the rows in the document that they are the records of. */
  readonly path: string
  readonly provenance: Provenance
  /** The table these rows were chosen from; itself where they were not chosen. The meaning of a name is settled there. */
  readonly whole: Table
  readonly #found = new Findings(MOST_FOUND)

  constructor(columns: Columns, path = '$', provenance: Provenance = { path }, whole?: Table) {
    this.columns = columns
    this.path = path
    this.provenance = provenance
    this.whole = whole ?? this
  }

  /** Never to be changed. Rows of a map carry their key as `_key`. */
  get rows(): readonly JsonValue[] {
    return this.columns.rows
  }

  get count(): number {
    return this.columns.count
  }

  row(at: number): JsonValue {
    return this.columns.row(at)
  }

  /** A field or an expression as codes of these rows, from the column of the whole where that is there. Throws what the reader throws. */
  coded(reader: Reader): Coded {
    return this.columns.coded(reader)
  }

  /** The rows at these positions, in their order: some of them, or all of them in another. */
  choose(positions: Uint32Array): Table {
    const placeOf = (row: number): string => recordPath(this, positions[row] ?? row)
    return new Table(this.columns.choose(positions), '$', { path: '$', placeOf }, this.whole)
  }

  /** Every field of a sample of the rows, `a.b` for nested ones, `a.*.b` within maps, with a few of its values. */
  names(): ReadonlyMap<string, readonly JsonValue[]> {
    const { columns } = this.whole
    return columns.derived('names', () => collectNames(columns.rows))
  }

  derived<T>(name: string, make: () => T): T {
    return this.#found.of(name, make)
  }

  /** The value that was derived under this name before. */
  found<T>(name: string): T | undefined {
    return this.#found.before(name) as T | undefined
  }
}

/** The table of a list of rows, without a place where none is given: the elements of lists in records. */
export function tableOf(rows: readonly JsonValue[], path?: string, provenance?: Provenance): Table {
  return new Table(columnsOf(rows), path, provenance)
}

/** Rows looked at for the names of fields, names in all, and levels below a row. */
const MOST_SAMPLED = 200
const MOST_NAMES = 3_000
const DEEPEST = 12
/** How often a field may hold one of its own name: deeper in a tree there is nothing new. */
const MOST_WITHIN_ITSELF = 2
/** Elements of a list and of a map that are looked at, keys of a record, and values kept of a field. */
const MOST_ELEMENTS = 5
const MOST_KEYS = 500
/** Elements of a list in which more names may be. */
const MOST_VARIED = 40
const MOST_SAMPLES = 4
/** Levels of small maps within small maps. */
const MOST_ROUNDS = 3

/** Characters of a text that is parsed for names. */
const LONGEST_JSON = 10_000

interface Collecting {
  names: Map<string, JsonValue[]>
  /** By name of the field: the objects there that do not look like maps one by one. */
  objects: Map<string, JsonObject[]>
  /** Names of fields that turned out to be maps. */
  maps: ReadonlySet<string>
}

/** Again where small objects at one place turn out to be maps: then their keys are no names. */
function collectNames(values: readonly JsonValue[]): Map<string, JsonValue[]> {
  const maps = new Set<string>()
  for (let round = 0; ; round++) {
    const names = new Map<string, JsonValue[]>()
    const objects = new Map<string, JsonObject[]>()
    for (const at of placesOver(values.length, MOST_SAMPLED))
      addNames(values[at] ?? null, '', 0, { names, objects, maps })
    const found = [...objects].filter(([, held]) => held.length > 1 && areMaps(held) && !shareKey(held))
    if (found.length === 0 || round === MOST_ROUNDS) return names
    for (const [place] of found) maps.add(place)
  }
}

function addNames(value: JsonValue, name: string, depth: number, into: Collecting): void {
  if (into.names.size >= MOST_NAMES || depth > DEEPEST) return
  if (Array.isArray(value)) {
    const seen = new Set<string>()
    for (const [at, element] of value.slice(0, MOST_VARIED).entries()) {
      const keys = isObject(element) ? Object.keys(element).slice(0, MOST_KEYS) : []
      // Elements of many kinds, as the fields of MARC are, have names of their own.
      if (at >= MOST_ELEMENTS && keys.every((key) => seen.has(key))) continue
      for (const key of keys) seen.add(key)
      addNames(element, name, depth + 1, into)
    }
    return
  }
  if (name !== '') addSample(name, value, into.names)
  // A path goes on into a text that is the JSON of an object.
  const isJson = typeof value === 'string' && value.length <= LONGEST_JSON && /^\s?\{"/.test(value)
  const held = isJson ? parseJson(value)?.value : undefined
  if (held !== undefined && isObject(held)) addNames(held, name, depth, { ...into, objects: new Map() })
  if (!isObject(value)) return
  const map = depth > 0 && (into.maps.has(name) || isMap(value))
  if (depth > 0 && !map) {
    const held = into.objects.get(name)
    if (held) held.push(value)
    else into.objects.set(name, [value])
  }
  for (const key of Object.keys(value).slice(0, map ? MOST_ELEMENTS : MOST_KEYS)) {
    const step = map ? '.*' : pathStep(key)
    if (!map && name.split(step).length > MOST_WITHIN_ITSELF) continue
    addNames(own(value, key) ?? null, name === '' ? step.replace(/^\./, '') : name + step, depth + 1, into)
  }
}

function addSample(name: string, value: JsonValue, names: Map<string, JsonValue[]>): void {
  const samples = names.get(name)
  if (!samples) names.set(name, [value])
  else if (samples.length < MOST_SAMPLES && typeof value !== 'object' && !samples.includes(value))
    samples.push(value)
}
