/** `join_on`: the records of one list, each with the fields of those in another that have the same key. */
import { partsOf } from '../documents/combine.ts'
import { fromMadeRows, fromRows } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import { parseJoin } from './join/condition.ts'
import { type Pairing, pairingsOf } from './join/pairing.ts'
import { type Joined, joinRows, matchRate } from './join/rows.ts'
import { type Side, sideOf, sidesOf } from './join/side.ts'
import { joinParams } from './parameters.ts'
import { recordsOf } from './records.ts'
import { listed, Refusal, shown } from './refusal.ts'
import { select } from './select.ts'
import { defineStep } from './step.ts'
import { listName } from './unnest.ts'

/**
 * A left join: a record without a match stays as it is, one with several is there for each of them; `inner` in front keeps matches
 * only. Lists that a key goes through (`items[].product_id`) are unwound: a record for each element. The left is what `path`
 * reaches, or the first of several results; the right is the other result, or another list that has the field. Fields that
 * both have are called by the name of the right: `products.id`.
 */
export const join = defineStep({
  name: 'join',
  params: joinParams,
  wanted: ({ join_on }) => join_on !== undefined && join_on.length > 0,
  run(document, { join_on = [], path }) {
    const { pairs, inner } = parseJoin(join_on)
    const sides = sidesOf(document)
    const [first] = sides
    const chosen = path === undefined || path.trim() === '' ? undefined : sideAt(document, path)
    const lefts = chosen ? [chosen] : sides.filter(({ handle }) => handle === first?.handle)
    const elsewhere = sides.filter(({ handle }) => handle !== lefts[0]?.handle)
    const named = pairs.some(({ left }) =>
      sides.some(({ handle }) => handle !== '' && left.startsWith(handle)),
    )
    const pairing = best(
      () => pairingsOf(named ? sides : lefts, named ? sides : elsewhere, pairs),
      () => pairingsOf(chosen ? lefts : sides, sides, pairs),
    )
    const joined = joinRows(pairing, inner)
    const notes = [
      ...pairing.on.flatMap(({ left, right }) => [left.note ?? [], right.note ?? []].flat()),
      ...describe(pairing, joined, inner),
    ]
    return {
      // Where nothing matched, the records may be texts.
      content:
        joined.matched > 0
          ? fromMadeRows('json', joined.rows)
          : fromRows({ noun: 'record', items: joined.rows.items }),
      metadata: { total: joined.total, matched: joined.matched, notes },
    }
  },
})

/** What `path` reaches, as a side. */
function sideAt(document: Document, path: string): Side {
  const [part] = partsOf(document) ?? []
  const { content, error } = select.process(document, { path })
  if (error !== undefined) throw new Refusal(error)
  const records = recordsOf(content)
  if (!records) throw new Refusal(`\`${shown(path)}\` reaches no list of records that could be joined.`)
  return sideOf(path, records, part?.handle ?? '', false)
}

/** A pairing in which this part of the records match is what was meant. */
const convincing = 0.5

/** Of the first tier in which anything matches, the first convincing pairing or the one that matches most; fields called by their list are believed. */
function best(...readings: readonly (() => Pairing[][])[]): Pairing {
  let first: Pairing | undefined
  let refusal: unknown
  for (const reading of readings) {
    try {
      for (const tier of reading()) {
        const rated = tier.map((pairing) => ({ pairing, rate: matchRate(pairing) }))
        const most = rated.reduce((one, other) => (other.rate > one.rate ? other : one))
        const { pairing, rate } = rated.find(({ rate }) => rate >= convincing) ?? most
        if (rate > 0 || pairing.called > 0) return pairing
        first ??= pairing
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusal = error
    }
  }
  if (first) return first
  throw refusal
}

function describe({ left, right, on }: Pairing, joined: Joined, inner: boolean): string[] {
  const { rows, total, matched, loosely, several, unmatched, renamed, lists } = joined
  const condition = on.map((pair) => `\`${pair.left.name} = ${pair.right.name}\``).join(' and ')
  const each = lists.length > 0 ? ` (one for each of \`${lists.map(listName).join('`, `')}\`)` : ''
  const notes = [
    `${left.place} joined with ${right.place} on ${condition}: ${formatCount(matched)} of ${formatPlural(total, 'record')}${each} have a match.`,
  ]
  if (matched < total) {
    const keys = unmatched.length > 0 ? `, such as ${listed(unmatched)},` : ''
    notes.push(
      `${formatCount(total - matched)} without a match${keys} ${inner ? 'are left out' : 'are kept without its fields'}.`,
    )
  }
  if (several > 0)
    notes.push(`${formatCount(several)} match several: ${formatPlural(rows.count, 'record')} in all.`)
  if (loosely > 0) notes.push(`${formatCount(loosely)} match as numbers or regardless of case.`)
  if (joined.unused > 0)
    notes.push(
      `${formatCount(joined.unused)} of ${formatCount(joined.right)} in ${right.place} are matched by none.`,
    )
  if (renamed.size > 0)
    notes.push(
      `Both have ${listed([...renamed.keys()], 6)}: those of ${right.place} are ${listed([...renamed.values()], 6)}.`,
    )
  return notes
}
