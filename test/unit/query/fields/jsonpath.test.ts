import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { followExtended, isExtended } from '../../../../src/query/fields/jsonpath.ts'
import { Refusal } from '../../../../src/query/refusal.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'
import { verifies } from '../../../support/verifies.ts'

const data = deepFreeze({
  items: [
    { id: 1, name: 'a', tags: ['x'], price: 5 },
    { id: 2, name: 'b', tags: [], price: 9 },
    { id: 3, name: 'c', tags: ['x', 'y'], price: '9' },
  ],
  prices: { small: 1, large: 20 },
})

const values = (source: string): unknown[] => followExtended(data, source).map(({ value }) => value)

describe('classic JSONPath', () => {
  verifies('S3.19', 'scripts, parents, names and types are followed', () => {
    expect(values('$.items[(@.length-1)].name')).toEqual(['c'])
    expect(values('items[(@.length - 2)].id')).toEqual([2])
    expect(values('$.items[?(@.price > 6)]^')).toEqual([data.items, data.items])
    expect(values('$.prices.*~')).toEqual(['small', 'large'])
    expect(values('$.items[*].price@number()')).toEqual([5, 9])
    expect(values('$.prices[?(@property == "large")]')).toEqual([20])
    expect(values('$.items[?(@.price == @root.prices.large - 11)].id')).toEqual([2, 3])
  })

  test('what the plain language has is left to it', () => {
    for (const path of [
      '$.items[*].name',
      'items[0:2]',
      '$..id',
      "$['a^b']",
      '[?@.x == "^"]',
      'a~b',
      'a.b()',
    ]) {
      expect(isExtended(path), path).toBe(false)
    }
    for (const path of ['$.items[(@.length-1)]', '$.a^', '$.a.*~', '$.a@string()', '$[?(@property=="x")]']) {
      expect(isExtended(path), path).toBe(true)
    }
  })

  test('code, calls, assignments and explosions are refused', () => {
    const hostile = [
      '$.items[(@.constructor.constructor("return process")())]',
      '$.items[?(@.tags.push("z"))]^',
      '$.items[?(@.id = 7)]^',
      '$[?(@root.items.splice(0))]^',
      '$..*^..*',
      '$..*~..*',
      `$.${'a'.repeat(2000)}^`,
      '$.items[(',
      '$.items[(this.process.exit())]',
      '$.items[(`x`)]',
    ]
    for (const path of hostile) expect(() => values(path), path).toThrow(Refusal)
  })

  test('inherited names are no data', () => {
    for (const path of [
      '$.constructor^',
      '$.__proto__^',
      '$.items[("constructor")]',
      '$.items[("__proto__")]~',
    ]) {
      expect(values(path), path).toEqual([])
    }
  })

  test('any path over any data ends in values or a refusal, and changes nothing', () => {
    const piece = fc.constantFrom(
      '.a',
      '[*]',
      '..b',
      '^',
      '~',
      '[(@.length-1)]',
      '[?(@.a>1)]',
      '[?(@property=="a")]',
      '@number()',
      '["c"]',
      '[(',
      '.',
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(piece, { maxLength: 6 }), (value, pieces) => {
        const root = deepFreeze(value) as never
        try {
          for (const reached of followExtended(root, `$${pieces.join('')}`))
            expect(reached).toHaveProperty('value')
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal)
        }
      }),
    )
  })
})
