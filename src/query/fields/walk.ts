/** Follows a path through data by hand: linear, own properties only, never changing anything. */
import { several } from '../../documents/columns/column.ts'
import {
  isObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
  own,
  valueOfJson,
} from '../../protocol/json.ts'
import { Refusal } from '../refusal.ts'
import { newWork, type Work } from '../work.ts'
import { nameOf, type Path, type Segment, type Selector } from './path.ts'

export { several }

/** Gets each value reached, in document order, with the key of the map it was last found in by `*`, `..` or a condition. */
export type Visit = (value: JsonValue, key: string | undefined) => void

/**
 * Follows the segments from `at` on. Throws a `Refusal` when the path looks at more values than `work` allows. True: it
 * went through a list or map.
 */
export function walk(
  from: JsonValue,
  path: Path,
  visit: Visit,
  work: Work = newWork(),
  at = 0,
  root = from,
): boolean {
  const walker = new Walker(path, visit, work, root)
  walker.step(from, at, undefined)
  return walker.many
}

/**
 * Adds the values that a path reaches in a record to `into`. True: it went through a list or map, so there may be
 * several. Plain names are followed without a walker, because this runs for every field of every record.
 */
export function readValues(record: JsonValue, path: Path, into: JsonValue[], work: Work): boolean {
  let here = record
  for (let at = 0; at < path.length; at++) {
    // By index and without closures: this is the innermost loop of most questions.
    const segment = path[at] as Segment
    const name = nameOf(segment)
    if (name === undefined || !isObject(here) || hasDotted(here, segment))
      return walk(here, path, (value) => into.push(value), work, at, record)
    const found = own(here, name)
    if (found === undefined) return false
    here = found
  }
  into.push(here)
  return false
}

/** The values that a path reaches in a record. */
export function valuesAt(record: JsonValue, path: Path, work = newWork()): JsonValue[] {
  const values: JsonValue[] = []
  readValues(record, path, values, work)
  return values
}

/**
 * The one scalar that a path of plain names leads to in a record; undefined when there is nothing. Like `readValues`, but without
 * a list for it: for questions that go through all records.
 */
export function scalarAt(record: JsonValue, path: Path): JsonPrimitive | undefined | typeof several {
  let here = record
  for (let at = 0; at < path.length; at++) {
    const segment = path[at] as Segment
    const name = nameOf(segment)
    if (name === undefined || !isObject(here) || hasDotted(here, segment)) return several
    const found = own(here, name)
    if (found === undefined) return undefined
    here = found
  }
  return typeof here === 'object' && here !== null ? several : here
}

function hasDotted(container: JsonObject, { dotted }: Segment): boolean {
  for (const { name } of dotted) if (Object.hasOwn(container, name)) return true
  return false
}

class Walker {
  many = false
  private readonly path: Path
  private readonly visit: Visit
  private readonly work: Work
  private readonly root: JsonValue

  constructor(path: Path, visit: Visit, work: Work, root: JsonValue) {
    this.path = path
    this.visit = visit
    this.work = work
    this.root = root
  }

  step(value: JsonValue, at: number, key: string | undefined): void {
    const segment = this.path[at]
    this.spend()
    if (segment === undefined) this.visit(value, key)
    else if (segment.deep) this.everywhere(value, segment, at, key)
    else this.select(unwrapped(value, this.work), segment, at, key)
  }

  private spend(): void {
    if (--this.work.left >= 0) return
    throw new Refusal(
      'The path looks at too many values. Name the levels instead of `..` or `*`, or narrow down with a shorter `path` first.',
    )
  }

  /** The value and all it contains, parents first, without recursion: data may be nested thousands deep. */
  private everywhere(value: JsonValue, segment: Segment, at: number, key: string | undefined): void {
    this.many = true
    const open: [JsonValue, string | undefined][] = [[value, key]]
    for (let next = open.pop(); next; next = open.pop()) {
      const [here, hereKey] = next
      this.spend()
      if (typeof here !== 'object' || here === null) continue
      this.select(here, segment, at, hereKey)
      if (Array.isArray(here)) {
        for (let index = here.length - 1; index >= 0; index--) open.push([here[index] ?? null, hereKey])
      } else {
        for (const name of Object.keys(here).reverse()) open.push([here[name] ?? null, hereKey])
      }
    }
  }

