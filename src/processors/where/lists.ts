/** The lists that a path goes through, and their elements. */
import type { JsonValue } from '../../protocol/json.ts'
import { columnOf } from '../column.ts'
import { newWork, type Path, pathKey } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Remembered } from '../remembered.ts'
import { columnWork, type Matcher } from './verdict.ts'

const mostSampled = 200

/** A path without `[*]`, and the positions in it after which a list is reached. */
export interface ListsOnPath {
  path: Path
  lists: readonly number[]
}

const knownLists = new Remembered<ListsOnPath>()

/** Where the lists are on the way of a path. */
export function listsOn(records: Records, path: Path): ListsOnPath {
  const key = pathKey(path)
  const find = (): ListsOnPath => findLists(records.values, path)
  return key === undefined ? find() : knownLists.of(records.values, key, find)
}

function findLists(records: readonly JsonValue[], path: Path): ListsOnPath {
  const plain = path.filter(
    ({ selectors, deep }) => deep || selectors[0]?.kind !== 'all' || selectors.length > 1,
  )
  const lists: number[] = []
  const work = newWork()
  const step = Math.max(1, Math.floor(records.length / mostSampled))
  for (let at = 0; at <= plain.length; at++) {
    const values: JsonValue[] = []
    for (let nth = 0; nth < records.length; nth += step)
      readValues(records[nth] ?? null, plain.slice(0, at), values, work)
    if (values.some(Array.isArray)) lists.push(at)
  }
  return { path: plain, lists }
}

/** The elements of lists, and of lists in them. */
export function elementsOf(values: readonly JsonValue[]): JsonValue[] {
  return values.flatMap((value) => (Array.isArray(value) ? elementsOf(value) : [value]))
}

/** The elements that a path reaches in all records, one list. */
export interface Elements {
  readonly list: readonly JsonValue[]
  /** The position in `list` after the last element of each record. */
  readonly ends: Uint32Array
}

export function elementsAt(records: readonly JsonValue[], path: Path): Elements {
  const column = columnOf(records, path, columnWork())
  return column.derived('elements', () => {
    const list: JsonValue[] = []
    const ends = new Uint32Array(records.length)
    for (let at = 0; at < ends.length; at++) {
      for (const element of elementsOf(column.values(column.codes[at] ?? 0))) list.push(element)
      ends[at] = list.length
    }
    return { list, ends }
  })
}

/** Records of which some, all or none of the elements at a path fulfil a condition. */
export function ofElements(path: Path, quantifier: 'any' | 'all' | 'none', holds: Matcher): Matcher {
  return (records, among) => {
    const { list, ends } = elementsAt(records, path)
    const verdict = holds(list)
    const found = new Uint8Array(records.length)
    let from = 0
    for (let at = 0; at < found.length; at++) {
      const to = ends[at] ?? from
      let count = 0
      for (let nth = from; nth < to; nth++) count += verdict[nth] as number
      const holdsHere =
        quantifier === 'all' ? count === to - from : quantifier === 'any' ? count > 0 : count === 0
      if (holdsHere && among?.[at] !== 0) found[at] = 1
      from = to
    }
    return found
  }
}
