/**
 * From the name of a field, as a model writes it, to the field that is meant. The steps of one ladder lead from the exact name to a slip
 * of the pen.
 */

import type { Column } from '../../documents/columns/column.ts'
import { groupsOf, sentAs } from '../../documents/columns/columnar.ts'
import { withoutTypes } from '../../documents/columns/encodings.ts'
import { toJson } from '../../documents/json/stringify.ts'
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { type Calendar, onClock, parseDate } from '../../text/values/dates.ts'
import { looseNumber } from '../../text/values/quantities.ts'
import { bareName, wordsInName } from '../../text/words/bare-name.ts'
import { nearest } from '../../text/words/edit-distance.ts'
import { aggregateNamed } from '../language/aggregates.ts'
import { compile, type Evaluate, halvesOf, Many, plain, type Result } from '../language/compile.ts'
import { functionNamed, functionOfList, isChoice, takesLists, useOf } from '../language/functions.ts'
import { type Knows, parseComputed, parseCondition } from '../language/parser.ts'
import {
  comparing,
  type Expression,
  fieldsIn,
  mapParts,
  mapped,
  partsOf,
  sourceOf,
} from '../language/tree.ts'
import { listed, Refusal, safely, shown, UnknownField } from '../refusal.ts'
import { newWork, type Work } from '../work.ts'
import { alike, type Candidates, shallowest, singular, typo } from './alike.ts'
import { Amounts, nameOfTimes, unitOfTimes } from './amounts.ts'
import {
  eitherWithin,
  holdsObjects,
  listWithin,
  nameWithin,
  numberWithin,
  typedWithin,
} from './inner-fields.ts'
import { listOfAll, listOn, within } from './lists.ts'
import { NAMES_OF_LINES } from './own-lines.ts'
import {
  firstName,
  formatPath,
  isEach,
  named,
  nameOf,
  namesOn,
  type Path,
  parsePath,
  pathKey,
  type Segment,
  withinEach,
  withinValue,
} from './path.ts'
import { calendarOf, columnOf, holdsTextsAlone, zoneRemark } from './reader.ts'
import type { Field, Records } from './records.ts'
import { letterRemark, otherCases, strictnessOf } from './strictness.ts'
import { readValues, valuesAt } from './walk.ts'

/** The field that a path leads to, as it is called. */
export function fieldAt(path: Path): Field {
  return { name: path.length === 0 ? '@' : formatPath(path), path }
}

/** The field called `name`, with the note that it was taken for what was written. */
export function readAs(written: string, name: string, more = ''): Field {
  const path = parsePath(name)
  const read = formatPath(path)
  if (read === written && more === '') return fieldAt(path)
  return { name: read, path, note: `\`${written}\` read as \`${read}\`.${more}` }
}

// ---- The ladder ---------------------------------------------------------------------------------------------------

/** The wanted name, as it was written and as a path. */
interface Sought {
  records: Records
  /** Shortened, for messages. */
  written: string
  path: Path
  /** Within a record, where it was written from the root. */
  below: Path
  /** With colons as dots; undefined when it has none. */
  colons: Path | undefined
  /** Values of which the field is to have one, where several are called so. */
  wanted: readonly string[]
}

/** One way to read a name, tried when none before it found a field. */
export interface Rung {
  name: string
  /** A question of the recorded corpus that is answered as it is for this rung alone. */
  mends: string
  find(sought: Sought): Field | undefined
}

export const LADDER: readonly Rung[] = [
  {
    name: 'a pair in a list: `Tags.Name`, `Tags:Name`',
    mends: '08362f4f',
    find: ({ records, colons, below, written }) =>
      (colons && pair(records, colons, written)) ?? pair(records, below, written),
  },
  {
    name: 'another case, `_` and `-` aside, levels left out',
    mends: '602ae51d',
    find: ({ records, below, written, wanted }) => spelledAlike(records, below, written, wanted),
  },
  {
    name: 'names before it dropped: `issues.state`',
    mends: '365e84bd',
    find: ({ records, below, written }) => shortened(records, below, written),
  },
  {
    name: 'the key of a pair in the only list that has such',
    mends: '6aec7c3d',
    find: ({ records, below, written }) => pairAnywhere(records, below, written),
  },
  {
    name: 'another word for it, or a slip of the pen',
    mends: 'ac5b7890',
    find: ({ records, below, written, wanted }) => otherWord(records, below, written, wanted),
  },
  {
    name: 'the record itself, which has no fields',
    mends: '179d2a69',
    find: ({ records, path, written }) =>
      records.names().size === 0 && isItself(records, path)
        ? {
            name: '@',
            path: [],
            note: `The records are values without fields: \`${written}\` read as the value itself.`,
          }
        : linesOf(records, formatPath(path)),
  },
  {
    name: 'the number behind a word in a text: `took` of "request took 12ms"',
    mends: 'f49ff19d',
    find: ({ records, written }) => numberBehind(records, written),
  },
]

/** Records looked at for a word, the least share of records with it, and of those with digits behind it: others have ids there. */
const MOST_READ = 500
const LEAST_SHARE = 0.03
const LEAST_AMOUNTS = 0.8
const AMOUNT = String.raw`(-?\d+(?:[.,]\d+)*(?:%| ?(?:ns|us|µs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?|[kKMGT]?i?B|bytes)\b)?)`
/** The end of an amount: the beginning of a date, a clock or an id is none. */
const ENDED = String.raw`(?:$|[^\w.,:/-]|[.,:](?:\D|$)|-(?:\W|$)|/(?:\D|\d+(?:[^\d/]|$)))`

/** The amounts that stand behind a word in one text of entries that were lines. Undefined where no text, or more than one, has such. */
function numberBehind(records: Records, word: string): Field | undefined {
  if (!records.lines || !/^[a-z]{3,20}$/i.test(word)) return undefined
  const source = String.raw`\b${word}[ :=]+${AMOUNT}${ENDED}`
  const pattern = new RegExp(source, 'i')
  const digits = new RegExp(String.raw`\b${word}[ :=]+\S{0,20}\d`, 'i')
  const some = records.whole.slice(0, MOST_READ)
  const texts = [...records.names().keys()].filter((name) => {
    const told = some.flatMap((record) => {
      const text = isObject(record) ? own(record, name) : undefined
      return typeof text === 'string' && digits.test(text.slice(0, LONGEST_READ)) ? text : []
    })
    const amounts = told.filter((text) => pattern.test(text.slice(0, LONGEST_READ))).length
    return amounts >= Math.max(2, some.length * LEAST_SHARE) && amounts >= told.length * LEAST_AMOUNTS
  })
  const [text, another] = texts
  if (text === undefined || another !== undefined) return undefined
  const args: Expression[] = [
    { kind: 'field', name: text },
    { kind: 'literal', text: `(?i)${source}`, quoted: true },
  ]
  const field = computedField(records, { kind: 'call', name: 'extract', args }, word)
  return { ...field, note: `\`${word}\` is no field: read as the number behind it in \`${text}\`.` }
}

/** Characters of a text in which a word is looked for. */
const LONGEST_READ = 2_000

