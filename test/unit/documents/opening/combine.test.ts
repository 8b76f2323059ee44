import { expect, test } from 'vitest'
import { combine } from '../../../../src/documents/opening/combine.ts'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { recordsOf } from '../../../../src/query/fields/records.ts'

const part = (handle: string, ids: number[]) => ({ handle, document: fromValue(ids.map((id) => ({ id }))) })
const [a, b, c] = [part('a', [1, 2]), part('b', [3, 4]), part('c', [5, 6])]

test('the same results in the same order are one document, and one list of records', () => {
  const whole = combine([a, b])
  expect(combine([{ ...a }, { ...b }])).toBe(whole)
  expect(recordsOf(combine([a, b]))?.values).toBe(recordsOf(whole)?.values)
  expect(recordsOf(whole)?.values[2]).toEqual({ _from: 'b', id: 3 })
})

test('other results, another order, other handles and a new document are not the same', () => {
  const whole = combine([a, b])
  const others = [[b, a], [a, c], [a, b, c], [a], [a, { ...b, handle: 'd' }], [a, part('b', [7, 8])]]
  for (const parts of others) {
    const other = combine(parts)
    expect(other).not.toBe(whole)
    const last = parts.at(-1)?.document.records()?.values.at(-1)
    expect(other.records()?.values.at(-1)).toMatchObject(last as object)
    combine([a, b])
  }
})
