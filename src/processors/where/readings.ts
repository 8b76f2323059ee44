/** Other readings of a comparison, where the records hold nothing that it would find as it is written. */
import { columnOf } from '../column.ts'
import type { Field } from '../fields.ts'
import { holdsObjects, innerFields } from '../inner-fields.ts'
import type { Records } from '../records.ts'
import { equals } from './comparing.ts'
import type { Comparison } from './condition.ts'
import { elementsOf } from './lists.ts'
import { isNull, type Operand } from './operand.ts'
import { columnWork } from './verdict.ts'

/** `none` is a text where some record has it, and nothing where none has. */
export function ofNone(records: Records, comparison: Comparison, field: Field): Comparison {
  const [operand, another] = comparison.operands
  if (!operand || another || comparison.operator !== '=' || !isNull(operand)) return comparison
  const quoted: Operand = { ...operand, quoted: true }
  const column = columnOf(records.values, field.path, columnWork())
  for (let code = 0; code < column.size; code++)
    for (const value of elementsOf(column.values(code)))
      if (typeof value === 'string' && equals(value, quoted, 'loose'))
        return { ...comparison, operands: [quoted] }
  return { ...comparison, operator: 'is null', operands: [] }
}

/** Fields within objects that are looked through, and the longest texts. */
const mostFields = 20
const longest = 100

/** `In Progress` of `in_progress`: the one text that differs in blanks, `_`, `-` and case alone, and the field that holds it. */
export function respelling(
  records: Records,
  field: Field,
  operand: Operand,
): { text: string; field: Field } | undefined {
  const wanted = squeezed(operand.text)
  if (wanted.length < 3 || operand.number !== undefined || operand.date) return undefined
  const fields = holdsObjects(records, field) ? innerFields(records, field) : [field]
  for (const one of fields.slice(0, mostFields)) {
    const [only, another] = spelledSo(records, one, wanted)
    if (only !== undefined && another === undefined) return { text: only, field: one }
  }
  return undefined
}

function spelledSo(records: Records, { path }: Field, wanted: string): string[] {
  const texts = new Set<string>()
  const column = columnOf(records.values, path, columnWork())
  for (let code = 0; code < column.size; code++)
    for (const value of elementsOf(column.values(code)))
      if (typeof value === 'string' && value.length < longest && squeezed(value) === wanted) texts.add(value)
  return [...texts]
}

function squeezed(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
}
