/** A comparison whose field was found. */
import type { Field } from '../fields.ts'
import type { Comparison } from './condition.ts'
import type { ValuesTest } from './tests.ts'
import type { Matcher } from './verdict.ts'

export interface Bound {
  comparison: Comparison
  field: Field
  /** Of the values of the field, the negation aside. */
  test: ValuesTest
  matches: Matcher
}
