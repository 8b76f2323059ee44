/** `join_on`: the records of one list with those of another: joined by a key, or set against each other. */

import type { Document, Rows } from '../../documents/document.ts'
import { type Part, partsOf } from '../../documents/opening/combine.ts'
import { fromMadeRows, fromRows } from '../../documents/opening/derive.ts'
import { madeRows } from '../../documents/opening/rows.ts'
import { collectionsOf, keyedRecords } from '../../documents/shape/collections.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { resolveExactly, resolveField } from '../../query/fields/fields.ts'
import { holdsObjects } from '../../query/fields/inner-fields.ts'
import { listName, listOn, unwind, withoutList } from '../../query/fields/lists.ts'
import { firstName, formatPath, namesOn, type Path, parsePath } from '../../query/fields/path.ts'
import { type Field, type Records, recordsOf } from '../../query/fields/records.ts'
import { valuesAt } from '../../query/fields/walk.ts'
import { parseComputed, parseCondition } from '../../query/language/parser.ts'
import { scan } from '../../query/language/scanner.ts'
import { type Condition, type Expression, mapped, sourceOf } from '../../query/language/tree.ts'
import { listed, Refusal, safely, shown } from '../../query/refusal.ts'
import { newWork, type Work } from '../../query/work.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { plainNumber } from '../../text/values/quantities.ts'
import { joinParams } from '../parameters.ts'
import type { StepMetadata } from '../processor.ts'
import { defineStep } from '../step.ts'
import { select } from './select.ts'

/**
 * A left join. A record without a match stays as it is, and a record with several matches comes once for each of them. `inner` in front
 * keeps matches only. Lists that a key goes through (`items[].product_id`) are unwound: a record for each element. The left
 * records are those at `path`, or those of the first of several results. The right ones are those of the other result, or of another list
 * that has the field. A field of both sides has the name of the right side before it: `products.id`. Several conditions that no two lists
 * fulfil, or that each say `inner` or `left`, join one list after the other.
 */
export const join = defineStep({
  name: 'join',
  // The other parameters tell which fields are asked for.
  params: joinParams.loose(),
  wanted: ({ join_on }) => join_on !== undefined && join_on.length > 0,
  run(document, asked) {
    const { join_on = [], path } = asked
    const { kind, conditions } = kindIn(join_on)
    const sides = sidesOf(document)
    const chosen = path === undefined || path.trim() === '' ? undefined : sideAt(document, path, sides)
    if (kind !== undefined) return compare(kind, pairingOf(sides, chosen, parseJoin(conditions)))
    const mentioned = mentionedIn(asked)
    const notes: string[] = []
    const { inner, next, ...first } = begin(sides, chosen, conditions)
    let { pairing } = first
    let joined = joinRows(pairing, inner, mentioned)
    const tell = (inner: boolean): void => {
      notes.push(
        ...pairing.on.flatMap(({ left, right }) => [left.note ?? [], right.note ?? []].flat()),
        ...describe(pairing, joined, inner),
      )
    }
    tell(inner)
    for (const link of next) {
      const left = joinedSide(pairing, joined)
      pairing = best(() => pairingsOf([left], unjoined(left, sides), link.pairs))
      joined = joinRows(pairing, link.inner, mentioned)
      tell(link.inner)
    }
    return {
      // Where nothing matched, the records may be texts.
      content:
        joined.matched > 0 || next.length > 0
          ? fromMadeRows('json', joined.rows)
          : fromRows({ noun: 'record', items: joined.rows.items }),
      metadata: { total: joined.total, matched: joined.matched, notes },
    }
  },
})

/** Lists joined one after the other at most. */
const MOST_LINKS = 8

/** The conditions one by one, and the equations of a single one: they may be about several lists. */
function linksIn(conditions: readonly string[]): JoinCondition[] {
  if (conditions.length > MOST_LINKS)
    throw new Refusal(`At most ${MOST_LINKS} lists are joined by one \`join_on\`.`)
  if (conditions.length > 1) return conditions.map((text) => parseJoin([text]))
  const { pairs, inner } = parseJoin(conditions)
  return pairs.map((pair) => ({ pairs: [pair], inner }))
}

