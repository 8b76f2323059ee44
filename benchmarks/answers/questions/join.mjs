/** A record that points to records elsewhere: in another collection, or in another payload of the folder. */
import { several } from './asking.mjs'
import { evaluate, sameWay } from './evaluate.mjs'
import { fieldsOf, identifiers, sayable } from './fields.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

/** Share of the values that must be found on the other side. */
const CONTAINED = 0.8
const MOST_LINKS = 8

const form = ({ name, source }) => name.slice(source.length)

/** Payloads a join may go to: itself, and other sources in the same form. */
const near = (payload, payloads) =>
  payloads.filter(
    (other) =>
      other.collections.length > 0 &&
      other.kind !== 'log' &&
      (other.source === payload.source
        ? other === payload
        : form(other) === form(payload) || form(other) === ''),
  )

const last = (way) => (way.findLast((key) => key !== '[]') ?? '').toLowerCase().replace(/[^a-z0-9]/g, '')

/** Whether numbers that agree do so by meaning: `product_id` and `id`, `user.id` and `id`, `author` and `author`. */
function related(on, equals) {
  const [one, other] = [last(on), last(equals)]
  return (
    one.length >= 2 &&
    other.length >= 2 &&
    (one.endsWith(other) || other.endsWith(one)) &&
    !['name', 'type', 'value', 'number'].includes(one)
  )
}

/** The way from the records of one collection to another that they hold, or undefined. */
function within(source, target) {
  const start = [...source.at, '[]']
  return target.at.length > start.length && sameWay(target.at.slice(0, start.length), start)
    ? target.at.slice(start.length)
    : undefined
}

const linkCache = new WeakMap()

/** Ways from the records of one collection to those of another. */
function linksOf(payload, payloads) {
  if (linkCache.has(payload)) return linkCache.get(payload)
  const links = []
  for (const other of near(payload, payloads)) {
    for (const target of other.collections) {
      for (const equals of fieldsOf(target).filter(
        ({ unique, kind, plain }) => unique && plain && ['string', 'number', 'numeric'].includes(kind),
      )) {
        const known = new Set([...equals.counts.keys()].map(String))
        for (const source of payload.collections) {
          if (source === target) continue
          const inside = within(source, target)
          for (const on of fieldsOf(source)) {
            if (!on.plain || !['string', 'number', 'numeric'].includes(on.kind) || on.counts.size < 5)
              continue
            if (kindOfText(on) !== kindOfText(equals) && !related(on.way, equals.way)) continue
            if ((kindOfText(on) === 'number' || shortest(on) < 4) && !related(on.way, equals.way)) continue
            // A field inside a record is no pointer to it.
            if (inside && sameWay([...inside, '[]', ...equals.way], on.way)) continue
            const shared = [...on.counts.keys()].filter((value) => known.has(String(value))).length
            if (shared >= CONTAINED * on.counts.size) links.push({ source, on, other, target, equals })
          }
        }
      }
    }
  }
  linkCache.set(payload, links)
  return links
}

const kindOfText = ({ kind }) => (kind === 'numeric' ? 'number' : kind)
const shortest = ({ counts }) =>
  [...counts.keys()].reduce((least, value) => Math.min(least, String(value).length), Number.POSITIVE_INFINITY)

export function join(payload, { random, count, payloads }) {
  if (payload.kind === 'log' || payload.collections.length === 0) return []
  const links = linksOf(payload, payloads)
  return several(count, (used) => {
    const link = random.pick(links)
    if (link === undefined) return undefined
    const { source, on, other, target, equals } = link
    const by = random.pick(
      identifiers(source)
        .filter((field) => field !== on)
        .slice(0, 2),
    )
    const want = random.pick(
      fieldsOf(target).filter((field) => field !== equals && !field.many && !used.has(String(field.way))),
    )
    if (by === undefined || want === undefined) return undefined
    const at = random.below(source.records.length)
    const keys = on.values[at]
    if (
      keys.length === 0 ||
      new Set(keys).size > MOST_LINKS ||
      !keys.every((key) => equals.counts.has(key) || equals.counts.has(String(key)))
    )
      return undefined
    const value = by.values[at][0]
    const where = [{ field: by.way, op: '=', value }]
    const joined = {
      payload: other.name,
      collection: target.at,
      on: on.way,
      equals: equals.way,
      want: want.way,
    }
    const ask = { collection: source.at, where, join: joined }
    const gold = evaluate(ask, payload, payloads)
    if (gold.none || !gold.set.every((one) => sayable(one, 120) && !keys.includes(one) && one !== value))
      return undefined
    // Each record it points to must have an answer.
    const hits = target.records.filter((_, index) =>
      keys.some((key) => String(key) === String(equals.values[index][0])),
    )
    if (hits.some((hit) => want.values[target.records.indexOf(hit)].length === 0)) return undefined
    const elsewhere = other === payload ? '' : ` of ${other.source}`
    const text = `The record${sayIn(source.at)}${sayWhere(where)} points with ${sayField(on.way)} to the ${sayField(equals.way)} of records${sayIn(target.at)}${elsewhere || ' elsewhere in this document'}: what is their ${sayField(want.way)}?`
    const single = new Set(keys).size === 1
    return { text, ask, gold: single ? { value: gold.set[0] } : gold, fields: [want.way] }
  })
}
