/** The overview of data: records, values, or one object. */

import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { groupedBy, tally } from '../../text/groups.ts'
import { ellipsis, head, tail } from '../../text/shorten.ts'
import { abridge } from '../abridge.ts'
import type { Document } from '../document.ts'
import {
  type Collection,
  childAt,
  collectionsOf,
  type Gathered,
  oddMembers,
  pathStep,
  stepsIn,
} from '../shape/collections.ts'
import { fieldsOf, isNoise } from '../shape/fields.ts'
import { knownOf } from '../shape/known-list.ts'
import { allNested, everyNested, nestedPath, nestingOf } from '../shape/nesting.ts'
import { profile } from '../shape/profile.ts'
import type { Shape } from '../shape/shape.ts'
import { typeNotations } from '../shape/type-notation.ts'
import { call, type Template } from '../template.ts'
import { factsOf, positionsOf, positionType, type Records, word } from './facts.ts'
import type { Overview } from './overview.ts'
import { callsOn } from './record-calls.ts'
import { digest, sampleFields } from './sample.ts'
import { unusualOf } from './unusual.ts'

/** The overview of a document's main collection, or of its one value. */
export function overviewOfData(document: Document): Overview {
  const { value = null, records } = document.glimpse()
  return records && records.values.length > 0 ? ofCollection(value, records) : ofValue(value)
}

function ofCollection(root: JsonValue, collection: Collection): Overview {
  const { path, keys, values, gathered } = collection
  const records: Records = { values, keys, profile: knownOf(values)?.profile ?? profile(collection) }
  const beside = surroundings(root, gathered?.path ?? path, gathered)
  const nested = nestedFacts(root, values, path)
  return {
    totals: [totalOf(root, collection)],
    type: typed(records, keys),
    wide: isWide(records.profile.record),
    facts: [...nested.facts, ...factsAround(beside, factsOf(records).filter(nested.others))],
    sample: (max) => sample(records, max),
    calls: orExplore([...callsOn(records, path), ...otherCalls(beside.others, records.profile.record)]),
  }
}

/** `30 records in $.items`, `3,000 points of 3 series in $.data.result`. */
function totalOf(root: JsonValue, { path, keys, values, gathered }: Collection): string {
  if (gathered) return `${gathered.said} in ${withAll(root, gathered.shown)}`
  const kind = typeof values[0] === 'object' ? 'record' : 'value'
  return `${formatPlural(values.length, kind)}${keys ? ' by key' : ''} in ${withAll(root, path)}`
}

/** The most records within records that are described, so that a preview stays quick. */
const MOST_NESTED = 5_000

/** The facts that hold for the records at all depths, in place of a line for each depth. */
function nestedFacts(
  root: JsonValue,
  values: readonly JsonValue[],
  path: string,
): { facts: string[]; others: (fact: string) => boolean } {
  const nesting = nestingOf(values, path)
  if (!nesting) return { facts: [], others: () => true }
  const { path: deep, whole, start } = nestedPath(path, nesting)
  const begin = whole ? reached(root, start) : undefined
  const within = begin === undefined ? undefined : everyNested(begin, nesting, MOST_NESTED)
  const all = within?.records ?? allNested(values, nesting, MOST_NESTED, whole)
  const told = all.map((record) => without(record, new Set([nesting.field])))
  const [first] = factsOf({ values: told, keys: undefined, profile: profile({ values: told }) })
  const isAll = within?.all ?? all.length < MOST_NESTED
  const count = isAll ? formatPlural(all.length, 'record') : `over ${formatCount(all.length)} records`
  return {
    facts: [`at all depths, ${deep}: ${count}${first === undefined ? '' : `; ${first}`}`],
    others: (fact) => !fact.startsWith(`${nesting.field}[]`),
  }
}

/** The target of a path of names and positions. */
function reached(root: JsonValue, path: string): JsonValue | undefined {
  return stepsIn(path).reduce<JsonValue | undefined>(childAt, root)
}

/** The path with `[*]` in place of `[0]` where that is all that a list holds: the records are those of the whole list. */
function withAll(root: JsonValue, path: string): string {
  return path.replaceAll('[0]', (step, at: number) => {
    const list = reached(root, path.slice(0, at))
    return Array.isArray(list) && list.length === 1 ? '[*]' : step
  })
}

