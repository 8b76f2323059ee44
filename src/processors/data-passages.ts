/** JSON as passages to rank: each record, in pieces where it is long, and what stands beside the records. */
import type { Corpus } from '../text/bm25.ts'
import { NumberList } from '../text/number-list.ts'
import type { Spans } from '../text/spans.ts'
import { nameReader } from './leaf-names.ts'
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
  const firsts = new NumberList()
  const lists = new NumberList()
  const goOn = new NumberList()
  const names = new NameLists()

  function add(first: number, list: number): void {
    firsts.add(first)
    lists.add(list)
  }

  let listed = names.empty
  const readNames = nameReader((name) => {
    listed = names.longer(listed, name)
  })
  /** The usual record: all of it is one passage. */
  function addWhole(record: number, first: number): void {
    listed = names.empty
    readNames(leaves.valueOf(record))
    add(first, listed)
  }

  /** In passages that end with the leaf that makes them as long as `longest`. */
  function addPieces(record: number, from: number, longest: number): void {
    let unit = from
    let first = from
    let list = names.empty
    let length = 0
    const end = (): void => {
      if (record >= 0 && first > from) goOn.add(firsts.length)
      add(first, list)
    }
    leaves.visit(record, (_, path, changed) => {
      // In a new passage all that leads to its first leaf is said again.
      for (let at = unit === first ? 0 : changed; at < path.length; at++) {
        const name = path[at]
        if (typeof name === 'string') list = names.longer(list, name)
      }
      length += units.end(unit) - units.start(unit)
      unit++
      if (length < longest) return
      end()
      first = unit
      list = names.empty
      length = 0
    })
    if (unit > first) end()
  }

  for (let record = 0; record < records; record++) {
    const { first, after } = leaves.unitsOf(record)
    if (after === first) continue
    if (units.end(after - 1) - units.start(first) < longestOfRecord) addWhole(record, first)
    else addPieces(record, first, longestOfRecord)
  }
  const inside = firsts.length
  addPieces(-1, records === 0 ? 0 : leaves.unitsOf(records - 1).after, longestOutside)
  return {
    text: leaves.text,
    ...passagesOf(leaves, firsts.array()),
    shared: names.shared(lists.array()),
    goOn: goOn.array(),
    beside: firsts.length - inside,
  }
}

/** Passages that begin with these leaves, one after the other. A function of its own, so that no more than that is kept. */
function passagesOf(leaves: LeafIndex, firsts: Uint32Array): Pick<DataPassages, 'passages' | 'source'> {
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
