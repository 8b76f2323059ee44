/** JSON as passages to rank: each record, in pieces where it is long, and what stands beside the records. */
import type { Corpus } from '../text/bm25.ts'
import type { Spans } from '../text/spans.ts'
import type { LeafIndex } from './leaves.ts'
import { NameLists } from './name-lists.ts'

/** Where a passage comes from: leaves `first` up to `after` of a record, -1 for what is outside of all. */
export interface Source {
  readonly record: number
  readonly first: number
  readonly after: number
}

export interface DataPassages extends Corpus {
  source(passage: number): Source
  /** How many passages are beside the records. */
  readonly beside: number
}

/** Characters after which a passage ends with its leaf: a record may be a whole book. */
const longestOfRecord = 2_000
const longestOutside = 600

/**
 * All of a document. The words of a passage are its values, which stand in the text of the leaves one after the other, and
 * the names of the fields that lead to them, which most records share.
 */
export function dataPassages(leaves: LeafIndex, records: number): DataPassages {
  const { units } = leaves
  /** The first leaf of each passage, and its names. */
  const firsts: number[] = []
  const lists: number[] = []
  const names = new NameLists()
  let unit = 0

  function add(record: number, longest: number): void {
    let first = unit
    let list = names.empty
    const end = (): void => {
      if (unit === first) return
      firsts.push(first)
      lists.push(list)
      first = unit
      list = names.empty
    }
    let length = 0
    leaves.visit(record, (_, path, changed) => {
      // In a new passage all that leads to its first leaf is said again.
      for (let at = unit === first ? 0 : changed; at < path.length; at++) {
        const name = path[at]
        if (typeof name === 'string') list = names.longer(list, name)
      }
      if (unit === first) length = 0
      length += units.end(unit) - units.start(unit)
      unit++
      if (length >= longest) end()
    })
    end()
  }

  for (let record = 0; record < records; record++) add(record, longestOfRecord)
  const inside = firsts.length
  add(-1, longestOutside)
  return {
    text: leaves.text,
    ...passagesOf(leaves, Int32Array.from(firsts)),
    shared: names.shared(lists),
    beside: firsts.length - inside,
  }
}

/** Passages that begin with these leaves, one after the other. A function of its own, so that no more than that is kept. */
function passagesOf(leaves: LeafIndex, firsts: Int32Array): Pick<DataPassages, 'passages' | 'source'> {
  const { units } = leaves
  const firstOf = (index: number): number => firsts[index] ?? units.count
  const passages: Spans = {
    count: firsts.length,
    start: (index) => units.start(firstOf(index)),
    end: (index) => units.end(firstOf(index + 1) - 1),
  }
  const source = (index: number): Source => {
    const first = firstOf(index)
    return { record: leaves.recordOf(first), first, after: firstOf(index + 1) }
  }
  return { passages, source }
}
