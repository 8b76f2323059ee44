/** From a condition to a function over records. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { compilePattern, isPattern, type Pattern } from '../../text/pattern.ts'
import { type Field, resolveField } from '../fields.ts'
import { holdsObjects, innerFields } from '../inner-fields.ts'
import { parsePath } from '../path/parse.ts'
import { newWork, type Work } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Refusal, shown } from '../refusal.ts'
import type { Comparison, Condition } from './condition.ts'
import { holdsLevels } from './levels.ts'
import { contains, equals, has, isNull, type Operand, order, type Strictness } from './operand.ts'

/** True when a record fulfils the condition. */
type Matcher = (record: JsonValue) => boolean

/** A comparison with its field found. */
export interface Bound {
  comparison: Comparison
  field: Field
  matches: Matcher
}

/** Everything that a set of conditions was bound to. */
export interface Binding {
  matches: Matcher
  comparisons: Bound[]
  patterns: Pattern[]
  notes: string[]
}

/** Finds the fields, compiles the patterns. Throws a `Refusal` for a field that no record has and a bad pattern. */
export function bind(conditions: readonly Condition[], records: Records): Binding {
  const binder = new Binder(records)
  const all = conditions.map((condition) => binder.bind(condition))
  const { comparisons, patterns, notes } = binder
  return {
    matches: (record) => all.every((matches) => matches(record)),
    comparisons,
    patterns,
    notes: [...notes],
  }
}

class Binder {
  readonly comparisons: Bound[] = []
  readonly patterns: Pattern[] = []
  readonly notes = new Set<string>()
  private readonly work: Work = newWork(20_000_000)
  private readonly records: Records

  constructor(records: Records) {
    this.records = records
  }

  bind(condition: Condition): Matcher {
    switch (condition.kind) {
      case 'not': {
        const matches = this.bind(condition.part)
        return (record) => !matches(record)
      }
      case 'and': {
        const parts = condition.parts.map((part) => this.bind(part))
        return (record) => parts.every((matches) => matches(record))
      }
      case 'or': {
        const parts = condition.parts.map((part) => this.bind(part))
        return (record) => parts.some((matches) => matches(record))
      }
      default:
        return this.compare(condition)
    }
  }

  private compare(comparison: Comparison): Matcher {
    const field = this.inner(comparison, this.resolve(comparison))
    if (field.note !== undefined) this.notes.add(field.note)
    const fulfils = this.fulfils(comparison, field)
    const matches: Matcher = (record) => fulfils(record) !== comparison.negated
    this.comparisons.push({ comparison, field, matches })
    if (comparison.operator === 'exists') this.remarkNulls(field)
    if (comparison.operator === 'is true')
      this.notes.add(`\`${field.name}\` alone is true where it is neither false nor 0, null or empty.`)
    return matches
  }

