import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRows, fromText, fromValue } from '../../../../src/documents/opening/derive.ts'
import { projection } from '../../../../src/processors/steps/projection.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { parsePath } from '../../../../src/query/fields/path.ts'
import { keepOnly, leaveOut } from '../../../../src/query/fields/prune.ts'
import { walk } from '../../../../src/query/fields/walk.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

function project(
  value: JsonValue,
  params: { fields?: unknown; exclude?: unknown; mode?: unknown },
): JsonValue | undefined {
  const { content, error } = projection.process(fromValue(value), params as never)
  expect(error).toBeUndefined()
  return content.json()
}

const users = [
  { id: 1, name: 'Ann', email: 'a@x', address: { city: 'Rome', zip: '1' }, tags: ['a', 'b'] },
  { id: 2, name: 'Bob', email: null, address: { city: 'Oslo' }, tags: [] },
  { id: 3, name: 'Cy', tags: ['c'] },
]

verifies('S3.19', 'includes fields of records, nested ones as flat keys, absent ones not at all', () => {
  expect(project(users, { fields: ['name', 'address.city', 'email', 'tags'] })).toEqual([
    { name: 'Ann', 'address.city': 'Rome', email: 'a@x', tags: ['a', 'b'] },
    { name: 'Bob', 'address.city': 'Oslo', email: null, tags: [] },
    { name: 'Cy', tags: ['c'] },
  ])
})

test('braces hold fields of an object, also of one that is called like a function', () => {
  const rows = [1, 2, 3].map((id) => ({
    id,
    host: { name: `h${id}`, ip: `10.0.0.${id}` },
    url: 'https://a.org/b',
  }))
  expect(project(rows, { fields: ['host{name ip}'] })).toContainEqual({
    'host.name': 'h2',
    'host.ip': '10.0.0.2',
  })
  expect(project(rows, { fields: ['host(url)'] })).toContainEqual({ 'host(url)': 'a.org' })
})

test('* beside what is computed is all fields of each record', () => {
  const rows = [
    { id: 1, price: 2, qty: 3 },
    { id: 2, price: 5, qty: 1 },
  ]
  const shown = (fields: string[], more = {}) =>
    projection.process(fromValue(rows), { fields, ...more } as never).content.rows().items
  expect(shown(['*', 'price * qty as total'])).toEqual([
    { id: 1, price: 2, qty: 3, total: 6 },
    { id: 2, price: 5, qty: 1, total: 5 },
  ])
  expect(shown(['qty', '*'])[1]).toEqual(rows[1])
  expect(shown(['*', '1 as one'], { exclude: ['qty'] })[0]).toEqual({ id: 1, price: 2, one: 1 })
})

test('finds a field at any depth where nothing repeats at the root', () => {
  const at = (code: string) => ({ name: code, plane: { aircraft: `A ${code}` } })
  const airports = { JFK: at('JFK'), LHR: at('LHR'), CDG: at('CDG') }
  const { content, metadata } = projection.process(fromValue(airports), { fields: ['aircraft'] })
  expect(content.json()).toEqual({
    JFK: { plane: { aircraft: 'A JFK' } },
    LHR: { plane: { aircraft: 'A LHR' } },
    CDG: { plane: { aircraft: 'A CDG' } },
  })
  expect(metadata.notes).toEqual(['`aircraft` read as `$..aircraft`.'])
  expect(projection.process(fromValue(airports), { fields: ['pilot'] }).error).toContain('has no `pilot`')
})

verifies('S3.19', 'keeps the nesting of fields named from the root', () => {
  const data = { users, page: 1, next: 'x' }
  expect(project(data, { fields: 'users.email' })).toEqual({ users: [{ email: 'a@x' }, { email: null }, {}] })
  expect(project(data, { fields: ['users[].address.city', 'page'] })).toEqual({
    users: [{ address: { city: 'Rome' } }, { address: { city: 'Oslo' } }, {}],
    page: 1,
  })
  expect(project(data, { fields: ['$.users[0:2].id'] })).toEqual({ users: [{ id: 1 }, { id: 2 }] })
  expect(project({ page: data }, { fields: ['page..zip'] })).toEqual({
    page: { users: [{ address: { zip: '1' } }] },
  })
})

