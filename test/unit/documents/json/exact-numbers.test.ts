import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withExactNumbers } from '../../../../src/documents/json/exact-numbers.ts'
import { openDocument } from '../../../../src/documents/opening/open.ts'
import { soundKeys } from '../../../support/keys.ts'

describe('numbers that JavaScript would change', () => {
  test.each([
    ['12345678901234567890', '"12345678901234567890"'],
    ['-9007199254740993', '"-9007199254740993"'],
    ['9007199254740992', '9007199254740992'],
    ['1e400', '"1e400"'],
    ['0.1234567890123456789', '"0.1234567890123456789"'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1.0', '1.0'],
    ['10000000000000000000000', '10000000000000000000000'],
  ])('%s is read as %s', (written, read) => {
    expect(withExactNumbers(`{"a":[${written}, 1]}`)).toBe(`{"a":[${read}, 1]}`)
  })

  test('strings keep what they hold', () => {
    const json = JSON.stringify({ a: 'id 12345678901234567890, 1e400', 'b"': '\\' })
    expect(withExactNumbers(json)).toBe(json)
  })

  test('two ids beyond 2^53 stay two, in text and in structured content', () => {
    const data = '{"items":[{"id":12345678901234567890},{"id":12345678901234567891}]}'
    for (const result of [
      `{"content":[],"structuredContent":${data}}`,
      JSON.stringify({ content: [{ type: 'text', text: data }] }),
    ]) {
      expect(openDocument(Buffer.from(result)).records()?.values).toEqual([
        { id: '12345678901234567890' },
        { id: '12345678901234567891' },
      ])
    }
  })

  test('no place hides a number that changes', () => {
    for (let before = 0; before < 40; before++) {
      for (const number of ['12345678901234567', '0.1234567890123456789', '1e400', '1E+400']) {
        const json = `[${' '.repeat(before)}${number}${' '.repeat(40 - before)}]`
        expect(JSON.parse(withExactNumbers(json))).toEqual([number])
      }
    }
  })

  test('JSON stays JSON, and every number keeps its value', () => {
    fc.assert(
      fc.property(soundKeys(fc.jsonValue()), (value) => {
        const json = JSON.stringify(value)
        expect(JSON.parse(withExactNumbers(json))).toEqual(JSON.parse(json))
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })), (values) => {
        const read: unknown[] = JSON.parse(withExactNumbers(`[${values.join(',')}]`))
        expect(read.map(String).map(BigInt)).toEqual(values)
      }),
    )
  })
})