/** The facts beside the records first, the smaller parts of the document last. */
function factsAround({ scalars, parts }: Surroundings, facts: readonly string[]): string[] {
  const all = [
    ...parts.slice(0, 2),
    ...facts.slice(0, 4),
    ...parts.slice(2, 4),
    ...facts.slice(4),
    ...parts.slice(4),
  ]
  return scalars === '' ? all : [scalars, ...all]
}

/** Something can always be asked. */
function orExplore(calls: readonly Template[]): readonly Template[] {
  return calls.length > 0 ? calls : [call('proxy_explore', {})]
}

function typed(
  { profile: { record }, values }: Records,
  keys: readonly string[] | undefined,
): (max: number) => string {
  const some = keys?.slice(0, 3).map((key) => JSON.stringify(middle(key)))
  const more = keys && keys.length > 3 ? ', …' : ''
  const label = some ? `_key: string (${some.join(', ')}${more}) → ` : ''
  const positions = positionsOf(record, values)
  if (positions.length > 0) return (max) => ellipsis(label + positionType(positions), max)
  const notation = typeNotations(record, { depth: 4, enumerate: false, implicit: true })
  return (max) => label + notation(max - label.length)
}

/** Keys often begin alike, and differ at their end. */
function middle(key: string): string {
  return key.length <= 32 ? key : `${head(key, 12)}…${tail(key, 18)}`
}

/** So many fields of the record that tell something. */
function isWide({ fields }: Shape): boolean {
  return [...fields.values()].filter((field) => !isNoise({ shape: field })).length > 16
}

/** The largest other collection, and a look at all fields where the type leaves some out. */
function otherCalls([other]: Surroundings['others'], record: Shape): Template[] {
  return [
    ...(other && other.count > 5 ? [call('proxy_filter', { path: other.path, limit: 10 })] : []),
    ...(record.fields.size > WIDE ? [call('proxy_explore', {})] : []),
  ]
}

/** More fields than this hardly fit into a preview. */
const WIDE = 40

/** First, last and an unusual record, without what tells nothing; of lists of scalars the first ones and the last. */
function sample(records: Records, max: number): string[] {
  const { values } = records
  if (typeof values[0] !== 'object') return ends(records, max)
  const fields = fieldsOf(records.profile.record, 3)
  const quiet = new Set(fields.filter((field) => field.depth === 1 && isNoise(field)).map(({ name }) => name))
  const best = sampleFields(fields)
  const unusual = unusualOf(records, fields)
  const picked = new Map<number, string>([[0, 'first']])
  if (unusual) picked.set(unusual.index, `${picked.get(unusual.index) ?? 'unusual'}, ${unusual.why}`)
  if (values.length > 1 && !picked.has(values.length - 1)) picked.set(values.length - 1, 'last')
  const fitting = Math.max(1, Math.floor(max / 90))
  for (const index of [...picked.keys()].slice(fitting)) picked.delete(index)
  const others = picked.size > 1 ? Math.floor((max * 0.5) / (picked.size - 1)) : 0
  return [...picked].flatMap(([index, name]) => {
    const each = Math.min(
      index === 0 ? (picked.size > 1 ? Math.floor(max * 0.5) : max) : others,
      index === 0 ? FIRST_RECORD : OTHER_RECORD,
    )
    const key = records.keys?.[index]
    const title = ellipsis(
      key === undefined ? `${name}: ` : `${name}, ${JSON.stringify(middle(key))}: `,
      Math.min(each, 100),
    )
    const record = values[index] ?? null
    const told = without(record, quiet)
    const shown = digest(told, best, each - title.length, sizeOf(record) - sizeOf(told))
    // A row that could show none of its fields tells nothing.
    return index > 0 && /^\{"…":"[^"]*"?\}?…?$/.test(shown) ? [] : [title + shown]
  })
}

/** The most characters of the first record of a sample, and of others. */
const FIRST_RECORD = 340
const OTHER_RECORD = 220

