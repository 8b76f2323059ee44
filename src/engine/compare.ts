/**
 * The differences between a new result and the one before. It is told whole or not at all: a reader who knows the earlier result then
 * knows all of the new one.
 */

import type { Document } from '../documents/document.ts'
import { isActive } from '../documents/formats/tree.ts'
import { toJson } from '../documents/json/stringify.ts'
import { pathStep } from '../documents/shape/collections.ts'
import { IDS, identifying, plainName } from '../documents/shape/identity.ts'
import { changesIn, inOneOrder } from '../processors/steps/join.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { formatPlural } from '../text/format.ts'
import { type LineChanges, lineChanges } from '../text/line-changes.ts'
import { indentOf, type LineIndex } from '../text/lines.ts'
import { ellipsis } from '../text/shorten.ts'
import { countTokens } from '../text/tokens.ts'
import type { Comparison, Incomparable, Source } from './contract.ts'
import type { Views } from './views.ts'

/**
 * Of two kept results, the new one first. `budget`: the most characters of the lines. Nothing: there is more to say, or the two cannot be
 * told apart in lines.
 */
export function compare(
  views: Views,
  [after, before]: readonly Source[],
  budget: number,
): Comparison | Incomparable {
  if (after === undefined || before === undefined) return {}
  const [one, other] = [views.open(before).document, views.open(after).document]
  const isAlike = one.traits.name === other.traits.name && one.asides.join('\n') === other.asides.join('\n')
  if (!isAlike) return {}
  try {
    let told = new Told(budget)
    if (one.traits.name === 'tree') told = changedNodes(one, other, budget)
    else if (one.format === 'json') changedValues(one.json() ?? null, other.json() ?? null, '$', told)
    else changedLines(one, other, told)
    // Differences that no reader sees, as of blanks between values.
    if (told.lines.length === 0) return {}
    const text = told.lines.join('\n')
    return { text, counts: told.counts, noun: told.noun, tokens: countTokens(text) }
  } catch (error) {
    if (error instanceof TooMuch) return {}
    throw error
  }
}

/** There is more to tell than fits, or more to look at than is worth it. */
class TooMuch extends Error {}

type Mark = '+' | '-' | '~'

/** The differences, a line each. Throws a `TooMuch`. */
class Told {
  readonly lines: string[] = []
  readonly counts = { added: 0, removed: 0, changed: 0 }
  noun = 'line'
  #room: number
  #work = MOST_WORK

  constructor(budget: number) {
    this.#room = budget
  }

  /** `count`: things that the line tells of; 0 for a remark. */
  say(mark: Mark, line: string, count = 1): void {
    this.counts[KINDS[mark]] += count
    this.remark(`${mark} ${line}`)
  }

