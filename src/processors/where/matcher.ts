/** From a condition to a function over records. */
import { isObject, type JsonObject, type JsonPrimitive, type JsonValue, own } from '../../protocol/json.ts'
import type { Pattern } from '../../text/pattern.ts'
import { type Field, resolveExactly, resolveField } from '../fields.ts'
import { holdsObjects, innerFields } from '../inner-fields.ts'
import { parsePath } from '../path/parse.ts'
import { newWork, type Work } from '../path/path.ts'
import { readValues, scalarAt, several } from '../path/walk.ts'
import { type Records, recordsOfValues } from '../records.ts'
import { Refusal, shown } from '../refusal.ts'
import { adapted, hasZones, isOrdering } from './adapt.ts'
import { equals, type Strictness } from './comparing.ts'
import { type Comparison, type Condition, parseCondition, type Reading, type Within } from './condition.ts'
import { partOf } from './dates.ts'
import { elementsOf, grouped, listsOn, type Member } from './elements.ts'
import { heldBy } from './held-texts.ts'
import { holdsLevels } from './levels.ts'
import { isNull, type Operand, operandOf } from './operand.ts'
import type { Knows } from './operators.ts'
import { remarksOn } from './remarks.ts'
import { rereadings } from './reread.ts'
import { lengthOf, type Surroundings, testOf, type ValuesTest } from './tests.ts'

/** True when a record fulfils the condition. */
export type Matcher = (record: JsonValue) => boolean

/** A comparison with its field found. */
export interface Bound {
  comparison: Comparison
  field: Field
  /** Of the values of the field, the negation aside. */
  test: ValuesTest
  matches: Matcher
}

/** Everything that a set of conditions was bound to. */
export interface Binding {
  matches: Matcher
  comparisons: Bound[]
  patterns: Pattern[]
  notes: string[]
}

/** Reads conditions, finds the fields, compiles the patterns. Throws a `Refusal` for a field that no record has and a bad pattern. */
export function bind(conditions: readonly string[], records: Records): Binding {
  const binder = new Binder(records)
  const matches = binder.together(conditions.map((condition) => parseCondition(condition, binder.reading)))
  const { comparisons, patterns, notes } = binder
  return { matches, comparisons, patterns, notes: [...notes] }
}

/** Records in which a value is looked for in a sample. */
const mostSampled = 500
const deepestWithin = 3

export class Binder {
  readonly comparisons: Bound[] = []
  readonly patterns: Pattern[] = []
  readonly notes = new Set<string>()
  readonly reading: Reading
  private readonly work: Work = newWork(20_000_000)
  private readonly records: Records
  private readonly depth: number

  constructor(records: Records, depth = 0) {
    this.records = records
    this.depth = depth
    this.reading = {
      knows: knowing(records),
      held: heldBy(records),
      note: (text) => this.notes.add(text),
    }
  }

  /** All conditions at once; those about the elements of one list are about the same element. */
  together(conditions: readonly Condition[]): Matcher {
    const flat = conditions.flatMap((condition) => (condition.kind === 'and' ? condition.parts : [condition]))
    const bounds: Bound[] = []
    const others: Matcher[] = []
    for (const condition of flat) {
      if (condition.kind === 'comparison') bounds.push(this.compare(condition))
      else others.push(this.bind(condition))
    }
    const matchers = [...this.elementwise(bounds), ...others]
    return (record) => matchers.every((matches) => matches(record))
  }

  private bind(condition: Condition): Matcher {
    switch (condition.kind) {
      case 'not': {
        const matches = this.bind(condition.part)
        return (record) => !matches(record)
      }
      case 'and':
        return this.together(condition.parts)
      case 'or': {
        const parts = condition.parts.map((part) => this.bind(part))
        return (record) => parts.some((matches) => matches(record))
      }
      case 'within':
        return this.within(condition)
      default:
        return this.compare(condition).matches
    }
  }