/** Scalars: as many of the first ones as fit, and the last. */
function ends({ keys, values }: Records, max: number): string[] {
  const shown = (index: number) => {
    const key = keys?.[index]
    return (
      (key === undefined ? '' : `${JSON.stringify(ellipsis(key, 40))}: `) +
      abridge(values[index] ?? null, 100)
    )
  }
  const last = `last: ${shown(values.length - 1)}`
  let first = 'first: '
  let taken = 0
  for (; taken < Math.min(values.length, 12); taken++) {
    const next = (taken > 0 ? ' | ' : '') + shown(taken).replace(/\s+/g, ' ')
    if (taken > 0 && first.length + next.length + last.length > max) break
    first += next
  }
  return taken < values.length
    ? [ellipsis(first, max), ellipsis(last, Math.max(0, max - first.length))]
    : [ellipsis(first, max)]
}

function sizeOf(value: JsonValue): number {
  return isObject(value) ? Object.keys(value).length : 0
}

function without(value: JsonValue, quiet: ReadonlySet<string>): JsonValue {
  if (!isObject(value) || quiet.size === 0) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !quiet.has(key)))
}

/** One object, or a scalar: the type of the whole, its parts, its scalars. */
function ofValue(value: JsonValue): Overview {
  const shape = profile({ values: [value] }).record
  const parts = collectionsOf(value)
  const largest = isObject(value) ? largestPart(value) : undefined
  return {
    totals: [
      isObject(value) ? `one object of ${formatPlural(Object.keys(value).length, 'field')}` : describe(value),
    ],
    type: typeNotations(shape, { depth: 5, enumerate: false, implicit: true }),
    wide: true,
    facts: parts.slice(0, 8).map(({ path, values }) => `${path}: ${formatPlural(values.length, 'element')}`),
    sample: (max) => [abridge(value, max)],
    calls: [
      ...(largest === undefined ? [] : [call('proxy_filter', { path: largest, limit: 20 })]),
      ...keysCall(value),
      call('proxy_explore', {}),
    ],
  }
}

/** Fields from which on an object of scalars is asked by their names. */
const MANY_FIELDS = 24

/** A call that asks an object as a map: by a word of a few of its keys. */
function keysCall(value: JsonValue): Template[] {
  const keys = isObject(value) ? Object.keys(value).slice(0, MOST_KEYS) : []
  const isFlat = isObject(value) && keys.every((key) => typeof own(value, key) !== 'object')
  if (keys.length < MANY_FIELDS || !isFlat) return []
  const counts = tally(keys.flatMap((key) => [...new Set(key.match(/[A-Za-z]\w{2,30}/g))]))
  const [word] = [...counts].find(([, count]) => count > 1 && count <= keys.length / 2) ?? []
  return word === undefined ? [] : [call('proxy_filter', { where: [`_key contains ${word}`] })]
}

const MOST_KEYS = 1000

function describe(value: JsonValue): string {
  if (Array.isArray(value)) return 'an empty list'
  return value === null ? 'null' : `one ${typeof value}`
}

/** The path of the field that holds most, when it is one that can be looked into. */
function largestPart(object: JsonObject): string | undefined {
  let best: { key: string; size: number } | undefined
  for (const key of Object.keys(object).slice(0, 100)) {
    const child = own(object, key)
    if (typeof child !== 'object' || child === null || !/^[A-Za-z_]\w*$/.test(key)) continue
    const size = Object.keys(child).length
    if (size > (best?.size ?? 0)) best = { key, size }
  }
  return best ? `$.${best.key}` : undefined
}

/** Objects that are looked into, levels of them, and scalars of one object that are told one by one. */
const MOST_OBJECTS = 200
const DEEPEST = 6
const FEW_FIELDS = 8
const MOST_SCALARS = 12
const MOST_PARTS = 8

/** A declaration of XML, which says nothing of the records. */
const NAMESPACE = /^xmlns(?::|$)/

/** Collections of one kind: one, or several at places that differ in a step or two (`$.resources.*.methods.*`). */
export interface Kin {
  /** Leads to the records when there are several collections, to the collection when there is one. */
  path: string
  collections: readonly Collection[]
  /** Records in all of them. */
  count: number
}

/** The content of the document beside its main collection. */
export interface Surroundings {
  /** `beside the records: total = 812, …`; empty when there are no scalars. */
  scalars: string
  /** A line for each other part with its path, size and fields, the largest first. */
  parts: readonly string[]
  /** The largest other collections. */
  others: readonly Kin[]
}

