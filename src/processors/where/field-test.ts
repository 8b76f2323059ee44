/** The test of a comparison as the values of its field in all records suggest it: to the letter or not, elements or parts. */

import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import type { Pattern } from '../../text/pattern.ts'
import { type Column, columnOf } from '../column.ts'
import type { Field } from '../fields.ts'
import { several } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Remembered } from '../remembered.ts'
import { equals, type Strictness } from './comparing.ts'
import type { Comparison } from './condition.ts'
import { partOf } from './dates.ts'
import { holdsLevels } from './levels.ts'
import { elementsOf, listsOn } from './lists.ts'
import { isNull, type Operand } from './operand.ts'
import { lengthOf, testOf, type ValuesTest } from './tests.ts'
import { columnWork } from './verdict.ts'

/** Records in which texts within objects are looked for. */
const mostSampled = 500

/** The test of the values that the field has in a record, the negation aside. `found` gets its patterns. Throws a `Refusal` for a bad one. */
export function testFor(
  records: Records,
  field: Field,
  comparison: Comparison,
  found: (pattern: Pattern) => void,
): ValuesTest {
  const { measure, folded } = comparison
  const crosses = listsOn(records, field.path).lists.some((at) => at < field.path.length)
  const test = testOf(comparison, {
    crosses,
    strictness: (operand) => (folded ? 'loose' : strictnessOf(records, field, operand)),
    isElement: (operand, across) => isElement(records, field, operand, across),
    pattern: found,
  })
  const compared = ofTexts(records, field, test)
  if (measure === 'length') return (values) => compared([lengthOf(values)])
  const isPart =
    measure !== undefined && comparison.operands.every(({ text }) => /^\d{1,2}$|^\d{4}$/.test(text))
  return isPart
    ? (values) => compared(elementsOf(values).flatMap((value) => partOf(value, measure)))
    : compared
}

/** An element of XML with attributes is an object that holds its text. */
function ofTexts(records: Records, field: Field, test: ValuesTest): ValuesTest {
  const column = columnOf(records.values, field.path, columnWork())
  const some = column.derived('texts in objects', () => {
    const hasText = (value: JsonValue): boolean => isObject(value) && textIn(value) !== undefined
    const sampled = column.codes.subarray(0, mostSampled)
    return sampled.some(
      (code) => column.scalar(code) === several && elementsOf(column.values(code)).some(hasText),
    )
  })
  return some
    ? (values) => test(values.map((value) => (isObject(value) ? (textIn(value) ?? value) : value)))
    : test
}

function textIn(value: JsonObject): JsonValue | undefined {
  return own(value, '#text') ?? own(value, '_text') ?? own(value, '$t')
}

const strictnesses = new Remembered<boolean>()

/** Text is compared to the letter when a record has it so, and without regard to case when none has. */
function strictnessOf(records: Records, field: Field, operand: Operand): Strictness {
  if (operand.boolean !== undefined || isNull(operand)) return 'loose'
  const column = columnOf(records.values, field.path, columnWork())
  const levels = holdsLevels(field.name)
  if (strictnesses.of(column, operand.text, () => holdsText(column, operand.text)))
    return levels ? 'loose' : 'exact'
  return levels ? 'level' : 'loose'
}

function holdsText(column: Column, text: string): boolean {
  // Ids beyond 2^53 are numbers where a double holds them, and texts where none does.
  const whole = (value: unknown): boolean =>
    value === text || (typeof value === 'number' && !Number.isSafeInteger(value) && String(value) === text)
  const same = (value: JsonValue): boolean =>
    whole(value) ||
    (Array.isArray(value) && value.some(same)) ||
    (isObject(value) && Object.values(value).some((held) => held === text))
  if (!holdsTexts(column)) return false
  const inLists = listedIn(column)
  if (inLists?.has(text)) return true
  for (let code = 0; code < column.size; code++) {
    const value = column.scalar(code)
    if (value === several ? !inLists && column.values(code).some(same) : whole(value)) return true
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
        if (elements.size > mostDistinct) return undefined
      }
    }
    return elements
  })
}

/** Distinct elements that are listed; beyond that the lists themselves are gone through. */
const mostDistinct = 20_000

const elements = new Remembered<boolean>()

/** True when a list of some record holds the operand whole: then `contains` asks for that. */
function isElement(records: Records, field: Field, operand: Operand, across: boolean): boolean {
  const crosses = across && listsOn(records, field.path).lists.length > 0
  const column = columnOf(records.values, field.path, columnWork())
  const key = JSON.stringify([operand, crosses])
  return elements.of(column, key, () => {
    const whole = (element: JsonValue): boolean =>
      equals(element, operand, 'loose') ||
      (isObject(element) &&
        Object.values(element).some((held) => typeof held === 'string' && equals(held, operand, 'loose')))
    const found = (value: JsonValue): boolean =>
      Array.isArray(value) ? value.some(whole) : crosses && whole(value)
    const inLists = crosses ? undefined : listedIn(column)
    if (inLists) return [...inLists].some(whole)
    for (let code = 0; code < column.size; code++)
      if ((crosses || column.scalar(code) === several) && column.values(code).some(found)) return true
    return false
  })
}
