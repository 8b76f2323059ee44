/** `path`: the part of a document that the later steps are about. */

import { Findings } from '../../documents/columns/column.ts'
import type { Document } from '../../documents/document.ts'
import { type Part, partsOf } from '../../documents/opening/combine.ts'
import { fromRows, fromText, fromValue, withRecords } from '../../documents/opening/derive.ts'
import { placed } from '../../documents/opening/make.ts'
import { pointsOf } from '../../documents/opening/series.ts'
import { tablesUnder } from '../../documents/overview/markup.ts'
import {
  areMaps,
  areSmallMaps,
  type Collection,
  holdsKin,
  isLargeMap,
  pathStep,
  withField,
} from '../../documents/shape/collections.ts'
import type { Provenance } from '../../documents/table.ts'
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { asSent, ofEach } from '../../query/fields/as-sent.ts'
import { followExtended, isExtended } from '../../query/fields/jsonpath.ts'
import { explainMissing, type Located, lengthAt, locate, type Reached } from '../../query/fields/locate.ts'
import {
  firstName,
  formatPath,
  fromPointer,
  isDefinite,
  named,
  namesOn,
  type Path,
  parsePath,
} from '../../query/fields/path.ts'
import { fromPipes } from '../../query/language/dialects/jq.ts'
import { fromXPath } from '../../query/language/dialects/xpath.ts'
import { listed, Refusal, shown } from '../../query/refusal.ts'
import { newWork } from '../../query/work.ts'
import { formatCount } from '../../text/format.ts'
import { selectParams } from '../parameters.ts'
import type { StepMetadata } from '../processor.ts'
import { defineStep } from '../step.ts'
import { entriesOf } from './map-entries.ts'

/**
 * The values that the path reaches are the records: the elements of a list or map, of several lists or maps, or several values. A value
 * of a map has its key as `_key`.
 */
export const select = selecting(true)

/** The same with nothing but what stands at the path: points of a series come without its labels. */
export const selectAlone = selecting(false)

/** `withLabels`: points of many series have the labels of theirs. */
function selecting(withLabels: boolean) {
  return defineStep({
    name: 'select',
    params: selectParams,
    wanted: ({ path }) => path !== undefined && path.trim() !== '',
    run(document, { path = '' }) {
      const root = document.json()
      const held = typeof root === 'object' && root !== null && !partsOf(document) ? root : document
      const known = selected.get(held) ?? new Findings(MOST_KEPT)
      selected.set(held, known)
      return known.of(`${withLabels} ${path}`, () => selectedAt(document, path, withLabels))
    },
  })
}

interface Selected {
  content: Document
  metadata: StepMetadata
}

/**
 * The findings of the last paths: more is asked of the same records, and their columns stay with them. Kept with the data, not
 * with the document, which may let go of it.
 */
const selected = new WeakMap<object, Findings>()
const MOST_KEPT = 3

