/** Whether the texts of a field are compared to the letter. */
import { type Column, several } from '../../documents/columns/column.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { isNull, type Operand, type Strictness } from '../../text/values/compare.ts'
import { holdsLevels } from '../../text/values/levels.ts'
import { columnOf } from './reader.ts'
import type { Field, Records } from './records.ts'

/** Distinct elements that are listed; beyond that the lists themselves are gone through. */
const MOST_DISTINCT = 20_000

/** Text is compared to the letter when a record has it so, and without regard to case when none has. */
export function strictnessOf(records: Records, field: Field, operand: Operand): Strictness {
  if (operand.boolean !== undefined || isNull(operand)) return 'loose'
  const column = columnOf(records.values, field.path)
  const isOfLevels = holdsLevels(field.name)
  if (holdsText(column, operand.text)) return isOfLevels ? 'loose' : 'exact'
  return isOfLevels ? 'level' : 'loose'
}

/** Answers about one text that are kept with a column. */
const MOST_ANSWERS = 200

export function answered(column: Column, about: string, text: string, find: () => boolean): boolean {
  const known = column.derived(about, () => new Map<string, boolean>())
  const found = known.get(text) ?? find()
  if (known.size < MOST_ANSWERS) known.set(text, found)
  return found
}

/** True where some value, or an element of a list, is the text. */
export function holdsText(column: Column, text: string): boolean {
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
export function listedIn(column: Column): ReadonlySet<JsonValue> | undefined {
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

/** The texts of a field that are the same as one of these but for their case. Few are enough to tell. */
export function otherCases(records: Records, field: Field, wanted: readonly string[]): string[] {
  const lower = new Set(wanted.filter((text) => /\p{L}/u.test(text)).map((text) => text.toLowerCase()))
  const column = columnOf(records.values, field.path)
  const others = new Set<string>()
  for (let code = 0; code < column.size && lower.size > 0 && others.size < 3; code++) {
    const value = column.scalar(code)
    if (typeof value === 'string' && lower.has(value.toLowerCase()) && !wanted.includes(value))
      others.add(value)
  }
  return [...others]
}

/** The remark on texts that are the same but for their case; none where there are none. */
export function letterRemark(others: readonly string[]): string[] {
  if (others.length === 0) return []
  const told = others.slice(0, 3).map((value) => JSON.stringify(value))
  return [`Compared to the letter: ${told.join(', ')} ${others.length === 1 ? 'is' : 'are'} another value.`]
}
