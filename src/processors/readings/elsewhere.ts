/** Steps and the records that are not those of the main list: nested in them, beside them, above them. */

import type { Document } from '../../documents/document.ts'
import { fromRows, fromTable } from '../../documents/opening/derive.ts'
import { placed } from '../../documents/opening/make.ts'
import { fieldNames, smallMapsOf, withField } from '../../documents/shape/collections.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import {
  nestedMatches,
  nodesOf,
  onlyPlaceWith,
  placesNaming,
  siblingMatches,
} from '../../query/conditions/elsewhere.ts'
import type { Matcher } from '../../query/conditions/verdict.ts'
import { isExactly, knowing } from '../../query/fields/fields.ts'
import { formatPath, parsePath } from '../../query/fields/path.ts'
import { asksMain, recordsOf, requireRecords } from '../../query/fields/records.ts'
import { valuesAt } from '../../query/fields/walk.ts'
import { fieldsOf, parseNamed } from '../../query/language/parser.ts'
import { fieldsIn } from '../../query/language/tree.ts'
import { listed, safely } from '../../query/refusal.ts'
import { formatCount } from '../../text/format.ts'
import { literal } from '../../text/patterns/literal.ts'
import type { Asked } from '../parameters.ts'
import type { PipelineStep } from '../pipeline.ts'
import type { ProcessorResult } from '../processor.ts'
import { applied, failed, unchanged, withNotes } from '../step.ts'
import { entriesOf } from '../steps/map-entries.ts'

/**
 * If the records have no such fields, a step would be refused. It is then about the one other place of the document that has them all:
 * another list, or an object beside or above it.
 * `own`: the parameters that name the fields. `others`: parameters that settle which records are meant.
 */
export function orElsewhere(
  step: PipelineStep,
  own: readonly string[],
  others: readonly string[],
): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const result = step.process(document, params)
      if (result.error === undefined || others.some((name) => isGiven(params, name))) return result
      const names = own.flatMap((name) => fieldsNamed((params as Record<string, unknown>)[name]))
      const place = names.length > 0 ? onlyPlaceWith(document, names) : undefined
      const found = place && step.process(fromTable('record', place.records.table), params)
      if (!place || !found || found.error !== undefined) return naming(result, document, names)
      const said = `Only \`${place.path}\` has ${listed(names)}, so the records there were asked.`
      return withNotes(found, [said], 'before')
    },
  }
}

/** The refusal with the places that have such fields, where several do. */
function naming(result: ProcessorResult, document: Document, names: readonly string[]): ProcessorResult {
  const [first, ...others] = asksMain(document) && names.length > 0 ? placesNaming(document, names) : []
  if (first === undefined || others.length === 0 || result.error?.includes('"path"')) return result
  const places = `Other places have it: ${listed([first, ...others])}. Name one: "path": ${JSON.stringify(first)}.`
  return failed(document, `${result.error} ${places}`)
}

/**
 * Conditions on the records that have everything the question names. If records of the main list lack some of it, and one other place of
 * the document has all, that place is meant.
 */
export function whereAllIs(step: PipelineStep): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const asked = params as Record<string, unknown>
      const result = step.process(document, params)
      if (['path', 'join_on'].some((name) => isGiven(params, name))) return result
      const others = NAMING.flatMap((name) => fieldsNamed(asked[name]))
      if (others.length === 0) return result
      const names = [...conditionFields(asked.where), ...others]
      const records = document.json() === undefined ? undefined : recordsOf(document)
      const isHere = records && result.error === undefined && names.every(knowing(records))
      const place = isHere ? undefined : onlyPlaceWith(document, names)
      const found = place && step.process(fromTable('record', place.records.table), params)
      if (!place || !found || found.error !== undefined || found.metadata.matched === 0) return result
      const said = `Only \`${place.path}\` has ${listed([...new Set(names)])}, so the records there were asked.`
      return withNotes(found, [said], 'before')
    },
  }
}

/** Parameters that name fields of what is asked of. */
const NAMING = ['fields', 'sort', 'group_by', 'aggregate']
/** The parameters that order, group and compute. */
const OF_VALUES = ['group_by', 'aggregate', 'sort']

