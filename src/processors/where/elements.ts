/** Conditions that are about the same element of a list: `items.name = a and items.price > 5`. */
import type { JsonValue } from '../../protocol/json.ts'
import { formatPath, newWork, type Path, type Work } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import type { ValuesTest } from './tests.ts'

/** A comparison, or several that are about one element. */
export interface Member {
  /** Through lists, without `[*]`. */
  path: Path
  /** The positions in `path` after which a list is reached. */
  lists: readonly number[]
  negated: boolean
  /** One of several equations of a field may be about another element; bounds are of one. */
  isBound: boolean
  test: ValuesTest
  /** The fields in it, for remarks. */
  names: readonly string[]
}

const mostSampled = 200

/** Where the lists are on the way of a path. */
export function listsOn(records: Records, path: Path): Pick<Member, 'path' | 'lists'> {
  const plain = path.filter(
    ({ selectors, deep }) => deep || selectors[0]?.kind !== 'all' || selectors.length > 1,
  )
  const lists: number[] = []
  const work = newWork()
  const step = Math.max(1, Math.floor(records.values.length / mostSampled))
  for (let at = 0; at <= plain.length; at++) {
    const values: JsonValue[] = []
    for (let nth = 0; nth < records.values.length; nth += step)
      readValues(records.values[nth] ?? null, plain.slice(0, at), values, work)
    if (values.some(Array.isArray)) lists.push(at)
  }
  return { path: plain, lists }
}

/** The members with those that share a list made one, and what was made one. */
export function grouped(members: readonly Member[], work: Work): { members: Member[]; joined: Member[] } {
  let left = [...members]
  const joined: Member[] = []
  for (;;) {
    const place = deepestShared(left)
    if (place === undefined) return { members: left, joined }
    const { group, at } = place
    const one = together(group, at, work)
    joined.push(one)
    left = [...left.filter((member) => !group.includes(member)), one]
  }
}

function deepestShared(members: readonly Member[]): { group: Member[]; at: number } | undefined {
  const depths = [...new Set(members.flatMap(({ lists }) => lists))].sort((a, b) => b - a)
  for (const at of depths) {
    const byPlace = new Map<string, Member[]>()
    for (const member of members) {
      if (!member.lists.includes(at)) continue
      const place = formatPath(member.path.slice(0, at))
      byPlace.set(place, [...(byPlace.get(place) ?? []), member])
    }
    for (const group of byPlace.values()) if (isOne(group, at)) return { group, at }
  }
  return undefined
}

/** Different fields of an element, or bounds of the same; two equations of one field are about two elements. */
function isOne(group: readonly Member[], at: number): boolean {
  if (group.length < 2 || group.every(({ negated }) => negated)) return false
  const byField = new Map<string, Member[]>()
  for (const member of group) {
    const rest = formatPath(member.path.slice(at))
    byField.set(rest, [...(byField.get(rest) ?? []), member])
  }
  const repeated = [...byField.values()].filter(({ length }) => length > 1)
  if (repeated.some((members) => members.filter(({ isBound, negated }) => !isBound && !negated).length > 1))
    return false
  if (byField.size > 1) return true
  return group.filter(({ isBound }) => isBound).length > 1
}

function together(group: readonly Member[], at: number, work: Work): Member {
  const path = group[0]?.path.slice(0, at) ?? []
  const parts = group.map(({ path: whole, negated, test }) => ({ rest: whole.slice(at), negated, test }))
  const holds = (element: JsonValue): boolean =>
    parts.every(({ rest, negated, test }) => {
      const values: JsonValue[] = []
      readValues(element, rest, values, work)
      return test(values) !== negated
    })
  return {
    path,
    lists: group[0]?.lists.filter((place) => place < at) ?? [],
    negated: false,
    isBound: false,
    test: (values) => elementsOf(values).some(holds),
    names: group.flatMap(({ names }) => names),
  }
}

/** The elements of lists, and of lists in them. */
export function elementsOf(values: readonly JsonValue[]): JsonValue[] {
  return values.flatMap((value) => (Array.isArray(value) ? elementsOf(value) : [value]))
}
