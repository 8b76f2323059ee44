/** Which fields the records have, and whether one of them has a value. */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { columnOf } from '../column.ts'
import { newWork, type Path, pathKey } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Remembered } from '../remembered.ts'
import { equalsText } from './values.ts'

const reached = new Remembered<boolean>(500)

/** True when at least one record has something there. Remembers. */
export function reaches(records: Records, path: Path): boolean {
  if (lacksName(records, path[0])) return false
  const key = pathKey(path)
  const look = (): boolean => someReach(records.whole, path)
  return key === undefined ? look() : reached.of(records.whole, key, look)
}

function someReach(records: readonly JsonValue[], path: Path): boolean {
  const work = newWork()
  const into: [] = []
  return records.some((record) => {
    readValues(record, path, into, work)
    return into.length > 0
  })
}

/** Names of fields that are remembered; records with more are gone through each time. */
const mostKnown = 5_000

const knownNames = new WeakMap<readonly JsonValue[], ReadonlySet<string> | 'many'>()

/** True when it is known that no record has a field of the name that a path begins with. Names are listed once. */
function lacksName({ whole: values }: Records, segment: Path[number] | undefined): boolean {
  const [only, ...others] = segment?.selectors ?? []
  if (segment === undefined || segment.deep || only?.kind !== 'name' || others.length > 0) return false
  const known = knownNames.get(values) ?? listNames(values)
  knownNames.set(values, known)
  return known !== 'many' && !known.has(only.name) && !segment.dotted.some(({ name }) => known.has(name))
}

function listNames(values: readonly JsonValue[]): ReadonlySet<string> | 'many' {
  const names = new Set<string>()
  for (const value of values) {
    // Lists and JSON in strings are looked into as well.
    if (!isObject(value)) return 'many'
    for (const name in value) names.add(name)
    if (names.size > mostKnown) return 'many'
  }
  return names
}

/** True when some record has one of the values `wanted` there, case aside. */
export function hasOne(records: Records, path: Path, wanted: readonly string[]): boolean {
  const column = columnOf(records.values, path)
  for (let code = 0; code < column.size; code++) {
    const held = column.values(code).flat()
    if (held.some((value) => wanted.some((text) => equalsText(value, text)))) return true
  }
  return false
}