/** The first pairing, and the conditions that join further lists with it. */
function begin(
  sides: readonly Side[],
  chosen: Side | undefined,
  conditions: readonly string[],
): { pairing: Pairing; inner: boolean; next: readonly JoinCondition[] } {
  const [link, ...next] = linksIn(conditions)
  const inTurn = () => link && { pairing: pairingOf(sides, chosen, link), inner: link.inner, next }
  const areLinks = conditions.length > 1 && conditions.every((text) => KIND.test(text))
  const turned = areLinks ? inTurn() : undefined
  if (turned) return turned
  try {
    const whole = parseJoin(conditions)
    const pairing = pairingOf(sides, chosen, whole)
    const isItself = pairing.left.place === pairing.right.place && pairing.called === 0
    const isOthers = (one: JoinCondition): boolean => {
      const { left, right } = pairingOf(sides, chosen, one)
      return left.place !== right.place
    }
    const areOthers = isItself && link && next.length > 0 && safely(() => [link, ...next].every(isOthers))
    return (areOthers ? inTurn() : undefined) ?? { pairing, inner: whole.inner, next: [] }
  } catch (error) {
    const other = error instanceof Refusal && next.length > 0 ? safely(inTurn) : undefined
    if (!other) throw error
    return other
  }
}

/** The pairing that a condition means: with the left at `chosen`, or in the first of several results. */
function pairingOf(sides: readonly Side[], chosen: Side | undefined, { pairs }: JoinCondition): Pairing {
  const [first] = sides
  const lefts = chosen ? [chosen] : sides.filter(({ handle }) => handle === first?.handle)
  const elsewhere = sides.filter(({ handle }) => handle !== lefts[0]?.handle)
  const named = pairs.some(({ left }) => sides.some(({ handle }) => handle !== '' && left.startsWith(handle)))
  return best(
    () => pairingsOf(named ? sides : lefts, named ? sides : elsewhere, pairs),
    () => pairingsOf(chosen ? lefts : sides, sides, pairs),
  )
}

/** The joined records, as the left of the next join. */
function joinedSide({ left, right }: Pairing, { rows }: Joined): Side {
  const records = recordsOf(fromMadeRows('json', rows))
  if (!records) throw new Refusal('No record is left to join further.')
  return { ...left, records, merged: [...(left.merged ?? [left]), right] }
}

/** The sides for the next join, the ones that are not joined yet first. A joined one may come again as `self`. */
function unjoined({ merged = [] }: Side, sides: readonly Side[]): Side[] {
  const isMerged = ({ place }: Side): boolean => merged.some((one) => one.place === place)
  return [...sides.filter((side) => !isMerged(side)), ...sides.filter(isMerged)]
}

