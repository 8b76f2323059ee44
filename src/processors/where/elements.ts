/** Conditions that are about the same element of a list: `items.name = a and items.price > 5`. */
import { formatPath, type Path } from '../path/path.ts'
import { ofElements } from './lists.ts'
import type { ValuesTest } from './tests.ts'
import { all, type Matcher, ofValues } from './verdict.ts'

/** A comparison, or several that are about one element. */
export interface Member {
  /** Through lists, without `[*]`. */
  path: Path
  /** The positions in `path` after which a list is reached. */
  lists: readonly number[]
  negated: boolean
  /** One of several equations of a field may be about another element; bounds are of one. */
  isBound: boolean
  /** Of the values at `path`, or members with their paths from one element on. */
  about: ValuesTest | readonly Pick<Member, 'path' | 'negated' | 'about'>[]
  /** The fields in it, for remarks. */
  names: readonly string[]
}

/** Records, or elements, that fulfil a member. */
export function matcherOf({ path, negated, about }: Pick<Member, 'path' | 'negated' | 'about'>): Matcher {
  return typeof about === 'function'
    ? ofValues(path, about, negated)
    : ofElements(path, 'any', all(about.map(matcherOf)))
}

/** The members with those that share a list made one, and what was made one. */
export function grouped(members: readonly Member[]): { members: Member[]; joined: Member[] } {
  let left = [...members]
  const joined: Member[] = []
  for (;;) {
    const place = deepestShared(left)
    if (place === undefined) return { members: left, joined }
    const { group, at } = place
    const one = together(group, at)
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

function together(group: readonly Member[], at: number): Member {
  return {
    path: group[0]?.path.slice(0, at) ?? [],
    lists: group[0]?.lists.filter((place) => place < at) ?? [],
    negated: false,
    isBound: false,
    about: group.map(({ path, negated, about }) => ({ path: path.slice(at), negated, about })),
    names: group.flatMap(({ names }) => names),
  }
}