  private elementwise(bounds: readonly Bound[]): Matcher[] {
    const apart = bounds.map(({ matches }) => matches)
    if (bounds.length < 2) return apart
    const members = bounds.map((bound) => this.member(bound))
    if (members.filter(({ lists }) => lists.length > 0).length < 2) return apart
    const { members: all, joined } = grouped(members, this.work)
    if (joined.length === 0) return apart
    const matchers = all.map(
      ({ path, negated, test }): Matcher =>
        (record) =>
          test(this.values(record, path)) !== negated,
    )
    const strict = (record: JsonValue): boolean => matchers.every((matches) => matches(record))
    const lost = this.records.values.filter(
      (record) => apart.every((matches) => matches(record)) && !strict(record),
    ).length
    const gained = this.records.values.filter(
      (record) => strict(record) && !apart.every((matches) => matches(record)),
    ).length
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

  private member({ comparison, field, test }: Bound): Member {
    const aside =
      comparison.operator === 'exists' ||
      comparison.operator === 'is null' ||
      comparison.operator === 'is empty' ||
      comparison.measure === 'length'
    const { path, lists } = aside ? { path: field.path, lists: [] } : listsOn(this.records, field.path)
    return {
      path,
      lists,
      negated: comparison.negated,
      isBound: isOrdering(comparison),
      test,
      names: [field.name],
    }
  }

  private within({ field: written, quantifier, condition, written: whole }: Within): Matcher {
    if (this.depth >= deepestWithin) throw new Refusal(`The condition \`${whole}\` is nested too deeply.`)
    const field = resolveField(this.records, written)
    if (field.note !== undefined) this.notes.add(field.note)
    const all = this.records.values.flatMap((record) => elementsOf(this.values(record, field.path)))
    if (all.length === 0) throw new Refusal(`\`${field.name}\` holds no elements.`)
    const inner = new Binder(recordsOfValues(all), this.depth + 1)
    const holds = inner.together([parseCondition(condition, inner.reading)])
    for (const text of inner.notes) this.notes.add(text)
    this.patterns.push(...inner.patterns)
    return (record) => {
      const elements = elementsOf(this.values(record, field.path))
      if (quantifier === 'all') return elements.every(holds)
      return elements.some(holds) === (quantifier === 'any')
    }
  }

  private compare(written: Comparison): Bound {
    const list = this.elementCondition(written)
    const found = list ?? this.reread(this.bound(written, this.inner(written, this.resolve(written))))
    this.comparisons.push(found)
    if (found.field.note !== undefined) this.notes.add(found.field.note)
    const value = (record: JsonValue): JsonValue[] => this.values(record, found.field.path)
    for (const remark of remarksOn(found, this.records, value)) this.notes.add(remark)
    return found
  }

  /** `labels has name = bug`, `labels contains {"name": "bug"}`: a condition on the elements. */
  private elementCondition(comparison: Comparison): Bound | undefined {
    const [operand] = comparison.operands
    if (!operand || operand.quoted || !['has', 'contains', '='].includes(comparison.operator))
      return undefined
    const condition = /^\{.+\}$/s.test(operand.text)
      ? equations(operand.text)
      : /^\w+\s*(?:=|:)\s*\S/.test(operand.text) && comparison.operator !== '='
        ? operand.text
        : undefined
    if (condition === undefined) return undefined
    const field = this.resolve(comparison)
    if (!holdsObjects(this.records, field)) return undefined
    const holds = this.within({
      kind: 'within',
      field: comparison.field,
      quantifier: 'any',
      condition,
      written: comparison.written,
    })
    return { comparison, field, test: () => false, matches: (record) => holds(record) !== comparison.negated }
  }

  private bound(comparison: Comparison, field: Field): Bound {
    const other = this.otherField(comparison, field)
    const ready = other
      ? comparison
      : adapted(this.ofNone(comparison, field), this.sample(field, comparison), this.reading.note)
    const test = other ?? this.test(ready, field)
    const ofScalar = other ? undefined : remembering(test)
    const matches: Matcher = (record) => {
      const scalar = ofScalar ? scalarAt(record, field.path) : several
      const plain = ofScalar !== undefined && scalar !== several && scalar !== undefined
      const holds = plain ? ofScalar(scalar) : test(this.values(record, field.path), record)
      return holds !== comparison.negated
    }
    if (hasZones(ready, this.sample(field, ready))) this.notes.add('Days are those of UTC.')
    return { comparison: ready, field, test: (values) => test(values), matches }
  }

  /** `none` is a text where some record has it, and nothing where none has. */
  private ofNone(comparison: Comparison, field: Field): Comparison {
    const [operand, another] = comparison.operands
    if (!operand || another || comparison.operator !== '=' || !isNull(operand)) return comparison
    const quoted: Operand = { ...operand, quoted: true }
    const isText = this.records.values.some((record) =>
      elementsOf(this.values(record, field.path)).some(
        (value) => typeof value === 'string' && equals(value, quoted, 'loose'),
      ),
    )
    return isText
      ? { ...comparison, operands: [quoted] }
      : { ...comparison, operator: 'is null', operands: [] }
  }

  /** An equation that no record fulfils, read in the first other way that some record does. */
  private reread(found: Bound): Bound {
    if (!['=', 'has', 'contains'].includes(found.comparison.operator) || this.some(found)) return found
    for (const { comparison, as } of rereadings(found.comparison)) {
      try {
        const other = this.bound(comparison, found.field)
        if (!this.some(other)) continue
        this.notes.add(`\`${found.comparison.written}\` read as \`${shown(as)}\`.`)
        return other
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
    }
    return this.respelled(found)
  }

  /** `in_progress` for `In Progress`. */
  private respelled(found: Bound): Bound {
    const { comparison, field } = found
    const [operand] = comparison.operands
    if (!operand || comparison.operator !== '=' || comparison.operands.length > 1) return found
    const wanted = squeezed(operand.text)
    if (wanted.length < 3 || operand.number !== undefined || operand.date) return found
    const fields = holdsObjects(this.records, field) ? innerFields(this.records, field) : [field]
    for (const one of fields.slice(0, 20)) {
      const values = new Set<string>()
      for (const record of this.records.values)
        for (const value of elementsOf(this.values(record, one.path)))
          if (typeof value === 'string' && value.length < 100 && squeezed(value) === wanted) values.add(value)
      const [only] = values
      if (only === undefined || values.size > 1) continue
      this.notes.add(`\`${shown(operand.text)}\` read as ${JSON.stringify(only)}.`)
      return this.bound({ ...comparison, operands: [operandOf(JSON.stringify(only))] }, one)
    }
    return found
  }

  private some({ test, field }: Bound): boolean {
    return this.records.values.some((record) => test(this.values(record, field.path)))
  }

  /** The field, or the key of the records when that is what the condition asks for by another name. */
  private resolve({ field, operands, operator, negated }: Comparison): Field {
    const equation = !negated && (operator === '=' || operator === 'in' || operator === 'has')
    try {
      return resolveField(this.records, field, equation ? operands.map(({ text }) => text) : [])
    } catch (error) {
      const isKey = this.records.values.some((record) => {
        const key = isObject(record) ? own(record, '_key') : undefined
        return typeof key === 'string' && operands.some(({ text }) => text === key)
      })
      if (!isKey) throw error
      return {
        name: '_key',
        path: parsePath('_key'),
        note: `\`${shown(field, 40)}\` read as the key, \`_key\`.`,
      }
    }
  }

  /** Where a field holds objects and none of them fulfils the condition: the one field within that does in some record. */
  private inner(comparison: Comparison, field: Field): Field {
    if (
      comparison.operands.length === 0 ||
      comparison.measure === 'length' ||
      !holdsObjects(this.records, field)
    )
      return field
    const some = (one: Field): boolean => {
      const test = this.test(comparison, one)
      return this.records.values.some((record) => test(this.values(record, one.path)))
    }
    if (some(field)) return field
    const found = innerFields(this.records, field).filter(some)
    const [first, second] = found
    return first && (!second || second.path.length > first.path.length) ? first : field
  }

  /** `closed_at > created_at`: the other field's value in the same record. */
  private otherField(
    comparison: Comparison,
    field: Field,
  ): ((values: readonly JsonValue[], record?: JsonValue) => boolean) | undefined {
    const [operand, second] = comparison.operands
    if (
      !operand ||
      second ||
      operand.quoted ||
      operand.number !== undefined ||
      !/^[@$\w.[\]*]+$/.test(operand.text)
    )
      return undefined
    if (!isOrdering(comparison) && comparison.operator !== '=') return undefined
    if (operand.boolean !== undefined || isNull(operand) || this.reading.knows(operand.text) !== 'exactly')
      return undefined
    const plain = this.test(comparison, field)
    if (
      comparison.operator === '=' &&
      this.records.values.some((record) => plain(this.values(record, field.path)))
    )
      return undefined
    const other = resolveExactly(this.records, parsePath(operand.text))
    if (!other || other.name === field.name) return undefined
    this.notes.add(`\`${other.name}\` read as the field.`)
    return (values, record = null) =>
      this.values(record, other.path).some((value) => {
        if (value === null || typeof value === 'object') return false
        const operands = [operandOf(typeof value === 'string' ? JSON.stringify(value) : String(value))]
        return testOf(
          { ...comparison, operands },
          { strictness: () => 'loose', isElement: () => false, crosses: false, pattern: () => undefined },
        )(values)
      })
  }

  private values(record: JsonValue, path: Field['path']): JsonValue[] {
    const values: JsonValue[] = []
    readValues(record, path, values, this.work)
    return values
  }

  private test(comparison: Comparison, field: Field): ValuesTest {
    const { measure } = comparison
    const compared = this.ofTexts(field, testOf(comparison, this.surroundings(field, comparison.folded)))
    if (measure === 'length') return (values) => compared([lengthOf(values)])
    const isPart =
      measure !== undefined && comparison.operands.every(({ text }) => /^\d{1,2}$|^\d{4}$/.test(text))
    return isPart
      ? (values) => compared(elementsOf(values).flatMap((value) => partOf(value, measure)))
      : compared
  }

  /** An element of XML with attributes is an object that holds its text. */
  private ofTexts(field: Field, test: ValuesTest): ValuesTest {
    const hasText = (value: JsonValue): boolean => isObject(value) && textIn(value) !== undefined
    const some = this.records.values
      .slice(0, mostSampled)
      .some((record) => elementsOf(this.values(record, field.path)).some(hasText))
    return some
      ? (values) => test(values.map((value) => (isObject(value) ? (textIn(value) ?? value) : value)))
      : test
  }

  private surroundings(field: Field, folded = false): Surroundings {
    const crosses = listsOn(this.records, field.path).lists.some((at) => at < field.path.length)
    return {
      crosses,
      strictness: (operand) => (folded ? 'loose' : this.strictness(operand, field)),
      isElement: (operand, across) => this.isElement(operand, field, across),
      pattern: (pattern) => {
        if (pattern.note !== undefined) this.notes.add(pattern.note)
        this.patterns.push(pattern)
      },
    }
  }

  /** Scalars that the field has in some of the records; none where the comparison does not depend on them. */
  private sample({ name, path }: Field, comparison: Comparison): { name: string; values: JsonValue[] } {
    const values: JsonValue[] = []
    if (comparison.measure === 'length') return { name, values }
    const step = Math.max(1, Math.floor(this.records.values.length / mostSampled))
    for (let at = 0; at < this.records.values.length; at += step) {
      for (const value of elementsOf(this.values(this.records.values[at] ?? null, path)))
        if (value !== null && typeof value !== 'object' && typeof value !== 'boolean') values.push(value)
    }
    return { name, values }
  }

  /** Text is compared to the letter when a record has it so, and without regard to case when none has. */
  private strictness(operand: Operand, field: Field): Strictness {
    if (operand.boolean !== undefined || isNull(operand)) return 'loose'
    const same = (value: JsonValue): boolean =>
      value === operand.text ||
      (Array.isArray(value) && value.some(same)) ||
      (isObject(value) && Object.values(value).some((held) => held === operand.text))
    return this.records.values.some((record) => this.values(record, field.path).some(same))
      ? holdsLevels(field.name)
        ? 'loose'
        : 'exact'
      : holdsLevels(field.name)
        ? 'level'
        : 'loose'
  }

  /** True when a list of some record holds the operand whole: then `contains` asks for that. */
  private isElement(operand: Operand, field: Field, across: boolean): boolean {
    const whole = (element: JsonValue): boolean =>
      equals(element, operand, 'loose') ||
      (isObject(element) &&
        Object.values(element).some((held) => typeof held === 'string' && equals(held, operand, 'loose')))
    const crosses = across && listsOn(this.records, field.path).lists.length > 0
    return this.records.values.some((record) =>
      this.values(record, field.path).some((value) =>
        Array.isArray(value) ? value.some(whole) : crosses && whole(value),
      ),
    )
  }
}

function textIn(value: JsonObject): JsonValue | undefined {
  return own(value, '#text') ?? own(value, '_text') ?? own(value, '$t')
}

/** Answers that are remembered of one comparison, and the longest text that is. */
const mostRemembered = 20_000
const longestRemembered = 64

/** The test of a single scalar. Values repeat, and to compare them as dates, sizes or texts takes longer than to remember. */
function remembering(test: ValuesTest): (value: JsonPrimitive) => boolean {
  const known = new Map<JsonPrimitive, boolean>()
  return (value) => {
    if (typeof value === 'string' && value.length > longestRemembered) return test([value])
    let holds = known.get(value)
    if (holds === undefined) {
      holds = test([value])
      if (known.size < mostRemembered) known.set(value, holds)
    }
    return holds
  }
}

function squeezed(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
}

/** `{"name": "bug"}` as `name = "bug"`. */
function equations(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    if (!isObject(value)) return undefined
    return Object.entries(value)
      .map(([key, held]) => `${key} = ${JSON.stringify(held)}`)
      .join(' and ')
  } catch {
    return undefined
  }
}

/** Whether a name is a field of the records. Remembers. */
function knowing(records: Records): Knows {
  const known = new Map<string, ReturnType<Knows>>()
  return (name) => {
    if (name === '' || name.length > 200) return undefined
    if (!known.has(name)) known.set(name, lookedUp(records, name))
    return known.get(name)
  }
}

function lookedUp(records: Records, name: string): ReturnType<Knows> {
  if (records.values.length === 0) return undefined
  try {
    const path = parsePath(name)
    if (path.length === 0) return name === '@' || name === '$' || name === '.' ? 'exactly' : undefined
    if (resolveExactly(records, path)) return 'exactly'
    return resolveField(records, name).path.length > 0 ? 'nearly' : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