  private select(value: JsonValue, segment: Segment, at: number, key: string | undefined): void {
    for (const selector of segment.selectors) {
      if (selector.kind === 'computed') this.compute(selector, value, at, key)
      else if (Array.isArray(value)) this.inList(value, selector, segment, at, key)
      else if (isObject(value)) this.inObject(value, selector, segment, at, key)
    }
  }

  private compute(
    selector: Extract<Selector, { kind: 'computed' }>,
    value: JsonValue,
    at: number,
    key: string | undefined,
  ): void {
    const found = selector.values(value, this.work)
    if (found.length > 1) this.many = true
    for (const one of found) this.step(one, at + 1, key)
  }

  private inObject(
    value: JsonObject,
    selector: Selector,
    segment: Segment,
    at: number,
    key: string | undefined,
  ): void {
    switch (selector.kind) {
      case 'name':
        for (const { name, takes } of segment.dotted) {
          const found = own(value, name)
          if (found !== undefined) return this.step(found, at + takes, key)
        }
        return this.child(value, selector.name, at, key)
      case 'index':
        return this.child(value, String(selector.index), at, key)
      case 'all':
      case 'filter':
        this.many = true
        for (const name of Object.keys(value)) {
          const found = value[name] ?? null
          if (selector.kind === 'all' || this.holds(selector, found)) this.step(found, at + 1, name)
        }
    }
  }

  private child(value: JsonObject, name: string, at: number, key: string | undefined): void {
    const found = own(value, name)
    if (found !== undefined) this.step(found, at + 1, key)
  }

  private inList(
    value: JsonValue[],
    selector: Selector,
    segment: Segment,
    at: number,
    key: string | undefined,
  ): void {
    if (selector.kind === 'name') {
      // `fields.650` of MARC is a name, behind the end of the list.
      const isName = (element: JsonValue): boolean =>
        isObject(element) && Object.hasOwn(element, selector.name)
      if (isIndex(selector.name) && (Number(selector.name) < value.length || !value.some(isName)))
        return this.element(value, Number(selector.name), at, key)
      if (segment.deep) return
      this.many = true
      const alone = segment.selectors.length === 1 ? segment : { ...segment, selectors: [selector] }
      for (const element of value) {
        this.spend()
        this.select(unwrapped(element, this.work), alone, at, key)
      }
      return
    }
    if (selector.kind === 'index') return this.element(value, selector.index, at, key)
    this.many = true
    if (selector.kind === 'slice') {
      for (const index of slicePositions(selector, value.length)) this.element(value, index, at, key)
      return
    }
    for (const element of value) {
      if (selector.kind === 'all' || (selector.kind === 'filter' && this.holds(selector, element)))
        this.step(element, at + 1, key)
    }
  }

  private element(value: JsonValue[], index: number, at: number, key: string | undefined): void {
    const found = value[index < 0 ? index + value.length : index]
    if (found !== undefined) this.step(found, at + 1, key)
  }

  private holds(selector: Extract<Selector, { kind: 'filter' }>, value: JsonValue): boolean {
    this.spend()
    return selector.holds(value, this.root, this.work)
  }
}

export function isIndex(name: string): boolean {
  return /^-?\d{1,15}$/.test(name)
}

/** The positions that a slice selects in a list of `length`, in its order (RFC 9535 §2.3.4.2.2). */
function* slicePositions(
  { from, to, step }: Extract<Selector, { kind: 'slice' }>,
  length: number,
): Generator<number> {
  const position = (at: number) => (at < 0 ? at + length : at)
  if (step > 0) {
    const end = Math.min(position(to ?? length), length)
    for (let at = Math.max(position(from ?? 0), 0); at < end; at += step) yield at
  } else if (step < 0) {
    const end = to === undefined ? -1 : Math.max(position(to), -1)
    for (let at = Math.min(position(from ?? length - 1), length - 1); at > end; at += step) yield at
  }
}

/** The content of a string of JSON, when a path goes on into it; any other value as it is. */
function unwrapped(value: JsonValue, work: Work): JsonValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  work.left -= value.length >> 4
  const held = valueOfJson(value)
  return isObject(held) || Array.isArray(held) ? held : value
}
