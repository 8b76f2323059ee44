/** Lists of pairs: `Tags.Name` for the `Value` of the tag with the `Key` "Name". */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { newWork, type Path } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { halvesOf } from './pairs.ts'

/** A field of a pair: the key it has, and the way to its value. */
export interface Tagged {
  key: string
  path: Path
  /** `Tags[?@.Key == "Name"].Value`. */
  written: string
}

const mostSampled = 2_000

/** The pair called `key` in the lists at `list`. Undefined when they are no lists of pairs, or none is called so. */
export function taggedIn(records: Records, list: Path, listName: string, key: string): Tagged | undefined {
  const work = newWork()
  const wanted = key.toLowerCase()
  let near: Tagged | undefined
  for (const record of records.values.slice(0, mostSampled)) {
    const values: JsonValue[] = []
    readValues(record, list, values, work)
    for (const element of values.flat()) {
      const pair = halvesOf(element)
      const held = pair && isObject(element) ? own(element, pair.key) : undefined
      if (!pair || typeof held !== 'string' || held.toLowerCase() !== wanted) continue
      const found = tagged(list, listName, pair, held)
      if (held === key) return found
      near ??= found
    }
  }
  return near
}

function tagged(list: Path, listName: string, halves: { key: string; value: string }, held: string): Tagged {
  const source = `@.${halves.key} == ${JSON.stringify(held)}`
  const path: Path = [
    ...list,
    {
      selectors: [
        { kind: 'filter', source, holds: (value) => isObject(value) && own(value, halves.key) === held },
      ],
      deep: false,
      dotted: [],
    },
    { selectors: [{ kind: 'name', name: halves.value }], deep: false, dotted: [] },
  ]
  return { key: held, path, written: `${listName}[?${source}].${halves.value}` }
}