/**
 * The field that a name means, or what an expression computes (`price * quantity`, `lower(title)`). The exact name comes first, within a
 * record (a key with dots included) or from the root (`items[].name`). Then come the rungs of the ladder. Of several that fit, the
 * one that has one of the values `wanted`. Throws a `Refusal` with the nearest names and some of their values.
 */
export function resolveField(records: Records, reference: string, wanted: readonly string[] = []): Field {
  const exact = exactly(records, reference)
  if (exact) return exact
  const knows = knowing(records)
  const expression = parseComputed(reference, {
    knows: (name) => knows(name) ?? (reference.includes('(') && UNIT.test(name) ? 'nearly' : undefined),
    exactly: (name) => isExactly(records, name),
    isField: true,
    note: () => undefined,
  })
  const value = expression ?? conditionIn(records, reference)
  return value ? computedField(records, value, reference.trim()) : resolveName(records, reference, wanted)
}

/** Whether a condition on known fields holds, as a value: `year % 4 = 0`. Undefined for all else. */
function conditionIn(records: Records, reference: string): Expression | undefined {
  if (!/[<>=]|\s(?:is|in|like|between)\s/i.test(reference)) return undefined
  const value = (text: string): Expression => ({ kind: 'literal', text, quoted: false })
  const exactly = (name: string): boolean => isExactly(records, name)
  const names = { knows: knowing(records), exactly, note: () => undefined }
  const when = safely(() => parseCondition(reference, names))
  const fields = when ? fieldsIn(when) : []
  if (when === undefined || fields.length === 0 || !fields.every(exactly)) return undefined
  return { kind: 'case', branches: [{ when, value: value('true') }], otherwise: value('false') }
}

/** Like `resolveField`, without computed fields. */
export function resolveName(records: Records, reference: string, wanted: readonly string[] = []): Field {
  const exact = exactly(records, reference)
  if (exact) return exact
  const written = shown(reference)
  const plain = withoutOtherMarks(reference)
  const path = parsePath(plain)
  if (records.whole.length === 0) return fieldAt(path)
  // Where a condition chooses none of the elements that are there, the field has none.
  const choice = path.findIndex(({ selectors: [first] }) => first?.kind === 'filter')
  if (choice > 0 && reaches(records, path.slice(0, choice)))
    return { ...fieldAt(path), name: reference.trim() }
  const sought: Sought = {
    records,
    written,
    path,
    below: withoutRoot(records, path) ?? path,
    colons: reference.includes(':') ? parsePath(plain.replaceAll(':', '.')) : undefined,
    wanted,
  }
  for (const { find } of LADDER) {
    const found = find(sought)
    if (found && !losesOperator(reference, found.name)) return atSamePlaces(records, found, sought.below)
  }
  const part = unknownPart(records, reference)
  throw new UnknownField(unknown(records, part === undefined ? written : shown(part)))
}

