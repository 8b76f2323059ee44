/** Two fields of one record: `closed_at > created_at`. */
import type { JsonValue } from '../../protocol/json.ts'
import { columnOf } from '../column.ts'
import { type Field, resolveExactly } from '../fields.ts'
import { parsePath } from '../path/parse.ts'
import type { Records } from '../records.ts'
import { isOrdering } from './adapt.ts'
import type { Comparison } from './condition.ts'
import { isNull, operandOf } from './operand.ts'
import type { Knows } from './operators.ts'
import { testOf, type ValuesTest } from './tests.ts'
import { columnWork, type Matcher, type Verdict } from './verdict.ts'

/** True when the value of a comparison may be the name of a field. */
export function mayBeField(comparison: Comparison, knows: Knows): boolean {
  const [operand, second] = comparison.operands
  if (!operand || second || operand.quoted || operand.number !== undefined) return false
  if (!/^[@$\w.[\]*]+$/.test(operand.text)) return false
  if (!isOrdering(comparison) && comparison.operator !== '=') return false
  return operand.boolean === undefined && !isNull(operand) && knows(operand.text) === 'exactly'
}

/** The field that the value of a comparison names, when it is another one. */
export function otherField(records: Records, comparison: Comparison, field: Field): Field | undefined {
  const other = resolveExactly(records, parsePath(comparison.operands[0]?.text ?? ''))
  return other && other.name !== field.name ? other : undefined
}

/** Records in which the values of the field compare so with one of the other's. */
export function besideField(comparison: Comparison, field: Field, other: Field): Matcher {
  const verdicts = new WeakMap<readonly JsonValue[], Verdict>()
  return (records, among) => {
    const verdict = verdicts.get(records) ?? compared(records, comparison, field, other)
    verdicts.set(records, verdict)
    return among ? verdict.map((holds, at) => holds & (among[at] ?? 0)) : verdict
  }
}

function compared(
  records: readonly JsonValue[],
  comparison: Comparison,
  field: Field,
  other: Field,
): Verdict {
  const own = columnOf(records, field.path, columnWork())
  const others = columnOf(records, other.path, columnWork())
  const tests = new Map<number, readonly ValuesTest[]>()
  const found = new Uint8Array(records.length)
  for (let at = 0; at < found.length; at++) {
    const code = others.codes[at] ?? 0
    const against = tests.get(code) ?? others.values(code).flatMap((value) => testsAgainst(value, comparison))
    tests.set(code, against)
    const values = own.values(own.codes[at] ?? 0)
    if (against.some((test) => test(values)) !== comparison.negated) found[at] = 1
  }
  return found
}

function testsAgainst(value: JsonValue, comparison: Comparison): ValuesTest[] {
  if (value === null || typeof value === 'object') return []
  const operands = [operandOf(typeof value === 'string' ? JSON.stringify(value) : String(value))]
  return [
    testOf(
      { ...comparison, operands },
      { strictness: () => 'loose', isElement: () => false, crosses: false, pattern: () => undefined },
    ),
  ]
}
