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

/** Collections beside the main one, in the order of the document. Those of two elements are examples, not collections. */
export function otherCollections(root: JsonValue, path: string): Collection[] {
  return collectionsOf(root).filter((other) => other.path !== path && other.values.length > 2)
}

/** A line with the scalars, and one for each other part, with its path, size and fields. */
export function surroundings(root: JsonValue, path: string): string[] {
  if (path === '$' || !isObject(root)) return []
  const others = otherCollections(root, path)
  const inside = new Set([path, ...others.map((other) => other.path)])
  const { scalars, parts } = walk(root, inside)
  const lines = [...others.map(describe), ...parts]
  const left = lines.length - MOST_PARTS
  return [
    ...(scalars.length > 0 ? [ellipsis(`beside the records: ${scalars.join(', ')}`, 240)] : []),
    ...lines.slice(0, MOST_PARTS).map((line) => `also ${line}`),
    ...(left > 0 ? [`also …${left} more parts`] : []),
  ]
}

/** `$.users: 42 records {id, login, team}`. */
function describe({ path, values, keys }: Collection): string {
  const names = fieldNames(values)
  const kind = names === '' ? 'value' : 'record'
  return `${path}: ${formatPlural(values.length, kind)}${keys ? ' by key' : ''}${names}`
}

/** ` {id, login, team}`, of a few records; empty when they are no objects. */
function fieldNames(values: readonly JsonValue[]): string {
  const names = new Set<string>()
  for (const value of values.slice(0, 5)) {
    if (isObject(value)) for (const name of Object.keys(value).slice(0, 100)) names.add(name)
  }
  return names.size === 0 ? '' : ` {${some([...names])}}`
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
        parts.push(`${path}: ${formatPlural(keys.length, 'field')} {${some(keys)}}`)
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