function selectedAt(document: Document, written: string, withLabels: boolean): Selected {
  const xpath = fromXPath(written.trim())
  const source = xpath ?? fromPipes(/^#\//.test(written) ? (fromPointer(written) ?? written) : written.trim())
  const parts = partsOf(document)
  if (parts) return inEach(parts, source)
  const root = document.json() ?? linesFor(document, source)
  if (root === undefined) {
    throw new Refusal(
      'This result is text without fields, so `path` cannot be used. Search it with proxy_search instead.',
    )
  }
  const path = isExtended(source) ? undefined : asSent(root, parsePath(source))
  const part = path && (partOfText(root, path) ?? gatheredAt(document, path, withLabels))
  if (part) return part
  const {
    reached,
    note,
    path: followed,
  } = path ? find(document, root, path, source) : findExtended(root, source)
  const { content, note: taken } = recordsReached(reached, followed)
  placed(content, originAt(content, followed, reached[0]?.value ?? null, reached.length))
  const asXPath = xpath && `Read as \`${xpath}\`.`
  const notes = [asXPath, note, taken].filter((one) => one !== undefined)
  return { content, metadata: { matched: reached.length, ...(notes.length > 0 && { notes }) } }
}

/** The values that the path reaches in each of several results, with the handle of its result in `_from`. */
function inEach(parts: readonly Part[], path: string): Selected {
  const items: JsonValue[] = []
  const notes = new Set<string>()
  const refused: string[] = []
  for (const { handle, document } of parts) {
    const { content, metadata, error } = select.process(document, { path })
    if (error !== undefined) refused.push(`${handle}: ${error}`)
    else for (const item of content.rows().items) items.push(withField('_from', handle, item))
    for (const note of metadata.notes ?? []) notes.add(note)
  }
  if (refused.length === parts.length) throw new Refusal(refused.slice(0, 3).join(' '))
  const all = [...notes, ...refused]
  return {
    content: fromRows({ noun: 'record', items }),
    metadata: { matched: items.length, ...(all.length > 0 && { notes: all }) },
  }
}

function findExtended(root: JsonValue, source: string): Located {
  const reached = followExtended(root, source)
  if (reached.length === 0) throw new Refusal(`The path \`${shown(source)}\` reaches nothing.`)
  return { reached, path: [] }
}

/** From the root; else from the records, because that is where a name without a way to it usually is. */
function find(document: Document, root: JsonValue, path: Path, source: string): Located {
  const fromRoot = locate(root, path)
  if (fromRoot) return fromRoot
  const records = document.records()
  if (records && path[0] && !path[0].deep) {
    const prefix = records.path === '$' ? '$[*]' : `${records.path}[*]`
    const inRecords = records.gathered
      ? locate([...records.values], [...parsePath('$[*]'), ...path], newWork())
      : locate(root, [...parsePath(prefix), ...path], newWork())
    if (inRecords) return { ...inRecords, note: `The path was followed from the records, \`${prefix}\`.` }
  }
  const near = locateNearby(document, root, path) ?? lengthAt(root, path)
  if (near) return near
  // XPath marks attributes: `/catalog/book/@id`.
  const pointers = [source, source.replaceAll('/@', '/')].map(fromPointer)
  const pointed = pointers.map((one) => one && locate(root, parsePath(one))).find((one) => one !== undefined)
  if (pointed) return { ...pointed, note: `The path was read as \`${formatPath(pointed.path)}\`.` }
  const { message, unfulfilled } = explainMissing(root, path)
  if (unfulfilled) return { reached: [], path, note: message }
  const below = tableUnder(root, path) ?? sectionUnder(root, source)
  if (below) return below
  throw new Refusal(message)
}

/** The one table below the heading that a path is: `Inputs`, `tables.Inputs`. Throws a `Refusal` where several tables are. */
function tableUnder(root: JsonValue, path: Path): Located | undefined {
  const names = namesOn(path)
  const heading = (names[0] === 'tables' ? names.slice(1) : names).join('.')
  const tables = names.length < path.length ? [] : tablesUnder(root, heading)
  const [table, another] = tables
  if (another !== undefined)
    throw new Refusal(
      `Several tables stand below \`${shown(heading, 40)}\`: name one of ${listed(tables, 8)}.`,
    )
  const found = table === undefined ? undefined : locate(root, parsePath(table))
  return (
    found && {
      ...found,
      note: `\`${shown(heading, 40)}\` read as the table below that heading, \`${table}\`.`,
    }
  )
}

/** The sections of Markdown with the heading that a path is: `## Install`. */
function sectionUnder(root: JsonValue, heading: string): Located | undefined {
  const name = heading.trim().replace(/^#+\s*/, '')
  return isObject(root) && Object.hasOwn(root, 'sections')
    ? locate(root, [...parsePath('sections'), named(name)])
    : undefined
}

/**
 * The place that a path that fails can still mean. `[3]` or `[?…]` may mean the records, and so may `items[3]` where the list has no such
 * name. A name alone may stand in one place only, at any depth.
 */
function locateNearby(document: Document, root: JsonValue, path: Path): Located | undefined {
  const turned = ofEach(root, path)
  const each = turned && locate(root, turned)
  if (each) return { ...each, note: `\`${formatPath(path)}\` read as \`${formatPath(turned)}\`.` }
  const [first, second] = path
  const only = first?.selectors[0]
  if (!first || !only || first.deep) return undefined
  if (only.kind !== 'name') return locateInRecords(document, root, path)
  if (second === undefined) {
    const deep = locate(root, [{ selectors: first.selectors, dotted: [], deep: true }])
    return deep?.reached.length === 1
      ? { ...deep, note: `The path was read as \`$..${only.name}\`.` }
      : undefined
  }
  return firstName(second) === undefined ? locateInRecords(document, root, path.slice(1)) : undefined
}

/** The lines of a text, for a path that begins with a number or a range: `[3]`, `[10:20]`. */
function linesFor(document: Document, source: string): JsonValue[] | undefined {
  const first = parsePath(source)[0]?.selectors[0]?.kind
  if (first !== 'index' && first !== 'slice') return undefined
  const lines = document.lines()
  return Array.from({ length: lines.count }, (_, at) => lines.at(at))
}

/** The records that were put together, for the path that they are called by. */
function gatheredAt(document: Document, path: Path, withLabels: boolean): Selected | undefined {
  const records = document.records()
  const points = withLabels && records && !records.gathered ? pointsAt(records, path) : undefined
  const main = points ?? records
  if (!main?.gathered || formatPath(path) !== formatPath(parsePath(main.path))) return undefined
  const content = placed(fromRows({ noun: 'record', items: main.values }), document.provenance)
  return { content, metadata: { matched: main.values.length } }
}

/** The points of many series, each of which is a record otherwise, for the path to them. */
function pointsAt({ path: place, values }: Collection, path: Path): Collection | undefined {
  if (!formatPath(path).endsWith('[*]')) return undefined
  const points = pointsOf(values, false)
  return points && { ...points, path: `${place}${points.path.slice(1)}` }
}

/** `body[2000:4000]`: characters of a text. */
function partOfText(root: JsonValue, path: Path): Selected | undefined {
  const [only, second] = path.at(-1)?.selectors ?? []
  const place = path.slice(0, -1)
  if (only?.kind !== 'slice' || second || only.step !== 1 || !isDefinite(place)) return undefined
  const [reached, another] = locate(root, place)?.reached ?? []
  const text = reached?.value
  if (typeof text !== 'string' || another) return undefined
  const part = text.slice(only.from ?? 0, only.to ?? text.length)
  const from = only.from === undefined ? 0 : only.from < 0 ? text.length + only.from : only.from
  const start = Math.min(Math.max(0, from), text.length)
  const note = `Characters ${formatCount(start)}-${formatCount(start + part.length)} of ${formatCount(text.length)}.`
  return { content: fromText(part), metadata: { matched: 1, notes: [note] } }
}

/** A path that begins with brackets, followed from the list or map of records. */
function locateInRecords(document: Document, root: JsonValue, path: Path): Located | undefined {
  const records = document.records()
  const found =
    records &&
    (records.gathered
      ? locate([...records.values], path)
      : locate(root, [...parsePath(records.path), ...path]))
  return found && { ...found, note: `The path was followed from the records, \`${records.path}\`.` }
}

// The reached values, as records.

/** The document that later steps work on, and what to say of how the path was taken. */
interface ReachedPart {
  content: Document
  note?: string
}

/**
 * One value that is a list or map gives its elements. So do several, where the path ends at a name and all its values are lists, or maps
 * with values of one kind. Lists of objects among other values give theirs beside these. Otherwise each value is a record, with its key as
 * `_key` where it is the value of a map.
 */
function recordsReached(reached: readonly Reached[], path: Path): ReachedPart {
  const [first, second] = reached
  if (first && second === undefined) return onlyOne(first, path)
  const name = lastName(path)
  const areTables = reached.every(({ value }) => Array.isArray(value) && value.every(isObject))
  const inner = name === undefined && !areTables ? undefined : elementsReached(reached)
  if (!inner) {
    const isOpened = ({ value }: Reached): boolean =>
      name !== undefined && Array.isArray(value) && value.length > 0 && value.every(isObject)
    const lists = reached.filter(isOpened).length
    const items = reached.flatMap((one) =>
      isOpened(one) ? (one.value as JsonValue[]) : [recordOf(one, name)],
    )
    const content = fromRows({ noun: 'record', items })
    if (lists === 0) return { content }
    return {
      content,
      note: `${formatCount(lists)} of the ${formatCount(reached.length)} values at \`${formatPath(path)}\` are lists: their elements are records beside the others.`,
    }
  }
  const what = reached.some(({ value }) => Array.isArray(value)) ? 'lists' : 'maps'
  return {
    content: fromRows({ noun: 'record', items: inner }),
    note: `\`${formatPath(path)}\` reaches ${formatCount(reached.length)} ${what}: their ${formatCount(inner.length)} elements are the records.`,
  }
}

function onlyOne(reached: Reached, path: Path): ReachedPart {
  const { value } = reached
  if (Array.isArray(value) || !isObject(value)) {
    if (isDefinite(path) || Array.isArray(value))
      return { content: asNamed(fromValue(value, { noun: 'record' })) }
    return { content: fromRows({ noun: 'record', items: [recordOf(reached, lastName(path))] }) }
  }
  const whole = fromValue(value, { noun: 'record' })
  const records = whole.records()
  if (records?.path === '$') return { content: whole }
  if (path.length > 0 && (isLargeMap(value) || (isDefinite(path) && holdsKin(value)))) {
    const items = entriesOf(value)
    const note = `\`${formatPath(path)}\` was read as a map: its ${formatCount(items.length)} values are the records, with their key in \`_key\`.`
    return { content: fromRows({ noun: 'record', items }), note }
  }
  if (!isDefinite(path))
    return { content: fromRows({ noun: 'record', items: [recordOf(reached, lastName(path))] }) }
  return { content: records && isWrapper(whole) ? whole : fromRows({ noun: 'record', items: [value] }) }
}

/** A list that was named holds its own elements: series, and not their points. */
function asNamed(content: Document): Document {
  const value = content.json()
  if (!Array.isArray(value) || content.records()?.gathered?.path !== '$') return content
  return withRecords(content, { path: '$', keys: undefined, values: value })
}

/** The share of an object's text that makes a list in it the main content. */
const MOST_OF_IT = 0.7

function isWrapper(whole: Document): boolean {
  return JSON.stringify(whole.records()?.values ?? []).length >= whole.characters * MOST_OF_IT
}

/** Undefined where not all values are lists, or all maps of one kind. */
function elementsReached(reached: readonly Reached[]): JsonValue[] | undefined {
  const held = reached.filter(({ value }) => value !== null)
  if (held.length === 0) return undefined
  if (held.every(({ value }) => Array.isArray(value)))
    return held.flatMap(({ value, key }) =>
      Array.isArray(value) ? value.map((element) => recordOf({ value: element, key }, undefined)) : [],
    )
  const objects = held.flatMap(({ value }) => (isObject(value) ? [value] : []))
  if (objects.length < held.length || !(areMaps(objects) || areSmallMaps(objects))) return undefined
  return objects.flatMap(entriesOf)
}

function recordOf({ value, key }: Reached, name: string | undefined): JsonValue {
  if (key === undefined) return value
  return isObject(value) ? withField('_key', key, value) : { _key: key, [name ?? '_value']: value }
}

/** The name of a scalar of a map beside its key: the last name of the path. Undefined where the path ends otherwise. */
function lastName(path: Path): string | undefined {
  const name = firstName(path.at(-1))
  return name === '__proto__' ? undefined : name
}

/** The origin of what a path reached: `values` of them, the first of which is `value`. */
function originAt(content: Document, path: Path, value: JsonValue, values: number): Provenance {
  if (values !== 1 || !isDefinite(path)) return { path: formatPath(path), scattered: true }
  const place = `$${path.map(({ selectors: [step] }) => (step?.kind === 'name' ? pathStep(step.name) : step?.kind === 'index' ? `[${step.index}]` : '')).join('')}`
  const records = content.records()
  if (!records) return { path: place, alone: true }
  const placed = place + records.path.slice(1)
  if (records.gathered) return { path: placed, scattered: true }
  if (records.path !== '$') return { path: placed, keys: records.keys }
  if (!isObject(value)) return { path: place }
  const keys =
    records.keys ?? records.values.flatMap((row) => (isObject(row) ? [String(own(row, '_key') ?? '')] : []))
  const isMap = keys.length === records.values.length && keys.every((key) => Object.hasOwn(value, key))
  return isMap ? { path: place, keys } : { path: place, alone: true }
}
