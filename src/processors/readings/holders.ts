/** Fields of what holds the records: `groups.name` of the rules at `$.groups[*].services[*].rules[*]`. */

import type { Document } from '../../documents/document.ts'
import { fromRows } from '../../documents/opening/derive.ts'
import { placed } from '../../documents/opening/make.ts'
import { headingsOfRows } from '../../documents/overview/markup.ts'
import type { Gathered } from '../../documents/shape/collections.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { exactPath, resolveName } from '../../query/fields/fields.ts'
import { firstName, formatPath, type Path, parsePath } from '../../query/fields/path.ts'
import { type Records, recordsOf, withNames } from '../../query/fields/records.ts'
import { scalarAt } from '../../query/fields/walk.ts'
import { listed, safely } from '../../query/refusal.ts'
import { formatCount } from '../../text/format.ts'
import type { ProcessorResult } from '../processor.ts'
import { withNotes } from '../step.ts'
import { conditionFields, fieldsNamed, namedIn } from './elsewhere.ts'

type Asked = Readonly<Record<string, unknown>>

/** By the names of the lists above it: the element of each that holds a record. */
type Holders = Readonly<Record<string, JsonObject>>

/** A field of a holder that the question names: as it is written, and the path to it in the holder. */
interface Held {
  written: string
  holder: string
  field: readonly string[]
  /** The question names the field alone: `type` of the resource that holds an instance. */
  alone?: true
}

/** Elements of lists above the records that are followed. */
const MOST = 200_000

/**
 * The records that a path reached, with the fields of their holders that the question names beside their own. The same document where it
 * names none, or where each record has one of that name itself.
 */
export function withHolders(root: Document, selected: ProcessorResult, asked: Asked): ProcessorResult {
  const notes: string[] = []
  const once = listsOnce(root, selected.content, asked, notes)
  const content = once ?? withHeadings(root, contentWith(root, selected.content, asked, notes), asked)
  if (content === selected.content && notes.length === 0) return selected
  return { ...withNotes(selected, notes), content }
}

/** A record for each list of which all records were put together, where a question is about what these repeat alone. */
function listsOnce(root: Document, selected: Document, asked: Asked, notes: string[]): Document | undefined {
  const { repeated, path = '$' } = gatheredAt(root, selected) ?? {}
  const records = repeated && recordsOf(selected)
  if (!records) return undefined
  const isNumber = (name: string): boolean => {
    const field = safely(() => resolveName(records, name))?.path
    return field !== undefined && repeated.some((one) => typeof scalarAt(one, field) === 'number')
  }
  const asks = ofHolders(asked, (name) => isRepeated(records, repeated, name), isNumber)
  if (asks) notes.push(repeatedNote(asks, `\`${path}\``, repeated.length))
  return asks?.alone
    ? placed(fromRows({ noun: 'record', items: [...repeated] }), { path, scattered: true })
    : undefined
}

function gatheredAt(root: Document, selected: Document): Gathered | undefined {
  const main = root.json() === undefined ? undefined : root.records()
  const isMain = main?.gathered && isPlace(selected.provenance.path, main.path)
  return isMain ? main.gathered : undefined
}

const isPlace = (path: string, other: string): boolean =>
  safely(() => formatPath(parsePath(path))) === formatPath(parsePath(other))

/** The rows of tables in a text, with the heading above their table as `heading`. Only where the question names it and no row has it. */
function withHeadings(root: Document, rows: Document, asked: Asked): Document {
  if (!namedIn(asked).includes('heading')) return rows
  const records = recordsOf(rows)
  const headings = headingsOfRows(root.json())
  if (!records || !headings || exactPath(records, 'heading')) return rows
  if (!records.values.every((record) => headings.has(record))) return rows
  const items = records.values.map((record) =>
    isObject(record) ? { heading: headings.get(record) ?? '', ...record } : record,
  )
  return placed(fromRows({ noun: 'record', items }), rows.provenance)
}