/** Looks around the collection at `path`, or around what values were gathered of. */
export function surroundings(root: JsonValue, path: string, from?: Gathered): Surroundings {
  const isAll = path === '$'
  if ((isAll && from === undefined) || !isObject(root)) return { scalars: '', parts: [], others: [] }
  const all = collectionsOf(root)
  const kin = gathered(all)
  const own = kin.find(
    ({ collections }) => collections.length > 1 && collections.some((one) => one.path === path),
  )
  // Lists within the records are told with these, all of them.
  const isTold = ({ path: place, values }: Collection): boolean =>
    from?.lists
      ? from.lists.has(values)
      : place.startsWith(`${path}[`) || (from !== undefined && place.startsWith(`${path}.`))
  const others = kin
    .filter((one) => one !== own && one.path !== path && one.count > 2)
    .filter(({ collections }) => !collections.every(isTold))
    .sort((one, other) => weight(other) - weight(one))
  const { scalars: beside, parts: places } = walk(root, path, new Set(all.map((one) => one.path)))
  const odd = oddAround(root, path, all)
  // Those of the only series are fields of its points.
  const scalars = [...odd.scalars, ...(isAll ? [] : beside)]
  const parts = [...odd.parts, ...places].filter(
    (told) => from === undefined || !told.startsWith(`${path}: `),
  )
  const lines = described([...(own ? [own] : []), ...others])
  const shown = [...lines, ...parts].slice(0, MOST_PARTS)
  const left = lines.length + parts.length - shown.length
  return {
    scalars: scalars.length > 0 ? ellipsis(`beside the records: ${scalars.join(', ')}`, 240) : '',
    parts: [...shown.map((line) => `also ${line}`), ...(left > 0 ? [`also …${left} smaller parts`] : [])],
    others,
  }
}

/** Records count by their fields, lists of scalars little. */
function weight({ collections, count }: Kin): number {
  const [value] = collections[0]?.values ?? []
  return isObject(value) ? count * Math.min(20, Object.keys(value).length) : count * 0.2
}

/** Collections with the same name of their own and the same fields as one, when their places differ in names alone. */
function gathered(collections: readonly Collection[]): Kin[] {
  const groups = groupedBy(collections, ({ path, keys, values }) => {
    const steps = ['$', ...stepsIn(path)]
    return `${steps.length} ${steps[1]} ${steps.at(-1)} ${keys ? 'map' : 'list'} ${namesIn(values)[0] ?? ''}`
  })
  const byPath = new Map<string, Collection[]>()
  for (const group of groups.values()) {
    const { path } = group[0] && group.length < 2 ? alone(group[0]) : together(group)
    // Of one path, lists of several kinds are one thing to ask for.
    byPath.set(path, [...(byPath.get(path) ?? []), ...group])
  }
  return [...byPath.values()].map((group) =>
    group[0] && group.length < 2 ? alone(group[0]) : together(group),
  )
}

function alone(collection: Collection): Kin {
  return { path: collection.path, collections: [collection], count: collection.values.length }
}

function together(group: readonly Collection[]): Kin {
  const all = group.map(({ path }) => ['$', ...stepsIn(path)])
  const steps = (all[0] ?? []).map((step, index) =>
    all.every((other) => other[index] === step) ? step : '.*',
  )
  return {
    path: `${steps.join('')}${group[0]?.keys ? '.*' : '[*]'}`,
    collections: group,
    count: group.reduce((sum, { values }) => sum + values.length, 0),
  }
}

/** Other collections with their fields; of many, all but the largest share a line. */
function described(kin: readonly Kin[]): string[] {
  const [largest, ...others] = kin
  if (!largest || kin.length <= MOST_DESCRIBED) return kin.map(describeKin)
  const counted = others.map(({ path, count }) => `${path} (${formatCount(count)})`)
  return [describeKin(largest), ellipsis(counted.join(', '), MOST_COUNTED)]
}

/** Collections that each have a line of their own, and the most characters of a line of several. */
const MOST_DESCRIBED = 4
const MOST_COUNTED = 280

/** So few fields are told with what is in them: `{type, id, attributes: {name, league}}` of JSON:API. */
const FEW_OF_PART = 4

