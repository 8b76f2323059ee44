/** Which rows belong to which groups. */
import { Refusal } from '../refusal.ts'
import { positions } from '../sort/permutation.ts'
import type { Values } from './values.ts'

/** One pair for each row and group that it is in, in the order of the rows. */
export interface Members {
  readonly rows: Uint32Array
  /** By pair. */
  readonly groups: Uint32Array
  /** How many groups there are. */
  readonly count: number
}

/** A field that rows are grouped by: its values, and the code of each row. */
export interface KeyCodes {
  readonly values: Values
  readonly codes: Uint32Array
  /** True: the rows are all that the values are of, and no others. */
  readonly whole: boolean
}

/** Groups that were parted once more: which one each was part of, and the item of the key that tells it from the others. */
interface Level {
  readonly parents: readonly number[]
  readonly items: readonly number[]
}

/** More pairs than this are no answer to any question. */
const mostPairs = 20_000_000

/** Pairs of group and item up to which their groups are found in a table, for each row. */
const mostSlots = 4

/** All rows in one group. */
export function together(rows: number): Members {
  return { rows: positions(rows), groups: new Uint32Array(rows), count: 1 }
}

/**
 * Groups of rows that have the same values, in the order in which they first occur; a row with several values is in the
 * group of each, and of each combination where there are several keys. Throws a `Refusal` where these are too many.
 */
export function grouped(
  rows: number,
  keys: readonly KeyCodes[],
): { members: Members; items(group: number): number[] } {
  const levels: Level[] = []
  let members: Members | undefined
  for (const key of keys) {
    const all = members
    const part = (): Parted => parted(all, key)
    const made = key.whole && !all ? key.values.derived('groups', part) : part()
    levels.push(made.level)
    members = made.members
  }
  return {
    members: members ?? together(rows),
    items(group) {
      const found: number[] = []
      let here = group
      for (const { parents, items } of levels.toReversed()) {
        found.unshift(items[here] ?? 0)
        here = parents[here] ?? 0
      }
      return found
    },
  }
}

interface Parted {
  members: Members
  level: Level
}

/** Each group parted by the items of a key; all rows are in one to begin with. */
function parted(before: Members | undefined, { values, codes }: KeyCodes): Parted {
  const { starts, ids } = values
  const pairs = before?.rows.length ?? codes.length
  const size = pairsIn(before, starts, codes)
  const rows = new Uint32Array(size)
  const groups = new Uint32Array(size)
  const parents: number[] = []
  const items: number[] = []
  const different = values.items.length
  const slots = (before?.count ?? 1) * different
  // By parent and item the number of the group from 1, in a table where it is not much larger than the rows.
  const table = slots <= Math.max(1_000, pairs * mostSlots) ? new Uint32Array(slots) : undefined
  const known = new Map<number, number>()
  let pair = 0
  for (let at = 0; at < pairs; at++) {
    const row = before ? (before.rows[at] as number) : at
    const parent = before ? (before.groups[at] as number) : 0
    const code = codes[row] as number
    const end = starts[code + 1] as number
    for (let place = starts[code] as number; place < end; place++) {
      const item = ids[place] as number
      const slot = parent * different + item
      let group = table ? (table[slot] as number) : (known.get(slot) ?? 0)
      if (group === 0) {
        group = parents.push(parent)
        items.push(item)
        if (table) table[slot] = group
        else known.set(slot, group)
      }
      rows[pair] = row
      groups[pair++] = group - 1
    }
  }
  return { members: { rows, groups, count: parents.length }, level: { parents, items } }
}

function pairsIn(before: Members | undefined, starts: Uint32Array, codes: Uint32Array): number {
  const pairs = before?.rows.length ?? codes.length
  let size = 0
  for (let at = 0; at < pairs; at++) {
    const code = codes[before ? (before.rows[at] as number) : at] as number
    size += (starts[code + 1] as number) - (starts[code] as number)
  }
  if (size > mostPairs)
    throw new Refusal('These fields make too many groups. Group by fewer, or narrow down with `where` first.')
  return size
}

const sizes = new WeakMap<Members, Uint32Array>()

/** How many rows each group has. */
export function sizesOf(members: Members): Uint32Array {
  const known = sizes.get(members)
  if (known) return known
  const { groups, count } = members
  const counts = new Uint32Array(count)
  for (let pair = 0; pair < groups.length; pair++) {
    const group = groups[pair] as number
    counts[group] = (counts[group] as number) + 1
  }
  sizes.set(members, counts)
  return counts
}

/** Calls `take` for each value of each row in each group that the row is in. */
export function eachValue(
  { rows, groups }: Members,
  { starts, ids, single }: Values,
  codes: Uint32Array,
  take: (group: number, id: number) => void,
): void {
  for (let pair = 0; pair < rows.length; pair++) {
    const code = codes[rows[pair] as number] as number
    const group = groups[pair] as number
    if (single) {
      const id = single[code] as number
      if (id >= 0) take(group, id)
      continue
    }
    const end = starts[code + 1] as number
    for (let place = starts[code] as number; place < end; place++) take(group, ids[place] as number)
  }
}