  remark(line: string): void {
    this.#room -= line.length + 1
    if (this.#room < 0) throw new TooMuch()
    this.lines.push(line)
  }

  work(steps: number): void {
    this.#work -= steps
    if (this.#work < 0) throw new TooMuch()
  }
}

const KINDS = { '+': 'added', '-': 'removed', '~': 'changed' } as const

/** Values that are looked at in one comparison. */
const MOST_WORK = 2_000_000

// Data: records by what identifies them, everything else by its place.

const DEEPEST = 64

function changedValues(one: JsonValue, other: JsonValue, path: string, told: Told, depth = 0): void {
  told.work(1)
  told.noun = 'value'
  if (Object.is(one, other)) return
  if (depth < DEEPEST && isObject(one) && isObject(other))
    return changedMembers(one, other, path, told, depth)
  if (depth < DEEPEST && Array.isArray(one) && Array.isArray(other))
    return changedElements(one, other, path, told)
  told.work(sizeOf(one, told) + sizeOf(other, told))
  if (inOneOrder(one) !== inOneOrder(other)) told.say('~', `${path}: ${toJson(one)} → ${toJson(other)}`)
}

/** Characters that are written for it are bounded by what it holds. */
function sizeOf(value: JsonValue, told: Told): number {
  if (typeof value !== 'object' || value === null) return 1
  const held = Array.isArray(value) ? value : Object.values(value)
  told.work(held.length)
  return held.length
}

function changedMembers(one: JsonObject, other: JsonObject, path: string, told: Told, depth: number): void {
  for (const name of Object.keys(one))
    if (!Object.hasOwn(other, name)) told.say('-', `${path}${pathStep(name)}`)
  for (const [name, value] of Object.entries(other)) {
    const at = `${path}${pathStep(name)}`
    if (!Object.hasOwn(one, name)) told.say('+', `${at}: ${toJson(value)}`)
    else changedValues(own(one, name) ?? null, value, at, told, depth + 1)
  }
}

function changedElements(
  one: readonly JsonValue[],
  other: readonly JsonValue[],
  path: string,
  told: Told,
): void {
  told.work(one.length + other.length)
  const key = keyOf(one, other)
  if (key !== undefined) return changedRecords(one, other, key, path, told)
  const [from, behind] = alikeEnds(one, other)
  const between = (list: readonly JsonValue[]): readonly JsonValue[] => list.slice(from, list.length - behind)
  const [before, after] = [between(one), between(other)]
  const changes = lineChanges(before.map(inOneOrder), after.map(inOneOrder), MOST_LINES)
  if (changes === undefined) throw new TooMuch()
  for (const at of changes.removed) told.say('-', `${path}[${from + at}]: ${toJson(before[at] ?? null)}`)
  for (const at of changes.added) told.say('+', `${path}[${from + at}]: ${toJson(after[at] ?? null)}`)
}

/** How many elements are written alike at the beginning and at the end of both: they need not be put in one order, which takes long. */
function alikeEnds(one: readonly JsonValue[], other: readonly JsonValue[]): [from: number, behind: number] {
  const most = Math.min(one.length, other.length)
  let from = 0
  while (from < most && isWrittenAlike(one[from], other[from])) from += 1
  let behind = 0
  while (behind < most - from && isWrittenAlike(one.at(-1 - behind), other.at(-1 - behind))) behind += 1
  return [from, behind]
}

/** Without writing them, where they are not too deep for that: most elements of two results are alike. */
function isWrittenAlike(one: JsonValue | undefined, other: JsonValue | undefined, depth = 0): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other
  if (depth > DEEPEST) return toJson(one) === toJson(other)
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, at) => isWrittenAlike(value, other[at], depth + 1))
    )
  if (Array.isArray(other)) return false
  const [names, others] = [Object.keys(one), Object.keys(other)]
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && isWrittenAlike(one[name], other[name], depth + 1))
  )
}

/** A field that every record of both lists has, with another value each; what tells things apart before what they are called. */
function keyOf(one: readonly JsonValue[], other: readonly JsonValue[]): string | undefined {
  const [first] = other
  if (!isObject(first)) return undefined
  const names = identifying(Object.keys(first)).filter((name) => plainName(name) !== 'line')
  const isId = (name: string): boolean => IDS.includes(plainName(name))
  const ranked = [...names.filter(isId), ...names.filter((name) => !isId(name))]
  return ranked.find((name) => [one, other].every((records) => byKey(records, name) !== undefined))
}

function byKey(records: readonly JsonValue[], name: string): Map<string, JsonObject> | undefined {
  const found = new Map<string, JsonObject>()
  for (const record of records) {
    const value = isObject(record) ? own(record, name) : undefined
    if (!isObject(record) || (typeof value !== 'string' && typeof value !== 'number')) return undefined
    found.set(JSON.stringify(value), record)
  }
  return found.size === records.length ? found : undefined
}

function changedRecords(
  one: readonly JsonValue[],
  other: readonly JsonValue[],
  key: string,
  path: string,
  told: Told,
): void {
  told.noun = 'record'
  const before = byKey(one, key) ?? new Map<string, JsonObject>()
  const after = byKey(other, key) ?? new Map<string, JsonObject>()
  for (const [value, record] of before)
    if (!after.has(value)) told.say('-', `${path} ${key} ${value}${labelOf(record, key)}`)
  for (const [value, record] of after) {
    told.work(Object.keys(record).length)
    const earlier = before.get(value)
    if (earlier === undefined) told.say('+', `${path} ${toJson(record)}`)
    else if (!isWrittenAlike(earlier, record)) {
      const fields = changesIn(earlier, record, [], [])
      const said = fields.map(
        ({ field, before, after }) => `${String(field)} ${toJson(before ?? null)} → ${toJson(after ?? null)}`,
      )
      if (said.length > 0) told.say('~', `${path} ${key} ${value}: ${said.join(', ')}`)
    }
  }
  const common = (list: ReadonlyMap<string, JsonObject>, of: ReadonlyMap<string, JsonObject>): string =>
    [...list.keys()].filter((value) => of.has(value)).join()
  if (common(before, after) !== common(after, before))
    told.remark(`${path}: the records stand in another order`)
}

/** The name of a record, for one of which only the key is told. */
function labelOf(record: JsonObject, key: string): string {
  const name = identifying(Object.keys(record)).find((each) => each !== key)
  const value = name === undefined ? undefined : own(record, name)
  return typeof value === 'string' ? ` ${JSON.stringify(ellipsis(value, 60))}` : ''
}