/** The names that the other parameters hold, in small letters: fields of the lists may be meant. */
function mentionedIn(asked: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const texts = ['where', 'group_by', 'aggregate', 'sort', 'fields']
    .flatMap((name) => asked[name] ?? [])
    .filter((text) => typeof text === 'string')
  const names = texts.flatMap(
    (text) => text.match(/[\p{L}\p{N}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*/gu) ?? [],
  )
  return new Set(names.map((name) => name.toLowerCase()))
}

// Two lists set against each other.

/** The wanted part of two lists: records that only the first has, or only the second; that both have; what differs; all of it. */
type Comparison = 'only_in' | 'only_in_second' | 'in_both' | 'changed' | 'diff'

const KINDS: readonly (readonly [RegExp, Comparison])[] = [
  [/^(?:only_?in_?(?:second|right|b|other)|added|new|right_?anti)$/i, 'only_in_second'],
  [
    /^(?:only_?in(?:_?(?:first|left|a))?|not_?in|missing|removed|anti|left_?anti|except|minus|difference|unmatched)$/i,
    'only_in',
  ],
  [/^(?:in_?both|common|both|semi|left_?semi|intersect(?:ion)?)$/i, 'in_both'],
  [/^(?:changed|changes|modified|different)$/i, 'changed'],
  [/^(?:diff|compare|changes_?all)$/i, 'diff'],
]

/** `only_in: id`, `anti user_id = id`: the word at the beginning, and the condition behind it. */
function kindIn(written: readonly string[]): { kind: Comparison | undefined; conditions: string[] } {
  const [first = '', ...others] = written
  const [, word = '', rest = ''] =
    /^\s*(\w+)(?:\s*:|\s+on\b|\s*(?=\()|\s+(?![=<>]))\s*(.+)$/is.exec(first) ?? []
  const kind = KINDS.find(([names]) => names.test(word))?.[1]
  return kind === undefined
    ? { kind, conditions: [...written] }
    : { kind, conditions: [rest.trim(), ...others] }
}

/** Records that only one of two lists has, or both have; or what differs in the records of both: a row for each field. */
function compare(kind: Comparison, pairing: Pairing): { content: Document; metadata: StepMetadata } {
  const { left, right, on } = pairing
  const work = newWork(MOST_WORK)
  const [one, other] = expandBoth(pairing, work)
  const partners = partnersIn(one, other, work)
  const used = new Set(partners.flat())
  const removed = one.rows.filter((_, at) => partners[at]?.length === 0)
  const added = other.rows.filter((_, at) => !used.has(at))
  const changes = (): JsonObject[] =>
    one.rows.flatMap((row, at) => {
      const [partner] = partners[at] ?? []
      return partner === undefined
        ? []
        : changesIn(row, other.rows[partner] ?? null, keysOf(row, one.paths, work)[0] ?? [], on)
    })
  const marked = (rows: readonly JsonValue[], mark: string): JsonObject[] =>
    rows.map((row) => ({ _change: mark, ...fieldsOf(row) }))
  const items: readonly JsonValue[] = {
    only_in: () => removed,
    only_in_second: () => added,
    in_both: () => one.rows.filter((_, at) => partners[at]?.length !== 0),
    changed: changes,
    diff: () => [...marked(removed, 'removed'), ...marked(added, 'added'), ...marked(changes(), 'changed')],
  }[kind]()
  const both = one.rows.length - removed.length
  const said = `${left.place} against ${right.place} on ${conditionOf(on)}: ${formatCount(removed.length)} of ${formatPlural(one.rows.length, 'record')} only in the first, ${formatCount(added.length)} of ${formatCount(other.rows.length)} only in the second, ${formatCount(both)} in both.`
  const fields =
    kind === 'changed'
      ? [
          `${formatPlural(items.length, 'field')} of ${formatPlural(new Set(items.map((row) => JSON.stringify(on.map(({ left: { name } }) => (isObject(row) ? own(row, name) : null))))).size, 'record')} differ: \`before\` is of the first.`,
        ]
      : []
  return {
    content: fromRows({ noun: 'record', items }),
    metadata: { total: one.rows.length, matched: items.length, notes: [said, ...fields] },
  }
}

/** Of each row on the left the positions of those on the right that have its key. */
function partnersIn(one: Expanded, other: Expanded, work: Work): number[][] {
  const index = indexOf(other, work)
  return one.rows.map((row) => [
    ...new Set(keysOf(row, one.paths, work).flatMap((key) => [...index.find(key).positions])),
  ])
}

/** A row for each field that two records of one key do not have alike; what is equal but for the order of keys is alike. */
export function changesIn(
  before: JsonValue,
  after: JsonValue,
  key: readonly string[],
  on: Pairing['on'],
): JsonObject[] {
  const [one, other] = [fieldsOf(before), fieldsOf(after)]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => name !== '_from')
  return names.flatMap((name) => {
    const [first, second] = [own(one, name) ?? null, own(other, name) ?? null]
    if (inOneOrder(first) === inOneOrder(second) || on.some((pair) => pair.left.name === name)) return []
    const row: JsonObject = {}
    for (const [at, pair] of on.entries())
      setOwn(row, pair.left.name, own(one, pair.left.name) ?? key[at] ?? null)
    row.field = name
    row.before = first
    row.after = second
    return [row]
  })
}

/** JSON with sorted keys. */
export function inOneOrder(value: JsonValue): string {
  return JSON.stringify(value, (_, held: JsonValue) =>
    isObject(held) ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1))) : held,
  )
}

// Joining.

/** The records at `path`, as a side: one of those known, if it is the path of one. */
function sideAt(document: Document, path: string, sides: readonly Side[]): Side {
  const [known, another] = sides.filter(({ place }) => plainPlace(place) === plainPlace(path))
  if (known && !another) return known
  const parts = partsOf(document) ?? []
  const reached = parts.map((part) => ({ part, ...select.process(part.document, { path }) }))
  const { part, content, error } = reached.find((one) => one.error === undefined) ?? {
    part: parts[0],
    ...select.process(document, { path }),
  }
  if (error !== undefined) throw new Refusal(error)
  const records = recordsOf(content)
  if (!records) throw new Refusal(`\`${shown(path)}\` reaches no list of records that could be joined.`)
  return sideOf(path, records, part?.handle ?? '', false)
}

/** `orders` for `$.orders` and `orders[*]`. */
function plainPlace(path: string): string {
  return path
    .trim()
    .replace(/^\$\.?/, '')
    .replace(/\[\*?\]$/, '')
}

/** A pairing in which this part of the records match is what was meant. */
const CONVINCING = 0.5

