/** A comparison as it is evaluated: its sides, its field, and the test of values as those of its field suggest. */
import { several } from '../../documents/columns/column.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import type { Pattern } from '../../text/patterns/pattern.ts'
import { equals, type Operand, operandFor } from '../../text/values/compare.ts'
import { partNumber, partOf } from '../../text/values/date-parts.ts'
import { resolveExactly, resolveField } from '../fields/fields.ts'
import { isOneOf, markBetween } from '../fields/joined.ts'
import { parsePath } from '../fields/path.ts'
import { calendarOf, holdsTextsAlone, zoneRemark } from '../fields/reader.ts'
import type { Field, Records } from '../fields/records.ts'
import { answered, listedIn, strictnessOf } from '../fields/strictness.ts'
import { functionNamed } from '../language/functions.ts'
import { lengthOf, type OperatorTest, testOf } from '../language/operators.ts'
import { JOINT, type Knows, LONGEST_HELD } from '../language/parser.ts'
import { type Comparison, type Expression, sourceOf, type Within } from '../language/tree.ts'
import { safely } from '../refusal.ts'
import { ColumnTest, columnAt, elementsOf, listsOn, type Matcher } from './verdict.ts'

/** The measure that is compared instead of the values of a field themselves. */
export type Measure = 'length' | 'year' | 'month' | 'day' | 'hour'

/** A comparison with read sides, before its field is found. */
export interface Asked {
  /** The name of the field, or the text of what is computed. */
  field: string
  /** Set where the left side is computed. */
  computed?: Expression
  operator: string
  negated: boolean
  operands: Operand[]
  /** Set where the right side is computed. */
  beside?: Expression
  written: string
  colon?: true
  /** Of each value, compared in its place. */
  measure?: Measure
  /** `lower(field)`: case does not count. */
  folded?: true
}

/** A comparison after its field was found. */
export interface Bound {
  comparison: Asked
  field: Field
  /** Of the values of the field, the negation aside. */
  test: ColumnTest
  matches: Matcher
  /** The field in the same record that it is compared with. */
  other?: Field
  /** A field that is called as the text is that was compared. */
  instead?: Field
}

/** The remarks that come up while comparisons are bound. */
export interface Findings {
  readonly notes: Set<string>
  readonly patterns: Pattern[]
}

/** Findings of a reading that may be given up. */
export const noFindings = (): Findings => ({ notes: new Set(), patterns: [] })

/** The surroundings in which a comparison is bound. */
export interface Context {
  readonly records: Records
  readonly knows: Knows
  /** Binds a condition on elements; what comes up goes to `found`. */
  within(condition: Within, found: Findings): Matcher
  /** Binds the comparison to a field; what comes up goes to `found`. */
  bind(comparison: Asked, field: Field, found: Findings): Bound
}

/** Records in which texts within objects are looked for. */
const MOST_SAMPLED = 500
/** Texts that hold joints; more of them are not gone through. */
const MOST_HELD = 20_000

/** The sides of a comparison: what is measured of a field, and values as they may be meant. */
export function askedBy(comparison: Comparison): Asked {
  const { operator, negated, written, colon, left, operands } = comparison
  const computedOperand = operands.find((operand) => operand.kind !== 'literal')
  return {
    ...sideOf(left),
    operator,
    negated,
    operands: operands
      .map((given) => truncated(left, given))
      .map((operand) =>
        operand.kind === 'literal'
          ? operandFor(operand.text, operand.quoted)
          : operandFor(sourceOf(operand), false),
      ),
    ...(computedOperand && { beside: computedOperand }),
    written,
    ...(colon && { colon }),
  }
}

const DATE_PARTS: Readonly<Record<string, number>> = { year: 4, month: 7, day: 10, hour: 13 }

/** `date_trunc('month', made) = '2024-05-01'`: the month that begins so. */
function truncated(left: Expression, operand: Expression): Expression {
  if (left.kind !== 'call' || operand.kind !== 'literal' || !/^date_?trunc$/i.test(left.name)) return operand
  const unit = left.args.find((arg) => arg.kind === 'literal')
  if (unit?.kind === 'literal' && /^(?:iso)?week$/i.test(unit.text))
    return { ...operand, text: weekOf(operand.text) }
  const length = unit?.kind === 'literal' ? DATE_PARTS[unit.text.toLowerCase()] : undefined
  const rest = length === undefined ? undefined : operand.text.slice(length)
  return rest !== undefined && /^(?:-01){0,2}(?:[T ]00(?::00){0,2}(?:\.0+)?Z?)?(?::00){0,2}Z?$/.test(rest)
    ? { ...operand, text: operand.text.slice(0, length) }
    : operand
}