/** The fields in a list of conditions. */
export function conditionFields(texts: unknown): string[] {
  if (!Array.isArray(texts)) return []
  return texts.flatMap((text: unknown) => fieldsOf(String(text)))
}

/** The fields in a list of expressions, orders and aggregates. */
export function fieldsNamed(texts: unknown): string[] {
  if (!Array.isArray(texts)) return []
  const names = texts.flatMap((text: unknown) => {
    const plain = String(text).replace(/^\s*[-+]\s*(?=\p{L})|(?:\s+|:)(?:asc|desc|\w{3,12})$/giu, '')
    const named = safely(() => parseNamed(/\sas\s/i.test(String(text)) ? String(text) : plain))
    return named ? fieldsIn(named.expression) : []
  })
  return [...new Set(names)].filter((name) => !/^(?:count|\*|)$/i.test(name))
}

/** The fields that a question names in its conditions and in these parameters. */
export function namedIn(
  asked: Readonly<Record<string, unknown>>,
  places: readonly string[] = ['sort', 'group_by', 'aggregate', 'fields'],
): string[] {
  return [...conditionFields(asked.where), ...places.flatMap((name) => fieldsNamed(asked[name]))]
}

/** A step that says how many records are nested in those it was about, or lie beside them, where no other step chose some of them. */
export function tellingOfNested(step: PipelineStep, others: readonly string[]): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const result = step.process(document, params)
      if (!result.applied || result.error !== undefined || others.some((name) => isGiven(params, name)))
        return result
      const records = document.json() === undefined ? undefined : recordsOf(document)
      const told = records
        ? [
            ...nestedMatches(document, records, every, records.values.length),
            ...siblingMatches(document, records, every),
          ]
        : []
      return told.length === 0 ? result : withNotes(result, told)
    },
  }
}

/** True for a question about values of records, without a path: where they are a tree, all of its nodes are meant. */
export function asksOfNodes({ path, where, group_by, aggregate, sort }: Asked): boolean {
  const asks = [where, group_by, aggregate, sort].some((list) => list !== undefined && list.length > 0)
  return asks && (path === undefined || path.trim() === '')
}

/**
 * The nodes of a tree at all levels in the place of the list that is asked. If a path to nodes reaches only a part of a list, the
 * question is about the list. `answer` (the steps behind this one) then says what all levels give for sums and groups.
 * The document as it is where it
 * holds no tree.
 */
export function withNodes(
  document: Document,
  asked: Asked,
  answer: (nodes: Document) => Document | undefined,
): ProcessorResult {
  if (document.json() !== undefined && !document.records()) return ofSmallMap(document, asked)
  const tree = nodesOf(document)
  if (!tree || asksOfNested(asked, tree.path)) return unchanged(document)
  const { table, path, whole, outer } = tree
  const content = placed(fromTable('record', table), table.provenance)
  const names = namedIn({ ...asked }, OF_VALUES)
  const records = requireRecords(document, 'ask')
  if (!whole && names.every((name) => isExactly(records, name))) {
    const told = asked.where && !asked.group_by && !asked.aggregate ? undefined : answer(content)
    const notes = told ? ofAllLevels(told, table.count, asked) : []
    return applied(document, { notes })
  }
  const isKnown = names.every(knowing(requireRecords(content, 'ask')))
  if (!isKnown && (!whole || placesNaming(document, names).length > 0)) return unchanged(document)
  const own = document.records()?.path ?? '$'
  const nodes = `Asked of all ${formatCount(table.count)} nodes of the tree${whole ? `, "path": ${JSON.stringify(path)}` : ''}`
  const note = `${nodes}; the ${formatCount(outer)} at the top alone: "path": ${JSON.stringify(own)}.`
  return applied(content, { notes: [note] })
}