/** True where `net * 2` would be read as `net`, or `files[?big]` as `files`: what is left out changes the answer. */
function losesOperator(reference: string, name: string): boolean {
  const operators = (text: string): number => text.match(/\s[-+*/%]\s|\[\?/g)?.length ?? 0
  return operators(reference) > operators(name)
}

/**
 * The field with the positions in lists that were asked for: `geometry.coordinates[0]` for `coordinates[0]`. A name is found without them,
 * and a text has none.
 */
function atSamePlaces(records: Records, field: Field, asked: Path): Field {
  const path = [...field.path]
  let isPlaced = false
  for (const [at, segment] of asked.entries()) {
    const [place, ...others] = segment.selectors
    const owner = nameIn(asked[at - 1])
    if (others.length > 0 || owner === undefined || (place?.kind !== 'index' && place?.kind !== 'slice'))
      continue
    const found = path.findLastIndex((one) => nameIn(one)?.toLowerCase() === owner.toLowerCase())
    if (found < 0 || !holdsLists(records, path.slice(0, found + 1))) return field
    path.splice(found + 1, isEach(path[found + 1]) ? 1 : 0, segment)
    isPlaced = true
  }
  if (!isPlaced) return field
  const name = formatPath(path)
  return {
    ...field,
    name,
    path,
    ...(field.note && { note: field.note.replace(`\`${field.name}\``, `\`${name}\``) }),
  }
}

/** True when some record has a list there. */
function holdsLists(records: Records, path: Path): boolean {
  const work = newWork()
  return records.whole.some((record) => valuesAt(record, path, work).some(Array.isArray))
}

function nameIn(segment: Path[number] | undefined): string | undefined {
  const [only, ...others] = segment?.selectors ?? []
  return only?.kind === 'name' && others.length === 0 ? only.name : undefined
}

function exactly(records: Records, reference: string): Field | undefined {
  // A heading may end with a dot: `Qty.`.
  const whole = formatPath([named(reference)])
  if (reference.endsWith('.') && records.names().has(whole)) return fieldAt(parsePath(whole))
  return (
    exactPath(records, reference) ??
    exactPath(records, withoutOtherMarks(reference)) ??
    // A name that is no path: `sum(row[3])`.
    records.named.get(reference.trim().toLowerCase()) ??
    inRow(records, reference) ??
    inGroup(records, reference) ??
    withoutItsTypes(records, reference)
  )
}

/** `dimension_values[1].value` of a report, where the cells of its groups are fields under their names. */
function inGroup(records: Records, reference: string): Field | undefined {
  const groups = groupsOf(records.whole)
  const path = groups && safely(() => parsePath(reference))
  const [group, place, value, more] = path ? (withoutRoot(records, path) ?? path) : []
  const [cell] = place?.selectors ?? []
  if (more || cell?.kind !== 'index' || (value && nameIn(value) !== 'value')) return undefined
  const name = groups?.get(nameIn(group) ?? '')?.at(cell.index)
  return name === undefined ? undefined : readAs(reference, formatPath([named(name)]))
}

/** `author.M.name.S` as its server sent it, where values have no types around them any more. */
function withoutItsTypes(records: Records, reference: string): Field | undefined {
  const plain = withoutTypes(reference)
  const field = plain === reference ? undefined : exactPath(records, plain)
  return field && readAs(reference, field.name)
}

const CELL = /^[@$]?\.?(?:row)?\[(\d+)\]((?:[.[].*)?)$/

/** `[1]`, or `row[1].name`, of a record that its server sent as a row of cells. Also `[1]` of a point, which was a pair of a time and a value. */
function inRow({ whole, values: [first] }: Records, reference: string): Field | undefined {
  const sent = sentAs(whole)
  const [, cell, rest = ''] = Array.isArray(sent) ? (CELL.exec(reference.trim()) ?? []) : []
  const name = cell === undefined ? undefined : sent?.[Number(cell)]
  if (name !== undefined) return readAs(reference, formatPath([named(name)]) + rest)
  const place = /^[@$]?(?:\[([01])\]|([01]))$/.exec(reference.trim())
  const names = place && isObject(first) ? Object.keys(first).slice(0, 2) : []
  if (names[0] !== 'time' || names[1] !== 'value') return undefined
  return readAs(reference, names[Number(place?.[1] ?? place?.[2])] ?? '')
}

/** The field at a path; none where the text is no path, as `split(file, '.', 1)`. */
export function exactPath(records: Records, text: string): Field | undefined {
  return safely(() => resolveExactly(records, parsePath(text)))
}

/** Of an expression, the first name in it that is no field. */
function unknownPart(records: Records, reference: string): string | undefined {
  const knows = knowing(records)
  const expression = parseComputed(reference)
  return expression && fieldsIn(expression).find((name) => knows(name) === undefined)
}

/** How well each name is known as a field of the records; what is computed is none. Remembers, for a condition is cut in many ways. */
export function knowing(records: Records): Knows {
  return (name) => {
    if (name === '' || name.length > 200) return undefined
    return records.table.derived(`knows ${name}`, () => lookedUp(records, name))
  }
}

/** Whether a name is a field of the records as it is written. Remembers. */
export function isExactly(records: Records, name: string): boolean {
  if (name === '' || name.length > 200 || records.whole.length === 0) return false
  const isField = (): boolean => {
    const path = parsePath(name)
    if (path.length === 0) return name === '@' || name === '$' || name === '.'
    return resolveExactly(records, path) !== undefined
  }
  return records.table.derived(`exactly ${name}`, () => safely(isField) ?? false)
}

function lookedUp(records: Records, name: string): ReturnType<Knows> {
  if (records.whole.length === 0) return undefined
  if (isExactly(records, name)) return 'exactly'
  const found = safely(() => resolveName(records, name))
  if (found === undefined) return undefined
  const isWithin = firstName(found.path.at(-1))?.toLowerCase() === name.toLowerCase()
  return isWithin || endsIn(found, name) ? 'within' : 'nearly'
}

/** True where a field is called so, with names of what is around it before. */
function endsIn(field: Field, name: string): boolean {
  const plain = (text: string): string => text.replaceAll('[*]', '').toLowerCase()
  return plain(field.name).endsWith(`.${plain(name)}`)
}

/** The field that a name means without a change in it, but for what is left out before: `fields.created` for `created`. */
export function calledWithin(records: Records, name: string): Field | undefined {
  const exact = exactPath(records, name)
  if (exact || name === '' || name.length > 200) return exact
  const found = safely(() => resolveName(records, name))
  return found && endsIn(found, name) ? found : undefined
}

/**
 * The value that an expression computes of each record, as a field with a path of one step. It computes one value for each element where
 * all its fields are in one list within the records. `compared`: what it is compared with. Throws a `Refusal` for a name that no record has.
 */
export function computedField(
  records: Records,
  asked: Expression,
  source: string,
  compared: readonly Field[] = [],
): Field {
  const written = withUnits(asked, (name) => isExactly(records, name))
  const fields = new Map<string, Field>()
  const fieldOf = (name: string): Field => {
    const found = fields.get(name) ?? resolveName(records, name)
    fields.set(name, found)
    return found
  }
  const blank = new Set<string>()
  const isBlank = (name: string): boolean => {
    const { path } = fieldOf(name)
    const is = blank.has(name) || hasBlanksAlone(columnOf(records.values, path))
    if (is) blank.add(name)
    return is
  }
  const holdsLists = (name: string): boolean => (listOn(records, fieldOf(name).path)?.length ?? 0) > 0
  const listed = ofLists(written, holdsLists)
  const whole = withLengths(
    withBlanks(listed, isBlank),
    (name) => !holdsTextsAlone(columnOf(records.values, fieldOf(name).path)),
    holdsLists,
  )
  fieldsIn(whole).forEach(fieldOf)
  const expression = ofScalars(whole, (name, kind) => {
    const outer = fieldOf(name)
    const inner = holdsObjects(records, outer) ? scalarWithin(records, outer, kind) : undefined
    if (inner === undefined) return name
    fields.delete(name)
    fields.set(inner.name, inner)
    return inner.name
  })
  fieldsIn(expression).forEach(fieldOf)
  const paths = [...fields.values()].map(({ path }) => path)
  const list = isOfElements(expression) ? listOfAll(records, paths) : undefined
  const others = new Set<string>()
  const zoned = new Set<string>()
  const amounts = new Amounts(records, compared)
  const holds = compile(expression, {
    strict: false,
    strictness(name, operand) {
      const field = fieldOf(name)
      const strictness = strictnessOf(records, field, operand)
      if (strictness === 'exact')
        for (const text of otherCases(records, field, [operand.text])) others.add(text)
      return strictness
    },
    beside: (name, operand) => amounts.beside(fieldOf(name), operand),
    reach(name, use) {
      const { path } = fieldOf(name)
      const inner = list && within(list, path)
      const found = inner ? reachIn(inner) : reachIn(path, listOn(records, path))
      if (use === undefined) return found
      const read = use === 'term' || use === 'number' ? amounts.read(fieldOf(name), found, use) : found
      const asDate = use === 'term' ? 'instant' : use
      const { order, ...zones } = calendarOf(columnOf(records.values, path))
      const own = asDate === 'clock' ? zoneRemark(name, zones) : undefined
      const remark = asDate === 'utc' && zoneRemark(name, zones) ? zoneRemark(name, { hasZones: true }) : own
      if (remark !== undefined) zoned.add(remark)
      return onCalendar(read, own === undefined ? { order } : { order, ...zones })
    },
    within: withinValue,
  })
  const differences = differencesIn(expression).flatMap((one) => {
    const units = [one.left, one.right].map((side) =>
      side.kind === 'field' ? unitOfTimes(records, fieldOf(side.name)) : undefined,
    )
    return units[0] !== undefined && units[0] === units[1] ? [{ one, unit: units[0] }] : []
  })
  const names = [...fields.values()].map(({ name }) => name)
  const key = `${sourceOf(expression)} of ${names.join(', ')}`
  const values = (record: JsonValue, work: Work): readonly JsonValue[] => {
    const found = holds(record, record, work)
    if (found instanceof Many) return found.values
    return found === undefined || found === null ? [] : [found]
  }
  const computed: Segment = {
    selectors: [{ kind: 'computed', source, key, values }],
    deep: false,
    dotted: [],
  }
  const note = [
    ...[...fields.values()].flatMap((field) => field.note ?? []),
    ...[...blank].map((name) => `An empty \`${name}\` was read as null.`),
    ...letterRemark([...others]),
    ...zoned,
    ...amounts.remark(),
    ...differences.slice(0, 1).map(({ one, unit }) => `\`${sourceOf(one)}\` is in ${nameOfTimes(unit)}.`),
  ].join(' ')
  return {
    name: source,
    path: list ? [...list, ...ELEMENTS, computed] : [computed],
    ...(note !== '' && { note }),
    ...differences.filter(({ one }) => one === expression).map(({ unit }) => ({ unit }))[0],
    ...(amounts.reading !== undefined && { reading: amounts.reading }),
  }
}

type Difference = Extract<Expression, { kind: 'arithmetic' }>

function differencesIn(expression: Expression): Difference[] {
  const own = expression.kind === 'arithmetic' && expression.operator === '-' ? [expression] : []
  return [...own, ...partsOf(expression).flatMap(differencesIn)]
}

/** The part that an expression wants of a field that holds objects: the number in them, their name, or the value beside its type. */
type Scalar = 'number' | 'name' | 'typed' | 'list'

function scalarWithin(records: Records, field: Field, kind: Scalar): Field | undefined {
  if (kind === 'list') return listWithin(records, field)
  if (kind === 'typed') return typedWithin(records, field) ?? eitherWithin(records, field)
  return kind === 'number'
    ? (numberWithin(records, field) ?? nameWithin(records, field))
    : (nameWithin(records, field) ?? numberWithin(records, field))
}

/** The dates that are read as those of their field: alone, `2/8/2025` says not which part is the month. */
function onCalendar(read: Evaluate, calendar: Calendar): Evaluate {
  if (calendar.order === undefined && calendar.zone === undefined) return read
  const inIso = (result: Result): Result => {
    if (result instanceof Many)
      return new Many(
        result.values.map((one) => plain(inIso(one)) ?? null),
        result.elements,
      )
    return typeof result === 'string' ? onClock(result, calendar) : result
  }
  return (value, root, work) => inIso(read(value, root, work))
}

/** Functions that take a list or an object as it is. */
const TAKES_WHOLE = /^(?:keys|type|to_text)$/
/** Functions that take a list. */
const TAKES_LIST = /^(?:length|join|element|list_\w+)$/
const COMPARES_SCALARS = /^(?:[<>]=?|=|~|in|between|like|starts with|ends with)$/

/** The expression with the field within in the place of each field that is used as a number or a text: `upper(status)` of `{"name": "open"}`. */
function ofScalars(expression: Expression, within: (name: string, kind: Scalar) => string): Expression {
  const change = (one: Expression, kind?: Scalar): Expression => {
    if (one.kind !== 'field') return mapParts(one, (part) => change(part, wantedBy(one)))
    return kind === undefined ? one : { ...one, name: within(one.name, kind) }
  }
  return change(expression)
}

/** The use that an expression has for the fields right in it; undefined where it takes them as they are. */
function wantedBy(one: Expression): Scalar | undefined {
  switch (one.kind) {
    case 'arithmetic':
      return one.operator === '||' ? 'name' : 'number'
    case 'negative':
      return 'number'
    case 'case':
      return 'typed'
    case 'call': {
      const called = functionNamed(one.name)
      if (called === undefined) return 'name'
      if (TAKES_LIST.test(called.name)) return 'list'
      if (TAKES_WHOLE.test(called.name)) return undefined
      return isChoice(called) ? 'typed' : useOf(called) === 'number' ? 'number' : 'name'
    }
    case 'comparison': {
      if (one.operator === 'is true') return 'typed'
      if (!COMPARES_SCALARS.test(one.operator)) return undefined
      const isNumber = one.operands.some(
        (operand) => operand.kind === 'literal' && looseNumber(operand.text) !== undefined,
      )
      return isNumber ? 'number' : 'name'
    }
    default:
      return undefined
  }
}

/** True where no value is null and some are empty texts: CSV and XML have no null. */
function hasBlanksAlone(column: Column): boolean {
  let hasBlank = false
  for (let code = 0; code < column.size; code++) {
    const values = column.values(code)
    if (values.length === 0 || values.includes(null)) return false
    hasBlank ||= values.length === 1 && values[0] === ''
  }
  return hasBlank
}

/** The expression with empty texts as nulls where null is asked for: `case when phone is null …`, `coalesce(phone, '-')`. */
function withBlanks(expression: Expression, isBlank: (name: string) => boolean): Expression {
  const nothing: Expression = { kind: 'literal', text: '', quoted: true }
  const orNull = (one: Expression): Expression =>
    one.kind === 'field' && isBlank(one.name) ? { kind: 'call', name: 'nullif', args: [one, nothing] } : one
  const change = (one: Expression): Expression => {
    const parts = mapParts(one, change)
    if (parts.kind === 'comparison' && parts.operator === 'is null' && parts.left.kind === 'field')
      return isBlank(parts.left.name) ? { ...parts, operator: '=', operands: [nothing] } : parts
    if (parts.kind === 'call' && functionNamed(parts.name)?.name === 'coalesce')
      return { ...parts, args: parts.args.map(orNull) }
    return parts
  }
  return change(expression)
}

/** An absent list has no elements, where an absent text has no length; a text beside lists in other records is a list of one. */
function withLengths(
  expression: Expression,
  isList: (name: string) => boolean,
  holdsLists: (name: string) => boolean,
): Expression {
  const literal = (text: string, quoted = false): Expression => ({ kind: 'literal', text, quoted })
  return mapped(expression, (one) => {
    const [list] = one.kind === 'call' && functionNamed(one.name)?.name === 'length' ? one.args : []
    if (list?.kind !== 'field' || !(isList(list.name) || holdsLists(list.name))) return undefined
    const counted: Expression = { kind: 'call', name: 'coalesce', args: [one, literal('0')] }
    if (!holdsLists(list.name)) return counted
    const type: Expression = { kind: 'call', name: 'type', args: [list] }
    const when = comparing(type, '=', { operands: [literal('string', true)] })
    return { kind: 'case', branches: [{ when, value: literal('1') }], otherwise: counted }
  })
}

const UNIT = /^(?:(?:milli)?second|minute|hour|day|week|month|quarter|year)s?$/i
const WITH_UNITS = new Set(['date_diff', 'days_between', 'date_trunc', 'date_part', 'date_add', 'age'])

/** `date_diff(day, a, b)`: a unit without quotes, as many databases have it, is one where no field is called so. */
function withUnits(expression: Expression, isField: (name: string) => boolean): Expression {
  return mapped(expression, (one) => {
    if (one.kind !== 'call' || !WITH_UNITS.has(functionNamed(one.name)?.name ?? '')) return undefined
    const args = one.args.map(
      (arg): Expression =>
        arg.kind === 'field' && UNIT.test(arg.name) && !isField(arg.name)
          ? { kind: 'literal', text: arg.name, quoted: true }
          : withUnits(arg, isField),
    )
    return { ...one, args }
  })
}

const ELEMENTS = parsePath('[*]')

/** The values that a path reaches in a value; of a path through a list, which element has it as well. */
function reachIn(path: Path, list?: Path): Evaluate {
  const inner = list && list.length > 0 ? within(list, path) : undefined
  const elements = list && [...list, ...ELEMENTS]
  const listed = list ? formatPath(list) : ''
  const read = (value: JsonValue, at: Path, work: Work): Result => {
    const found: JsonValue[] = []
    const isMany = readValues(value, at, found, work)
    return isMany && found.length > 0 ? new Many(found) : found[0]
  }
  return (value, _root, work) => {
    const whole = read(value, path, work)
    if (!(whole instanceof Many) || !inner || !elements) return whole
    const all = valuesAt(value, elements, work)
    return new Many(whole.values, { list: listed, values: all.map((one) => read(one, inner, work)) })
  }
}

/** Whether what is computed of a list is computed of each of its elements, and of more than one field of them. */
function isOfElements(expression: Expression): boolean {
  return fieldsIn(expression).length > 1 && isPlainly(expression)
}

function isPlainly(one: Expression): boolean {
  const called = one.kind === 'call' && !one.over ? functionNamed(one.name) : undefined
  const isPlain = one.kind === 'call' ? called && !takesLists(called) : one.kind !== 'within'
  return isPlain === true && partsOf(one).every(isPlainly)
}

/** `sum(items.price)` of a list within a record is computed in the record: the aggregates as functions of lists. */
function ofLists(expression: Expression, isListed: (name: string) => boolean): Expression {
  return mapped(expression, (one) => {
    if (one.kind !== 'call' || one.over || functionNamed(one.name)) return undefined
    const names = fieldsIn(one)
    const name = functionOfList(aggregateNamed(one.name)?.aggregate.name ?? '')
    return name !== undefined && names.length > 0 && names.every(isListed) ? { ...one, name } : one
  })
}

/** The names of a value without fields. Any other name would be a field, which it does not have. */
const ITSELF =
  /^(?:_?values?|lines?|text|items?|elements?|entry|record|row|it|self|this|val|string|word|[a-z_])$/i

/** The same of a value that was reached by its name: `total` of the values of `$.orders[*].total`. */
function isItself({ table }: Records, path: Path): boolean {
  const name = formatPath(path)
  const place = namesOn(parsePath(table.whole.provenance.path)).at(-1)
  return ITSELF.test(name) || (place !== undefined && singular(bareName(place)) === singular(bareName(name)))
}

/** `a?.b`, `a->>'b'`, `/a/b`, `a__b` in dots. */
function withoutOtherMarks(reference: string): string {
  const plain = reference
    .trim()
    .replaceAll('?.', '.')
    .replaceAll(
      /\s*->>?\s*(?:'([^']*)'|"([^"]*)"|(\w+))/g,
      (_, single?: string, double?: string, bare?: string) => `.${single ?? double ?? bare ?? ''}`,
    )
  if (/^\/[^/\s]/.test(plain)) return plain.slice(1).replaceAll('~1', '/').split('/').join('.')
  return /^\w+$/.test(plain) && /\w__\w/.test(plain) ? plain.replaceAll('__', '.') : plain
}

/** The lines that a record was read from, under a name for them. */
export function linesOf({ lines }: Records, name: string): Field | undefined {
  if (!lines || !NAMES_OF_LINES.includes(name.toLowerCase())) return undefined
  return { name, path: lines, note: `\`${name}\` is the lines of the record as they were sent.` }
}

// ---- As written --------------------------------------------------------------------------------------------------

/** As written, within a record or from the root through the records. Undefined when no record has it. */
export function resolveExactly(records: Records, path: Path): Field | undefined {
  if (path.length === 0 && arePairs(records)) return fieldAt(parsePath('_value'))
  const inside = isEach(path[0]) && records.path.length === 0 ? path.slice(1) : undefined
  if (inside && inside.length > 0 && reaches(records, inside)) return fieldAt(inside)
  if (reaches(records, path)) return fieldAt(path)
  const below = withoutRoot(records, path)
  if (below && reaches(records, below)) return ownAlike(records, path) ?? fieldAt(below)
  const named = records.named.size > 0 ? records.named.get(formatPath(path).toLowerCase()) : undefined
  if (named) return named
  const scalars = records.values.length > 0 && !isObject(records.values[0] ?? null)
  return scalars && /^_?value$/.test(formatPath(path)) ? { name: '@', path: [] } : undefined
}

/** True for the values of a map that have no fields: `@` is such a value, without its key. */
function arePairs({ values: [first] }: Records): boolean {
  if (!isObject(first) || !Object.hasOwn(first, '_key') || !Object.hasOwn(first, '_value')) return false
  return Object.keys(first).length === 2
}

/** A field of the records that is called like the list they are in, with a map on its way. */
function ownAlike(records: Records, path: Path): Field | undefined {
  if (!reaches(records, path.slice(0, 1))) return undefined
  const found = alike(records.names(), formatPath(path))
  return found && 'one' in found ? readAs(formatPath(path), found.one) : undefined
}

/** The part of a path from the root that lies within a record: `name` of `items[*].name`. */
export function withoutRoot(records: Records, path: Path): Path | undefined {
  const root = records.path
  if (root.length === 0 || path.length <= root.length) return undefined
  if (!root.every((_, at) => formatPath(path.slice(at, at + 1)) === formatPath(root.slice(at, at + 1))))
    return undefined
  return withinEach(path.slice(root.length))
}

// ---- The fields of the records -----------------------------------------------------------------------------------

/** True when at least one record has something there. Remembers. */
export function reaches(records: Records, path: Path): boolean {
  if (lacksName(records, path[0])) return false
  const key = pathKey(path)
  const look = (): boolean => someReach(records.whole, path)
  return key === undefined ? look() : records.table.whole.derived(`reaches ${key}`, look)
}

function someReach(records: readonly JsonValue[], path: Path): boolean {
  const work = newWork()
  const into: [] = []
  return records.some((record) => {
    readValues(record, path, into, work)
    return into.length > 0
  })
}

/** Names of fields that are remembered; records with more are gone through each time. */
const MOST_KNOWN = 5_000

/** True when it is known that no record has a field of the name that a path begins with. Names are listed once. */
function lacksName({ table }: Records, segment: Path[number] | undefined): boolean {
  const name = nameOf(segment)
  if (segment === undefined || name === undefined) return false
  const { whole } = table
  const known = whole.derived('own names', () => listNames(whole.rows))
  return known !== 'many' && !known.has(name) && !segment.dotted.some(({ name }) => known.has(name))
}

function listNames(values: readonly JsonValue[]): ReadonlySet<string> | 'many' {
  const names = new Set<string>()
  for (const value of values) {
    // Lists and JSON in strings are looked into as well.
    if (!isObject(value)) return 'many'
    for (const name in value) names.add(name)
    if (names.size > MOST_KNOWN) return 'many'
  }
  return names
}

/** True when some record has one of the values `wanted` there, case aside. */
export function hasOne(records: Records, path: Path, wanted: readonly string[]): boolean {
  const column = columnOf(records.values, path)
  for (let code = 0; code < column.size; code++) {
    const held = column.values(code).flat()
    if (held.some((value) => wanted.some((text) => equalsText(value, text)))) return true
  }
  return false
}

/** True when a scalar is written like `text`, case aside. */
export function equalsText(value: JsonValue, text: string): boolean {
  if (value === null || typeof value === 'object') return false
  return String(value).toLowerCase() === text.toLowerCase()
}

// ---- Another spelling --------------------------------------------------------------------------------------------

/** The field that is alike; of several the one that has one of the values `wanted`. Throws a `Refusal` where it may be any of them. */
export function spelledAlike(
  records: Records,
  path: Path,
  written: string,
  wanted: readonly string[],
): Field | undefined {
  const spelled = alike(records.names(), formatPath(path))
  const found = spelled && withValues(records, spelled)
  if (!found) return undefined
  if ('one' in found) {
    const better = betterOne(records, path, found, wanted, written)
    if (better) return better
    const others = [...new Set([...found.others, ...sameLetters(records, path, found.one)])]
    const also = others.length > 0 ? ` There is ${listed(others, 3)} as well.` : ''
    return readAs(written, found.one, also)
  }
  const map = mapOf(records, found.several)
  if (map) return { ...map, note: `\`${written}\` read as \`${map.name}\`.` }
  const having =
    wanted.length === 0 ? [] : found.several.filter((name) => hasOne(records, parsePath(name), wanted))
  const [one, another] = having
  if (one !== undefined && another === undefined) {
    return readAs(written, one, ` Of ${listed(found.several, 4)} only that has the value.`)
  }
  const [first = '', ...others] = found.several
  if (areEqual(records, first, others))
    return readAs(
      written,
      first,
      ` ${listed(others)} ${others.length === 1 ? 'has' : 'have'} the same value in every record.`,
    )
  const described = withSamples(records, found.several.slice(0, 6))
  throw new Refusal(`\`${written}\` may be several fields; write one of them in full. Nearest: ${described}.`)
}

/** True where the fields have the same values in every record, as `spec.replicas` and `status.replicas` have: it is all one which is meant. */
function areEqual({ table: { whole } }: Records, first: string, others: readonly string[]): boolean {
  if (others.length > MOST_EQUAL) return false
  return whole.derived(`equal: ${[first, ...others].join(' ')}`, () => {
    const [path, ...paths] = [first, ...others].map((name) => parsePath(name))
    const valuesOf = (row: JsonValue, at: Path = []): string => toJson(valuesAt(row, at))
    let some = false
    const areSame = whole.rows.every((row) => {
      const values = valuesOf(row, path)
      some ||= values !== '[]' && values !== '[null]'
      return paths.every((other) => valuesOf(row, other) === values)
    })
    return some && areSame
  })
}

const MOST_EQUAL = 5

/** `tags.Name` for `Name` that was read as `name`: deeper down it is written to the letter. */
function sameLetters(records: Records, path: Path, one: string): string[] {
  const written = formatPath(path)
  if (path.length !== 1 || one === written || one.endsWith(`.${written}`)) return []
  return [...records.names().keys()].filter((name) => name !== one && name.endsWith(`.${written}`))
}

/** Without the fields that hold nothing, unless none of them holds anything. */
function withValues(records: Records, found: NonNullable<Candidates>): NonNullable<Candidates> {
  const names = 'one' in found ? [found.one, ...found.others] : found.several
  const held = names.length > 1 ? holding(records, names) : names
  return held.length === 0 || held.length === names.length ? found : (shallowest(held) ?? found)
}

/** When what is meant by its name has none of the values: the one other field that has. */
function betterOne(
  records: Records,
  path: Path,
  { one, others }: { one: string; others: readonly string[] },
  wanted: readonly string[],
  written: string,
): Field | undefined {
  if (wanted.length === 0 || hasOne(records, parsePath(one), wanted)) return undefined
  const having = others
    .filter((name) => hasOne(records, parsePath(name), wanted))
    .map((name) => readAs(written, name))
  const tagged = safely(() => pairAnywhere(records, path, written))
  if (tagged && hasOne(records, tagged.path, wanted)) having.push(tagged)
  const [only, another] = having
  return only && !another
    ? { ...only, note: `${only.note ?? ''} Of the fields called so only that has the value.` }
    : undefined
}

/** `members.*.score` for `members.ann.score`, `members.bo.score`, …: keys that differ from record to record are data. */
function mapOf(records: Records, names: readonly string[]): Field | undefined {
  const paths = names.map(parsePath)
  const [first] = paths
  if (!first || paths.some(({ length }) => length !== first.length)) return undefined
  const differing = first.flatMap((_, at) =>
    new Set(paths.map((path) => formatPath(path.slice(at, at + 1)))).size > 1 ? [at] : [],
  )
  const [at] = differing
  if (differing.length !== 1 || at === undefined || at === 0) return undefined
  const everywhere = records.values.some((record) =>
    paths.every((path) => valuesAt(record, path.slice(0, at + 1)).length > 0),
  )
  return everywhere ? undefined : fieldAt([...first.slice(0, at), ...parsePath('*'), ...first.slice(at + 1)])
}

/** The names of which some record has a value that is neither null nor empty. */
export function holding({ whole }: Pick<Records, 'whole'>, names: readonly string[]): string[] {
  const work = newWork()
  return names.filter((name) => {
    const path = parsePath(name)
    const hasValue = (record: JsonValue): boolean => valuesAt(record, path, work).some(isValue)
    // Too much to look at: then it is not ruled out.
    return safely(() => whole.some(hasValue)) ?? true
  })
}

function isValue(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(isValue)
  return value !== null && value !== ''
}

/** Names of a path that are left out at its beginning, or taken for one key at its end: each try reads all of the path. */
const MOST_TRIES = 20

// ---- Names before the field --------------------------------------------------------------------------------------

/** `issues.state` for `state`, when the records have nothing that is called like what is dropped. */
export function shortened(records: Records, path: Path, written: string): Field | undefined {
  const [first] = path
  const prefixed = path.length === 1 ? withoutKind(records, path) : undefined
  if (prefixed) return readAs(written, prefixed)
  if (path.length < 2 || (first && reaches(records, [{ ...first, dotted: [] }]))) return undefined
  if (first && alike(records.names(), formatPath([first]))) return undefined
  if (!mayBeAlias(records, path)) return undefined
  for (let drop = 1; drop < Math.min(path.length, MOST_TRIES); drop++) {
    const rest = path.slice(drop)
    if (firstName(rest[0]) === undefined) continue
    if (reaches(records, rest)) return readAs(written, formatPath(rest))
    const found = alike(records.names(), formatPath(rest))
    if (found && 'one' in found && (isRoot(records, path) || parsePath(found.one).length === rest.length))
      return readAs(written, found.one)
  }
  return undefined
}

/** Names that a record has as a variable, and those of fields that things of every kind have. */
const VARIABLES =
  /^(?:items?|records?|rows?|x|y|r|i|e|o|v|it|self|this|entry|entries|elements?|obj|object|data|value|node|results?|\w{1,3})$/i
const COMMON = /^(?:_?id|name|type|title|key|value|url|state|status|login|email|date|description|label|ref)$/i

/** `resource_type` for `type` of resources. */
function withoutKind(records: Records, path: Path): string | undefined {
  const kind =
    records.path.length === 0 ? '' : formatPath(records.path.slice(-1)).toLowerCase().replace(/s$/, '')
  const name = formatPath(path)
  if (kind.length < 3 || !name.toLowerCase().startsWith(kind)) return undefined
  const rest = name.slice(kind.length).replace(/^[_-]/, '')
  const found = rest === '' ? undefined : alike(records.names(), rest)
  return found && 'one' in found && parsePath(found.one).length === 1 ? found.one : undefined
}

/** True when the first name is one on the way to the records, or a variable. */
function isRoot(records: Records, [first]: Path): boolean {
  const name = firstName(first)?.toLowerCase() ?? '*'
  return VARIABLES.test(name) || records.path.some((segment) => formatPath([segment]).toLowerCase() === name)
}

/** True when the first name may stand for the record: `issues.state`, `x.price`, but not `owner.name`. */
function mayBeAlias(records: Records, [first, ...rest]: Path): boolean {
  const name = firstName(first) ?? '*'
  const last = formatPath(rest.slice(-1))
  const roots = records.path.map((segment) => formatPath([segment]).toLowerCase())
  return (
    VARIABLES.test(name) ||
    /[^s]s$|^\*$/.test(name) ||
    roots.some((root) => root.startsWith(name.toLowerCase())) ||
    !COMMON.test(last)
  )
}

// ---- Pairs in lists ----------------------------------------------------------------------------------------------

/** `Tags.Name`, the list under any of its spellings; the key may have dots in it. */
export function pair(records: Records, path: Path, written: string): Field | undefined {
  for (let at = path.length - 1; at >= Math.max(1, path.length - MOST_TRIES); at--) {
    const names = namesOn(path.slice(at))
    if (names.length < path.length - at) return undefined
    const list = resolveExactly(records, path.slice(0, at)) ?? listAlike(records, path.slice(0, at))
    const found = list && taggedIn(records, list, names.join('.'), written)
    if (found) return found
  }
  return undefined
}

function listAlike(records: Records, path: Path): Field | undefined {
  const found = alike(records.names(), formatPath(path))
  return found && 'one' in found ? readAs('', found.one) : undefined
}

/** `Content-Type` or `http.method`, the key of a pair in the only list that has such. */
export function pairAnywhere(records: Records, path: Path, written: string): Field | undefined {
  const names = namesOn(path)
  if (names.length === 0 || names.length > MOST_TRIES || names.length < path.length) return undefined
  const key = names.join('.')
  const work = newWork()
  const lists = [...records.names()].flatMap(([name]): Path[] => {
    const [, list] = /^(.+)\.[@#]?\w+$/.exec(name) ?? []
    return list === undefined ? [] : [parsePath(list)]
  })
  const distinct = new Map(lists.map((list) => [formatPath(list), list]))
  const found = [...distinct].slice(0, 200).flatMap(([name, list]) => {
    const values: JsonValue[] = []
    for (const record of records.values.slice(0, 20)) readValues(record, list, values, work)
    if (!values.flat().some((element) => halvesOf(element))) return []
    return taggedIn(records, { name, path: list }, key, written) ?? []
  })
  if (found.length > 1)
    throw new Refusal(`\`${written}\` is in ${listed(found.map(({ name }) => name))}: name one of them.`)
  return found[0]
}

const MOST_SAMPLED = 2_000
/** Records behind the first that has the pair, which may spell its name otherwise. */
const MOST_SPELLED = 200

/** The pair called `key` in the lists at `list`. Undefined when they are no lists of pairs, or none is called so. */
function taggedIn(records: Records, list: Field, key: string, written: string): Field | undefined {
  const work = newWork()
  const wanted = key.toLowerCase()
  const spelled = new Set<string>()
  let halves: Halves | undefined
  let left = MOST_SPELLED
  for (const record of records.values.slice(0, MOST_SAMPLED)) {
    if (halves && left-- <= 0) break
    for (const element of valuesAt(record, list.path, work).flat()) {
      const pair = halvesOf(element)
      const held = pair && isObject(element) ? own(element, pair.key) : undefined
      if (!pair || typeof held !== 'string' || held.toLowerCase() !== wanted) continue
      halves ??= pair
      spelled.add(held)
    }
  }
  return halves && tagged(list, halves, spelled.has(key) ? [key, ...spelled] : [...spelled], written)
}

type Halves = NonNullable<ReturnType<typeof halvesOf>>

/** Names of headers are the same in any case. `spelled`: as they are written, the one that was asked for first. */
function tagged(list: Field, halves: Halves, spelled: readonly string[], written: string): Field {
  const [key = '', ...others] = new Set(spelled)
  const wanted = key.toLowerCase()
  const source =
    others.length === 0
      ? `@.${halves.key} == ${JSON.stringify(key)}`
      : `lower(@.${halves.key}) == ${JSON.stringify(wanted)}`
  const holds = (value: JsonValue): boolean => {
    const held = isObject(value) ? own(value, halves.key) : undefined
    return typeof held === 'string' && (held === key || held.toLowerCase() === wanted)
  }
  const path: Path = [
    ...list.path,
    { selectors: [{ kind: 'filter', source, holds }], deep: false, dotted: [] },
    named(halves.value),
  ]
  const note = `\`${written}\` read as \`${list.name}[?${source}].${halves.value}\`.`
  return { name: `${list.name}.${key}`, path, note }
}

// ---- Other words -------------------------------------------------------------------------------------------------

/** The one field by another word for it, or a slip away; else the one without a name of its own that has a value `wanted`. */
export function otherWord(
  records: Records,
  path: Path,
  written: string,
  wantedValues: readonly string[] = [],
): Field | undefined {
  const wanted = formatPath(path)
  const name =
    synonym(records, wanted) ??
    typo(records.names(), wanted) ??
    wordOf(records, wanted) ??
    wordsWithin(records, written) ??
    behindNoun(records, written) ??
    beginning(records, wanted) ??
    titleOf(records, wanted)
  if (name !== undefined) return readAs(written, name)
  const nameless = namelessIn(records)
  // The name of a setting, which one of them holds.
  if (nameless.some((one) => hasOne(records, parsePath(one), [wanted]))) return undefined
  const [only, another] = nameless.filter((one) => hasOne(records, parsePath(one), wantedValues))
  if (only === undefined || another !== undefined) return undefined
  return readAs(written, only, ' Of the fields without a name only that has the value.')
}

/** The fields that a text gives no name: parts of its lines, columns without a header. */
function namelessIn(records: Records): string[] {
  return [...records.names().keys()].filter((name) => /^(?:part|column_)\d+$/.test(name))
}

/** The only heading of several words, or with a sign, that has it as one of them: `country` of `Ship-to Country`, `cpu` of `%CPU`. */
function wordOf(records: Records, reference: string): string | undefined {
  const wanted = reference.toLowerCase()
  const [only, another] = [...records.names().keys()].filter((name) => {
    const path = parsePath(name)
    const heading = (path.length === 1 && firstName(path[0])) || ''
    const words = heading.toLowerCase().split(/[^\p{L}\p{N}]+/u)
    return /[\s%#$]/.test(heading) && words.includes(wanted)
  })
  return another === undefined ? only : undefined
}

/** The only field with all of these words in its name or on the way to it: `memory limit` of `limits.memory`. */
function wordsWithin(records: Records, written: string): string | undefined {
  if (!/^[a-z]+(?: [a-z]+)+$/i.test(written)) return undefined
  const wanted = written.toLowerCase().split(' ').map(singular)
  const isCalledSo = (name: string): boolean => {
    const words = wordsInName(name).map(singular)
    return words.at(-1) !== 'id' && wanted.every((word) => words.includes(word))
  }
  const [only, another] = [...records.names().keys()].filter(isCalledSo)
  return another === undefined && only !== undefined && records.hint(written) === '' ? only : undefined
}

/** `amount` of `order amount` in a list of orders, and of a number `comments` of `number of comments`. */
function behindNoun(records: Records, written: string): string | undefined {
  const [, counted] = /^(?:number|count) of (.+)$/i.exec(written) ?? []
  const [, first = '', rest] = /^([a-z]+) (.+)$/i.exec(written) ?? []
  const noun = /[^.[\]*]+$/.exec(formatPath(records.path))?.[0] ?? ''
  const name =
    counted ?? (first !== '' && singular(bareName(first)) === singular(bareName(noun)) ? rest : undefined)
  const found = name === undefined ? undefined : alike(records.names(), name)
  if (!found || !('one' in found)) return undefined
  const isNumber = typeof records.names().get(found.one)?.[0] === 'number'
  return counted === undefined || isNumber ? found.one : undefined
}

/** Letters from which on the beginning of a name may stand for it. */
const LEAST_OF_NAME = 3

/** The only field of the records' own that begins so: `extension` for `ext`. */
function beginning(records: Records, reference: string): string | undefined {
  const wanted = reference.toLowerCase()
  if (wanted.length < LEAST_OF_NAME || !/^\p{L}+$/u.test(wanted)) return undefined
  const [only, another] = [...records.names().keys()].filter(
    (name) => /^\w+$/.test(name) && name.toLowerCase().startsWith(wanted),
  )
  return another === undefined ? only : undefined
}

/** Names of what a record is called. */
const TITLES = /^(?:title|name|subject|summary|headline)$/
const HEADING = 'heading'

/** The heading of a record, where no field has a title. One above several records is not theirs. */
function titleOf(records: Records, reference: string): string | undefined {
  const wanted = reference.toLowerCase()
  const names = [...records.names().keys()]
  if (!TITLES.test(wanted) || !records.names().has(HEADING)) return undefined
  if (names.some((name) => name.toLowerCase().includes(wanted) || TITLES.test(name.toLowerCase())))
    return undefined
  const { codes } = columnOf(records.whole, parsePath(HEADING))
  const begun = codes.reduce((count, code, at) => (code === codes[at - 1] ? count : count + 1), 0)
  return begun * 2 > codes.length ? HEADING : undefined
}

/** Names that servers use for the same. */
const SYNONYMS = [
  ['level', 'severity', 'lvl', 'loglevel'],
  ['time', 'timestamp', 'ts', 'date', 'datetime', '@timestamp'],
  ['message', 'msg', 'subject', 'text', 'content', 'body'],
  ['title', 'subject', 'summary', 'headline'],
  ['code', 'rule', 'ruleid', 'check', 'checkid'],
  ['logger', 'process', 'program', 'service', 'unit', 'source'],
  ['host', 'hostname'],
  ['user', 'author'],
  ['path', 'file', 'filename', 'filepath'],
  ['status', 'state'],
  ['url', 'link', 'href', 'uri'],
  ['email', 'mail', 'emailaddress'],
  ['quantity', 'qty'],
  ['start', 'dtstart', 'starttime', 'startdate', 'startsat', 'startat'],
  ['end', 'dtend', 'endtime', 'enddate', 'endsat', 'endat'],
  ['latitude', 'lat'],
  ['longitude', 'lon', 'lng', 'long'],
  ['created', 'createdat', 'createdon', 'createdate', 'createtime', 'creationdate', 'datecreated'],
  ['updated', 'updatedat', 'updatedon', 'modified', 'modifiedat', 'lastmodified', 'lastupdated', 'mtime'],
]

/** Names that are used for the same where there is none of those. */
const LOOSER = [
  ['user', 'author', 'sender', 'from', 'username', 'speaker', 'uid'],
  ['source', 'topic', 'channel'],
]

function synonym(records: Records, reference: string): string | undefined {
  const wanted = bareName(reference)
  if (OF_TIMES.test(wanted) && areKeysDates(records)) return '_key'
  for (const groups of [SYNONYMS, LOOSER]) {
    const meant = new Set(groups.filter((names) => names.includes(wanted)).flat())
    const [found, another] = [...records.names().keys()].filter((name) => meant.has(bareName(name)))
    if (found !== undefined) return another === undefined ? found : undefined
  }
  return undefined
}

/** Names of what the keys of a series by date say. */
const OF_TIMES = /^(?:date|day|month|year|time|timestamp|datetime|period)s?$/

function areKeysDates(records: Records): boolean {
  const [first] = records.whole
  const key = isObject(first) ? own(first, '_key') : undefined
  return typeof key === 'string' && parseDate(key) !== undefined
}

// ---- The reply about a field that no record has ------------------------------------------------------------------

/** The remark on a field that no record has. */
export function unknown(records: Records, reference: string): string {
  return missing(records, reference) + records.hint(reference)
}

/** So many names are all told. */
const FEW_NAMES = 8

function missing(records: Records, reference: string): string {
  const names = records.names()
  if (names.size === 0)
    return `The records have no fields; use \`@\` for the record itself instead of \`${reference}\`.`
  const outer = outerOf(records, reference)
  if (outer !== undefined) return outer
  // `line` is seldom a slip of another word, such as `file`.
  const near = nearest(reference, names.keys(), 4).filter(
    (name) => name !== 'line' || /line/i.test(reference),
  )
  const all = fieldsThere(records)
  if (near.length === 0) return `No record has the field \`${reference}\`. ${all}`
  const others = near.length < names.size && names.size <= FEW_NAMES ? ` ${all}` : ''
  return `No record has the field \`${reference}\`. Nearest: ${withSamples(records, near)}.${others}`
}

/** All names of fields, outer ones first. */
export function fieldsThere(records: Records): string {
  const nameless = namelessIn(records).slice(0, FEW_NAMES)
  const named = outerFirst([...records.names().keys()].filter((name) => !nameless.includes(name)))
  const told = [withSamples(records, nameless), named.length > 0 ? listed(named, 25) : '']
  return `There are: ${told.filter((one) => one !== '').join(', ')}.`
}

/** `user.name`: what `user` has. */
function outerOf(records: Records, reference: string): string | undefined {
  const start = /^(.+)[.[][^.[]+$/.exec(reference)?.[1]
  const inside =
    start === undefined
      ? []
      : [...records.names().keys()].filter(
          (name) => name.startsWith(`${start}.`) || name.startsWith(`${start}[`),
        )
  if (inside.length === 0) return undefined
  return `No record has the field \`${reference}\`. \`${start}\` has: ${withSamples(records, inside.slice(0, 8))}.`
}

function outerFirst(names: readonly string[]): string[] {
  const depth = (name: string): number => name.split(/[.[]/).length
  return [...names].sort((a, b) => depth(a) - depth(b))
}

/** Names, each with two of its values. */
export function withSamples(records: Records, names: readonly string[]): string {
  return names
    .map(
      (name) =>
        `\`${shown(name)}\` (${(records.names().get(name) ?? []).slice(0, 2).map(sample).join(', ')})`,
    )
    .join(', ')
}

function sample(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' && value !== null ? 'object' : shown(JSON.stringify(value) ?? '', 24)
}