function contentWith(root: Document, selected: Document, asked: Asked, notes: string[]): Document {
  const { path: place, scattered } = selected.provenance
  const path = scattered ? safely(() => parsePath(place)) : undefined
  const steps = path && namesAlong(path)
  const lists = new Set(steps?.filter((step) => step !== EACH).slice(0, -1))
  // The list of the root has no name.
  if (steps?.[0] === EACH && steps.length > 2) lists.add(ROOT)
  if (!steps || lists.size === 0) return selected
  const records = recordsOf(selected)
  const { repeated = [] } = gatheredAt(root, selected) ?? {}
  const isTold = (name: string): boolean =>
    records !== undefined && (exactPath(records, name) !== undefined || isRepeated(records, repeated, name))
  const names = [...new Set(namedIn(asked))].filter((name) => !isTold(name))
  if (!records || names.length === 0) return selected
  const all: Holders[] = []
  follow(root.json() ?? null, steps, 0, {}, all)
  if (all.length !== records.values.length) return selected
  const held = names.flatMap((name) => heldIn(name, lists) ?? heldAlone(name, records, all) ?? [])
  if (held.length === 0) return selected
  const items = records.values.map((record, at) => {
    const row: JsonObject = isObject(record) ? { ...record } : { _value: record }
    for (const { holder, field } of held) {
      const value = valueAt(all[at]?.[holder], field)
      if (value !== undefined) setOwn(row, titleOf(holder, field), value)
    }
    return row
  })
  const named = new Map(held.map((one) => [one.written, one]))
  const isNumber = (name: string): boolean => {
    const one = named.get(name)
    return one !== undefined && all.some((of) => typeof valueAt(of[one.holder], one.field) === 'number')
  }
  const [inner = ROOT, another] = [...lists]
    .filter((list) => held.some(({ holder }) => holder === list))
    .reverse()
  const found = ofHolders(asked, (name) => named.has(name), isNumber)
  // The holders of holders repeat in these.
  const alone = found?.alone === true && another === undefined
  const rows = alone ? onePerHolder(items, all, inner) : items
  const computed = found?.names ?? []
  const holderOf = (name: string): string => named.get(name)?.holder ?? inner
  for (const holder of new Set(computed.map(holderOf))) {
    const names = computed.filter((name) => holderOf(name) === holder)
    notes.push(repeatedNote({ names, alone }, `\`${holder}\`${alone ? ' with records' : ''}`, rows.length))
  }
  const content = placed(fromRows({ noun: 'record', items: rows }), selected.provenance)
  return withNames(content, [...named.keys()], (_, name) => {
    const one = named.get(name)
    const title = one ? titleOf(one.holder, one.field) : name
    const note = `\`${name}\` read as \`${title}\`, of the record that holds each.`
    return { name: title, path: parsePath(`[${JSON.stringify(title)}]`), ...(one?.alone && { note }) }
  })
}

/** The first record of each holder. */
function onePerHolder(items: readonly JsonObject[], all: readonly Holders[], list: string): JsonObject[] {
  const seen = new Set<JsonObject | undefined>()
  return items.filter((_, at) => {
    const holder = all[at]?.[list]
    return !seen.has(holder) && seen.add(holder)
  })
}

/** A question about fields that all records of a holder repeat. */
interface OfHolders {
  readonly names: readonly string[]
  /** It names no other fields, and counts no records: each holder counts once. A test has the number of failures of its suite. */
  readonly alone: boolean
}

/** Whether a question computes with such fields, or compares numbers in them. */
function ofHolders(
  asked: Asked,
  isHeld: (name: string) => boolean,
  isNumber: (name: string) => boolean,
): OfHolders | undefined {
  const computed = fieldsNamed(asked.aggregate).filter(isHeld)
  const counts = [asked.aggregate].flat().some((text) => /\bcount/i.test(String(text)))
  const alone = computed.length > 0 && !counts && namedIn(asked).every(isHeld)
  const compared = conditionFields(asked.where).filter(isHeld)
  const names = alone ? computed : [...new Set([...computed, ...compared])].filter(isNumber)
  return names.length === 0 ? undefined : { names, alone }
}

