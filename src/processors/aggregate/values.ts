/** What a column holds, value by value: each different one once, and by code which of them. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Column } from '../column.ts'

/** Never changes. */
export interface Values {
  /** In the order in which they first occur. */
  readonly items: readonly JsonValue[]
  /** The records with a code hold the items `ids[starts[code]]` to `ids[starts[code + 1]]`, that one not included. */
  readonly starts: Uint32Array
  readonly ids: Uint32Array
  /** By code the one item it has, -1 for none; undefined where some code has several. */
  readonly single: Int32Array | undefined
  /** What `make` computes from the values, computed once for each `name`. */
  derived<T>(name: string, make: () => T): T
}

/** The values of a column, those in lists one by one, without nulls. Lists and objects are an item each time they occur. */
export function valuesOf(column: Column): Values {
  return column.derived('values', () => encoded(column, 'values', listed, itself))
}

const minusZero = Symbol('-0')

function itself(value: JsonValue): unknown {
  return Object.is(value, -0) ? minusZero : value
}

function listed(found: readonly JsonValue[]): readonly JsonValue[] {
  return elementsOf(found).filter((value) => value !== null)
}

/** Values that a path reached, a list that is alone or among them by its elements. */
export function elementsOf(found: readonly JsonValue[]): readonly JsonValue[] {
  const [only] = found
  return found.length === 1 && !Array.isArray(only) ? found : (found.flat(1) as JsonValue[])
}

/** By code the values that `list` makes of what a path reached, one item for all that have the same `identity`. */
export function encoded(
  column: Column,
  name: string,
  list: (found: readonly JsonValue[]) => readonly JsonValue[],
  identity: (value: JsonValue) => unknown,
): Values {
  const items: JsonValue[] = []
  const known = new Map<unknown, number>()
  const starts = new Uint32Array(column.size + 1)
  const ids: number[] = []
  for (let code = 0; code < column.size; code++) {
    for (const value of list(column.values(code))) {
      const key = identity(value)
      let id = known.get(key)
      if (id === undefined) {
        id = items.push(value) - 1
        known.set(key, id)
      }
      ids.push(id)
    }
    starts[code + 1] = ids.length
  }
  return {
    items,
    starts,
    ids: Uint32Array.from(ids),
    single: singleIn(starts, ids),
    derived: (what, make) => column.derived(`${name}: ${what}`, make),
  }
}

function singleIn(starts: Uint32Array, ids: readonly number[]): Int32Array | undefined {
  const single = new Int32Array(starts.length - 1).fill(-1)
  for (let code = 0; code < single.length; code++) {
    const from = starts[code] as number
    const count = (starts[code + 1] as number) - from
    if (count > 1) return undefined
    if (count === 1) single[code] = ids[from] as number
  }
  return single
}
