import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRows } from '../../../../src/documents/opening/derive.ts'
import { isWithin, sizeAbout } from '../../../../src/documents/reply/size.ts'
import { soundKeys } from '../../../support/keys.ts'

test('says whether values are longer than so much', () => {
  fc.assert(
    fc.property(fc.array(soundKeys(fc.jsonValue())), (value) => {
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

test('sizes of found rows are exact for a few and about right for many', () => {
  const rows = Array.from({ length: 5000 }, (_, id) => ({ id, name: 'x'.repeat(id % 50) }))
  const about = (count: number) => {
    const document = fromRows({ noun: 'record', items: rows.slice(0, count) })
    return sizeAbout(document) / document.characters
  }
  expect(about(40)).toBeCloseTo(1, 2)
  expect(about(5000)).toBeGreaterThan(0.8)
  expect(about(5000)).toBeLessThan(1.25)
  expect(sizeAbout(fromRows({ noun: 'record', items: [] }))).toBe(0)
})
