/** From a comparison as it was written to the field that is meant and a test of its values. */
import type { Pattern } from '../../text/pattern.ts'
import { columnOf } from '../column.ts'
import { type Field, resolveField } from '../fields.ts'
import { acrossMap, holdsObjects, innerFields } from '../inner-fields.ts'
import { parsePath } from '../path/parse.ts'
import type { Records } from '../records.ts'
import { Refusal, shown } from '../refusal.ts'
import { adapted, hasZones } from './adapt.ts'
import type { Bound } from './bound.ts'
import type { Comparison, Within } from './condition.ts'
import { conditionIn } from './element-condition.ts'
import { testFor } from './field-test.ts'
import { heldBy } from './held-texts.ts'
import { keysIn } from './keys.ts'
import { operandOf } from './operand.ts'
import type { Knows } from './operators.ts'
import { besideField, mayBeField, otherField } from './other-field.ts'
import { ofNone, respelling } from './readings.ts'
import { remarksOn } from './remarks.ts'
import { rereadings } from './reread.ts'
import { emptySample, sampleOf } from './sample.ts'
import type { ValuesTest } from './tests.ts'
import { columnWork, type Matcher, ofValues, truthOf } from './verdict.ts'

/** What comes up while conditions are bound: remarks for the reply, and patterns whose time has to be limited. */
export interface Findings {
  readonly notes: Set<string>
  readonly patterns: Pattern[]
}

/** What a comparison stands in. */
export interface Context {
  readonly records: Records
  readonly knows: Knows
  /** Binds a condition on elements; what comes up goes to `found`. */
  within(condition: Within, found: Findings): Matcher
}

/** Reads a comparison as the records suggest. Throws a `Refusal` for a field that no record has and a bad pattern. */
export function compare(context: Context, written: Comparison, found: Findings): Bound {
  return new Reader(context, found).read(written)
}

class Reader {
  private readonly context: Context
  private readonly records: Records
  private readonly found: Findings

  constructor(context: Context, found: Findings) {
    this.context = context
    this.records = context.records
    this.found = found
  }

  read(written: Comparison): Bound {
    const bound =
      this.elementCondition(written) ??
      this.reread(this.bound(written, this.inner(written, this.resolve(written))))
    if (bound.field.note !== undefined) this.note(bound.field.note)
    for (const remark of remarksOn(bound, this.records.values)) this.note(remark)
    return bound
  }

  /** `labels has name = bug`, `labels contains {"name": "bug"}`: a condition on the elements. */
  private elementCondition(comparison: Comparison): Bound | undefined {
    const condition = conditionIn(comparison)
    if (condition === undefined) return undefined
    const field = this.resolve(comparison)
    if (!holdsObjects(this.records, field)) return undefined
    const { field: name, written, negated } = comparison
    const quantifier = negated ? 'none' : 'any'
    const matches = this.context.within(
      { kind: 'within', field: name, quantifier, condition, written },
      this.found,
    )
    return { comparison, field, test: () => false, matches }
  }

  private bound(comparison: Comparison, field: Field): Bound {
    const other = this.otherField(comparison, field)
    const sample = comparison.measure === 'length' ? emptySample : sampleOf(this.records, field)
    const note = (text: string): void => this.note(text)
    const ready = other
      ? comparison
      : adapted(ofNone(this.records, comparison, field), field.name, sample, note)
    const test: ValuesTest = other ? () => false : this.test(ready, field)
    const matches = other ? besideField(ready, field, other) : ofValues(field.path, test, ready.negated)
    if (hasZones(ready, sample)) this.note('Days are those of UTC.')
    return { comparison: ready, field, test, matches }
  }

