/**
 * From conditions to the records that fulfil them, over columns: a question about values is answered once for each distinct value.
 * Each comparison is bound to the field that is meant and read as the values of that field suggest; where no record fulfils it,
 * the repairs of `repairs.ts` are tried.
 */
import { type Column, several } from '../documents/column.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import type { Pattern } from '../text/pattern.ts'
import { equals, isNull, type Operand, operandFor, type Strictness } from './compare.ts'
import { partOf } from './dates.ts'
import { computedField, type Field, knowing, resolveExactly, resolveField } from './fields.ts'
import { functionNamed } from './functions.ts'
import { holdsLevels } from './levels.ts'
import { lengthOf, type OperatorTest, testOf } from './operators.ts'
import { JOINT, type Knows, LONGEST_HELD, type Names, parseCondition } from './parser.ts'
import { parsePath } from './path.ts'
import { columnOf } from './reader.ts'
import { type Records, recordsOfValues } from './records.ts'
import { Refusal, shown } from './refusal.ts'
import { remarksOn } from './remarks.ts'
import { repaired } from './repairs.ts'
import { adapted, emptySample, hasZones, isOrdering, ofNone, sampleOf } from './sample.ts'
import { type Comparison, type Condition, type Expression, sourceOf, type Within } from './tree.ts'
import {
  all,
  any,
  ColumnTest,
  columnWork,
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

/** What is compared instead of the values of a field themselves. */
export type Measure = 'length' | 'year' | 'month' | 'day' | 'hour'

/** A comparison whose sides are read, before its field is found. */
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

/** A comparison whose field was found. */
export interface Bound {
  comparison: Asked
  field: Field
  /** Of the values of the field, the negation aside. */
  test: ColumnTest
  matches: Matcher
}

/** Everything that a set of conditions was bound to. */
export interface Binding {
  matches: Matcher
  comparisons: Bound[]
  patterns: Pattern[]
  notes: string[]
}

/** What comes up while comparisons are bound. */
export interface Findings {
  readonly notes: Set<string>
  readonly patterns: Pattern[]
}

/** What a comparison is bound in. */
export interface Context {
  readonly records: Records
  readonly knows: Knows
  /** Binds a condition on elements; what comes up goes to `found`. */
  within(condition: Within, found: Findings): Matcher
  /** Binds the comparison to a field; what comes up goes to `found`. */
  bind(comparison: Asked, field: Field, found: Findings): Bound
}

const DEEPEST_WITHIN = 3
/** Records in which texts within objects are looked for. */
const MOST_SAMPLED = 500
/** Distinct elements that are listed; beyond that the lists themselves are gone through. */
const MOST_DISTINCT = 20_000
/** Texts that hold joints; more of them are not gone through. */
const MOST_HELD = 20_000

/** Reads conditions, finds the fields, compiles the patterns. Throws a `Refusal` for a field that no record has and a bad pattern. */
export function bind(conditions: readonly string[], records: Records): Binding {
  const name = `binding ${JSON.stringify(conditions)}`
  const before = records.table.found<Binding>(name)
  const bound = before ?? bindNew(conditions, records)
  // A pattern has a time for all its uses, so each question compiles its own.
  if (bound.patterns.length === 0) records.table.derived(name, () => bound)
  return { ...bound, notes: [...bound.notes] }
}

function bindNew(conditions: readonly string[], records: Records): Binding {
  const binder = new Binder(records)
  const read = conditions.map((condition) => parseCondition(condition, binder.names))
  const matches = binder.together(read)
  const { comparisons, patterns, notes } = binder
  return { matches, comparisons, patterns, notes: [...notes] }
}

/** What is known of the records, for the parser. `note` gets its remarks. */
export function namesOf(records: Records, note: (text: string) => void): Names {
  return { knows: knowing(records), held: heldBy(records), note }
}

/** The texts of a field that could be taken for more than one condition, in lower case. */
export function heldBy(records: Records): (field: string) => ReadonlySet<string> {
  return (field) => records.table.derived(`held ${field}`, () => textsOf(records, field))
}

function textsOf(records: Records, name: string): ReadonlySet<string> {
  const texts = new Set<string>()
  try {
    const { path } = resolveExactly(records, parsePath(name)) ?? resolveField(records, name)
    if (path.length === 0) return texts
    const add = (value: JsonValue): void => {
      if (Array.isArray(value)) value.forEach(add)
      else if (typeof value === 'string' && value.length <= LONGEST_HELD && JOINT.test(value))
        texts.add(value.trim().toLowerCase())
    }
    const column = columnOf(records.values, path, columnWork())
    for (let code = 0; code < column.size; code++) {
      column.values(code).forEach(add)
      if (texts.size > MOST_HELD) return texts
    }
  } catch (error) {
    // Too much to look at, or no path: then nothing is known.
    if (!(error instanceof Refusal)) throw error
  }
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
    if (joined.length === 0) return apart
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
    const found: Findings = { notes: new Set(), patterns: [] }
    const asked = askedBy(written)
    const bound = repaired(this, asked, () => this.#resolve(asked), found)
    if (bound.field.note !== undefined) found.notes.add(bound.field.note)
    for (const remark of remarksOn(bound, this.records)) found.notes.add(remark)
    return { bound, found }
  }

  /** The field, or the key of the records when that is what the condition asks for by another name. */
  #resolve({ field, computed, operands, operator, negated }: Asked): Field {
    if (computed) return computedField(this.records, computed, field)
    const isEquation = !negated && (operator === '=' || operator === 'in' || operator === 'has')
    try {
      return resolveField(this.records, field, isEquation ? operands.map(({ text }) => text) : [])
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

  bind(comparison: Asked, field: Field, found: Findings): Bound {
    const note = (text: string): void => {
      found.notes.add(text)
    }
    const other = this.#besides(comparison, field, found)
    const sample = comparison.measure === 'length' ? emptySample : sampleOf(this.records, field)
    const ready = other
      ? comparison
      : adapted(ofNone(this.records, comparison, field), field.name, sample, note)
    const test = other ? NEVER : columnTestOf(this.records, field, ready, found)
    const matches = other ? besideField(ready, field, other) : ofValues(field.path, test, ready.negated)
    if (hasZones(ready, sample)) note('Days are those of UTC.')
    return { comparison: ready, field, test, matches }
  }

  /** The other field whose value in the same record is meant, unless some record holds its name as a value. */
  #besides(comparison: Asked, field: Field, found: Findings): Field | undefined {
    if (comparison.beside) {
      const text = sourceOf(comparison.beside)
      return comparison.beside.kind === 'field'
        ? resolveField(this.records, text)
        : computedField(this.records, comparison.beside, text)
    }
    if (!mayBeField(comparison, this.knows)) return undefined
    if (
      comparison.operator === '=' &&
      holdsSome(this.records, field, columnTestOf(this.records, field, comparison, found))
    )
      return undefined
    const other = resolveExactly(this.records, parsePath(comparison.operands[0]?.text ?? ''))
    if (!other || other.name === field.name) return undefined
    found.notes.add(`\`${other.name}\` read as the field.`)
    return other
  }
}

/** The sides of a comparison: what is measured of a field, and values as they may be meant. */
export function askedBy(comparison: Comparison): Asked {
  const { operator, negated, written, colon, left, operands } = comparison
  const computedOperand = operands.find((operand) => operand.kind !== 'literal')
  return {
    ...sideOf(left),
    operator,
    negated,
    operands: operands.map((operand) =>
      operand.kind === 'literal'
        ? operandFor(operand.text, operand.quoted)
        : operandFor(sourceOf(operand), false),
    ),
    ...(computedOperand && { beside: computedOperand }),
    written,
    ...(colon && { colon }),
  }
}

/** Functions whose answer is compared as one of the field's own, so that remarks are about the field. */
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

const NEVER = new ColumnTest({ holds: () => false })

/** True when the values of some record pass. */
export function holdsSome(records: Records, { path }: Field, test: ColumnTest): boolean {
  return test.of(columnOf(records.values, path, columnWork())).some()
}

// ---- The test of a comparison, as the values of its field suggest -------------------------------------------------

/** The test of the values that the field has in a record, the negation aside. `found` gets its patterns. Throws a `Refusal` for a bad one. */
export function columnTestOf(records: Records, field: Field, comparison: Asked, found: Findings): ColumnTest {
  const { measure, folded } = comparison
  const crosses = listsOn(records, field.path).lists.some((at) => at < field.path.length)
  const test = testOf(comparison, {
    crosses,
    strictness: (operand) => (folded ? 'loose' : strictnessOf(records, field, operand)),
    isElement: (operand, across) => isElement(records, field, operand, across),
    pattern: (pattern) => {
      if (pattern.note !== undefined) found.notes.add(pattern.note)
      found.patterns.push(pattern)
    },
  })
  const compared = ofTexts(records, field, test)
  if (measure === 'length') return new ColumnTest({ holds: (values) => compared.holds([lengthOf(values)]) })
  const isPart =
    measure !== undefined && comparison.operands.every(({ text }) => /^\d{1,2}$|^\d{4}$/.test(text))
  return new ColumnTest(
    isPart
      ? { holds: (values) => compared.holds(elementsOf(values).flatMap((value) => partOf(value, measure))) }
      : compared,
  )
}

/** An element of XML with attributes is an object that holds its text. */
function ofTexts(records: Records, field: Field, test: OperatorTest): OperatorTest {
  const column = columnOf(records.values, field.path, columnWork())
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

/** Text is compared to the letter when a record has it so, and without regard to case when none has. */
function strictnessOf(records: Records, field: Field, operand: Operand): Strictness {
  if (operand.boolean !== undefined || isNull(operand)) return 'loose'
  const column = columnOf(records.values, field.path, columnWork())
  const isOfLevels = holdsLevels(field.name)
  if (holdsText(column, operand.text)) return isOfLevels ? 'loose' : 'exact'
  return isOfLevels ? 'level' : 'loose'
}

/** Answers about one text that are kept with a column. */
const MOST_ANSWERS = 200

function answered(column: Column, about: string, text: string, find: () => boolean): boolean {
  const known = column.derived(about, () => new Map<string, boolean>())
  const found = known.get(text) ?? find()
  if (known.size < MOST_ANSWERS) known.set(text, found)
  return found
}

function holdsText(column: Column, text: string): boolean {
  return answered(column, 'held texts', text, () => findText(column, text))
}

function findText(column: Column, text: string): boolean {
  // Ids beyond 2^53 are numbers where a double holds them, and texts where none does.
  const isWhole = (value: unknown): boolean =>
    value === text || (typeof value === 'number' && !Number.isSafeInteger(value) && String(value) === text)
  const isSame = (value: JsonValue): boolean =>
    isWhole(value) ||
    (Array.isArray(value) && value.some(isSame)) ||
    (isObject(value) && Object.values(value).some((held) => held === text))
  if (!holdsTexts(column)) return false
  const inLists = listedIn(column)
  if (inLists?.has(text)) return true
  for (let code = 0; code < column.size; code++) {
    const value = column.scalar(code)
    if (value === several ? !inLists && column.values(code).some(isSame) : isWhole(value)) return true
  }
  return false
}

/** False where all that a column holds are numbers, booleans and null. */
function holdsTexts(column: Column): boolean {
  return column.derived('texts', () => {
    for (let code = 0; code < column.size; code++) {
      const value = column.scalar(code)
      if (value === several || typeof value === 'string') return true
    }
    return false
  })
}

/** The distinct elements of all lists in a column where lists of scalars are all that it holds beside scalars; else undefined. */
function listedIn(column: Column): ReadonlySet<JsonValue> | undefined {
  return column.derived('distinct elements', () => {
    const elements = new Set<JsonValue>()
    for (let code = 0; code < column.size; code++) {
      if (column.scalar(code) !== several) continue
      for (const list of column.values(code)) {
        if (!Array.isArray(list)) return undefined
        for (const element of list) {
          if (typeof element === 'object' && element !== null) return undefined
          elements.add(element)
        }
        if (elements.size > MOST_DISTINCT) return undefined
      }
    }
    return elements
  })
}

/** True when a list of some record holds the operand whole: then `contains` asks for that. */
function isElement(records: Records, field: Field, operand: Operand, across: boolean): boolean {
  const crosses = across && listsOn(records, field.path).lists.length > 0
  const column = columnOf(records.values, field.path, columnWork())
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

// ---- Two fields of one record -------------------------------------------------------------------------------------

/** True when the value of a comparison may be the name of a field: `closed_at > created_at`. */
function mayBeField(comparison: Asked, knows: Knows): boolean {
  const [operand, second] = comparison.operands
  if (!operand || second || operand.quoted || operand.number !== undefined) return false
  if (!/^[@$\w.[\]*]+$/.test(operand.text)) return false
  if (!isOrdering(comparison) && comparison.operator !== '=') return false
  return operand.boolean === undefined && !isNull(operand) && knows(operand.text) === 'exactly'
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
  const column = columnOf(records, field.path, columnWork())
  const others = columnOf(records, other.path, columnWork())
  const tests = new Map<number, readonly OperatorTest[]>()
  const found = new Uint8Array(records.length)
  const valuesOf = (code: number): readonly JsonValue[] => {
    const values = column.values(code)
    if (comparison.measure === 'length') return [lengthOf(values)]
    const { measure } = comparison
    return measure === undefined ? values : elementsOf(values).flatMap((value) => partOf(value, measure))
  }
  for (let at = 0; at < found.length; at++) {
    const code = others.codes[at] ?? 0
    const against = tests.get(code) ?? others.values(code).flatMap((value) => testsAgainst(value, comparison))
    tests.set(code, against)
    const values = valuesOf(column.codes[at] ?? 0)
    if (against.some((test) => test.holds(values)) !== comparison.negated) found[at] = 1
  }
  return found
}

function testsAgainst(value: JsonValue, comparison: Asked): OperatorTest[] {
  if (value === null || typeof value === 'object') return []
  const operands = [operandFor(String(value), typeof value === 'string')]
  const around = {
    strictness: () => 'loose' as const,
    isElement: () => false,
    crosses: false,
    pattern: () => undefined,
  }
  return [testOf({ ...comparison, operands }, around)]
}
