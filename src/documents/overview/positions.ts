/** Lists of short lists (`[[1, "a"], [2, "b"]]`): what stands at each position, as queries name it (`[0]`). */
import type { JsonValue } from '../../protocol/json.ts'
import type { Field } from '../fields.ts'
import { profile } from '../profile.ts'
import type { Shape } from '../shape.ts'
import { typeNotation } from '../type-notation.ts'

/** More positions than this are a row of numbers rather than columns. */
const MOST = 12

/** A field for each position; none when the records are no short lists of scalars. */
export function positionsOf(record: Shape, values: readonly JsonValue[]): Field[] {
  const { arrays, elements } = record
  if (!arrays || arrays.count < record.count || arrays.max > MOST || !elements) return []
  if (elements.objects > 0 || elements.arrays) return []
  return Array.from({ length: arrays.max }, (_, index) => {
    const column = values.flatMap((value) =>
      Array.isArray(value) && index < value.length ? [value[index] ?? null] : [],
    )
    const path = `[${index}]`
    return {
      path,
      name: path,
      shape: profile({ values: column }).record,
      of: values.length,
      depth: 1,
      many: false,
    }
  })
}

/** `[string, number, number?]`. */
export function positionType(positions: readonly Field[]): string {
  const types = positions.map(({ shape, of }) => {
    const type = typeNotation(shape, { length: 40, depth: 0, enumerate: false })
    return shape.count < of ? `${type}?` : type
  })
  return `[${types.join(', ')}]`
}
