/** `where` against an evaluator that is written as plainly as it can be. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRows } from '../../../src/documents/opening/derive.ts'
import { where } from '../../../src/processors/steps/where.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { runs } from '../../support/runs.ts'

interface One {
  id: number
  n?: number | null
  t?: string | null
  l?: (string | number)[] | null
  o?: { n?: number | null; u?: string }
  d?: string | null
  b?: boolean | null
}

type Test = (one: One) => boolean

/** A condition as a model writes it, and what it means. */
interface Case {
  text: string
  holds: Test
}

const words = ['open', 'shut', 'half open', 'a b', 'x']
const word = fc.constantFrom(...words)
const number = fc.integer({ min: -3, max: 12 })
const day = fc
  .record({ month: fc.integer({ min: 1, max: 12 }), day: fc.integer({ min: 1, max: 28 }) })
  .map(({ month, day }) => `2024-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`)

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })

const record: fc.Arbitrary<Omit<One, 'id'>> = fc.record(
  {
    n: maybe(number),
    t: maybe(word),
    l: maybe(fc.array(fc.oneof(word, number), { maxLength: 3 })),
    o: fc.record({ n: maybe(number), u: word }, { requiredKeys: [] }),
    d: maybe(day.map((date) => `${date}T10:00:00Z`)),
    b: maybe(fc.boolean()),
  },
  { requiredKeys: [] },
)

/** All fields exist in some record, so that none is unknown. */
const full: One = {
  id: -1,
  n: 0,
  t: 'x',
  l: ['x', 1],
  o: { n: 0, u: 'x' },
  d: '2024-01-01T10:00:00Z',
  b: true,
}

/** The scalars that a field has in a record: several for a list, none where it is absent. */
const fields: Record<string, (one: One) => unknown[]> = {
  n: ({ n }) => (n === undefined ? [] : [n]),
  t: ({ t }) => (t === undefined ? [] : [t]),
  l: ({ l }) => (l === undefined ? [] : l === null ? [null] : l),
  'o.n': ({ o }) => (o?.n === undefined ? [] : [o.n]),
  d: ({ d }) => (d === undefined ? [] : [d]),
  b: ({ b }) => (b === undefined ? [] : [b]),
}

const isThere: Record<string, (one: One) => boolean> = {
  n: (one) => one.n !== undefined,
  t: (one) => one.t !== undefined,
  l: (one) => one.l !== undefined,
  'o.n': (one) => one.o?.n !== undefined,
  d: (one) => one.d !== undefined,
  b: (one) => one.b !== undefined,
}

function some(field: string, test: (value: unknown) => boolean): Test {
  return (one) => (fields[field]?.(one) ?? []).some(test)
}

const not =
  (test: Test): Test =>
  (one) =>
    !test(one)

const comparisons: Record<string, (value: number, wanted: number) => boolean> = {
  '=': (value, wanted) => value === wanted,
  '==': (value, wanted) => value === wanted,
  '!=': (value, wanted) => value !== wanted,
  '<': (value, wanted) => value < wanted,
  '<=': (value, wanted) => value <= wanted,
  '>': (value, wanted) => value > wanted,
  '>=': (value, wanted) => value >= wanted,
}

const numeric = fc
  .tuple(fc.constantFrom('n', 'o.n'), fc.constantFrom(...Object.keys(comparisons)), number)
  .map(([field, sign, wanted]): Case => {
    const holds = some(
      field,
      (value) => typeof value === 'number' && comparisons[sign]?.(value, wanted) === true,
    )
    // Not equal: no value is equal, which holds where there is none.
    const equal = some(field, (value) => value === wanted)
    return { text: `${field} ${sign} ${wanted}`, holds: sign === '!=' ? not(equal) : holds }
  })

const between = fc.tuple(fc.constantFrom('n', 'o.n'), number, number).map(
  ([field, low, high]): Case => ({
    text: `${field} between ${low} and ${high}`,
    holds: some(field, (value) => typeof value === 'number' && value >= low && value <= high),
  }),
)

const quoted = fc.constantFrom(
  (text: string) => text,
  JSON.stringify,
  (text: string) => `'${text}'`,
)

