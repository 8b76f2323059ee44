/** The place of each record's key among the different keys. */
import { type Coded, codesPresent } from '../coded.ts'
import { ascending, type Key, keyOf, type Reading, readingOf } from './keys.ts'

export interface Ranks {
  /** From 0 by record, or by the code that a record has; what has no key comes after all of them. */
  readonly ranks: Uint32Array
  /** By record. Undefined: the ranks are. */
  readonly codes: Uint32Array | undefined
  /** How many ranks there are, that of what has no key included. */
  readonly count: number
}

/** All keys of a field are ranked, and the ranks kept, where so many of its records are asked about. */
const worthwhile = 1 / 8

/** Each different value is read and ranked once, in place of each record. */
export function ranksOf(coded: Coded, descending: boolean): Ranks {
  const { column, codes, whole } = coded
  const reading = readingOf(coded)
  const name = `order as ${reading}${descending ? ', descending' : ''}`
  const many = whole || codes.length >= column.codes.length * worthwhile
  const all = (): Ranks => rankCodes({ column, codes: column.codes, whole: true }, reading, descending)
  const { ranks, count } = many ? column.derived(name, all) : rankCodes(coded, reading, descending)
  return { ranks, count, codes }
}

function rankCodes(coded: Coded, reading: Reading, descending: boolean): Ranks {
  const present = codesPresent(coded)
  const keys = Array.from(present, (code) => keyOf(coded.column, code, reading, descending))
  const { ranks: places, count } = ranked(keys, descending)
  if (coded.whole) return { ranks: places, count, codes: undefined }
  const ranks = new Uint32Array(coded.column.size)
  for (let at = 0; at < present.length; at++) ranks[present[at] as number] = places[at] as number
  return { ranks, count, codes: undefined }
}

/** The ranks of keys by their position. */
function ranked(all: readonly Key[], descending: boolean): Ranks {
  const places = new Map<Exclude<Key, undefined>, number>()
  for (const key of all) if (key !== undefined) places.set(key, 0)
  const keys = sorted([...places.keys()])
  for (const [place, key] of keys.entries()) places.set(key, descending ? keys.length - 1 - place : place)
  const ranks = Uint32Array.from(all, (key) => (key === undefined ? keys.length : (places.get(key) ?? 0)))
  return { ranks, count: keys.length + 1, codes: undefined }
}

function sorted(keys: Exclude<Key, undefined>[]): Exclude<Key, undefined>[] | Float64Array {
  if (keys.every((key) => typeof key === 'number')) return Float64Array.from(keys).sort()
  // Without digits the natural order is that of code units, which needs no function that compares.
  const plain = keys.every((key) => typeof key === 'string' && !/\d/.test(key))
  return plain ? keys.sort() : keys.sort(ascending)
}
