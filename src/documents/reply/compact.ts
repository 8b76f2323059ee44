/** Many wide records on one page: each in the few fields that tell most, instead of a few records in full. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import { head } from '../../text/shorten.ts'
import { idOf, labelOf, scalarCount, worth } from '../overview/rank.ts'
import { pathStep } from '../shape/collections.ts'
import { type Field, isNoise } from '../shape/fields.ts'
import { isNaming } from '../shape/identity.ts'
import { profile } from '../shape/profile.ts'
import type { Shape } from '../shape/shape.ts'

export interface Compact {
  rows: JsonObject[]
  /** Fields shown of each, and fields in all. */
  shown: number
  of: number
}

/**
 * Characters of a page of short rows, of one with the fields that were asked about, and of one row where there are many. Records looked at
 * for their fields.
 */
const PAGE = 1_500
const ASKED = 2_500
const ROW = 40
const SAMPLE = 200
/** Characters of a row beside its cells: the blanks before it, and the end of the line. */
const MARGIN = 4
/** Characters of a text in a short row, and elements of a list. */
const LONGEST = 80
const ELEMENTS = 5
const DEEPEST = 4
/** Fields beyond this are shown only where the question names them, or records are few. */
const MOST = 12
const MOST_OF_FEW = 40
const FEW = 3

/** A field with the keys that lead to it; those of lists are none. */
interface NestedField extends Field {
  keys: readonly string[]
}

/**
 * `rows` with as many fields as `room` characters hold. First are the fields that say which record each is, then the `wanted` ones, then
 * the fields that tell most. `wanted` has names or paths as a question writes them. Long texts are cut. `sample`: records by which the
 * fields are chosen. Undefined where the rows are no records, or nothing is gained.
 */
export function compactRows(
  rows: readonly JsonValue[],
  sample: readonly JsonValue[],
  wanted: ReadonlySet<string>,
  room: number,
): Compact | undefined {
  if (!rows.every(isObject)) return undefined
  const { record } = profile({ values: sample.slice(0, SAMPLE) }, { maxDepth: DEEPEST })
  const places = placesOf(record)
  const widthFor = (page: number) => Math.min(room, Math.max(page, rows.length * ROW)) / rows.length
  const chosen: NestedField[] = []
  let used = MARGIN
  let table = true
  const most = rows.length > FEW ? MOST : MOST_OF_FEW
  const identity = readable(identityOf(places.filter(({ many }) => !many)), rows)
  for (const place of inOrder(places, identity, wanted)) {
    if (chosen.length >= most && !isNamed(place, wanted)) break
    const cells = rows.map((row) => cellOf(row, place))
    const held = cells.filter((cell) => cell !== undefined)
    const even = held.length === rows.length && !place.many
    // A field that not all rows have makes a table a list, in which each row says all names again.
    const identifies = identity.includes(place) && held.length * 2 >= rows.length
    const isKept = identifies || isNamed(place, wanted)
    if (held.length === 0 || (table && !even && chosen.length > 0 && !isKept)) continue
    const length = held.reduce<number>((sum, cell) => sum + sizeOf(cell) + 1, 0) / rows.length
    const names = [...(table && !even ? chosen : []), ...(table && even ? [] : [place])]
    const more = length + names.reduce((sum, { path }) => sum + path.length + 4, 0)
    const width = widthFor(isNamed(place, wanted) ? ASKED : PAGE)
    const space = identifies ? Math.min(room / rows.length, width + ROW) : width
    if (chosen.length > 0 && used + more > space) continue
    table &&= even
    chosen.push(place)
    used += more
  }
  const leaves = places.filter(isLeaf).length
  const sorted = places.filter((place) => chosen.includes(place))
  const left = Math.max(0, leaves - sorted.length)
  if (chosen.length === 0 || (left === 0 && !isCut(rows, sorted))) return undefined
  return { rows: rows.map((row) => shortRow(row, sorted)), shown: sorted.length, of: leaves }
}

function shortRow(row: JsonObject, places: readonly NestedField[]): JsonObject {
  const short: JsonObject = {}
  for (const place of places) {
    const cell = cellOf(row, place)
    if (cell !== undefined) setOwn(short, place.path, cell)
  }
  return short
}

/** True where a text or list is too long for a short row. */
function isCut(rows: readonly JsonObject[], places: readonly NestedField[]): boolean {
  return places.some((place) =>
    rows.some((row) => /… \[[\d,]+ characters\]$|… [\d,]+ more$/.test(String(cellOf(row, place) ?? ''))),
  )
}

/** A field with values of its own, in a list or not. */
function isLeaf(field: NestedField): boolean {
  const { elements } = field.shape
  return scalarCount(field) > 0 || (elements !== undefined && scalarCount({ shape: elements }) > 0)
}

/**
 * The fields that tell records apart; where none does, fields with the name of an id, in the record or in one part of it (`metadata.name`).
 */