/** `$.users: 42 records {id, login, team}`. */
function describeKin({ path, collections, count }: Kin): string {
  const [first] = collections
  const values = first?.values ?? []
  const inner = (name: string): string => {
    const held = values.slice(0, 5).map((value) => (isObject(value) ? (own(value, name) ?? null) : null))
    const within = held.every((value) => value === null || isObject(value)) ? namesIn(held) : []
    return within.length === 0 ? name : `${name}: {${some(within)}}`
  }
  const fields = namesIn(values)
  const names = fields.length <= FEW_OF_PART ? fields.map(inner) : fields
  const kind = formatPlural(count, names.length === 0 ? 'value' : 'record')
  const places = collections.length > 1 ? ` in ${collections.length} ${first?.keys ? 'maps' : 'lists'}` : ''
  const keyed = first?.keys && collections.length === 1 ? ' by key' : ''
  return `${path}: ${kind}${keyed}${places}${names.length === 0 ? '' : ` {${some(names)}}`}`
}

/** The fields of a few records. */
function namesIn(values: readonly JsonValue[]): string[] {
  const names = new Set<string>()
  for (const value of values.slice(0, 5)) {
    if (isObject(value)) for (const name of Object.keys(value).slice(0, 100)) names.add(name)
  }
  return [...names]
}

/** As many names as fit, and how many are left. */
function some(names: readonly string[]): string {
  let text = ''
  for (const [index, name] of names.entries()) {
    const next = `${index > 0 ? ', ' : ''}${ellipsis(name, 40)}`
    if (text.length + next.length > 110) return `${text}, …${names.length - index} more`
    text += next
  }
  return text
}

function walk(
  root: JsonObject,
  main: string,
  collections: ReadonlySet<string>,
): { scalars: string[]; parts: string[] } {
  const scalars: string[] = []
  const parts: string[] = []
  let level: { path: string; object: JsonObject }[] = [{ path: '$', object: root }]
  let visits = 0
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const next: typeof level = []
    for (const { path, object } of level) {
      if (visits++ > MOST_OBJECTS) break
      const keys = Object.keys(object)
      const plain = keys.filter((key) => typeof object[key] !== 'object' && !NAMESPACE.test(key))
      const holder = keys.length > 2 && keys.every((key) => isObject(own(object, key)))
      if (depth > 0 && (holder || (plain.length > FEW_FIELDS && !holds(path, main)))) {
        const holdsOther = keys.some((key) =>
          [...collections].some((other) => other.startsWith(path + pathStep(key))),
        )
        if (!holdsOther) parts.push(`${path}: ${formatPlural(keys.length, 'field')} {${some(keys)}}`)
        continue
      }
      for (const key of plain.slice(0, Math.max(0, MOST_SCALARS - scalars.length)))
        scalars.push(`${dotted(path, key)} = ${word(scalar(object, key))}`)
      for (const key of keys) {
        const below = own(object, key)
        const at = path + pathStep(key)
        if (isObject(below) && !collections.has(at)) next.push({ path: at, object: below })
      }
    }
    level = next
  }
  return { scalars, parts }
}

/** The members of a map that are none of its records: `uids` of PubMed. */
function oddAround(
  root: JsonValue,
  path: string,
  all: readonly Collection[],
): { scalars: string[]; parts: string[] } {
  const map = stepsIn(path).reduce<JsonValue | undefined>(childAt, root)
  const main = all.find((one) => one.path === path && one.keys)
  const odd = main && map !== undefined && isObject(map) ? oddMembers(map, main) : []
  const of = (key: string) => own(map as JsonObject, key)
  const lists = odd.filter(
    (key) =>
      Array.isArray(of(key)) &&
      !all.some((one) => one.path === path + pathStep(key) && one.values.length > 2),
  )
  return {
    scalars: odd
      .filter((key) => typeof of(key) !== 'object')
      .map((key) => `${dotted(path, key)} = ${word(scalar(map as JsonObject, key))}`),
    parts: lists.map(
      (key) => `${path}${pathStep(key)}: ${formatPlural((of(key) as JsonValue[]).length, 'value')}`,
    ),
  }
}

/** True where the main records are somewhere below: what such an object says is about all of them. */
function holds(path: string, main: string): boolean {
  return main.startsWith(path) && /^[.[]/.test(main.slice(path.length))
}

function scalar(object: JsonObject, key: string): string | number | boolean | null {
  const value = own(object, key) ?? null
  return typeof value === 'object' ? null : value
}

/** As a question would name it: `meta.total`. */
function dotted(path: string, key: string): string {
  return (path + pathStep(key)).replace(/^\$\.?/, '')
}