verifies('S3.19', 'takes slices, JSONPath, lists at any depth and maps', () => {
  const list = Array.from({ length: 20 }, (_, n) => ({ n, deep: [[{ v: n }], [{ v: -n, w: 1 }]] }))
  expect(project(list, { fields: '[0:10]' })).toEqual(list.slice(0, 10))
  expect(project(list.slice(0, 1), { fields: 'deep[*][*].v' })).toEqual([{ 'deep[*][*].v': [0, -0] }])
  expect(project({ a: 1, list }, { fields: '$.list[?@.n == 3].n' })).toEqual({ list: [{ n: 3 }] })
  const types = {
    't3.micro': { VCpuInfo: { DefaultVCpus: 2, Cores: 1 } },
    't3.small': { VCpuInfo: { DefaultVCpus: 4, Cores: 2 } },
    't3.large': { VCpuInfo: { DefaultVCpus: 8, Cores: 4 } },
  }
  expect(project(types, { fields: '*.VCpuInfo.DefaultVCpus' })).toEqual([
    { _key: 't3.micro', 'VCpuInfo.DefaultVCpus': 2 },
    { _key: 't3.small', 'VCpuInfo.DefaultVCpus': 4 },
    { _key: 't3.large', 'VCpuInfo.DefaultVCpus': 8 },
  ])
  expect(project({ one: { a: { x: 1, y: 2 }, b: { x: 3 } } }, { fields: 'one.*.x' })).toEqual({
    one: { a: { x: 1 }, b: { x: 3 } },
  })
})

describe('excluding', () => {
  verifies('S3.20', 'leaves nested fields out and everything else as it was', () => {
    const data = { users, page: 1 }
    const rest = [
      { id: 1, name: 'Ann', address: { zip: '1' }, tags: ['a', 'b'] },
      { id: 2, name: 'Bob', address: {}, tags: [] },
      { id: 3, name: 'Cy', tags: ['c'] },
    ]
    expect(project(data, { exclude: ['email', 'address.city'] })).toEqual({ users: rest, page: 1 })
    expect(project(data, { exclude: ['users.email', 'users[].address.city'] })).toEqual({
      users: rest,
      page: 1,
    })
    expect(project(users, { exclude: 'email, address.city' })).toEqual(rest)
    expect(project({ a: { b: 1, c: 2 } }, { exclude: 'a.b' })).toEqual({ a: { c: 2 } })
  })

  verifies('S3.20', 'infers the mode from the parameter, and `mode: exclude` turns `fields` round', () => {
    const expected = users.map(({ name }) => ({ name }))
    expect(project(users, { fields: 'id, email, address, tags', mode: 'exclude' })).toEqual(expected)
    expect(project(users, { exclude: 'id, email, address, tags' })).toEqual(expected)
    expect(project(users, { fields: 'name' })).toEqual(expected)
    expect(project(users, { fields: 'name', mode: 'include' })).toEqual(expected)
  })

  test('works together with including', () => {
    expect(project(users, { fields: ['id', 'address'], exclude: 'address.zip' })).toEqual([
      { id: 1, address: { city: 'Rome' } },
      { id: 2, address: { city: 'Oslo' } },
      { id: 3 },
    ])
  })
})

test('unknown fields are noted when others are known, and refused when none is', () => {
  const some = projection.process(fromValue(users), { fields: ['name', 'emial', 'xyzzy'] })
  expect(some.content.json()).toEqual([
    { name: 'Ann', email: 'a@x' },
    { name: 'Bob', email: null },
    { name: 'Cy' },
  ])
  expect(some.metadata.notes).toEqual([
    expect.stringContaining('`emial` read as `email`'),
    expect.stringContaining('`xyzzy`'),
  ])
  const none = projection.process(fromValue(users), { fields: ['xyzzy'] })
  expect(none.applied).toBe(false)
  expect(none.error).toContain('No record has the field `xyzzy`')
})

