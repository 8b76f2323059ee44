/** Conditions about the elements of a list choose whole records, and a question about these is over all of their elements. This says so. */
import { abridge } from '../../documents/abridge.ts'
import type { Document } from '../../documents/document.ts'
import { fromRows } from '../../documents/opening/made.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { bind } from '../../query/conditions/evaluate.ts'
import { resolveField } from '../../query/fields/fields.ts'
import { isOn, listAround, listName, listOn, within } from '../../query/fields/lists.ts'
import { formatPath, type Path, parsePath } from '../../query/fields/path.ts'
import { type Records, recordsOf } from '../../query/fields/records.ts'
import { fieldsOf, parseCondition } from '../../query/language/parser.ts'
import { type Expression, literalsIn, mapped, partsOf, sourceOf } from '../../query/language/tree.ts'
import { listed, safely } from '../../query/refusal.ts'
import { newWork } from '../../query/work.ts'
import { formatCount } from '../../text/format.ts'
import type { Asked } from '../parameters.ts'
import type { PipelineStep } from '../pipeline.ts'
import { withNotes } from '../step.ts'
import { aggregate, type Call, parseCall } from '../steps/group.ts'
import { projection } from '../steps/projection.ts'
import { select } from '../steps/select.ts'
import { unnested } from '../steps/unnest.ts'
import { where } from '../steps/where.ts'

/** Says where a function is over all elements of a list although a condition was about some of them: it chose whole records. */
export function strayElements(
  document: Document,
  { where: conditions = [], aggregate: calls = [], group_by: keys = [] }: Asked,
): string[] {
  const records = recordsOf(document)
  if (!records) return []
  const { parts, lists, found, areOf } = reading(records, conditions)
  const onList = (written: string, name: string | undefined): { written: string; name: string }[] => {
    const path = name === undefined ? undefined : found(name)
    const list = path && lists.find((one) => isOn(one, path))
    return list ? [{ written, name: listName(list) }] : []
  }
  const over = [
    ...calls.flatMap((written) => onList(written, callOf(written)?.field)),
    ...keys.flatMap((key) => onList(key, key)),
  ]
  const [first] = over
  if (!first) return []
  const said = `${listed(over.map(({ written }) => written))} is over all \`${first.name}\` of the records that match;`
  // The others chose these records already.
  const about = parts.filter(areOf(first.name))
  const asked = { list: first.name, conditions: about, calls, keys }
  const alone = ofElementsAlone(document, asked, about.length === parts.length)
  return [
    alone === undefined
      ? `${said} for those elements alone that fulfil the condition, set \`path\` to \`${first.name}[*]\`.`
      : `${said} over those elements alone that fulfil the condition: ${alone.told}, as with ${alone.how}.`,
  ]
}

/**
 * Where records are counted, or none is found, by a condition about the objects in one of their lists: how many of these fulfil it. `document`: all records,
 * for a negative condition is fulfilled by elements of others, too. `matching`: the records that match.
 */
export function countedElements(
  document: Document,
  { where: conditions = [], aggregate: functions = [], group_by: keys = [] }: Asked,
  matching: Document,
): string[] {
  const matched = matching.rows().count
  // Where no record matches, this is the answer to any question.
  const calls = functions.length === 0 && (matched === 0 || keys.length > 0) ? ['count'] : functions
  const [call, another] = calls
  if (another !== undefined || !/^count(?:\(\s*\*?\s*\))?$/i.test(call?.trim() ?? '')) return []
  const records = recordsOf(document)
  if (!records) return []
  const { parts, lists, listOf, areOf } = reading(records, conditions)
  const [list, ...others] = new Set(lists.map(listName))
  // Keys in the list are groups of all of its elements, of which `strayElements` tells.
  if (list === undefined || others.length > 0 || keys.some((key) => listOf(key) !== undefined)) return []
  const about = parts.filter(areOf(list))
  const beside = parts.filter(areOf(undefined))
  if (about.length === 0 || about.length + beside.length < parts.length) return []
  const isNegative = about.some((condition) => safely(() => asksForAbsence(parseCondition(condition))))
  const from = isNegative && beside.length > 0 ? where.process(document, { where: beside }).content : document
  const asked = { list, conditions: about, calls, keys }
  const alone = ofElementsAlone(isNegative ? from : matching, asked, beside.length === 0)
  // Conditions that no single element fulfils were fulfilled by several in a record.
  const isTold = alone && alone.count !== matched && (isNegative || matched === 0 || alone.count > 0)
  return !isTold
    ? []
    : [
        isNegative
          ? `These are records in which every element of \`${list}\` fulfils the condition, or that have none. Of the elements of all records that fulfil the condition: ${alone.told}, ${alone.how}.`
          : `These are records; of the elements of their \`${list}\` that fulfil the condition: ${alone.told}, ${alone.how}.`,
      ]
}