/** The week that a Monday begins; any other text as it is. */
function weekOf(text: string): string {
  return partOf(text, 'weekday') === 'Monday' ? (partOf(text, 'week') ?? text) : text
}

/** Functions with an answer that is compared as one of the field's own, so that remarks are about the field. */
const MEASURES: ReadonlySet<string> = new Set(['length', 'year', 'month', 'day', 'hour'])

function sideOf(left: Expression): Pick<Asked, 'field' | 'computed' | 'measure' | 'folded'> {
  if (left.kind === 'field') return { field: left.name }
  const [only, another] = left.kind === 'call' ? left.args : []
  if (left.kind === 'call' && only?.kind === 'field' && !another && !left.over) {
    const name = functionNamed(left.name)?.name ?? left.name.toLowerCase()
    if (MEASURES.has(name)) return { field: only.name, measure: name as Measure }
    if (name === 'lower' || name === 'upper') return { field: only.name, folded: true }
    if (/^(?:len|size|count)$/.test(name) && !left.distinct) return { field: only.name, measure: 'length' }
  }
  return { field: sourceOf(left), computed: left }
}

/** True when the values of some record pass. */
export function holdsSome(records: Records, { path }: Field, test: ColumnTest): boolean {
  return test.of(columnAt(records.values, path)).some()
}

/** True where some record fulfils the comparison of this field. */
export function isFulfilled(records: Records, field: Field, asked: Asked): boolean {
  return holdsSome(records, field, columnTestOf(records, field, asked, noFindings()))
}

/** The texts of a field that could be taken for more than one condition, in lower case. */
export function heldBy(records: Records): (field: string) => ReadonlySet<string> {
  return (field) => records.table.derived(`held ${field}`, () => textsOf(records, field))
}

function textsOf(records: Records, name: string): ReadonlySet<string> {
  const texts = new Set<string>()
  // Too much to look at, or no path: then nothing is known.
  safely(() => {
    const { path } = resolveExactly(records, parsePath(name)) ?? resolveField(records, name)
    if (path.length === 0) return
    const add = (value: JsonValue): void => {
      if (Array.isArray(value)) value.forEach(add)
      else if (typeof value === 'string' && value.length <= LONGEST_HELD && JOINT.test(value))
        texts.add(value.trim().toLowerCase())
    }
    const column = columnAt(records.values, path)
    for (let code = 0; code < column.size; code++) {
      column.values(code).forEach(add)
      if (texts.size > MOST_HELD) return
    }
  })
  return texts
}

/** The texts that some record has as its `_key`: the keys of records that were the values of a map. */
export function keysIn({ table }: Records): ReadonlySet<string> {
  return table.derived('keys', () => {
    const keys = new Set<string>()
    for (const record of table.rows) {
      const key = isObject(record) ? own(record, '_key') : undefined
      if (typeof key === 'string') keys.add(key)
    }
    return keys
  })
}

// ---- The test of a comparison, as the values of its field suggest -------------------------------------------------