// Texts: line by line.

/** Lines that may differ. More are not told, and are not looked for. */
const MOST_LINES = 400

function changedLines(one: Document, other: Document, told: Told): void {
  const [before, after] = [linesOf(one, told), linesOf(other, told)]
  const changes = lineChanges(before, after, MOST_LINES)
  if (changes === undefined) throw new TooMuch()
  for (const at of changes.removed) told.say('-', `${at + 1}: ${before[at]}`)
  for (const at of changes.added) told.say('+', `${at + 1}: ${after[at]}`)
}

function linesOf(document: Document, told: Told): string[] {
  const lines: LineIndex = document.lines()
  told.work(lines.count)
  return Array.from({ length: lines.count }, (_, index) => lines.at(index))
}

// Accessibility trees: nodes by their references. A removed node can no longer be acted on: a few of them are told, and how many.

/** Nodes that may differ: they are told in fewer lines. */
const MOST_NODES = 2000
const MOST_REMOVED = 6

/** Where not all of it fits, nodes without an action are only counted. */
function changedNodes(one: Document, other: Document, budget: number): Told {
  const looked = new Told(budget)
  const [before, after] = [linesOf(one, looked), linesOf(other, looked)]
  const changes = lineChanges(before, after, MOST_NODES)
  if (changes === undefined) throw new TooMuch()
  try {
    return toldOfNodes(before, after, changes, new Told(budget), () => true)
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
    return toldOfNodes(before, after, changes, new Told(budget), (line) => isActive(trimmed(line)))
  }
}

function toldOfNodes(
  before: readonly string[],
  after: readonly string[],
  changes: LineChanges,
  told: Told,
  isShown: (line: string) => boolean,
): Told {
  told.noun = 'node'
  const gone = changes.removed.map((at) => before[at] ?? '')
  const references = new Set(gone.flatMap((line) => referenceIn(line) ?? []))
  const stay = new Set<string>()
  const unseen = { '+': 0, '~': 0 }
  let place = PAGE
  for (const at of changes.added) {
    const line = after[at] ?? ''
    const reference = referenceIn(line)
    const isChanged = reference !== undefined && references.has(reference)
    if (isChanged) stay.add(reference)
    const mark = isChanged ? '~' : '+'
    if (!isShown(line)) {
      unseen[mark] += nodesIn([line])
      continue
    }
    const where = placeOf(after, at, told)
    if (where !== place) told.remark(`in ${where}:`)
    place = where
    told.say(mark, trimmed(line), nodesIn([line]))
  }
  const removed = gone.filter((line) => {
    const reference = referenceIn(line)
    return reference === undefined || !stay.has(reference)
  })
  for (const mark of ['~', '+'] as const)
    if (unseen[mark] > 0)
      told.say(
        mark,
        `${formatPlural(unseen[mark], 'node')} that take no click and no text, not shown`,
        unseen[mark],
      )
  for (const line of removed.slice(0, MOST_REMOVED))
    told.say('-', ellipsis(withoutReference(line), MOST_NAMED), nodesIn([line]))
  const left = nodesIn(removed.slice(MOST_REMOVED))
  if (left > 0) told.say('-', `${formatPlural(left, 'more node')}`, left)
  return told
}

/** Characters of a node that is no longer there. */
const MOST_NAMED = 80
const PAGE = 'the page'

/** Lines but for the properties of nodes: `/url: https://…`. */
function nodesIn(lines: readonly string[]): number {
  return lines.filter((line) => !trimmed(line).startsWith('/')).length
}

function referenceIn(line: string): string | undefined {
  return /\[ref=([^\]]+)\]|\buid=(\S+)/
    .exec(line)
    ?.slice(1)
    .find((each) => each !== undefined)
}

/** A node that is gone must not look like something to act on. */
function withoutReference(line: string): string {
  return trimmed(line).replace(/ ?\[ref=[^\]]+\]|\buid=\S+ /, '')
}

function trimmed(line: string): string {
  return line.trim().replace(/^- /, '')
}

/** The nearest node above a line that has a name, for a reader who has to find his way. */
function placeOf(lines: readonly string[], at: number, told: Told): string {
  let indent = indentOf(lines[at] ?? '')
  for (let above = at - 1; above >= 0 && indent > 0; above--) {
    told.work(1)
    const line = lines[above] ?? ''
    if (indentOf(line) >= indent) continue
    indent = indentOf(line)
    const node = trimmed(line)
    if (/^(?:uid=\S+ )?[\w-]+ "/.test(node)) return ellipsis(node.replace(/:$/, ''), MOST_NAMED)
  }
  return PAGE
}