/** Where nothing is a list or a large map: the values of the small map that has the fields in question. Maps in one map are one. */
function ofSmallMap(document: Document, asked: Asked): ProcessorResult {
  const names = namedIn({ ...asked }, OF_VALUES).filter((name) => name !== '_key')
  const all = smallMapsOf(document.json() ?? null)
  const maps = all.filter(({ value }) => {
    const fields = fieldNames(Object.values(value))
    return names.every((name) => fields.has(/^[^.[]+/.exec(name)?.[0] ?? name))
  })
  const [only, another] = maps
  if (!only) return unchanged(document)
  // Maps at the root are parts of the result, each with a meaning of its own.
  const outer = outerPath(only.path)
  const beside = outer === outerPath('$') ? [] : all.filter(({ path }) => outerPath(path) === outer)
  if (beside.length > 1 && maps.every((map) => beside.includes(map))) return ofMapsBeside(document, outer)
  if (!another) {
    const items = entriesOf(only.value)
    const content = placed(fromRows({ noun: 'record', items }), {
      path: only.path,
      keys: Object.keys(only.value),
    })
    const note = `\`${only.path}\` was read as a map: its ${formatCount(items.length)} values are the records, with their key in \`_key\`.`
    return applied(content, { notes: [note] })
  }
  const places = maps.map(({ path }) => path)
  return failed(
    document,
    `Nothing in this result is a list. Several small maps have such values: ${listed(places)}. Name one: "path": ${JSON.stringify(only.path)}.`,
  )
}

const outerPath = (path: string): string => formatPath(parsePath(path).slice(0, -1))

/** The objects in the maps of one map, as the operations of each path of an OpenAPI document: `_key` has their key, `_map` that of their map. */
function ofMapsBeside(document: Document, outer: string): ProcessorResult {
  const found = valuesAt(document.json() ?? null, parsePath(outer))
  const [map] = found
  if (!isObject(map ?? null)) return unchanged(document)
  const items = Object.entries(map as JsonObject).flatMap(([name, inner]) =>
    isObject(inner)
      ? entriesOf(inner)
          .filter(isObject)
          .map((entry) => withField('_map', name, entry))
      : [],
  )
  const content = placed(fromRows({ noun: 'record', items }), { path: outer, keys: [], scattered: true })
  const note = `The maps in \`${outer}\` were read as one: their ${formatCount(items.length)} values are the records, with their key in \`_key\` and that of their map in \`_map\`.`
  return applied(content, { notes: [note] })
}

/** Rows of an answer that a remark tells, and characters of them. */
const MOST_ROWS_TOLD = 8
const MOST_TOLD = 400

/** One remark, or none where that is long: what all nodes of a tree answer; of their order the first. */
function ofAllLevels(answer: Document, count: number, { group_by, aggregate }: Asked): string[] {
  const { items } = answer.rows()
  const rows = [...items].slice(0, group_by || aggregate ? MOST_ROWS_TOLD + 1 : 1)
  const told = rows.map((row) => JSON.stringify(row)).join(', ')
  if (rows.length > MOST_ROWS_TOLD || told.length > MOST_TOLD) return []
  const first = group_by || aggregate ? '' : ' the first is'
  return [`Of all ${formatCount(count)} nodes of the tree${first}: ${told}.`]
}

/**
 * True where a question names the list that the nodes are nested in. Then the question is about the records that have such a list, and
 * about its content.
 */
function asksOfNested({ where, group_by, aggregate, sort }: Asked, path: string): boolean {
  const list = /([\p{L}\p{N}_-]+)(?:\[\*\]|\.\*)?$/u.exec(path)?.[1]
  if (list === undefined) return false
  const named = new RegExp(`(?<![\\p{L}\\p{N}_])${literal(list)}\\s*(?:\\[|\\.)`, 'u')
  return [where, group_by, aggregate, sort].some((texts) => texts?.some((text) => named.test(text)))
}

const every: Matcher = (records) => new Uint8Array(records.length).fill(1)

function isGiven(params: unknown, name: string): boolean {
  const held = isObject(params as JsonValue) ? (params as Record<string, unknown>)[name] : undefined
  return Array.isArray(held) ? held.length > 0 : held !== undefined && held !== null
}