/** The test of the values that the field has in a record, the negation aside. `found` gets its patterns. Throws a `Refusal` for a bad one. */
export function columnTestOf(records: Records, field: Field, comparison: Asked, found: Findings): ColumnTest {
  const { measure, folded } = comparison
  const { lists } = listsOn(records, field.path)
  const crosses = lists.some((at) => at < field.path.length)
  const test = testOf(comparison, {
    crosses,
    strictness: (operand) => (folded ? 'loose' : strictnessOf(records, field, operand)),
    isElement: (operand, across) => isElement(records, field, operand, across),
    pattern: (pattern) => {
      if (pattern.note !== undefined) found.notes.add(pattern.note)
      found.patterns.push(pattern)
    },
  })
  const compared = amongJoined(records, field, comparison, found) ?? ofTexts(records, field, test)
  if (measure === 'length') {
    // An absent list has no elements; an absent text has no length.
    const ofTexts = holdsTextsAlone(columnAt(records.values, field.path))
    // `items[?@.open]` reaches elements, which are counted; `items` reaches a list.
    const [last] = field.path.at(-1)?.selectors ?? []
    const areElements = last?.kind === 'filter' || last?.kind === 'all'
    // A value alone, beside lists in other records, is a list of one.
    const isOne = ([value, another]: readonly JsonValue[]): boolean =>
      lists.length > 0 && another === undefined && typeof value === 'string'
    return new ColumnTest({
      holds: (values) =>
        (areElements || !ofTexts || !isAbsent(values)) &&
        compared.holds([areElements || isOne(values) ? values.length : lengthOf(values)]),
    })
  }
  if (measure === undefined || !asksForNumber(comparison)) return new ColumnTest(compared)
  const calendar = calendarOf(columnAt(records.values, field.path))
  const remark = zoneRemark(field.name, calendar)
  if (remark !== undefined) found.notes.add(remark)
  return new ColumnTest({
    holds: (values) =>
      compared.holds(elementsOf(values).flatMap((value) => partNumber(value, measure, calendar))),
  })
}

/** `has` asks for a whole value where texts hold several, as a list would; undefined where they do not, or have none such. */
function amongJoined(
  records: Records,
  { name, path }: Field,
  { operator, operands, measure }: Asked,
  { notes }: Findings,
): OperatorTest | undefined {
  if (measure !== undefined || (operator !== 'has' && operator !== 'has all')) return undefined
  const column = columnAt(records.values, path)
  const mark = markBetween(column)
  if (mark === undefined) return undefined
  const holds = (values: readonly JsonValue[], operand: Operand): boolean =>
    values.some((value) => typeof value === 'string' && isOneOf(value, mark, operand))
  const isKnown = (operand: Operand): boolean =>
    Array.from({ length: column.size }, (_, code) => code).some((code) => holds(column.values(code), operand))
  if (!operands.every(isKnown)) return undefined
  notes.add(`A text of \`${name}\` holds several values: whole ones were compared.`)
  return { holds: (values) => operands.every((operand) => holds(values, operand)) }
}

/** True where a number is asked of what is measured: of `made:month = 2024-05` the month itself is. */
export function asksForNumber({ measure, operands }: Asked): boolean {
  return measure === 'length' || operands.every(({ text }) => /^\d{1,2}$|^\d{4}$/.test(text))
}

/** True where a record has no value, or nulls alone. */
export function isAbsent(values: readonly JsonValue[]): boolean {
  return values.every((value) => value === null)
}

/** An element of XML with attributes is an object that holds its text. */
function ofTexts(records: Records, field: Field, test: OperatorTest): OperatorTest {
  const column = columnAt(records.values, field.path)
  const some = column.derived('texts in objects', () => {
    const hasText = (value: JsonValue): boolean => isObject(value) && textIn(value) !== undefined
    const sampled = column.codes.subarray(0, MOST_SAMPLED)
    return sampled.some(
      (code) => column.scalar(code) === several && elementsOf(column.values(code)).some(hasText),
    )
  })
  return some
    ? {
        holds: (values) =>
          test.holds(values.map((value) => (isObject(value) ? (textIn(value) ?? value) : value))),
      }
    : test
}

function textIn(value: JsonObject): JsonValue | undefined {
  return own(value, '#text') ?? own(value, '_text') ?? own(value, '$t')
}

/** True when a list of some record holds the operand whole: then `contains` asks for that. */
function isElement(records: Records, field: Field, operand: Operand, across: boolean): boolean {
  const crosses = across && listsOn(records, field.path).lists.length > 0
  const column = columnAt(records.values, field.path)
  return answered(column, 'held elements', `${crosses} ${operand.quoted} ${operand.text}`, () => {
    const isWhole = (element: JsonValue): boolean =>
      equals(element, operand, 'loose') ||
      (isObject(element) &&
        Object.values(element).some((held) => typeof held === 'string' && equals(held, operand, 'loose')))
    const isFound = (value: JsonValue): boolean =>
      Array.isArray(value) ? value.some(isWhole) : crosses && isWhole(value)
    const inLists = crosses ? undefined : listedIn(column)
    if (inLists) return [...inLists].some(isWhole)
    for (let code = 0; code < column.size; code++)
      if ((crosses || column.scalar(code) === several) && column.values(code).some(isFound)) return true
    return false
  })
}
