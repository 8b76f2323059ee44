import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compactRows, namesIn } from '../../../../src/documents/reply/compact.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

const wide = deepFreeze(
  Array.from(
    { length: 40 },
    (_, n): JsonObject => ({
      url: `https://example.org/things/${n}/of/a/long/address`,
      id: n,
      title: `Thing number ${n}`,
      state: n % 3 === 0 ? 'open' : 'closed',
      owner: { login: `user${n % 5}`, url: 'https://example.org/user' },
      labels: [{ name: 'bug' }, { name: `l${n}` }],
      body: `A text ${'about things '.repeat(60)}${n}`,
      score: n * 1.5,
    }),
  ),
)

test('shows what identifies records, what was asked about and what tells most', () => {
  const short = compactRows(wide, wide, namesIn(['owner.login = user1', '-score']), 8000)
  const first = short?.rows[1] ?? {}
  expect(first).toMatchObject({ id: 1, title: 'Thing number 1', 'owner.login': 'user1', score: 1.5 })
  expect(short?.shown).toBe(Object.keys(first).length)
  expect(short?.of).toBeGreaterThan(short?.shown ?? 0)
  expect(first).not.toHaveProperty('url')
})

test('a list that was asked about is shown, a long text is cut with its length', () => {
  const row = compactRows(wide.slice(0, 4), wide, namesIn(['labels[].name has bug', 'body ~ things']), 8000)
    ?.rows[2]
  expect(row).toMatchObject({ 'labels[].name': ['bug', 'l2'] })
  expect(row?.body).toMatch(/^A text about .*… \[\d+ characters\]$/)
})

test('no records, or nothing to leave out: nothing is changed', () => {
  expect(compactRows(['a', 'b'], ['a', 'b'], new Set(), 5000)).toBeUndefined()
  expect(compactRows([{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 2 }], new Set(), 5000)).toBeUndefined()
})

test('never invents or alters a value', () => {
  const leaf = fc.oneof(
    fc.integer(),
    fc.string({ maxLength: 200 }),
    fc.constant(null),
    fc.boolean(),
  ) as fc.Arbitrary<JsonValue>
  const name = fc.constantFrom('a', 'b', 'id', '__proto__', 'x y', 'p.q')
  const object = (value: fc.Arbitrary<JsonValue>) =>
    fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true }) as fc.Arbitrary<JsonObject>
  const value = fc.oneof(
    leaf,
    object(leaf),
    fc.array(fc.oneof(leaf, object(leaf)), { maxLength: 7 }) as fc.Arbitrary<JsonValue>,
  )
  fc.assert(
    fc.property(
      fc.array(object(value), { minLength: 1, maxLength: 8 }),
      fc.uniqueArray(name),
      fc.nat(3000),
      (rows, wanted, room) => {
        const before = JSON.stringify(rows)
        const short = compactRows(deepFreeze(rows), rows, new Set(wanted), room)
        expect(JSON.stringify(rows)).toBe(before)
        if (!short) return
        expect(short.rows).toHaveLength(rows.length)
        for (const [at, row] of short.rows.entries()) {
          const leaves = new Set(leavesOf(rows[at] ?? null).map((one) => JSON.stringify(one)))
          const texts = [...leaves].filter((one) => one.startsWith('"'))
          for (const cell of Object.entries(row).flatMap(([key, held]) =>
            key === '…' ? [] : [held].flat(),
          )) {
            const [, start] = typeof cell === 'string' ? (/^(.*)… \[\d+ characters\]$/s.exec(cell) ?? []) : []
            const isMark = typeof cell === 'string' && /^… \d+ more$/.test(cell)
            const isCut =
              start !== undefined && texts.some((text) => String(JSON.parse(text)).startsWith(start))
            expect(leaves.has(JSON.stringify(cell)) || isMark || isCut).toBe(true)
          }
        }
      },
    ),
  )
})

function leavesOf(value: JsonValue): JsonValue[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}

test('where all fields are shown, long texts are still cut', () => {
  const rows = [
    { id: 1, body: 'x'.repeat(5000) },
    { id: 2, body: 'short' },
  ]
  expect(compactRows(rows, rows, new Set(), 5000)).toEqual({
    rows: [
      { id: 1, body: `${'x'.repeat(80)}… [5,000 characters]` },
      { id: 2, body: 'short' },
    ],
    shown: 2,
    of: 2,
  })
})

test('a list of texts stays a list, however few it holds', () => {
  const rows = Array.from(
    { length: 3 },
    (_, n): JsonObject => ({
      name: `n${n}`,
      body: 'x'.repeat(900),
      links: n === 0 ? ['a'] : ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    }),
  )
  const short = compactRows(rows, rows, new Set(), 8000)
  expect(short?.rows[0]).toMatchObject({ name: 'n0', links: ['a'] })
  expect(short?.rows[1]).toMatchObject({ links: ['a', 'b', 'c', 'd', 'e', '… 2 more'] })
})

describe('what identifies a record is kept', () => {
  const pod = (n: number, name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    status: { phase: 'Running', podIP: `10.0.0.${n}`, message: `Started ${'long ago '.repeat(30)}` },
    spec: { nodeName: `node-${n % 3}`, image: `img:${n}`, args: Array.from({ length: 20 }, (_, at) => at) },
    metadata: { namespace: `ns-${n}`, labels: { app: 'web' }, name },
  })

  test('where all that were found are called the same', () => {
    const rows = Array.from({ length: 5 }, (_, n) => pod(n, 'web'))
    for (const row of compactRows(rows, rows, new Set(), 500)?.rows ?? [{}])
      expect(row).toHaveProperty(['metadata.name'], 'web')
  })

  test('beside a long id', () => {
    const rows = Array.from({ length: 60 }, (_, n) => ({
      id: `0f8fad5b-d9cb-469f-a165-${70867728950000 + n}`,
      state: n % 2 ? 'open' : 'closed',
      text: 'words '.repeat(40),
      name: `service number ${n}`,
    }))
    expect(compactRows(rows, rows, new Set(), 8_000)?.rows[7]).toMatchObject({
      id: rows[7]?.id,
      name: 'service number 7',
    })
  })

  test('without a long id inside of it, where a name tells all apart', () => {
    const metadata = (n: number, name: string): JsonObject => ({
      metadata: { uid: `0f8fad5b-d9cb-469f-a165-${70867728950000 + n}`, name },
      body: 'words '.repeat(40),
    })
    const apart = Array.from({ length: 60 }, (_, n) => metadata(n, `pod number ${n}`))
    expect(compactRows(apart, apart, new Set(), 8_000)?.rows[7]).toEqual({ 'metadata.name': 'pod number 7' })
    const alike = Array.from({ length: 60 }, (_, n) => metadata(n, `pod number ${n % 59}`))
    expect(compactRows(alike, alike, new Set(), 8_000)?.rows[7]).toHaveProperty(['metadata.uid'])
  })
})