test('a field beside the records is told in a note', () => {
  const { content, metadata } = projection.process(fromValue({ total: 1370, users }), {
    fields: ['name', 'total'],
  })
  expect(content.rows().items).toEqual([{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cy' }])
  expect(metadata.notes).toEqual(['`total` is outside of the records: 1370.'])
})

test('records of an earlier step may still be named from the root they came from', () => {
  const { content } = projection.process(fromRows({ noun: 'record', items: users }), {
    fields: ['users.name'],
  })
  expect(content.json()).toEqual([{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cy' }])
})

test('text has no fields', () => {
  expect(projection.process(fromText('prose'), { fields: ['a'] }).error).toContain('proxy_search')
})

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'x.y', 'k k')
const { value: tree } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.integer(),
      fc.constantFrom('', 's', 'text'),
      fc.constant(null),
      fc.boolean(),
    ) as fc.Arbitrary<JsonValue>,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
  ),
}))
const step = fc.constantFrom(
  '.a',
  '.b',
  '.c',
  '["__proto__"]',
  '["x.y"]',
  '.k k',
  '[*]',
  '[0]',
  '[-1]',
  '[0:2]',
  '..a',
  '[?@.a]',
)
const path = fc
  .array(step, { minLength: 1, maxLength: 3 })
  .map((steps) => `$${steps.join('')}`)
  .filter((source) => source.split('..').length < 4)
const paths = fc.array(path, { minLength: 1, maxLength: 3 }).map((list) => list.slice(0, 2).map(parsePath))

/** Everything in `part` is in `whole`, at the same key; elements of lists in the same order. */
function isPart(part: JsonValue, whole: JsonValue): boolean {
  if (Array.isArray(part)) {
    if (!Array.isArray(whole)) return false
    let at = 0
    return part.every((element) => {
      while (at < whole.length && !isPart(element, whole[at] ?? null)) at++
      return at++ < whole.length
    })
  }
  if (typeof part === 'object' && part !== null) {
    if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false
    return Object.keys(part).every(
      (name) => Object.hasOwn(whole, name) && isPart(part[name] ?? null, whole[name] ?? null),
    )
  }
  return part === whole
}

verifies('S3.19 S3.20', 'never invents or alters a value', () => {
  fc.assert(
    fc.property(tree, paths, (root, chosen) => {
      const before = JSON.stringify(root)
      const kept = keepOnly(root, chosen)
      if (kept !== undefined) expect(isPart(kept, root)).toBe(true)
      expect(isPart(leaveOut(root, chosen), root)).toBe(true)
      expect(JSON.stringify(root)).toBe(before)
    }),
    { numRuns: runs(300) },
  )
})

test('keeps something exactly where the path reaches something', () => {
  fc.assert(
    fc.property(tree, path, (root, source) => {
      let reached = 0
      walk(root, parsePath(source), () => reached++)
      expect(keepOnly(root, [parsePath(source)]) === undefined).toBe(reached === 0)
    }),
    { numRuns: runs(300) },
  )
})

/** Leaves and empty containers below a value. */
function leaves(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, held) => sum + leaves(held), 0)
}

test('what is kept and what is left out are the whole', () => {
  fc.assert(
    fc.property(tree, paths, (root, chosen) => {
      const kept = keepOnly(root, chosen)
      expect((kept === undefined ? 0 : leaves(kept)) + leaves(leaveOut(root, chosen))).toBe(leaves(root))
    }),
    { numRuns: runs(300) },
  )
})

test('flat rows hold the values of the data', () => {
  const record = fc.dictionary(fc.constantFrom('a', 'b', 'c'), tree, {
    noNullPrototype: true,
  }) as fc.Arbitrary<Record<string, JsonValue>>
  fc.assert(
    fc.property(fc.array(record, { minLength: 4, maxLength: 6 }), (records) => {
      const { content, applied } = projection.process(fromRows({ noun: 'record', items: records }), {
        fields: ['a', 'c'],
      })
      const present = ['a', 'c'].filter((name) => records.some((one) => Object.hasOwn(one, name)))
      // A name that no record has may be read as one that ends so, deeper down.
      fc.pre(present.length === 2)
      expect(applied).toBe(true)
      expect(content.rows().items).toEqual(
        records.map((one) =>
          Object.fromEntries(
            present.filter((name) => Object.hasOwn(one, name)).map((name) => [name, one[name]]),
          ),
        ),
      )
    }),
  )
})
