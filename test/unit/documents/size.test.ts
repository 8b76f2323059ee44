import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWithin } from '../../../src/documents/size.ts'

test('says whether values are longer than so much', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (value) => {
      const values = JSON.parse(JSON.stringify(value))
      const length = JSON.stringify(values).length
      expect(isWithin(values, length * 1.1 + 40)).toBe(true)
      if (length > 400) expect(isWithin(values, length / 8 - 40)).toBe(false)
    }),
  )
})

test('as deep as a value may be', () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(isWithin([deep as never], 1_000_000)).toBe(true)
  expect(isWithin([deep as never], 1_000)).toBe(false)
})
