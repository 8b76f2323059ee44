/** Which two collections a condition is about: those that have the fields, and of several the ones that match best. */
import type { Field } from '../fields.ts'
import { listed, Refusal, shown } from '../refusal.ts'
import { howTo, type Pair } from './condition.ts'
import { fieldIn, type Side } from './side.ts'

/** Two sides with the fields that must be equal. */
export interface Pairing {
  left: Side
  right: Side
  on: { left: Field; right: Field }[]
  /** How many of the fields were written with the name of their list. */
  called: number
}

/** What one name for both sides may be called on the right. */
const identifiers = ['id', '_id', '_key', 'key', 'uid', 'name']

/** Pairings looked at. */
const mostPairings = 40

/**
 * All ways to read the pairs, in tiers, the best first: names as written before names that are nearly so, as written before the
 * other way round, lists of different things before a list with itself. Throws a `Refusal` where there is none.
 */
export function pairingsOf(
  lefts: readonly Side[],
  rights: readonly Side[],
  pairs: readonly Pair[],
): Pairing[][] {
  const outer = (sides: readonly Side[]): Side[] => sides.filter(({ within }) => !within)
  const tiers = [false, true, undefined].flatMap((leniently) => {
    const [ones, others] = leniently === undefined ? [lefts, rights] : [outer(lefts), outer(rights)]
    return [false, true].map((swapped) => tierOf(ones, others, pairs, swapped, leniently === true))
  })
  const found = tiers.filter((tier) => tier.length > 0)
  if (found.length === 0) throw new Refusal(none(lefts, rights, pairs))
  return found
}

function tierOf(
  lefts: readonly Side[],
  rights: readonly Side[],
  pairs: readonly Pair[],
  swapped: boolean,
  leniently: boolean,
): Pairing[] {
  const found: Pairing[] = []
  for (const left of lefts) {
    for (const right of rights) {
      const one = found.length < mostPairings ? read(left, right, pairs, swapped, leniently) : undefined
      if (one) found.push(one)
    }
  }
  const most = Math.max(0, ...found.map(({ called }) => called))
  const rank = (one: Pairing): number =>
    lefts.indexOf(one.left) * 4 + (one.left.place === one.right.place ? 2 : 0) + (isAbout(one) ? 0 : 1)
  return found.filter(({ called }) => called === most).sort((a, b) => rank(a) - rank(b))
}

function read(
  left: Side,
  right: Side,
  pairs: readonly Pair[],
  swapped: boolean,
  leniently: boolean,
): Pairing | undefined {
  const on: Pairing['on'] = []
  let called = 0
  for (const pair of pairs) {
    const [first, second] = swapped ? [pair.right, pair.left] : [pair.left, pair.right]
    const one = first === undefined ? undefined : fieldIn(left, first, leniently)
    const other =
      one &&
      (second === undefined
        ? sameName(right, one.field, left.place === right.place, leniently)
        : fieldIn(right, second, leniently))
    if (!one || !other) return undefined
    called += Number(one.qualified) + Number(other.qualified)
    on.push({ left: one.field, right: other.field })
  }
  return { left, right, on, called }
}

/** A field that is called the same on the right, or what identifies the records there. */
function sameName(
  right: Side,
  { name }: Field,
  itself: boolean,
  leniently: boolean,
): { field: Field; qualified: boolean } | undefined {
  const last = name.replace(/^.*[.\]]/, '')
  const names = [...new Set([name, ...(last === '' ? [] : [last])])]
  for (const candidate of [...(itself ? names.slice(0, 1) : names), ...identifiers]) {
    const found = fieldIn(right, candidate, leniently && !identifiers.includes(candidate))
    if (found) return { ...found, qualified: false }
  }
  return undefined
}

/** True when the field on the left is named for what is on the right: `product_id` for `products`. */
function isAbout({ right: { name }, on: [first] }: Pairing): boolean {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const one = letters(name).replace(/ies$/, 'y').replace(/s$/, '')
  return one.length > 1 && letters(first?.left.name ?? '').includes(one)
}

function none(lefts: readonly Side[], rights: readonly Side[], pairs: readonly Pair[]): string {
  const sides = [...new Set([...lefts, ...rights])]
  if (sides.length === 0) return 'There are no lists of records to join. Name two results in `cache_id`.'
  const wanted = pairs
    .map(({ left, right }) => `\`${shown([left, right ?? []].flat().join(' = '), 60)}\``)
    .join(', ')
  const described = sides.slice(0, 6).map(
    ({ place, records }) =>
      `${place} has ${listed(
        [...records.names().keys()].filter((name) => !name.includes('.')),
        12,
      )}.`,
  )
  return `No two lists have the fields of ${wanted}. ${described.join(' ')} ${howTo}`
}
