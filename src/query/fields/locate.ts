/** Following a path that may be slightly wrong: reads names regardless of case, says where nothing was found. */
import { areMapsOf } from '../../documents/shape/collections.ts'
import { identifying } from '../../documents/shape/identity.ts'
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { nearest } from '../../text/words/edit-distance.ts'
import { listed, shown } from '../refusal.ts'
import { newWork, type Work } from '../work.ts'
import { firstName, formatPath, nameOf, type Path, type Segment } from './path.ts'
import { walk } from './walk.ts'

/** A value reached, with the key it has in its map. */
export interface Reached {
  value: JsonValue
  key: string | undefined
}

/** The values that a path reaches. */
export interface Located {
  reached: Reached[]
  /** The path as it was followed. */
  path: Path
  /** How it was read, when not as written. */
  note?: string
}

/** Values looked at for the names that exist where a path fails. */
const mostSampled = 200

/** Levels of maps that a path may leave out. */
const mostSteps = 4

/** Undefined: the path reaches nothing, not even with its names in another case. */
export function locate(root: JsonValue, path: Path, work: Work = newWork()): Located | undefined {
  const reached = follow(root, path, work)
  if (reached.length > 0) return { reached, path }
  let repaired = path
  for (let tries = 0; tries < path.length + mostSteps; tries++) {
    const { at, names, before } = failure(root, repaired, work)
    const failing = repaired[at]
    const segment = renamed(failing, names) ?? (failing && byIdentity(failing, before))
    if (segment) repaired = repaired.with(at, segment)
    else if (failing && at > 0 && areMapsWith(before, failing)) repaired = repaired.toSpliced(at, 0, every)
    else return undefined
    const found = follow(root, repaired, work)
    if (found.length > 0) {
      return {
        reached: found,
        path: repaired,
        note: `\`${formatPath(path)}\` read as \`${formatPath(repaired)}\`.`,
      }
    }
  }
  return undefined
}

/** `items.length`: how many elements a list has, characters a text, keys an object; undefined for any other path. */
export function lengthAt(root: JsonValue, path: Path): Located | undefined {
  if (!/^(?:length|len|size|count)$/i.test(nameOf(path.at(-1)) ?? '')) return undefined
  const [held, more] = path.length < 2 ? [] : follow(root, path.slice(0, -1), newWork())
  if (!held || more || held.value === null) return undefined
  const { value } = held
  if (typeof value !== 'string' && typeof value !== 'object') return undefined
  const length = Array.isArray(value) || typeof value === 'string' ? value.length : Object.keys(value).length
  return { reached: [{ value: length, key: undefined }], path }
}

/** From the strictest on. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => name.toLowerCase(),
  bareName,
  (name) =>
    bareName(name)
      .replace(/(?:ies|y)$/, 'y')
      .replace(/([^s])s$/, '$1'),
]

/** Why a path reaches nothing. */
export interface Missing {
  /** The part that exists, and the names that come next there. */
  message: string
  /** True: everything on the way exists, but a condition in it holds for nothing. */
  unfulfilled: boolean
}

/** For a path that `locate` found nothing for. */
export function explainMissing(root: JsonValue, path: Path): Missing {
  const { at, names, kind } = failure(root, path, newWork())
  const segment = path[at]
  const selectors = segment?.selectors.map((selector) => selector.kind) ?? []
  const missing = segment ? formatPath([segment]) : formatPath(path)
  const place = at === 0 ? 'the root' : `\`${shown(formatPath(path.slice(0, at)))}\``
  if (selectors.includes('filter')) {
    const fields = names.length > 0 ? ` The fields are: ${listed(names, 12)}.` : ''
    return { message: `The condition holds for nothing in ${place}.${fields}`, unfulfilled: true }
  }
  if (names.length === 0 || !selectors.includes('name')) {
    const message = `The path reaches nothing: ${place} is ${kind}, without \`${shown(missing)}\` in it.`
    return { message, unfulfilled: false }
  }
  const near = nearest(missing, names, 3)
  const hint = near.length > 0 ? `Did you mean ${listed(near)}? ` : ''
  const there = `There ${names.length === 1 ? 'is' : 'are'}: ${listed(names, 12)}.`
  return {
    message: `The path reaches nothing: ${place} has no \`${shown(missing)}\`. ${hint}${there}`,
    unfulfilled: false,
  }
}

function follow(root: JsonValue, path: Path, work: Work): Reached[] {
  const reached: Reached[] = []
  walk(root, path, (value, key) => reached.push({ value, key }), work)
  return reached
}

/** The first segment at which nothing is left, and the names that exist before it. */
function failure(
  root: JsonValue,
  path: Path,
  work: Work,
): { at: number; names: string[]; kind: string; before: readonly Reached[] } {
  let before: Reached[] = [{ value: root, key: undefined }]
  for (let at = 0; at < path.length; at++) {
    const reached = follow(root, path.slice(0, at + 1), work)
    if (reached.length === 0) return { at, ...content(before), before }
    before = reached
  }
  return { at: path.length - 1, ...content(before), before }
}

function content(reached: readonly Reached[]): { names: string[]; kind: string } {
  const names = new Set<string>()
  let kind = 'empty'
  for (const { value } of reached.slice(0, mostSampled)) {
    const elements = Array.isArray(value) ? value.slice(0, mostSampled) : [value]
    kind = kindOf(value)
    for (const element of elements) {
      if (isObject(element)) for (const name of Object.keys(element).slice(0, 1_000)) names.add(name)
    }
    if (names.size > 5_000) break
  }
  return { names: [...names], kind }
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (value === null) return 'null'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const every: Segment = { selectors: [{ kind: 'all' }], deep: false, dotted: [] }

function areMapsWith(before: readonly Reached[], segment: Segment): boolean {
  const name = segment.deep ? undefined : firstName(segment)
  if (name === undefined) return false
  return areMapsOf(
    before.flatMap(({ value }) => (Array.isArray(value) ? value : [value])),
    name,
  )
}

/** The segment that finds the elements of a list by what they are called, when some are called so. */
function byIdentity(segment: Segment, before: readonly Reached[]): Segment | undefined {
  const called = segment.deep ? undefined : firstName(segment)
  if (called === undefined) return undefined
  const elements = before.flatMap(({ value }) => (Array.isArray(value) ? value : [])).filter(isObject)
  const names = elements.slice(0, mostSampled).flatMap((element) => Object.keys(element))
  // `items[Ann]`: what an element is known by.
  const isCalled = (value: JsonValue, field: string): boolean =>
    isObject(value) && String(own(value, field) ?? '') === called
  const field = identifying(names).find((name) => elements.some((element) => isCalled(element, name)))
  if (field === undefined) return undefined
  const holds = (value: JsonValue): boolean => isCalled(value, field)
  const source = `@.${field} == ${JSON.stringify(called)}`
  return { selectors: [{ kind: 'filter', holds, source }], deep: false, dotted: [] }
}

/** The segment with the one name that differs from its own in case, `_`, `-` and plural only. */
function renamed(segment: Segment | undefined, names: readonly string[]): Segment | undefined {
  const [only] = segment?.selectors ?? []
  if (!segment || only?.kind !== 'name' || segment.selectors.length > 1) return undefined
  const [name, another] =
    spellings
      .map((spelled) => names.filter((candidate) => spelled(candidate) === spelled(only.name)))
      .find((found) => found.length > 0) ?? []
  if (name === undefined || name === only.name || another !== undefined) return undefined
  return { ...segment, selectors: [{ kind: 'name', name }], dotted: [] }
}