const textual = fc
  .tuple(fc.constantFrom('=', '!=', 'contains', 'starts with', 'ends with', '~'), word, quoted)
  .map(([sign, wanted, quote]): Case => {
    const tests: Record<string, (value: string) => boolean> = {
      '=': (value) => value === wanted,
      contains: (value) => value.includes(wanted),
      'starts with': (value) => value.startsWith(wanted),
      'ends with': (value) => value.endsWith(wanted),
      '~': (value) => value.includes(wanted),
    }
    const holds = some(
      't',
      (value) => typeof value === 'string' && tests[sign === '!=' ? '=' : sign]?.(value) === true,
    )
    return { text: `t ${sign} ${quote(wanted)}`, holds: sign === '!=' ? not(holds) : holds }
  })

const listed = fc
  .tuple(fc.uniqueArray(number, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([wanted, negated]): Case => {
    const holds = some('n', (value) => wanted.some((one) => one === value))
    return {
      text: `n ${negated ? 'not in' : 'in'} (${wanted.join(', ')})`,
      holds: negated ? not(holds) : holds,
    }
  })

const having = fc.constantFrom(...words.filter((one) => one !== 'x')).map(
  (wanted): Case => ({
    text: `l has ${JSON.stringify(wanted)}`,
    holds: some('l', (value) => value === wanted),
  }),
)

const present = fc
  .tuple(
    fc.constantFrom(...Object.keys(fields)),
    fc.constantFrom('exists', 'not exists', 'is null', 'is not null'),
  )
  .map(([field, words]): Case => {
    const there = isThere[field] ?? (() => false)
    const nothing: Test = (one) => (fields[field]?.(one) ?? []).every((value) => value === null)
    const listNull: Test = (one) => one.l === undefined || one.l === null
    const isNull = field === 'l' ? listNull : nothing
    const holds = { exists: there, 'not exists': not(there), 'is null': isNull, 'is not null': not(isNull) }[
      words
    ]
    return { text: `${field} ${words}`, holds: holds ?? not(there) }
  })

const dated = fc
  .tuple(fc.constantFrom('=', '<', '<=', '>', '>='), day, fc.constantFrom(7, 10))
  .map(([sign, wanted, length]): Case => {
    const start = wanted.slice(0, length)
    // A month or a day is all that lies in it: after it is after its end.
    const holds = some('d', (value) => {
      if (typeof value !== 'string') return false
      const own = value.slice(0, length)
      const order = own < start ? -1 : own > start ? 1 : 0
      return comparisons[sign]?.(order, 0) === true
    })
    return { text: `d ${sign} ${start}`, holds }
  })

const truth = fc
  .boolean()
  .map((wanted): Case => ({ text: `b = ${wanted}`, holds: some('b', (value) => value === wanted) }))

const simple = fc.oneof(numeric, between, textual, listed, having, present, dated, truth)

const { condition } = fc.letrec<{ condition: Case }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    simple,
    fc.tuple(tie('condition'), fc.constantFrom('and', 'AND', '&&'), tie('condition')).map(
      ([a, word, b]): Case => ({
        text: `(${a.text}) ${word} (${b.text})`,
        holds: (one) => a.holds(one) && b.holds(one),
      }),
    ),
    fc.tuple(tie('condition'), fc.constantFrom('or', 'OR', '||'), tie('condition')).map(
      ([a, word, b]): Case => ({
        text: `(${a.text}) ${word} (${b.text})`,
        holds: (one) => a.holds(one) || b.holds(one),
      }),
    ),
    tie('condition').map((a): Case => ({ text: `not (${a.text})`, holds: not(a.holds) })),
  ),
}))

test('agrees with a plain evaluator', () => {
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 8 }),
      fc.array(condition, { minLength: 1, maxLength: 3 }),
      (list, conditions) => {
        const records: One[] = [full, ...list.map((one, id) => ({ ...one, id }))]
        const expected = records.filter((one) => conditions.every(({ holds }) => holds(one)))
        const { content, error, metadata } = where.process(
          fromRows({ noun: 'record', items: deepFreeze(records) as never }),
          {
            where: conditions.map(({ text }) => text),
          },
        )
        expect(error).toBeUndefined()
        expect(content.rows().items).toEqual(expected)
        expect(metadata).toMatchObject({ total: records.length, matched: expected.length })
      },
    ),
    { numRuns: runs(150) },
  )
})
