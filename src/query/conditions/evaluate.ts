/**
 * From conditions to the records that fulfil them, over columns: a question about values is answered once for each distinct value.
 * Each comparison is bound to the field that is meant, and read as the values of that field suggest. Where no record fulfils it, the
 * repairs of `repairs.ts` are tried.
 */
import type { JsonValue } from '../../protocol/json.ts'
import type { Pattern } from '../../text/patterns/pattern.ts'
import { isNull, type Operand, operandFor } from '../../text/values/compare.ts'
import { partNumber } from '../../text/values/date-parts.ts'
import { type DateOrder, isoDate } from '../../text/values/dates.ts'
import { looseNumber } from '../../text/values/quantities.ts'
import type { Reading } from '../../text/values/reading.ts'
import { numberAs } from '../fields/amounts.ts'
import {
  calledWithin,
  computedField,
  isExactly,
  knowing,
  linesOf,
  resolveExactly,
  resolveField,
} from '../fields/fields.ts'
import { listWithin, typedWithin, valueOfPairs } from '../fields/inner-fields.ts'
import { parsePath } from '../fields/path.ts'
import { areNumbers, calendarOf, codedOf, sharedReading } from '../fields/reader.ts'
import { type Field, type Records, recordsOfValues } from '../fields/records.ts'
import { lengthOf, type OperatorTest, testOf } from '../language/operators.ts'
import { type Knows, type Names, parseCondition } from '../language/parser.ts'
import { type Comparison, type Condition, sourceOf, type Within } from '../language/tree.ts'
import { Refusal, safely, shown, UnknownField } from '../refusal.ts'
import {
  type Asked,
  askedBy,
  type Bound,
  type Context,
  columnTestOf,
  type Findings,
  heldBy,
  isAbsent,
  isFulfilled,
  keysIn,
  noFindings,
} from './comparison.ts'
import { remarksOn } from './remarks.ts'
import { repaired } from './repairs.ts'
import { adapted, emptySample, hasZones, isOrdering, ofNone, type Sample, sampleOf } from './sample.ts'
import {
  all,
  any,
  ColumnTest,
  columnAt,
  countOf,
  elementsAt,
  elementsOf,
  grouped,
  listsOn,
  type Matcher,
  type Member,
  matcherOf,
  not,
  ofElements,
  ofValues,
  type Verdict,
} from './verdict.ts'

/** Everything that a set of conditions was bound to. */
export interface Binding {
  matches: Matcher
  comparisons: Bound[]
  patterns: Pattern[]
  notes: string[]
}

const DEEPEST_WITHIN = 3

/** Operators by which a value has an order. A pair of a time and a value is compared by its value. */
const COMPARES = new Set(['<', '<=', '>', '>=', 'between'])
/** Operators of texts alone. */
const OF_WORDS = new Set(['contains', '~', 'like', 'starts with', 'ends with'])
/** Operators about whether a value is there. */
const PRESENCE = new Set(['is null', 'is empty', 'exists', 'is true'])
/** Reads conditions, finds the fields, compiles the patterns. Throws a `Refusal` for a field that no record has and a bad pattern. */
export function bind(conditions: readonly string[], records: Records): Binding {
  const name = `binding ${JSON.stringify(conditions)}`
  const before = records.table.found<Binding>(name)
  const bound = before ?? bindNew(conditions, records)
  // A pattern has a time for all its uses, so each question compiles its own.
  if (bound.patterns.length === 0) records.table.derived(name, () => bound)
  return { ...bound, notes: [...bound.notes] }
}

/** Does what asks about a binding, its patterns within their time. */
export function timed<T>({ patterns }: Pick<Binding, 'patterns'>, work: () => T): T {
  return patterns.reduce((inner, pattern) => () => pattern.run(inner), work)()
}

function bindNew(conditions: readonly string[], records: Records): Binding {
  const binder = new Binder(records)
  const read = conditions.map((condition) => parseCondition(condition, binder.names))
  const matches = binder.together(read)
  const { comparisons, patterns, notes } = binder
  return { matches, comparisons, patterns, notes: [...notes] }
}

/** The share of records in which two texts may agree by chance. */
const CHANCE = 0.1

/** Knowledge of the records, for the parser. `note` gets its remarks. */
export function namesOf(records: Records, note: (text: string) => void): Names {
  return {
    knows: knowing(records),
    exactly: (name) => isExactly(records, name),
    held: heldBy(records),
    note,
  }
}