/** Of the first tier in which anything matches, the first convincing pairing or the one that matches most; fields called by their list are believed. */
function best(...readings: readonly (() => Pairing[][])[]): Pairing {
  let first: Pairing | undefined
  let refusal: unknown
  for (const reading of readings) {
    try {
      for (const tier of reading()) {
        const rated = tier.map((pairing) => ({ pairing, rate: matchRate(pairing) }))
        const most = rated.reduce((one, other) => (other.rate > one.rate ? other : one))
        const { pairing, rate } = rated.find(({ rate }) => rate >= CONVINCING) ?? most
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

/** The equations of a join, for messages. */
function conditionOf(on: Pairing['on']): string {
  return on.map(({ left, right }) => `\`${left.name} = ${right.name}\``).join(' and ')
}

function describe({ left, right, on }: Pairing, joined: Joined, inner: boolean): string[] {
  const { rows, total, matched, loosely, several, unmatched, renamed, lists } = joined
  const each = lists.length > 0 ? ` (one for each of \`${lists.map(listName).join('`, `')}\`)` : ''
  const notes = [
    `${left.place} joined with ${right.place} on ${conditionOf(on)}: ${formatCount(matched)} of ${formatPlural(total, 'record')}${each} have a match.`,
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

// The condition.

/** One equality. `right` is undefined where one name was written for both sides. */
export interface Pair {
  left: string
  right: string | undefined
}

export interface JoinCondition {
  pairs: Pair[]
  /** Only records with a match are wanted. */
  inner: boolean
}

const MOST_PAIRS = 5

/** The word that says whether records without a match stay. */
const KIND = /^\s*(?:(inner|left)\s+(?:outer\s+)?)(?:join\s+)?/i

/** `a = b`, `a`, `a = b and c = d`, `inner a = b`, `a b`, `lower(a) = lower(b)`. Throws a `Refusal`. */
export function parseJoin(written: readonly string[]): JoinCondition {
  let inner = false
  const pairs = written.flatMap((text) => {
    const [, kind, rest = ''] =
      /^(?:(inner|left)\s+(?:outer\s+)?)?(?:join\s+)?(?:on\s+|using\s+)?(.*)$/is.exec(text.trim()) ?? []
    inner ||= kind?.toLowerCase() === 'inner'
    return pairsIn(rest.trim())
  })
  if (pairs.length > MOST_PAIRS)
    throw new Refusal(`At most ${MOST_PAIRS} pairs of fields are compared in \`join_on\`.`)
  if (pairs.length === 0) throw new Refusal(`\`join_on\` names no fields. ${HOW_TO}`)
  return { pairs, inner }
}

export const HOW_TO =
  'Write like "product_id = id", or with the lists named "orders.product_id = products.id".'

/** Arrows between two fields, as some draw them. */
const ARROWS = /\s*(?:<?->|=>)\s*/g

function pairsIn(text: string): Pair[] {
  if (text === '') return []
  const [, one, other] = /^([\w.[\]*$@-]+)\s+([\w.[\]*$@-]+)$/.exec(text) ?? []
  if (one !== undefined && other !== undefined) return [{ left: one, right: other }]
  const computed = /\(/.test(text) ? text.split(/\s+and\s+/i).map(computedPair) : []
  if (computed.length > 0 && computed.every((pair) => pair !== undefined)) return computed
  const read = safely(() => equationsIn(parseCondition(text.replaceAll(ARROWS, ' = ')), text))
  if (!read) throw new Refusal(`\`join_on\` cannot read \`${shown(text)}\`. ${HOW_TO}`)
  return read
}

/** Two sides as they are written: a condition would read `date(a)` as `a`. */
function computedPair(text: string): Pair | undefined {
  const [sign, another] = scan(text).filter(
    ({ kind, text, depth }) => kind === 'sign' && depth === 0 && /^==?$/.test(text),
  )
  if (!sign || another) return undefined
  return { left: text.slice(0, sign.from).trim(), right: text.slice(sign.to).trim() }
}

function equationsIn(condition: Condition, text: string): Pair[] {
  if (condition.kind === 'and') return condition.parts.flatMap((part) => equationsIn(part, text))
  const isEquation = condition.kind === 'comparison' && !condition.negated
  const [right, another] = isEquation ? condition.operands : []
  if (isEquation && condition.operator === 'is true')
    return [{ left: sourceOfSide(condition.left), right: undefined }]
  if (isEquation && condition.operator === '=' && right && !another && !/[<>=~]/.test(sourceOfSide(right)))
    return [{ left: sourceOfSide(condition.left), right: sourceOfSide(right) }]
  throw new Refusal(`\`join_on\` cannot read \`${shown(text)}\`. ${HOW_TO}`)
}

function sourceOfSide(expression: Expression): string {
  return expression.kind === 'literal' ? expression.text : sourceOf(expression)
}

// Sides.

/** A collection under the name by which a condition may call it. */
export interface Side {
  /** The last name on the way to it that says what is in it: `orders`; `joined` where there is none. */
  name: string
  /** `$.data.orders`, with its handle before it where there are several results. */
  place: string
  /** The result it is in. */
  handle: string
  /** All names on the way: `data`, `orders`. */
  names: readonly string[]
  /** True for a list that is in a record of another. */
  within: boolean
  records: Records
  /** The sides that were joined to make it. */
  merged?: readonly Side[]
}

/** Collections looked at in one result. */
const MOST_SIDES = 24

/** All collections of all results, in each the main one first. */
export function sidesOf(document: Document): Side[] {
  const parts = partsOf(document) ?? [{ handle: '', document }]
  return parts.flatMap((part) => sidesIn(part, parts.length > 1))
}

function sidesIn({ handle, name, document }: Part, several: boolean): Side[] {
  const main = document.records()
  const others = collectionsOf(document.json() ?? null).filter(({ path }) => path !== main?.path)
  const all = [...(main ? [main] : []), ...others]
  return all
    .filter(({ values }) => values.some(isObject))
    .slice(0, MOST_SIDES)
    .flatMap((collection) => {
      const records = recordsOf(fromRows({ noun: 'record', items: keyedRecords(collection) }))
      if (!records) return []
      const within = all.some(({ path }) => path !== '$' && collection.path.startsWith(`${path}[`))
      const side = sideOf(collection.path, records, handle, several)
      const isAll = name !== undefined && collection === main
      return [{ ...side, within, ...(isAll && { name, names: [name] }) }]
    })
}

/** Names that say nothing of what is in a list. */
const GENERAL: ReadonlySet<string> = new Set([
  'items',
  'data',
  'results',
  'records',
  'rows',
  'value',
  'values',
  'list',
  'content',
  'nodes',
  'edges',
  'node',
])

/** The last name on the way to a list that says what is in it: `orders` for `$.data.orders.nodes`. */
export function titleOf(path: string): string | undefined {
  return namesOn(parsePath(path)).findLast((name) => !GENERAL.has(name.toLowerCase()))
}

export function sideOf(path: string, records: Records, handle: string, several: boolean): Side {
  const names = namesOn(parsePath(path))
  return {
    name: titleOf(path) ?? 'joined',
    place: several ? `${handle} ${path}`.trim() : path,
    handle,
    names,
    within: false,
    records,
  }
}

/** The field that a reference means in a side; undefined when it has none. `qualified`: the reference names the side. */
export function fieldIn(
  side: Side,
  reference: string,
  leniently = false,
): { field: Field; qualified: boolean } | undefined {
  const computed = /[(+*/%|]|\s-\s/.test(reference) ? computedIn(side, reference, leniently) : undefined
  if (computed) return computed
  const path = parsePath(reference)
  const renamed = side.merged && reference.includes('.') && resolveExactly(side.records, keyed(reference))
  if (renamed) return { field: renamed, qualified: true }
  const candidates = [
    { candidate: unqualified(side, path) ?? [], qualified: true },
    { candidate: path, qualified: false },
  ].filter(({ candidate }) => candidate.length > 0)
  const exactly = (candidate: Path): Field | undefined => {
    const found = resolveExactly(side.records, candidate)
    return found && keyWithin(side.records, found)
  }
  const loosely = (candidate: Path): Field | undefined =>
    safely(() => keyWithin(side.records, resolveField(side.records, formatPath(candidate))))
  for (const find of leniently ? [exactly, loosely] : [exactly])
    for (const { candidate, qualified } of candidates) {
      const field = find(candidate)
      if (field) return { field, qualified }
    }
  return undefined
}

/** A computed value of fields of a side, `lower(products.code)`; undefined for all else, and where one of them is not there. */
function computedIn(
  side: Side,
  reference: string,
  leniently: boolean,
): { field: Field; qualified: boolean } | undefined {
  const expression = safely(() => parseComputed(reference))
  if (!expression) return undefined
  let qualified = false
  const change = (one: Expression): Expression | undefined => {
    if (one.kind !== 'field') return undefined
    const found = fieldIn(side, one.name, leniently)
    if (!found) throw new Refusal(`No field \`${one.name}\`.`)
    qualified ||= found.qualified
    return { kind: 'field', name: found.field.name }
  }
  const field = safely(() => resolveField(side.records, sourceOf(mapped(expression, change))))
  return field && { field, qualified }
}

/** The path of one key with points in it: `products.id` of what was joined. */
function keyed(reference: string): Path {
  return parsePath(`[${JSON.stringify(reference.trim())}]`)
}

/** The rest of a path that begins with the handle, all names or the last name on the way to the side. */
function unqualified(side: Side, path: Path): Path | undefined {
  for (const one of side.merged ?? []) {
    const rest = unqualified(one, path)
    if (rest) return rest
  }
  const names = namesOn(path)
  const start = side.handle !== '' && names[0] === side.handle ? 1 : 0
  const rest = names.slice(start).map((name) => name.toLowerCase())
  const same = (way: readonly string[]): boolean =>
    way.length > 0 && way.length < rest.length && way.every((name, at) => rest[at] === name.toLowerCase())
  const taken = [side.names, side.names.slice(-1), [side.name]].find(same)?.length ?? 0
  if (start + taken === 0) return undefined
  let left = start + taken
  const from = path.findIndex((segment) => firstName(segment) !== undefined && left-- === 0)
  return from < 0 ? undefined : path.slice(from)
}

/** Where a field holds objects, the id in them is what joins. */
function keyWithin(records: Records, field: Field): Field {
  if (!holdsObjects(records, field)) return field
  for (const name of ['id', '_id', 'key', '_key', 'uid', 'name']) {
    const inner = resolveExactly(records, [...field.path, ...parsePath(name)])
    if (inner) return inner
  }
  return field
}

// Pairings.

/** Two sides with the fields that must be equal. */
export interface Pairing {
  left: Side
  right: Side
  on: { left: Field; right: Field }[]
  /** How many of the fields were written with the name of their list. */
  called: number
}

/** The names on the right for one name of both sides. */
const IDENTIFIERS = ['id', '_id', '_key', 'key', 'uid', 'name']

/** Pairings looked at. */
const MOST_PAIRINGS = 40

/**
 * All ways to read the pairs, in tiers, the best first. Exact names come before similar ones, the written order before the reverse, and
 * lists of different things before a list with itself. Throws a `Refusal` where there is none.
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
      const one =
        found.length < MOST_PAIRINGS ? readPairing(left, right, pairs, swapped, leniently) : undefined
      if (one) found.push(one)
    }
  }
  const most = Math.max(0, ...found.map(({ called }) => called))
  const rank = (one: Pairing): number =>
    lefts.indexOf(one.left) * 4 + (one.left.place === one.right.place ? 2 : 0) + (isAbout(one) ? 0 : 1)
  return found.filter(({ called }) => called === most).sort((a, b) => rank(a) - rank(b))
}

/** The name before the fields of a list that is joined with itself. */
const OF_ITSELF = /(?<![\w.])self\./

function readPairing(
  left: Side,
  right: Side,
  pairs: readonly Pair[],
  swapped: boolean,
  leniently: boolean,
): Pairing | undefined {
  const on: Pairing['on'] = []
  let called = 0
  for (const pair of pairs) {
    const [first, written] = swapped ? [pair.right, pair.left] : [pair.left, pair.right]
    const isSame = [left, ...(left.merged ?? [])].some(({ place }) => place === right.place)
    const ofItself = isSame && OF_ITSELF.test(written ?? '') ? written?.replace(OF_ITSELF, '') : undefined
    const second = ofItself ?? written
    if (ofItself !== undefined) called += 1
    const one = first === undefined ? undefined : fieldIn(left, first, leniently)
    const other =
      one &&
      (second === undefined
        ? sameName(right, one.field, left.place === right.place, leniently)
        : fieldIn(right, second, leniently))
    if (!one || !other) return undefined
    // Of several results none is meant with itself, where each record is its own partner.
    const isAlone = isSame && ofItself === undefined && one.field.name === other.field.name
    if (isAlone && left.handle !== '') return undefined
    called += Number(one.qualified) + Number(other.qualified)
    on.push({ left: one.field, right: other.field })
  }
  // Of a list with itself the fields of the second are told from those of the first as `self.name`.
  const itself =
    called > 0 && pairs.some((pair) => [pair.left, pair.right].some((name) => OF_ITSELF.test(name ?? '')))
  return { left, right: itself ? { ...right, name: 'self' } : right, on, called }
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
  const referring = last === 'id' ? referringIn(right) : []
  for (const candidate of [...(itself ? names.slice(0, 1) : names), ...referring, ...IDENTIFIERS]) {
    const found = fieldIn(right, candidate, leniently && !IDENTIFIERS.includes(candidate))
    if (found) return { ...found, qualified: false }
  }
  return undefined
}

/** The one field that holds an `id` of other records: `user_id`. */
function referringIn({ records }: Side): string[] {
  const found = [...records.names().keys()].filter((name) => /^\w*(?:_id|\p{Ll}I[dD])$/u.test(name))
  return found.length === 1 ? found : []
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
  return `No two lists have the fields of ${wanted}. ${described.join(' ')} ${HOW_TO}`
}

// Rows.

/** Values looked at for the keys of all records. */
const MOST_WORK = 20_000_000

/** More joined records than this are no answer to any question. */
const MOST_ROWS = 500_000

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

/** Both sides of a pairing by the fields that must be equal. */
function expandBoth({ left, right, on }: Pairing, work: Work): [Expanded, Expanded] {
  const side = (one: Side, key: 'left' | 'right'): Expanded =>
    expand(
      one,
      on.map((pair) => pair[key]),
      work,
    )
  return [side(left, 'left'), side(right, 'right')]
}

/** The keys of a record: mostly one, several where a field goes through a map, none where a field is null or absent. */
export function keysOf(row: JsonValue, paths: readonly Path[], work: Work): string[][] {
  let keys: string[][] = [[]]
  for (const path of paths) {
    const values = valuesAt(row, path, work)
    const parts = values.flat(1).flatMap((value) => exactKey(value) ?? [])
    keys = keys.flatMap((key) => parts.map((part) => [...key, part]))
  }
  return keys
}

/** The outcome of a join, and the remarks on it. */
export interface Joined {
  /** Made as they are asked for. */
  rows: Rows
  /** Records on the left, with lists unwound, and the number that matches. */
  total: number
  matched: number
  /** Of the matched: records with a key in another spelling, and records that match several. */
  loosely: number
  several: number
  /** Some keys without a match. */
  unmatched: string[]
  /** Records on the right, and the number without a match. */
  right: number
  unused: number
  /** Names that fields of the right have because the left has theirs. */
  renamed: Map<string, string>
  lists: readonly Path[]
}

const MOST_UNMATCHED = 5

/**
 * Pairs the records of both sides by their keys. `inner`: those without a match are left out. `mentioned`: names in small letters; a key
 * that both call alike is there once, unless that of the right is among them.
 */
export function joinRows(pairing: Pairing, inner: boolean, mentioned: ReadonlySet<string>): Joined {
  const { right } = pairing
  const work = newWork(MOST_WORK)
  const [one, other] = expandBoth(pairing, work)
  const index = indexOf(other, work)
  const merged = new Merge(one.rows, other.rows, right.name, same(pairing, mentioned), mentioned)
  const used = new Set<number>()
  /** By joined record, the positions of the two that it is made of; the right is -1 where none matches. */
  const lefts: number[] = []
  const rights: number[] = []
  const rowAt = (nth: number): JsonValue => {
    const [row, position] = [one.rows[lefts[nth] ?? 0] ?? null, rights[nth] ?? -1]
    if (position >= 0) return merged.row(row, other.rows[position] ?? null)
    // Where nothing matches, the fields of the right are known as null ones.
    return joined.matched === 0 ? merged.alone(row) : row
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
      if (key && joined.unmatched.length < MOST_UNMATCHED && !joined.unmatched.includes(key.join(', ')))
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
    if (lefts.length > MOST_ROWS)
      throw new Refusal(
        `This join makes more than ${MOST_ROWS} records. Join on a field that tells records apart.`,
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
const MOST_JUDGED = 2_000

/** The part of the records on the left that match, judged by the first ones. */
export function matchRate(pairing: Pairing): number {
  const { left } = pairing
  const work = newWork(MOST_WORK)
  const few = { ...left, records: { ...left.records, values: left.records.values.slice(0, MOST_JUDGED) } }
  const [one, other] = expandBoth({ ...pairing, left: few }, work)
  const index = indexOf(other, work)
  const matched = one.rows.filter((row) =>
    keysOf(row, one.paths, work).some((key) => index.find(key).positions.length > 0),
  )
  return one.rows.length === 0 ? 0 : matched.length / one.rows.length
}

/** Top-level fields that are called the same on both sides and are equal by the condition. */
function same({ right, on }: Pairing, mentioned: ReadonlySet<string>): Set<string> {
  return new Set(
    on.flatMap(({ left, right: { name } }) =>
      left.name === name && !mentioned.has(`${right.name}.${name}`.toLowerCase()) ? [name] : [],
    ),
  )
}

// Keys.

/** More digits than this are names: as numbers they would be rounded. */
const MOST_DIGITS = 15

/** Undefined for null and for what is no scalar. */
export function exactKey(value: JsonValue): string | undefined {
  return value === null || typeof value === 'object' ? undefined : String(value).trim()
}

/** The common form of keys that mean the same: `7`, `"07"` and `"7.0"`; `"DE"` and `"de"`. */
export function looseKey(key: string): string {
  const number = key.replaceAll(/\D/g, '').length <= MOST_DIGITS ? plainNumber(key) : undefined
  return number === undefined ? key.toLowerCase() : String(number)
}

/** Positions of records by their keys. */
export class KeyIndex {
  private readonly exact = new Map<string, number[]>()
  private loose: Map<string, number[]> | undefined

  add(key: readonly string[], position: number): void {
    put(this.exact, joined(key), position)
  }

  /** The positions of the records with this key. `loosely`: none has it to the letter. */
  find(key: readonly string[]): { positions: readonly number[]; loosely: boolean } {
    const same = this.exact.get(joined(key))
    if (same) return { positions: same, loosely: false }
    this.loose ??= this.loosened()
    return { positions: this.loose.get(joined(key.map(looseKey))) ?? [], loosely: true }
  }

  private loosened(): Map<string, number[]> {
    const loose = new Map<string, number[]>()
    for (const [key, positions] of this.exact)
      for (const position of positions) put(loose, joined(key.split(BETWEEN).map(looseKey)), position)
    return loose
  }
}

function put(into: Map<string, number[]>, key: string, position: number): void {
  const before = into.get(key)
  if (!before) into.set(key, [position])
  else if (before.at(-1) !== position) before.push(position)
}

const BETWEEN = '\u0001'

function joined(key: readonly string[]): string {
  return key.length === 1 ? (key[0] ?? '') : key.map((part) => part.replaceAll(BETWEEN, ' ')).join(BETWEEN)
}

// Merging.

/** Puts two records into one. Fields of the right that the left has too are called by its name: `products.id`. */
export class Merge {
  /** New names by the field on the right. */
  readonly renamed = new Map<string, string>()
  private readonly dropped: ReadonlySet<string>
  /** Fields of the right that are null in a record without a match. */
  private readonly absent: readonly string[]

  /**
   * `name`: of the list on the right. `dropped`: its fields that equal those of the left. `mentioned`: names that are asked for, in small
   * letters.
   */
  constructor(
    left: readonly JsonValue[],
    right: readonly JsonValue[],
    name: string,
    dropped: ReadonlySet<string>,
    mentioned: ReadonlySet<string>,
  ) {
    this.dropped = dropped
    const taken = namesIn(left)
    const fields = [...namesIn(right)].filter((field) => !taken.has(field) || !dropped.has(field))
    for (const field of fields) {
      const isAsked = mentioned.has(`${name}.${field}`.toLowerCase())
      if (!taken.has(field) && !isAsked) continue
      let other = `${taken.has(name) ? 'joined' : name}.${field}`
      while (taken.has(other)) other = `${other}_`
      this.renamed.set(field, other)
    }
    this.absent = fields
      .map((field) => this.renamed.get(field) ?? field)
      .filter((field) => mentioned.has(field.toLowerCase()))
  }

  /** A record of the left that has no match. */
  alone(left: JsonValue): JsonValue {
    if (this.absent.length === 0) return left
    const row = fieldsOf(left)
    for (const name of this.absent) setOwn(row, name, null)
    return row
  }

  row(left: JsonValue, right: JsonValue): JsonObject {
    const row = fieldsOf(left)
    for (const [name, value] of Object.entries(fieldsOf(right))) {
      if (this.dropped.has(name) && Object.hasOwn(row, name)) continue
      setOwn(row, this.renamed.get(name) ?? name, value)
    }
    return row
  }
}

function namesIn(rows: readonly JsonValue[]): Set<string> {
  const names = new Set<string>()
  for (const row of rows) {
    if (isObject(row)) for (const name of Object.keys(row)) names.add(name)
    else names.add('_value')
  }
  return names
}

/** A copy of the fields; a value without fields is one called `_value`. */
function fieldsOf(value: JsonValue): JsonObject {
  return isObject(value) ? { ...value } : { _value: value }
}
