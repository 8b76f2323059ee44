/** How often each value of a field occurs in the records at hand. */
import type { Coded } from '../coded.ts'
import type { Values } from './values.ts'

/** Never changes. */
export interface Census {
  /** By item of the values. */
  readonly counts: Uint32Array
  /** The items that occur, in the order in which they first do. */
  readonly present: Uint32Array
  /** All of them. */
  readonly total: number
  /** Records without a value. */
  readonly without: number
  /** What `make` computes from the values that occur, computed once for each `name`. */
  derived<T>(name: string, make: () => T): T
}

export function censusOf({ codes, whole }: Pick<Coded, 'codes' | 'whole'>, values: Values): Census {
  return whole ? values.derived('census', () => counted(codes, values)) : counted(codes, values)
}

function counted(codes: Uint32Array, { items, starts, ids }: Values): Census {
  const counts = new Uint32Array(items.length)
  const present = new Uint32Array(items.length)
  let [different, total, without] = [0, 0, 0]
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    const from = starts[code] as number
    const end = starts[code + 1] as number
    if (from === end) without += 1
    total += end - from
    for (let place = from; place < end; place++) {
      const id = ids[place] as number
      const before = counts[id] as number
      if (before === 0) present[different++] = id
      counts[id] = before + 1
    }
  }
  const made = new Map<string, unknown>()
  return {
    counts,
    present: present.subarray(0, different),
    total,
    without,
    derived<T>(name: string, make: () => T): T {
      if (!made.has(name)) made.set(name, make())
      return made.get(name) as T
    },
  }
}