class Binder implements Findings, Context {
  readonly comparisons: Bound[] = []
  readonly patterns: Pattern[] = []
  readonly notes = new Set<string>()
  readonly names: Names
  readonly records: Records
  readonly #depth: number

  constructor(records: Records, depth = 0) {
    this.records = records
    this.#depth = depth
    this.names = namesOf(records, (text) => this.notes.add(text))
  }

  get knows(): Knows {
    return this.names.knows
  }

  /** All conditions at once; those about the elements of one list are about the same element. */
  together(conditions: readonly Condition[]): Matcher {
    const flat = conditions.flatMap((condition) => (condition.kind === 'and' ? condition.parts : [condition]))
    const bounds: Bound[] = []
    const others: Matcher[] = []
    for (const condition of flat) {
      if (condition.kind === 'comparison') bounds.push(this.#compare(condition))
      else others.push(this.#matcher(condition))
    }
    return all([...this.#elementwise(bounds), ...others])
  }

  #matcher(condition: Condition): Matcher {
    switch (condition.kind) {
      case 'not':
        return not(this.#matcher(condition.part))
      case 'and':
        return this.together(condition.parts)
      case 'or':
        return any(condition.parts.map((part) => this.#matcher(part)))
      case 'within':
        return this.within(condition, this)
      default:
        return this.#compare(condition).matches
    }
  }

  #elementwise(bounds: readonly Bound[]): Matcher[] {
    const apart = bounds.map(({ matches }) => matches)
    if (bounds.length < 2) return apart
    const members = bounds.map((bound) => this.#member(bound))
    if (members.filter(({ lists }) => lists.length > 0).length < 2) return apart
    const { members: each, joined } = grouped(members)
    if (joined.length === 0 || !joined.every((member) => this.#isInOneElement(member))) return apart
    const matchers = each.map(matcherOf)
    const [loose, strict] = [apart, matchers].map((some) => all(some)(this.records.values))
    const lost = loose && strict ? countOf(loose.map((holds, at) => holds & ((strict[at] ?? 0) ^ 1))) : 0
    const gained = loose && strict ? countOf(strict.map((holds, at) => holds & ((loose[at] ?? 0) ^ 1))) : 0
    if (lost + gained > 0) {
      const names = [...new Set(joined.flatMap((member) => member.names))].map(
        (name) => `\`${shown(name, 40)}\``,
      )
      this.notes.add(
        `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} compared in the same element of the list${lost > 0 ? `; ${lost} more ${lost === 1 ? 'record has' : 'records have'} it in different ones` : ''}.`,
      )
    }
    return matchers
  }

  /** Whether some element has all of the compared fields. Two tags of a list never are one element, and neither are two kinds of records. */
  #isInOneElement({ path, about }: Member): boolean {
    if (about instanceof ColumnTest) return true
    const { list } = elementsAt(this.records.values, path)
    const columns = about.map((member) => columnAt(list, member.path))
    return list.some((_, at) =>
      columns.every((column) => column.values(column.codes[at] ?? 0).some((value) => value !== null)),
    )
  }

  #member({ comparison, field, test }: Bound): Member {
    const { operator, measure, negated } = comparison
    const isAside =
      operator === 'exists' || operator === 'is null' || operator === 'is empty' || measure === 'length'
    const { path, lists } = isAside ? { path: field.path, lists: [] } : listsOn(this.records, field.path)
    return { path, lists, negated, isBound: isOrdering(comparison), about: test, names: [field.name] }
  }

  within({ field: written, quantifier, condition, written: whole }: Within, found: Findings): Matcher {
    if (this.#depth >= DEEPEST_WITHIN) throw new Refusal(`The condition \`${whole}\` is nested too deeply.`)
    const field = resolveField(this.records, written)
    if (field.note !== undefined) found.notes.add(field.note)
    const { list } = elementsAt(this.records.values, field.path)
    if (list.length === 0) throw new Refusal(`\`${field.name}\` holds no elements.`)
    const inner = new Binder(recordsOfValues(list), this.#depth + 1)
    const holds = inner.together([parseCondition(condition, inner.names)])
    for (const text of inner.notes) found.notes.add(text)
    found.patterns.push(...inner.patterns)
    return ofElements(field.path, quantifier, holds)
  }

  #compare(written: Comparison): Bound {
    const { table } = this.records
    const name = `comparison ${this.#depth} ${JSON.stringify(written)}`
    const before = table.found<{ bound: Bound; found: Findings }>(name)
    const read = before ?? this.#compareNew(written)
    if (read.found.patterns.length === 0) table.derived(name, () => read)
    this.comparisons.push(read.bound)
    for (const text of read.found.notes) this.notes.add(text)
    this.patterns.push(...read.found.patterns)
    return read.bound
  }

  #compareNew(written: Comparison): { bound: Bound; found: Findings } {
    const found = noFindings()
    const asked = this.#keyAlone(askedBy(written), found)
    const bound = repaired(this, asked, () => this.#resolve(asked), found)
    if (bound.field.note !== undefined) found.notes.add(bound.field.note)
    for (const remark of remarksOn(bound, this.records)) found.notes.add(remark)
    return { bound, found }
  }

  /** The key of a record and nothing else, where no field is called so. */
  #keyAlone(asked: Asked, found: Findings): Asked {
    const { operator, field, computed } = asked
    if (operator !== 'is true' || computed || this.knows(field) !== undefined) return asked
    if (!keysIn(this.records).has(field)) return asked
    found.notes.add(`\`${shown(field, 40)}\` read as the key, \`_key = ${shown(field, 40)}\`.`)
    return { ...asked, field: '_key', operator: '=', operands: [operandFor(field, true)] }
  }

  /** The field, or the key of the records when the condition asks for it by another name. */
  #resolve({ field, computed, operands, operator, negated, measure }: Asked): Field {
    if (computed) return computedField(this.records, computed, field)
    const isEquation = !negated && (operator === '=' || operator === 'in' || operator === 'has')
    try {
      const found =
        this.#wordsOfLine(field, operator, operands) ??
        resolveField(this.records, field, isEquation ? operands.map(({ text }) => text) : [])
      // A word alone is looked for itself, whatever number stands behind it.
      if (
        operator === 'is true' &&
        found.name === field &&
        found.note !== undefined &&
        found.path !== this.records.lines
      )
        throw new UnknownField(`No record has the field \`${shown(field, 40)}\`.`)
      if (COMPARES.has(operator)) return valueOfPairs(this.records, found) ?? found
      // Whether the objects themselves are there says nothing.
      const list = measure === 'length' ? listWithin(this.records, found) : undefined
      if (list) return list
      const isAside = PRESENCE.has(operator) || measure === 'length'
      return isAside ? (typedWithin(this.records, found) ?? found) : found
    } catch (error) {
      const keys = keysIn(this.records)
      if (!operands.some(({ text }) => keys.has(text))) throw error
      return {
        name: '_key',
        path: parsePath('_key'),
        note: `\`${shown(field, 40)}\` read as the key, \`_key\`.`,
      }
    }
  }

  /** The lines of a record for `line contains word`, where `line` is their number, which has no words in it. */
  #wordsOfLine(field: string, operator: string, operands: readonly Operand[]): Field | undefined {
    const isOfWords = OF_WORDS.has(operator) && operands.every(({ text }) => /\p{L}/u.test(text))
    if (field !== 'line' || !isOfWords) return undefined
    const lines = linesOf(this.records, 'raw')
    return (
      lines && { ...lines, name: field, note: '`line` read as the lines of the record, not their number.' }
    )
  }

  bind(comparison: Asked, field: Field, found: Findings): Bound {
    const note = (text: string): void => {
      found.notes.add(text)
    }
    const sample = comparison.measure === 'length' ? emptySample : sampleOf(this.records, field)
    const { other, instead } = this.#besides(comparison, field, sample, found)
    const ready = other ? comparison : adapted(ofNone(this.records, comparison, field), field, sample, note)
    const test = other ? NEVER : columnTestOf(this.records, field, ready, found)
    const matches = other ? besideField(ready, field, other) : ofValues(field.path, test, ready.negated)
    if (hasZones(ready, sample)) note('Days are those of UTC.')
    if (other && ready.negated) {
      const lacking = lackingIn(this.records.values, field, other)
      if (lacking > 0)
        note(
          `${lacking} of ${this.records.values.length} have no \`${other.name}\` beside a \`${field.name}\`, and differ: add "${other.name} is not null" to leave them out.`,
        )
    }
    return { comparison: ready, field, test, matches, ...(other && { other }), ...(instead && { instead }) }
  }

  /**
   * The other field that a condition compares with in the same record, unless some record holds what is written as a value. `instead`: a
   * field that is called so, where the text is compared.
   */
  #besides(
    comparison: Asked,
    field: Field,
    sample: Sample,
    found: Findings,
  ): { other?: Field; instead?: Field } {
    const { beside, operator } = comparison
    // A word may be one for a number: `level = error`.
    const isHeld = (): boolean => {
      const read = adapted(ofNone(this.records, comparison, field), field, sample, () => undefined)
      return isFulfilled(this.records, field, read)
    }
    if (beside) {
      if (operator === '=' && isHeld()) return {}
      const text = sourceOf(beside)
      const other =
        beside.kind === 'field'
          ? resolveField(this.records, text)
          : computedField(this.records, beside, text, [field])
      if (other.note !== undefined) found.notes.add(other.note)
      return { other }
    }
    const isOrder = isOrdering(comparison)
    const name = fieldNamed(comparison, field, this.records) ?? this.#numberNamed(comparison, field)
    if (name !== undefined && operator === '=' && isHeld()) return {}
    const exact = name === undefined ? undefined : resolveExactly(this.records, parsePath(name))
    const other = exact ?? this.#calledAlike(comparison, field, isHeld)
    if (!other || other.name === field.name) return {}
    if (!exact && !isOrder && !this.#meets(comparison, field, other)) return { instead: other }
    found.notes.add(other.note ?? `\`${other.name}\` read as the field.`)
    return { other }
  }

  /** The field that a word without quotes names as a field on the left may be named, where no record has the word as a value. */
  #calledAlike(comparison: Asked, field: Field, isHeld: () => boolean): Field | undefined {
    const { operator, colon } = comparison
    const text = wordIn(comparison)
    if (text === undefined || colon || !/^[\p{L}_$@][\p{L}\p{N}_$@.[\]*-]*$/u.test(text)) return undefined
    const isOrder = isOrdering(comparison)
    if (!isOrder && !EQUATES.has(operator) && !(OF_PARTS.has(operator) && isNameOfField(text)))
      return undefined
    const sample = sampleOf(this.records, field)
    if (isOrder ? sample.holds(text) : isHeld()) return undefined
    const other = calledWithin(this.records, text)
    return other && (!isOrder || sample.kind === sampleOf(this.records, other).kind) ? other : undefined
  }

  /** True where several records fulfil a comparison of two fields, the negation aside. For a plain word they are more than chance makes. */
  #meets(comparison: Asked, field: Field, other: Field): boolean {
    const marks = besideField({ ...comparison, negated: false }, field, other)(this.records.values)
    const met = marks.reduce((sum: number, mark) => sum + mark, 0)
    const isPlain = !isNameOfField(wordIn(comparison) ?? '')
    if (isPlain && sampleOf(this.records, field).kind === 'numbers') return false
    return met > 0 && (!isPlain || met >= this.records.values.length * CHANCE)
  }

  /** A word beside which numbers have no order may name their field as loosely as any name does: `close > open` of "1. open". */
  #numberNamed(comparison: Asked, field: Field): string | undefined {
    const text = wordIn(comparison)
    if (text === undefined || !isOrdering(comparison) || !/[a-z]/i.test(text)) return undefined
    const { texts, values } = sampleOf(this.records, field)
    if (values.length === 0 || texts.some((held) => looseNumber(held) === undefined)) return undefined
    return safely(() => resolveField(this.records, text).name)
  }
}

/** Operators by which whole values are the same, and those about parts of a text. */
const EQUATES = new Set(['=', 'has', 'in'])
const OF_PARTS = new Set(['contains', 'starts with', 'ends with'])

/** A path, or a name of several words written as one; a single word is more often a text that is looked for. */
function isNameOfField(text: string): boolean {
  return /[._[]|\p{Ll}\p{Lu}/u.test(text)
}

/** The only operand, where it is no value that is read otherwise. */
function wordIn({ operands }: Asked): string | undefined {
  const [operand, second] = operands
  if (!operand || second || operand.quoted || isNull(operand)) return undefined
  const { text, number, size, duration, date, boolean } = operand
  return [number, size, duration, date, boolean].every((read) => read === undefined) ? text : undefined
}

const NEVER = new ColumnTest({ holds: () => false })

// ---- Two fields of one record -------------------------------------------------------------------------------------

/**
 * The name of a field that the value of a comparison may be: `closed_at > created_at`. A prefix that was left out before the name of the
 * compared field may be left out here as well: `before.size != after.size` of `change.before.size`.
 */
function fieldNamed(comparison: Asked, { name }: Field, records: Records): string | undefined {
  const [operand, second] = comparison.operands
  if (!operand || second || operand.quoted || operand.number !== undefined) return undefined
  if (!/^[@$\p{L}\p{N}_.[\]*%#?&/() -]+$/u.test(operand.text)) return undefined
  if (!isOrdering(comparison) && comparison.operator !== '=') return undefined
  if (operand.boolean !== undefined || isNull(operand)) return undefined
  const left = name.endsWith(`.${comparison.field}`) ? name.slice(0, -comparison.field.length) : ''
  return [operand.text, left + operand.text].find((one) => isExactly(records, one))
}

/** Records in which the values of the field compare so with one of the other's. */
function besideField(comparison: Asked, field: Field, other: Field): Matcher {
  const verdicts = new WeakMap<readonly JsonValue[], Verdict>()
  return (records, among) => {
    const verdict = verdicts.get(records) ?? comparedWith(records, comparison, field, other)
    verdicts.set(records, verdict)
    return among ? verdict.map((holds, at) => holds & (among[at] ?? 0)) : verdict
  }
}

function comparedWith(records: readonly JsonValue[], comparison: Asked, field: Field, other: Field): Verdict {
  const column = columnAt(records, field.path)
  const others = columnAt(records, other.path)
  const tests = new Map<number, readonly OperatorTest[]>()
  const found = new Uint8Array(records.length)
  const calendar = calendarOf(column)
  const [own, second] = [calendar.order, calendarOf(others).order]
  const numbersIn = comparison.measure === undefined ? amountsIn(records, field, other) : undefined
  const inUnit = (values: readonly JsonValue[]): readonly JsonValue[] => numbersIn?.(values) ?? values
  // Two fields of the same records are written alike.
  const order = own ?? second
  const orders = { order, other: second ?? own }
  const valuesOf = (code: number): readonly JsonValue[] => {
    const values = column.values(code)
    if (comparison.measure === 'length') return [lengthOf(values)]
    const { measure } = comparison
    return measure === undefined
      ? inUnit(values)
      : elementsOf(values).flatMap((value) => partNumber(value, measure, { ...calendar, order }))
  }
  for (let at = 0; at < found.length; at++) {
    const code = others.codes[at] ?? 0
    const against =
      tests.get(code) ??
      inUnit(others.values(code)).flatMap((value) => testsAgainst(value, comparison, orders))
    tests.set(code, against)
    const values = valuesOf(column.codes[at] ?? 0)
    // Two absent values do not differ.
    if (comparison.negated && isAbsent(values) && isAbsent(others.values(code))) continue
    if (against.some((test) => test.holds(values)) !== comparison.negated) found[at] = 1
  }
  return found
}

/** Makes numbers of amounts, where two fields have units of one kind: of the fields that one is computed of, or of both. */
function amountsIn(
  records: readonly JsonValue[],
  field: Field,
  other: Field,
): ((values: readonly JsonValue[]) => readonly JsonValue[]) | undefined {
  const computed = [field, other].find(({ path }) => path.at(-1)?.selectors[0]?.kind === 'computed')
  const both = [field, other].map(({ path }) => codedOf(records, path))
  // Numbers alone may be in any unit.
  const haveTexts = both.every((coded) => !areNumbers(coded))
  const shared = (): Reading | undefined =>
    haveTexts ? sharedReading(both, `${field.name} ${other.name}`) : undefined
  const reading = computed ? computed.reading : shared()
  if (reading === undefined) return undefined
  return (values) => elementsOf(values).map((value) => numberAs(value, reading))
}

/** How many records have a value in one field and none in the other. */
function lackingIn(records: readonly JsonValue[], field: Field, other: Field): number {
  const column = columnAt(records, field.path)
  const others = columnAt(records, other.path)
  let lacking = 0
  for (let at = 0; at < records.length; at++)
    if (isAbsent(others.values(others.codes[at] ?? 0)) && !isAbsent(column.values(column.codes[at] ?? 0)))
      lacking++
  return lacking
}

/** `orders`: of the dates with slashes in the compared field, and in the other one. */
function testsAgainst(
  value: JsonValue,
  comparison: Asked,
  { order, other }: { order: DateOrder | undefined; other: DateOrder | undefined },
): OperatorTest[] {
  if (value === null) return []
  if (typeof value === 'object') {
    const whole = JSON.stringify(value)
    const isSame = (one: JsonValue): boolean => typeof one === 'object' && JSON.stringify(one) === whole
    return comparison.operator === '=' ? [{ holds: (values) => values.some(isSame) }] : []
  }
  const text = typeof value === 'string' && other !== undefined ? isoDate(value, other) : String(value)
  const operands = [{ ...operandFor(text, typeof value === 'string'), ...(order && { dateOrder: order }) }]
  const around = {
    strictness: () => 'loose' as const,
    isElement: () => false,
    crosses: false,
    pattern: () => undefined,
  }
  return [testOf({ ...comparison, operands }, around)]
}
