/** Conditions over columns against the plain way: each record asked by itself. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import {
  all,
  any,
  ColumnTest,
  countOf,
  elementsOf,
  type Matcher,
  not,
  ofElements,
  ofValues,
  positionsIn,
} from '../../../../src/query/conditions/verdict.ts'
import { parsePath } from '../../../../src/query/fields/path.ts'
import { readValues } from '../../../../src/query/fields/walk.ts'
import type { ValuesTest } from '../../../../src/query/language/operators.ts'
import { newWork } from '../../../../src/query/work.ts'

/** A condition as a matcher, and as a function of one record. */
interface Both {
  matcher: Matcher
  holds: (record: JsonValue) => boolean
}

const valuesIn = (record: JsonValue, path: string): JsonValue[] => {
  const values: JsonValue[] = []
  readValues(record, parsePath(path), values, newWork())
  return values
}

const wanted = fc.constantFrom<JsonValue>('x', 1, null, true)
const path = fc.constantFrom('a', 'b', 'list', 'list[*].n', 'missing')

const leaf = fc.tuple(path, wanted, fc.boolean()).map(([name, value, negated]): Both => {
  const passes: ValuesTest = (values) => elementsOf(values).includes(value)
  return {
    matcher: ofValues(parsePath(name), new ColumnTest({ holds: passes }), negated),
    holds: (record) => passes(valuesIn(record, name)) !== negated,
  }
})

const ofList = fc
  .tuple(fc.constantFrom('list', 'a'), fc.constantFrom('any', 'all', 'none'), wanted)
  .map(([name, quantifier, value]): Both => {
    const passes: ValuesTest = (values) => values.includes(value)
    return {
      matcher: ofElements(
        parsePath(name),
        quantifier,
        ofValues(parsePath('n'), new ColumnTest({ holds: passes }), false),
      ),
      holds(record) {
        const elements = elementsOf(valuesIn(record, name))
        const some = (element: JsonValue): boolean => passes(valuesIn(element, 'n'))
        if (quantifier === 'all') return elements.every(some)
        return elements.some(some) === (quantifier === 'any')
      },
    }
  })

const { condition } = fc.letrec<{ condition: Both }>((tie) => {
  const parts = fc.array(tie('condition'), { maxLength: 3 })
  return {
    condition: fc.oneof(
      { maxDepth: 3 },
      leaf,
      ofList,
      tie('condition').map(({ matcher, holds }) => ({
        matcher: not(matcher),
        holds: (record: JsonValue) => !holds(record),
      })),
      parts.map((some) => ({
        matcher: all(some.map(({ matcher }) => matcher)),
        holds: (record: JsonValue) => some.every(({ holds }) => holds(record)),
      })),
      parts.map((some) => ({
        matcher: any(some.map(({ matcher }) => matcher)),
        holds: (record: JsonValue) => some.some(({ holds }) => holds(record)),
      })),
    ),
  }
})

const scalar = fc.constantFrom<JsonValue>('x', 'y', 1, 0, -0, null, true)
const record = fc.record(
  {
    a: fc.oneof(scalar, fc.array(fc.record({ n: scalar }, { requiredKeys: [] }), { maxLength: 2 })),
    b: scalar,
    list: fc.array(fc.record({ n: scalar }, { requiredKeys: [] }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonValue>

describe('a verdict', () => {
  test('is that on each record by itself, among all and among some', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(record, fc.boolean()), { maxLength: 12 }),
        fc.array(condition, { minLength: 1, maxLength: 3 }),
        (pairs, asked) => {
          const records = pairs.map(([one]) => one)
          const among = Uint8Array.from(pairs, ([, chosen]) => (chosen ? 1 : 0))
          // One after the other, because what is known of a column stays known.
          for (const { matcher, holds } of asked) {
            expect([...matcher(records)]).toEqual(records.map((one) => (holds(one) ? 1 : 0)))
            const some = all([() => among, matcher])(records)
            expect([...some]).toEqual(pairs.map(([one, chosen]) => (chosen && holds(one) ? 1 : 0)))
          }
        },
      ),
    )
  })

  test('of a list looks at each distinct value once, and only at those of the records in question', () => {
    const seen: JsonValue[] = []
    const test: ValuesTest = ([value = null]) => {
      seen.push(value)
      return value === 1
    }
    const many = Array.from({ length: 2_000 }, (_, at) => ({ a: at % 1_500 }))
    const matches = ofValues(parsePath('a'), new ColumnTest({ holds: test }), false)
    const among = new Uint8Array(many.length)
    among[7] = 1
    expect(countOf(matches(many, among))).toBe(0)
    expect(seen).toEqual([7])
    expect([...positionsIn(matches(many))]).toEqual([1, 1_501])
    expect(seen).toHaveLength(1_500)
  })
})