function repeatedNote({ names, alone }: OfHolders, holder: string, count: number): string {
  const each = `${listed(names)}: one value for each of`
  return alone
    ? `${each} ${formatCount(count)} in ${holder}, counted once each.`
    : `${each} ${holder}, repeated in each of its records.`
}

/** True where a name means a field that the records of each list repeat. */
function isRepeated(records: Records, repeated: readonly JsonObject[], name: string): boolean {
  const first = firstName(safely(() => resolveName(records, name))?.path[0])
  return first !== undefined && repeated.some((one) => Object.hasOwn(one, first))
}

const titleOf = (holder: string, field: readonly string[]): string => [holder, ...field].join('.')

function valueAt(holder: JsonObject | undefined, field: readonly string[]): JsonValue | undefined {
  return field.reduce<JsonValue | undefined>(
    (held, name) => (held !== undefined && isObject(held) ? own(held, name) : undefined),
    holder,
  )
}

const EACH = Symbol('each element')
const ROOT = '$'

/** The names and `[*]` on a path; undefined for one with anything else. */
function namesAlong(path: Path): (string | typeof EACH)[] | undefined {
  const steps: (string | typeof EACH)[] = []
  for (const { selectors, deep } of path) {
    const [only, another] = selectors
    if (deep || another || (only?.kind !== 'name' && only?.kind !== 'all')) return undefined
    steps.push(only.kind === 'name' ? only.name : EACH)
  }
  return steps
}

/** The names in a name; undefined where it is more than names. */
function namesIn(name: string): string[] | undefined {
  const path = safely(() => parsePath(name))
  return (path && namesAlong(path))?.filter((step) => typeof step === 'string')
}

/** A field of a holder by the name of its list, also with the way to it: `$.groups[*].name`. */
function heldIn(written: string, lists: ReadonlySet<string>): Held | undefined {
  const names = namesIn(written) ?? []
  const at = names.findLastIndex((name, place) => lists.has(name) && place < names.length - 1)
  return at < 0 ? undefined : { written, holder: names[at] ?? '', field: names.slice(at + 1) }
}

/** Records that are looked at to tell whether their holders have a field. */
const MOST_LOOKED_AT = 100

/** A field that the nearest holder of the records has, and they have not at the same depth. */
function heldAlone(written: string, records: Records, all: readonly Holders[]): Held | undefined {
  const field = namesIn(written) ?? []
  if (field.length === 0) return undefined
  const ownField = safely(() => resolveName(records, written))
  if (ownField && ownField.path.length <= field.length) return undefined
  const holders = all.slice(0, MOST_LOOKED_AT)
  const holder = Object.keys(holders[0] ?? {})
    .reverse()
    .find((list) => holders.some((one) => valueAt(one[list], field) !== undefined))
  return holder === undefined ? undefined : { written, holder, field, alone: true }
}

/** Goes along a path as `select` does, and gathers the holders of each record. */
function follow(
  value: JsonValue,
  steps: readonly (string | typeof EACH)[],
  at: number,
  holders: Holders,
  found: Holders[],
): void {
  if (found.length > MOST) return
  const step = steps[at]
  const before = steps.slice(0, at).findLast((one) => typeof one === 'string')
  const within = (element: JsonValue): Holders =>
    isObject(element) ? { ...holders, [before ?? ROOT]: element } : holders
  if (Array.isArray(value)) {
    // A list that is crossed by a name, or that the path ends at, gives its elements.
    for (const element of value) follow(element, steps, step === EACH ? at + 1 : at, within(element), found)
  } else if (step === undefined) {
    // Of lists with a name, one that is null has no elements.
    if (value !== null || steps.at(-1) === EACH) found.push(holders)
  } else if (isObject(value) && step === EACH)
    for (const element of Object.values(value)) follow(element, steps, at + 1, within(element), found)
  else if (isObject(value) && typeof step === 'string' && Object.hasOwn(value, step))
    follow(own(value, step) ?? null, steps, at + 1, holders, found)
}