/** Conditions one by one, and the lists in the records that the fields in them are in. */
function reading(records: Records, conditions: readonly string[]) {
  const wanted = conditions.flatMap((condition) => safely(() => literalsIn(parseCondition(condition))) ?? [])
  // Which field is meant can depend on the values that it is compared with.
  const found = (name: string): Path | undefined =>
    safely(() => ownerOfPair(resolveField(records, name, wanted).path))
  const listOf = (name: string): Path | undefined => {
    const path = found(name)
    return path && listAround(records, path)
  }
  /** Tells whether all fields of a condition are in this list; of undefined, in none. */
  const areOf = (list: string | undefined) => (condition: string) =>
    fieldsOf(condition)
      .map(listOf)
      .every((one) => (one && listName(one)) === list)
  const lists = conditions
    .flatMap(fieldsOf)
    .map(listOf)
    .filter((list) => list !== undefined)
  return { parts: conditions.flatMap(singles), lists, found, listOf, areOf }
}

/** True for a condition that elements of a record fulfil although the record does not: `role != lead`, `email is null`. */
function asksForAbsence(condition: Expression): boolean {
  if (condition.kind === 'not') return true
  if (condition.kind !== 'comparison') return partsOf(condition).some(asksForAbsence)
  const { negated, operator, operands } = condition
  const isNull = operands.some((one) => one.kind === 'literal' && /^(?:null|none|nil)$/i.test(one.text))
  return negated || isNull || /^is (?:null|empty)$/.test(operator)
}

/** A question about the elements of a list that fulfil conditions. */
interface OfElements {
  readonly list: string
  readonly conditions: readonly string[]
  readonly calls: readonly string[]
  readonly keys: readonly string[]
}

/** The values of functions over elements, how many of these there are, and how one asks for them. */
interface Alone {
  readonly told: string
  readonly count: number
  readonly how: string
}

/**
 * The functions over the elements of a list in these records that fulfil the conditions. `isAll`: these are all of the conditions, so that
 * the elements can be asked without their records.
 */
function ofElementsAlone(document: Document, asked: OfElements, isAll: boolean): Alone | undefined {
  const { list, conditions, calls, keys } = asked
  const elements = elementsIn(document, list, conditions)
  if (!elements) return undefined
  const isAlone = !comparedOutside(document, list, conditions)
  const unnesting = `\`unnest(${list})\` in the condition`
  const fields = [...keys, ...calls.flatMap((written) => callOf(written)?.field ?? [])]
  const inside = new Map(fields.map((field) => [field, elements.nameOf(field)]))
  if (!isAlone || [...inside.values()].includes(undefined))
    return besideTheirRecords(document, asked, unnesting)
  const named = (field: string): string => inside.get(field) ?? field
  const within = calls.map((written) => {
    const field = callOf(written)?.field
    return field === undefined ? written : written.replace(field, () => named(field))
  })
  const how = isAll ? `"path": "${list}[*]"` : unnesting
  return answerOf(elements.chosen, { calls: within, keys: keys.map(named) }, how)
}

/** True where a condition compares the elements of a list with a field of the records that they are in. */
function comparedOutside(document: Document, list: string, conditions: readonly string[]): boolean {
  const records = recordsOf(document)
  const binding = records && safely(() => bind(conditions, records))
  return binding?.comparisons.some(({ other }) => other && !isOn(parsePath(list), other.path)) === true
}

/** The same where a condition, a function or a key is about the records that the elements are in. */
function besideTheirRecords(document: Document, asked: OfElements, how: string): Alone | undefined {
  const records = recordsOf(document)
  const rows = records && safely(() => unnested(records, [asked.list], newWork(MOST_UNNESTED)))
  const chosen = rows && where.process(rows, { where: [...asked.conditions] })
  return chosen?.error === undefined && chosen ? answerOf(chosen.content, asked, how) : undefined
}

function answerOf(
  chosen: Document,
  { calls, keys }: Pick<OfElements, 'calls' | 'keys'>,
  how: string,
): Alone | undefined {
  const made = aggregate.process(chosen, { group_by: [...keys], aggregate: [...calls] })
  const { items } = made.error === undefined ? made.content.rows() : { items: [] }
  if (items.length === 0) return undefined
  const told = keys.length === 0 ? JSON.stringify(items[0]) : groupsTold(items)
  return { told, count: chosen.rows().count, how }
}

/** The first groups: `web: 4, api: 2, … 3 more` where each has one key and one value. */
function groupsTold(groups: readonly JsonValue[]): string {
  const shown: string[] = []
  let room = LONGEST_SHOWN
  for (const group of groups.slice(0, MOST_SHOWN)) {
    const [key, value, ...more] = isObject(group) ? Object.values(group) : []
    if (value === undefined || more.length > 0 || typeof key === 'object' || typeof value === 'object')
      return abridge(groups.slice(0, MOST_SHOWN), LONGEST_SHOWN)
    const told = `${key}: ${value}`
    room -= told.length
    if (room < 0) break
    shown.push(told)
  }
  const left = groups.length - shown.length
  return [...shown, ...(left > 0 ? [`… ${formatCount(left)} more`] : [])].join(', ')
}

