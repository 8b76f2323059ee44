/** The order of records by their ranks. */
import type { Ranks } from './ranks.ts'

/** Ranks up to which they are counted, and as a multiple of the records. */
const mostCounted = 65_536
const mostRanks = 4

/** The positions of the records in the order of their ranks, the first of several first; equals stay in theirs. */
export function inOrder(all: readonly Ranks[], count: number): Uint32Array {
  let order: Uint32Array | undefined
  // From the last on: each pass keeps the order of those before it among equals.
  for (const one of all.toReversed()) {
    const counted = one.count <= Math.max(mostCounted, count * mostRanks)
    order = counted ? byCounting(one, order, count) : byComparing(one, order, count)
  }
  return order ?? positions(count)
}

function byCounting(
  { ranks, codes, count: different }: Ranks,
  before: Uint32Array | undefined,
  count: number,
): Uint32Array {
  const places = new Uint32Array(different + 1)
  for (let at = 0; at < count; at++) {
    const rank = ranks[codes ? (codes[at] as number) : at] as number
    places[rank + 1] = (places[rank + 1] as number) + 1
  }
  for (let rank = 1; rank <= different; rank++)
    places[rank] = (places[rank] as number) + (places[rank - 1] as number)
  const order = new Uint32Array(count)
  for (let nth = 0; nth < count; nth++) {
    const at = before ? (before[nth] as number) : nth
    const rank = ranks[codes ? (codes[at] as number) : at] as number
    const place = places[rank] as number
    order[place] = at
    places[rank] = place + 1
  }
  return order
}

function byComparing({ ranks, codes }: Ranks, before: Uint32Array | undefined, count: number): Uint32Array {
  const order = before ?? positions(count)
  const rankAt = (at: number): number => ranks[codes ? (codes[at] as number) : at] as number
  const places = new Uint32Array(count)
  for (let nth = 0; nth < count; nth++) places[order[nth] as number] = nth
  return order.sort((a, b) => rankAt(a) - rankAt(b) || (places[a] as number) - (places[b] as number))
}

/** 0, 1, 2 … `count - 1`: records in the order in which they came. */
export function positions(count: number): Uint32Array {
  const all = new Uint32Array(count)
  for (let at = 0; at < count; at++) all[at] = at
  return all
}