  /** The field, or the key of the records when that is what the condition asks for by another name. */
  private resolve({ field, operands }: Comparison): Field {
    try {
      return resolveField(this.records, field)
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
    if (comparison.operands.length === 0 || !holdsObjects(this.records, field)) return field
    const some = (one: Field): boolean => this.records.values.some(this.fulfils(comparison, one))
    if (some(field)) return field
    const found = innerFields(this.records, field).filter(some)
    const [first, second] = found
    return first && (!second || second.path.length > first.path.length) ? first : field
  }

  private fulfils(comparison: Comparison, field: Field): Matcher {
    const test = this.test(comparison, field)
    return (record) => {
      const values: JsonValue[] = []
      readValues(record, field.path, values, this.work)
      return test(values)
    }
  }

  /** A field that is there and null exists, which is seldom what is asked for. */
  private remarkNulls(field: Field): void {
    const nulls = this.records.values.filter(
      this.fulfils({ ...noComparison, operator: 'is null' }, field),
    ).length
    const absent = this.records.values.filter(
      (record) => !this.fulfils({ ...noComparison, operator: 'exists' }, field)(record),
    ).length
    if (nulls > absent)
      this.notes.add(
        `\`${field.name}\` exists in ${nulls - absent} records as null; \`${field.name} is not null\` leaves them out.`,
      )
  }

  /** Over all values that the field has in a record. */
  private test(comparison: Comparison, field: Field): (values: readonly JsonValue[]) => boolean {
    const { operator, operands } = comparison
    const [first, second] = operands
    if (operator === 'exists') return (values) => values.length > 0
    if (operator === 'is null') return (values) => values.every((value) => value === null)
    if (operator === 'is true') return (values) => values.some(isTrue)
    if (operator === 'is empty') return (values) => values.every(isEmpty)
    if (!first) throw new Refusal(`The condition \`${comparison.written}\` has no value.`)
    switch (operator) {
      case '=':
      case 'in': {
        const strict = operands.map((operand) => this.strictness(operand, field))
        return some((value) => operands.some((operand, at) => equals(value, operand, strict[at] ?? 'exact')))
      }
      case '<':
        return some((value) => order(value, first) < 0)
      case '<=':
        return some((value) => order(value, first) <= 0)
      case '>':
        return some((value) => order(value, first) > 0)
      case '>=':
        return some((value) => order(value, first) >= 0)
      case 'between':
        return some((value) => order(value, first) >= 0 && second !== undefined && order(value, second) <= 0)
      case 'has': {
        const strictness = this.strictness(first, field)
        return (values) => values.some((value) => has(value, first, strictness))
      }
      case 'contains':
        return (values) => values.some((value) => contains(value, first))
      case 'starts with':
        return some((value) => textOf(value).toLowerCase().startsWith(first.lower))
      case 'ends with':
        return some((value) => textOf(value).toLowerCase().endsWith(first.lower))
      case 'like':
        return this.pattern(wildcards(first.text))
      case '~':
        return this.pattern(withoutSlashes(first.text))
    }
  }

  private pattern(source: string): (values: readonly JsonValue[]) => boolean {
    const pattern = compilePattern(source, { caseInsensitive: true })
    if (!isPattern(pattern)) throw new Refusal(pattern.error)
    if (pattern.note !== undefined) this.notes.add(pattern.note)
    this.patterns.push(pattern)
    return some((value) => value !== null && typeof value !== 'object' && pattern.test(textOf(value)))
  }

  /** Text is compared to the letter when a record has it so, and without regard to case when none has. */
  private strictness(operand: Operand, field: Field): Strictness {
    if (operand.boolean !== undefined || isNull(operand)) return 'loose'
    const same = (value: JsonValue): boolean =>
      value === operand.text ||
      (Array.isArray(value) && value.some(same)) ||
      (typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).some((held) => held === operand.text))
    const values: JsonValue[] = []
    for (const record of this.records.values) {
      values.length = 0
      readValues(record, field.path, values, this.work)
      if (values.some(same)) return 'exact'
    }
    return holdsLevels(field.name) ? 'level' : 'loose'
  }
}

/** True when one of the values, or of the elements of a list among them, fulfils `test`. */
function some(test: (value: JsonValue) => boolean): (values: readonly JsonValue[]) => boolean {
  const any = (value: JsonValue): boolean => (Array.isArray(value) ? value.some(any) : test(value))
  return (values) => values.some(any)
}

const noComparison: Omit<Comparison, 'operator'> = {
  kind: 'comparison',
  field: '',
  negated: false,
  operands: [],
  written: '',
}

/** True for what is there and says neither no nor nothing. */
function isTrue(value: JsonValue): boolean {
  if (typeof value === 'string') return !/^(?:|false|no|off|0|null|none)$/i.test(value.trim())
  return value !== 0 && value !== false && !isEmpty(value)
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function textOf(value: JsonValue): string {
  return value === null || typeof value === 'object' ? '' : String(value)
}

/** SQL's `LIKE`: `%` for anything, `_` for one character, the whole text. Without either, a part of the text. */
function wildcards(text: string): string {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (!/[%_*]/.test(text)) return escaped
  return `^(?s:${escaped.replaceAll('%', '.*').replaceAll('\\*', '.*').replaceAll('_', '.')})$`
}

/** `/crash/i` is what many write for `crash`. */
function withoutSlashes(text: string): string {
  const [, inner] = /^\/(.+)\/[a-z]*$/s.exec(text) ?? []
  return inner ?? text
}
