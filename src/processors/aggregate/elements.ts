/** The elements of a list in records where they can be read by themselves, without a copy of the record for each. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { codedOf } from '../coded.ts'
import { type Path, pathKey, type Segment } from '../path/path.ts'
import { isIndex } from '../path/walk.ts'
import { Remembered } from '../remembered.ts'
import { isOn } from '../unwind.ts'
import type { Units } from './units.ts'

interface Elements {
  readonly values: readonly JsonValue[]
  readonly records: Uint32Array
}

const known = new Remembered<Elements | undefined>(8)

/** Undefined where a path means something else in an element than in a record that has that element alone. */
export function elementsOf(
  records: readonly JsonValue[],
  list: Path,
  paths: readonly Path[],
): Units | undefined {
  const names = list.map(nameOf)
  const key = pathKey(list)
  if (key === undefined || names.some((name) => name === undefined || isIndex(name))) return undefined
  if (!paths.every((path) => (isOn(list, path) ? within(list, path) : isBeside(list, path)))) return undefined
  const dotted = list.flatMap((segment) => segment.dotted.map(({ name }) => name))
  const longer = paths.flatMap((path) => path.slice(0, list.length).flatMap(({ dotted }) => dotted))
  const others = new Set([...dotted, ...longer.map(({ name }) => name)])
  const starred = paths.some((path) => path[list.length]?.selectors[0]?.kind === 'all')
  const collect = (): Elements | undefined => collected(records, names as string[], [...others], starred)
  const elements = known.of(records, `${key} ${starred} ${JSON.stringify([...others])}`, collect)
  if (!elements) return undefined
  return {
    records: elements.records,
    codes(path) {
      const inner = isOn(list, path) ? within(list, path) : undefined
      if (inner) return codedOf(elements.values, inner)
      const { column, codes } = codedOf(records, path)
      return { column, codes: elements.records.map((record) => codes[record] as number), whole: false }
    },
  }
}

function nameOf({ selectors: [only, ...others], deep }: Segment): string | undefined {
  return !deep && only?.kind === 'name' && others.length === 0 ? only.name : undefined
}

/** What is left of a path behind the list and its `[*]`; undefined where that cannot be asked of an element. */
function within(list: Path, path: Path): Path | undefined {
  const own = path.slice(0, list.length).map(nameOf)
  if (own.some((name, at) => name === undefined || name !== nameOf(list[at] as Segment))) return undefined
  const rest = path.slice(list.length)
  const inner = rest[0]?.selectors[0]?.kind === 'all' && !rest[0].deep ? rest.slice(1) : rest
  const named = inner.every((segment) => {
    const name = nameOf(segment)
    return name !== undefined && !isIndex(name)
  })
  return named ? inner : undefined
}

/** True for names that lead past the list. */
function isBeside(list: Path, path: Path): boolean {
  const names = path.map(nameOf)
  return (
    names.length > 0 && names[0] !== nameOf(list[0] as Segment) && names.every((name) => name !== undefined)
  )
}

/** What stands for the elements of a record that has none: no path finds anything in it. */
const NOTHING: JsonValue[] = []

/** Undefined where records have a key with dots for the way to the list, JSON in a string on it, something else in place of the list, or lists in it. */
function collected(
  records: readonly JsonValue[],
  names: readonly string[],
  dotted: readonly string[],
  starred: boolean,
): Elements | undefined {
  const values: JsonValue[] = []
  const from: number[] = []
  let record = 0
  const take = (value: JsonValue): boolean => {
    from.push(record)
    return values.push(value) > 0 && !Array.isArray(value)
  }
  const visit = (value: JsonValue, at: number): boolean => {
    const name = names[at]
    if (Array.isArray(value)) return value.every((one) => (name === undefined ? take(one) : visit(one, at)))
    // What stands in place of the list is something else to a path with `[*]`.
    if (name === undefined || typeof value === 'string') return value === null && !starred && take(value)
    if (!isObject(value)) return true
    for (const key of dotted) if (Object.hasOwn(value, key)) return false
    const held = own(value, name)
    return held === undefined || visit(held, at + 1)
  }
  for (; record < records.length; record++) {
    const before = values.length
    if (!visit(records[record] ?? null, 0)) return undefined
    if (values.length === before) take(NOTHING)
  }
  return { values, records: Uint32Array.from(from) }
}
