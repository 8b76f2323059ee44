/** Other readings of a comparison, where the records hold nothing that it would find as it is written. */
import type { JsonValue } from '../../protocol/json.ts'
import { columnOf } from '../column.ts'
import type { Field } from '../fields.ts'
import { holdsObjects, innerFields } from '../inner-fields.ts'
import { several } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { equals } from './comparing.ts'
import type { Comparison } from './condition.ts'
import { elementsOf } from './lists.ts'
import { isNull, type Operand } from './operand.ts'
import { columnWork, truthOf } from './verdict.ts'

/** `none` is a text where some record has it, and nothing where none has. */
export function ofNone(records: Records, comparison: Comparison, field: Field): Comparison {
  const [operand, another] = comparison.operands
  if (!operand || another || comparison.operator !== '=' || !isNull(operand)) return comparison
  const quoted: Operand = { ...operand, quoted: true }
  const isText = truthOf(columnOf(records.values, field.path, columnWork()), (values) =>
    elementsOf(values).some((value) => typeof value === 'string' && equals(value, quoted, 'loose')),
  ).some()
  return isText ? { ...comparison, operands: [quoted] } : { ...comparison, operator: 'is null', operands: [] }
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
  const look = (value: JsonValue): void => {
    if (typeof value === 'string' && value.length < longest && isSpelled(value, wanted)) texts.add(value)
  }
  for (let code = 0; code < column.size; code++) {
    const alone = column.scalar(code)
    if (alone === several) elementsOf(column.values(code)).forEach(look)
    else if (alone !== undefined) look(alone)
  }
  return [...texts]
}

/** True when a text is `wanted` once it is squeezed. Most differ in their first letter already. */
function isSpelled(text: string, wanted: string): boolean {
  let same = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char > 127) return squeezed(text) === wanted
    if (char === 32 || char === 45 || char === 95 || (char >= 9 && char <= 13)) continue
    const lower = char >= 65 && char <= 90 ? char + 32 : char
    if (lower !== wanted.charCodeAt(same++)) return !isPlain.test(text) && squeezed(text) === wanted
  }
  return same === wanted.length
}

const isPlain = /^[\0-\x7f]*$/

function squeezed(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
}
