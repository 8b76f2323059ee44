/** The joined records: those of the left, each with the fields of the ones on the right that match it. */
import type { Rows } from '../../documents/document.ts'
import { madeRows } from '../../documents/rows.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Field } from '../fields.ts'
import { newWork, type Path, type Work } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import { Refusal } from '../refusal.ts'
import { listOn, unwind, withoutList } from '../unnest.ts'
import { exactKey, KeyIndex } from './key.ts'
import { Merge } from './merge.ts'
import type { Pairing } from './pairing.ts'
import type { Side } from './side.ts'

/** More joined records than this are no answer to any question. */
const mostRows = 500_000

/** The records of a side, one for each element of the lists that its fields go through, and where its keys are in them. */
export interface Expanded {
  rows: readonly JsonValue[]
  paths: readonly Path[]
  /** The lists that were unwound. */
  lists: readonly Path[]
}

/** Unwinds the lists that the fields go through. */
export function expand(side: Side, fields: readonly Field[], work: Work): Expanded {
  let rows = side.records.values
  let paths = fields.map(({ path }) => path)
  const lists: Path[] = []
  for (const { path } of fields) {
    const list = listOn(side.records, path)
    if (!list || list.length === 0 || lists.some((other) => other.length === list.length)) continue
    rows = rows.flatMap((row) => unwind(row, list, work))
    paths = paths.map((one) => withoutList(list, one))
    lists.push(list)
  }
  return { rows, paths, lists }
}

/** The keys of a record: mostly one, several where a field goes through a map, none where a field is null or absent. */
export function keysOf(row: JsonValue, paths: readonly Path[], work: Work): string[][] {
  let keys: string[][] = [[]]
  for (const path of paths) {
    const values: JsonValue[] = []
    readValues(row, path, values, work)
    const parts = values.flat(1).flatMap((value) => exactKey(value) ?? [])
    keys = keys.flatMap((key) => parts.map((part) => [...key, part]))
  }
  return keys
}

/** What a join gives, and what is to be said of it. */
export interface Joined {
  /** Made as they are asked for. */
  rows: Rows
  /** Records on the left, with lists unwound, and those of them that match. */
  total: number
  matched: number
  /** Of the matched: those whose key is not the same to the letter, and those that match several. */
  loosely: number
  several: number
  /** Some keys without a match. */
  unmatched: string[]
  /** Records on the right, and those that nothing matches. */
  right: number
  unused: number
  /** Names that fields of the right have because the left has theirs. */
  renamed: Map<string, string>
  lists: readonly Path[]
}

const mostUnmatched = 5

/** Pairs the records of both sides by their keys. `inner`: those without a match are left out. */
export function joinRows({ left, right, on }: Pairing, inner: boolean): Joined {
  const work = newWork(20_000_000)
  const one = expand(
    left,
    on.map((pair) => pair.left),
    work,
  )
  const other = expand(
    right,
    on.map((pair) => pair.right),
    work,
  )
  const index = indexOf(other, work)
  const merged = new Merge(one.rows, other.rows, right.name, same(on))
  const used = new Set<number>()
  /** By joined record, the positions of the two that it is made of; the right is -1 where none matches. */
  const lefts: number[] = []
  const rights: number[] = []
  const rowAt = (nth: number): JsonValue => {
    const [row, position] = [one.rows[lefts[nth] ?? 0] ?? null, rights[nth] ?? -1]
    return position < 0 ? row : merged.row(row, other.rows[position] ?? null)
  }
  const add = (left: number, right: number): void => {
    lefts.push(left)
    rights.push(right)
  }
  const joined: Omit<Joined, 'rows'> = {
    total: one.rows.length,
    matched: 0,
    loosely: 0,
    several: 0,
    unmatched: [],
    right: other.rows.length,
    unused: 0,
    renamed: merged.renamed,
    lists: one.lists,
  }
  for (const [at, row] of one.rows.entries()) {
    const keys = keysOf(row, one.paths, work)
    const found = keys.map((key) => index.find(key))
    const positions = new Set(found.flatMap(({ positions }) => positions))
    if (positions.size === 0) {
      const [key] = keys
      if (key && joined.unmatched.length < mostUnmatched && !joined.unmatched.includes(key.join(', ')))
        joined.unmatched.push(key.join(', '))
      if (!inner) add(at, -1)
      continue
    }
    joined.matched += 1
    if (positions.size > 1) joined.several += 1
    if (found.every(({ positions, loosely }) => loosely || positions.length === 0)) joined.loosely += 1
    for (const position of positions) {
      used.add(position)
      add(at, position)
    }
    if (lefts.length > mostRows)
      throw new Refusal(
        `This join makes more than ${mostRows} records. Join on a field that tells records apart.`,
      )
  }
  joined.unused = joined.right - used.size
  return { ...joined, rows: madeRows('record', lefts.length, rowAt) }
}

function indexOf({ rows, paths }: Expanded, work: Work): KeyIndex {
  const index = new KeyIndex()
  for (const [position, row] of rows.entries())
    for (const key of keysOf(row, paths, work)) index.add(key, position)
  return index
}

/** Records on the left looked at to judge a pairing. */
const mostJudged = 2_000

/** The part of the records on the left that match, judged by the first ones. */
export function matchRate({ left, right, on }: Pairing): number {
  const work = newWork(20_000_000)
  const few = { ...left, records: { ...left.records, values: left.records.values.slice(0, mostJudged) } }
  const one = expand(
    few,
    on.map((pair) => pair.left),
    work,
  )
  const index = indexOf(
    expand(
      right,
      on.map((pair) => pair.right),
      work,
    ),
    work,
  )
  const matched = one.rows.filter((row) =>
    keysOf(row, one.paths, work).some((key) => index.find(key).positions.length > 0),
  )
  return one.rows.length === 0 ? 0 : matched.length / one.rows.length
}

/** Top-level fields that are called the same on both sides and are equal by the condition. */
function same(on: Pairing['on']): Set<string> {
  return new Set(on.flatMap(({ left, right }) => (left.name === right.name ? [left.name] : [])))
}