  /** An equation that no record fulfils, read in the first other way that some record does. */
  private reread(found: Bound): Bound {
    if (!['=', 'has', 'contains'].includes(found.comparison.operator) || this.some(found.field, found.test))
      return found
    for (const { comparison, as } of rereadings(found.comparison)) {
      try {
        const other = this.bound(comparison, this.inner(comparison, found.field))
        if (!this.some(other.field, other.test) || !this.isList(found, other)) continue
        this.note(`\`${found.comparison.written}\` read as \`${shown(as)}\`.`)
        return other
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
    }
    return this.respelled(found)
  }

  /** False for `MIT or Apache-3` where values are written so themselves (`MIT OR Apache-2.0`) and not all of the list are values. */
  private isList({ comparison: { field: name, operands }, field }: Bound, other: Bound): boolean {
    const [operand] = operands
    const word =
      other.comparison.operator === 'in' ? /\s(?:and|or)\s/i.exec(operand?.text ?? '')?.[0] : undefined
    if (word === undefined || this.isWritten(other)) return true
    const written = heldBy(this.records)(name)
    if (![...written].some((text) => text.includes(word.toLowerCase()))) return true
    const { comparison } = other
    this.note(
      `\`${shown(operand?.text ?? '')}\` was compared as one value; for either write \`${field.name} in (${comparison.operands.map(({ text }) => text).join(', ')})\`.`,
    )
    return false
  }

  /** True when each of the values is one that some record has. */
  private isWritten({ comparison, field }: Bound): boolean {
    return comparison.operands.every((operand) =>
      this.some(field, this.test({ ...comparison, operands: [operand] }, field)),
    )
  }

  /** `in_progress` for `In Progress`. */
  private respelled(found: Bound): Bound {
    const { comparison, field } = found
    const [operand, another] = comparison.operands
    if (!operand || another || comparison.operator !== '=') return found
    const other = respelling(this.records, field, operand)
    if (!other) return found
    this.note(`\`${shown(operand.text)}\` read as ${JSON.stringify(other.text)}.`)
    return this.bound({ ...comparison, operands: [operandOf(JSON.stringify(other.text))] }, other.field)
  }

  private some({ path }: Field, test: ValuesTest): boolean {
    return truthOf(columnOf(this.records.values, path, columnWork()), test).some()
  }

  /** The field, or the key of the records when that is what the condition asks for by another name. */
  private resolve({ field, operands, operator, negated }: Comparison): Field {
    const equation = !negated && (operator === '=' || operator === 'in' || operator === 'has')
    try {
      return resolveField(this.records, field, equation ? operands.map(({ text }) => text) : [])
    } catch (error) {
      const keys = keysIn(this.records.values)
      if (!operands.some(({ text }) => keys.has(text))) throw error
      return {
        name: '_key',
        path: parsePath('_key'),
        note: `\`${shown(field, 40)}\` read as the key, \`_key\`.`,
      }
    }
  }

  /** Where a field holds objects and none of them fulfils the condition: the one field within that does in some record. */
  private inner(comparison: Comparison, field: Field): Field {
    const { operands, measure } = comparison
    if (operands.length === 0 || measure === 'length' || !holdsObjects(this.records, field)) return field
    const some = (one: Field): boolean => this.some(one, this.test(comparison, one))
    if (some(field)) return field
    const across = acrossMap(this.records, field)
    if (across) return across
    const [first, second] = innerFields(this.records, field).filter(some)
    return first && (!second || second.path.length > first.path.length) ? first : field
  }

  /** The other field whose value in the same record is meant, unless some record holds its name as a value. */
  private otherField(comparison: Comparison, field: Field): Field | undefined {
    if (!mayBeField(comparison, this.context.knows)) return undefined
    const plain = this.test(comparison, field)
    if (comparison.operator === '=' && this.some(field, plain)) return undefined
    const other = otherField(this.records, comparison, field)
    if (other) this.note(`\`${other.name}\` read as the field.`)
    return other
  }

  private test(comparison: Comparison, field: Field): ValuesTest {
    return testFor(this.records, field, comparison, (pattern) => {
      if (pattern.note !== undefined) this.note(pattern.note)
      this.found.patterns.push(pattern)
    })
  }

  private note(text: string): void {
    this.found.notes.add(text)
  }
}