function identityOf(flat: readonly NestedField[]): NestedField[] {
  const found = [idOf(flat), labelOf(flat)].flatMap((field) =>
    flat.filter((place) => place.path === field?.path),
  )
  if (found.some(({ name }) => isNaming(name))) return found
  const called = flat.filter((place) => scalarCount(place) > 0 && isNaming(place.name))
  const own = called.filter(({ depth }) => depth === 1)
  const [inner] = called.filter(({ depth }) => depth === 2)
  const part = called.filter(({ depth, keys }) => depth === 2 && keys[0] === inner?.keys[0])
  return [...(own.length > 0 ? own : part).slice(0, 2), ...found]
}

/** A UUID or a hash: it takes more tokens than all else in a short row. */
const OPAQUE = /^(?=.*\d)[\da-f-]{20,}$/i

/** Without opaque ids inside of records where another field tells all rows apart. An id of the record itself may be asked for next. */
function readable(identity: readonly NestedField[], rows: readonly JsonObject[]): readonly NestedField[] {
  const cells = identity.map((place) => rows.map((row) => cellOf(row, place)))
  const isOpaque = cells.map(
    (column, at) => (identity[at]?.depth ?? 1) > 1 && column.every((cell) => OPAQUE.test(String(cell))),
  )
  const tells = cells.some((column, at) => !isOpaque[at] && new Set(column).size === rows.length)
  return tells ? identity.filter((_, at) => !isOpaque[at]) : identity
}

/** Where a record is from, and when it was. */
const FIRST = /^(?:_from|_key|time|timestamps?)$/i

/** First the fields that identify a record, then the fields that were asked about, then the fields that tell most. */
function inOrder(
  places: readonly NestedField[],
  identity: readonly NestedField[],
  wanted: ReadonlySet<string>,
): NestedField[] {
  const flat = places.filter(({ many }) => !many)
  const first = flat.filter(({ path }) => FIRST.test(path))
  const named = places.filter((place) => isLeaf(place) && isNamed(place, wanted))
  const others = flat
    .filter((field) => scalarCount(field) > 0 && !isNoise(field) && worth(field) > 0)
    .sort((one, other) => worth(other) - worth(one))
  const rest = flat.filter((place) => isLeaf(place) && !isNoise(place))
  const all = [...first, ...identity, ...named, ...others, ...rest].flatMap(
    (field) => places.find(({ path }) => path === field?.path) ?? [],
  )
  return [...new Set(all)]
}

function isNamed({ path, name }: NestedField, wanted: ReadonlySet<string>): boolean {
  return wanted.has(plain(path)) || wanted.has(name.toLowerCase())
}

/** The names in conditions and orders, as `wanted` has them. */
export function namesIn(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => (text.match(/[\p{L}\p{N}_@$.[\]*-]+/gu) ?? []).map(plain)))
}

function plain(name: string): string {
  return name
    .replaceAll(/\[[\d*]*\]|\.\*(?=\.|$)/g, '')
    .replace(/^[-$.]+/, '')
    .toLowerCase()
}

function placesOf(record: Shape): NestedField[] {
  const found: NestedField[] = []
  const visit = (shape: Shape, prefix: string, keys: readonly string[], many: boolean): void => {
    if (keys.length >= DEEPEST) return
    for (const [name, field] of shape.fields) {
      const path = prefix === '' ? pathStep(name).replace(/^\./, '') : prefix + pathStep(name)
      const place = {
        path,
        name,
        shape: field,
        of: shape.objects,
        depth: keys.length + 1,
        many,
        keys: [...keys, name],
      }
      found.push(place)
      visit(field, path, place.keys, many)
      if (field.elements) visit(field.elements, `${path}[]`, place.keys, true)
    }
  }
  visit(record, '', [], false)
  return found
}

/** The value of a place in a record, short; undefined where there is none, or it holds more than scalars. */
function cellOf(row: JsonObject, { keys, many }: NestedField): JsonValue | undefined {
  const found: JsonValue[] = []
  collect(row, keys, 0, found)
  const [first] = found
  if (found.some((value) => isObject(value) || Array.isArray(value))) return undefined
  // One element is a list of one, not a value: nothing is shown as what it is not.
  if (!many && !isList(row, keys)) return first === undefined ? undefined : shortened(first)
  const cells = found.slice(0, ELEMENTS).map(shortened)
  if (found.length > ELEMENTS) cells.push(`… ${formatCount(found.length - ELEMENTS)} more`)
  return found.length === 0 ? undefined : cells
}

/** True where the keys lead to a list itself. */
function isList(row: JsonObject, keys: readonly string[]): boolean {
  let here: JsonValue | undefined = row
  for (const key of keys) here = isObject(here) ? own(here, key) : undefined
  return Array.isArray(here)
}

function collect(value: JsonValue, keys: readonly string[], at: number, into: JsonValue[]): void {
  if (Array.isArray(value)) for (const element of value) collect(element, keys, at, into)
  else if (at === keys.length) into.push(value)
  else if (isObject(value)) {
    const next = own(value, keys[at] ?? '')
    if (next !== undefined) collect(next, keys, at + 1, into)
  }
}

function shortened(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || value.length <= LONGEST + 16) return value
  return `${head(value, LONGEST)}… [${formatCount(value.length)} characters]`
}

function sizeOf(cell: JsonValue): number {
  return typeof cell === 'string' ? cell.length : JSON.stringify(cell).length
}
