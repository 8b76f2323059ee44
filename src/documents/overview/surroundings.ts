/** What stands beside the main records in the same document: totals, cursors, settings, other lists and maps. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { ellipsis } from '../../text/cut.ts'
import { formatPlural } from '../../text/format.ts'
import type { Collection } from '../document.ts'
import { collectionsOf, pathStep } from '../records.ts'
import { word } from './facts.ts'

/** Objects that are looked into, levels of them, and scalars of one object that are told one by one. */
const MOST_OBJECTS = 200
const DEEPEST = 6
const FEW = 8
const MOST_SCALARS = 12
const MOST_PARTS = 8

/** Collections of one kind: one, or several at places that differ in a step or two (`$.resources.*.methods.*`). */
export interface Kin {
  /** Leads to the records when there are several collections, to the collection when there is one. */
  path: string
  collections: readonly Collection[]
  /** Records in all of them. */
  count: number
}

/** What the document holds beside its main collection. */
export interface Surroundings {
  /** `beside the records: total = 812, …`; empty when there are no scalars. */
  scalars: string
  /** A line for each other part with its path, size and fields, the largest first. */
  parts: readonly string[]
  /** The largest other collections. */
  others: readonly Kin[]
}

/** Looks around the collection at `path`. */
export function surroundings(root: JsonValue, path: string): Surroundings {
  if (path === '$' || !isObject(root)) return { scalars: '', parts: [], others: [] }
  const all = collectionsOf(root)
  const kin = gathered(all)
  const own = kin.find(
    ({ collections }) => collections.length > 1 && collections.some((one) => one.path === path),
  )
  const others = kin
    .filter((one) => one !== own && one.path !== path && one.count > 2)
    .sort((one, other) => weight(other) - weight(one))
  const { scalars, parts } = walk(root, new Set(all.map((one) => one.path)))
  const lines = [...(own ? [own] : []), ...others].map(describe)
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
  const groups = new Map<string, Collection[]>()
  for (const collection of collections) {
    const steps = stepsOf(collection.path)
    const key = `${steps.length} ${steps[1]} ${steps.at(-1)} ${collection.keys ? 'map' : 'list'} ${namesIn(collection.values)[0] ?? ''}`
    const group = groups.get(key)
    if (group) group.push(collection)
    else groups.set(key, [collection])
  }
  return [...groups.values()].flatMap((group) => (group.length < 2 ? group.map(alone) : [together(group)]))
}

function alone(collection: Collection): Kin {
  return { path: collection.path, collections: [collection], count: collection.values.length }
}

function together(group: readonly Collection[]): Kin {
  const all = group.map(({ path }) => stepsOf(path))
  const steps = (all[0] ?? []).map((step, index) =>
    all.every((other) => other[index] === step) ? step : '.*',
  )
  return {
    path: `${steps.join('')}${group[0]?.keys ? '.*' : '[*]'}`,
    collections: group,
    count: group.reduce((sum, { values }) => sum + values.length, 0),
  }
}

/** `$`, `.name`, `["name"]`, `[0]`. */
function stepsOf(path: string): string[] {
  return path.match(/^\$|\.\w+|\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g) ?? [path]
}

/** `$.users: 42 records {id, login, team}`. */
function describe({ path, collections, count }: Kin): string {
  const [first] = collections
  const names = namesIn(first?.values ?? [])
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

function walk(root: JsonObject, collections: ReadonlySet<string>): { scalars: string[]; parts: string[] } {
  const scalars: string[] = []
  const parts: string[] = []
  let level: { path: string; object: JsonObject }[] = [{ path: '$', object: root }]
  let visits = 0
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const next: typeof level = []
    for (const { path, object } of level) {
      if (visits++ > MOST_OBJECTS) break
      const keys = Object.keys(object)
      const plain = keys.filter((key) => typeof object[key] !== 'object')
      const holder = keys.length > 2 && keys.every((key) => isObject(own(object, key)))
      if (depth > 0 && (holder || plain.length > FEW)) {
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

function scalar(object: JsonObject, key: string): string | number | boolean | null {
  const value = own(object, key) ?? null
  return typeof value === 'object' ? null : value
}

/** As a question would name it: `meta.total`. */
function dotted(path: string, key: string): string {
  return (path + pathStep(key)).replace(/^\$\.?/, '')
}