/** The list of pairs, of a path to the value of one of them: it belongs to the element that has the list. */
function ownerOfPair(path: Path): Path {
  const pair = path.findIndex(({ selectors: [only] }) => only?.kind === 'filter')
  return pair < 0 ? path : path.slice(0, pair)
}

/** Records of which the elements are asked by themselves: a remark must not take the time of the answer. */
const MOST_RECORDS = 100_000

interface Elements {
  readonly all: Document
  /** The ones that fulfil the conditions. */
  readonly chosen: Document
  /** The name within an element of a field that is named from the record; undefined for a field of the record itself. */
  nameOf(field: string): string | undefined
}

/** The elements of a list in these records. Undefined where the conditions do not fit them. */
function elementsIn(document: Document, list: string, conditions: readonly string[]): Elements | undefined {
  const records = recordsOf(document)
  if (conditions.length === 0 || !records || records.values.length > MOST_RECORDS) return undefined
  const names = parsePath(list)
  const steps = names.map((segment, at) => {
    const isList = listOn(records, names.slice(0, at + 1))?.length === at + 1
    const name = formatPath([segment])
    return `${name.startsWith('[') ? '' : '.'}${name}${isList ? '[*]' : ''}`
  })
  const rows = fromRows({ noun: 'record', items: document.rows().items })
  const elements = select.process(rows, { path: `$[*]${steps.join('')}` })
  if (elements.error !== undefined) return undefined
  const nameOf = (field: string): string | undefined => {
    const inner = safely(() => within(names, resolveField(records, field).path))
    return inner === undefined || inner.length === 0 ? undefined : formatPath(inner)
  }
  const inside = conditions.map((condition) =>
    sourceOf(
      mapped(parseCondition(condition), (one) =>
        one.kind === 'field' ? { kind: 'field', name: nameOf(one.name) ?? one.name } : undefined,
      ),
    ),
  )
  // As it is written first: which of the fields of a name is meant can depend on the value. But `children.ro` is of the children, although
  // these may have children themselves.
  const isOfList = conditions.flatMap(fieldsOf).some((name) => name.startsWith(`${list}.`))
  const [first, second] = isOfList ? [inside, conditions] : [conditions, inside]
  const before = where.process(elements.content, { where: [...first] })
  const chosen = before.error === undefined ? before : where.process(elements.content, { where: [...second] })
  return chosen.error === undefined ? { all: elements.content, chosen: chosen.content, nameOf } : undefined
}

/** Steps on the way to the elements of a list for a remark. */
const MOST_UNNESTED = 100_000

/** Elements that are shown in a remark, and its characters. */
const MOST_SHOWN = 10
const LONGEST_SHOWN = 400

/** `fields`; where they show all elements of a list although conditions chose records by some of them, it says by which. */
export function tellingElements(step: PipelineStep): PipelineStep {
  return {
    ...step,
    process(document, asked) {
      const made = step.process(document, asked)
      const note = made.error === undefined ? shownElements(document, asked as Asked) : undefined
      return note === undefined ? made : withNotes(made, [note])
    },
  }
}

function shownElements(
  document: Document,
  { where: conditions = [], fields = [], mode, group_by, aggregate: calls }: Asked,
): string | undefined {
  if (conditions.length === 0 || fields.length === 0 || mode === 'exclude' || group_by || calls)
    return undefined
  const records = recordsOf(document)
  if (!records) return undefined
  const found = (name: string): Path | undefined => safely(() => resolveField(records, name).path)
  const shown = fields.flatMap((name) => {
    const path = found(name)
    const list = path && listOn(records, path)
    return list && list.length > 0 && list.length < (path?.length ?? 0) ? [{ name, list }] : []
  })
  const names = conditions.flatMap(fieldsOf)
  const [deepest] = shown
    .filter(({ list }) => names.length > 0 && names.every((name) => isOn(list, found(name) ?? [])))
    .sort((one, other) => other.list.length - one.list.length)
  if (!deepest) return undefined
  const list = listName(deepest.list)
  const elements = elementsIn(document, list, conditions)
  if (!elements || elements.chosen.rows().count === elements.all.rows().count) return undefined
  const inside = shown
    .filter((one) => listName(one.list) === list)
    .map(({ name }) => elements.nameOf(name) ?? name)
  const { content, error } = projection.process(elements.chosen, { fields: inside, mode: 'include' })
  const { items, count } = content.rows()
  if (error !== undefined || count === 0) return undefined
  const told = abridge(items.slice(0, MOST_SHOWN), LONGEST_SHOWN)
  return `\`${list}\` is shown whole. Of its ${formatCount(elements.all.rows().count)} elements ${formatCount(count)} ${count === 1 ? 'fulfils' : 'fulfil'} the condition: ${told}, "path": "${list}[*]".`
}

function callOf(written: string): Call | undefined {
  return safely(() => parseCall(written))
}

/** The conditions that all have to hold, each by itself. */
function singles(condition: string): string[] {
  const parsed = safely(() => parseCondition(condition))
  return parsed?.kind === 'and' ? parsed.parts.map(sourceOf) : [condition]
}
