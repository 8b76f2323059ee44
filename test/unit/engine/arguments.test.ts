import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Found,
  filled,
  findReferences,
  hasReferences,
  MOST_REFERENCES,
  type Template,
  wantedAt,
  withValues,
} from '../../../src/engine/arguments.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { runs } from '../../support/runs.ts'

const handle = '0123456789ab'

test('references are found wherever they stand', () => {
  const args = { a: { $from: handle }, list: [1, { deep: { $from: handle, path: '$.x' } }], b: 'text' }
  expect(findReferences(args)).toEqual([
    { place: ['a'], wanted: { from: handle, path: undefined } },
    { place: ['list', 1, 'deep'], wanted: { from: handle, path: '$.x' } },
  ])
})

test('an object with other members as well is data', () => {
  expect(findReferences({ a: { $from: '2024-01-01', to: 'b' } })).toEqual([])
  expect(findReferences({ $from: 'x', to: 'y' })).toEqual([])
})

test('a reference with unknown members gets an error with the valid ones', () => {
  expect(findReferences({ a: { $from: handle, fields: ['b'] } })).toEqual({
    fault: expect.stringMatching(/^a: .*not fields.*"\$\$from"/),
  })
})

test("an object of the tool's own that looks like a reference is written with one more $", () => {
  const own = [
    [{ $$from: '2024-01-01' }, { $from: '2024-01-01' }],
    [
      { $$from: handle, path: '$.a' },
      { $from: handle, path: '$.a' },
    ],
    [{ $$$from: 1 }, { $$from: 1 }],
    [
      { $$template: 'a {b}', b: { c: 1 } },
      { $template: 'a {b}', b: { c: 1 } },
    ],
  ]
  for (const [written, meant] of own)
    expect(findReferences({ a: [written ?? null] })).toEqual([
      { place: ['a', 0], wanted: { literal: meant } },
    ])
  expect(findReferences({ a: { $$from: 'x', to: 'y' }, $from: 'b', c: 1 })).toEqual([])
  expect(findReferences({ a: { $from: '2024-01-01' } })).toEqual({
    fault: expect.stringContaining('{"$$from": …}'),
  })
})

test('the JSON of a reference is one, where a schema wants a text; any other text is a text', () => {
  expect(
    findReferences({ a: `{"$from":"${handle}","path":"$.x"}`, b: [` { "$from": "${handle}" }`] }),
  ).toEqual([
    { place: ['a'], wanted: { from: handle, path: '$.x' } },
    { place: ['b', 0], wanted: { from: handle, path: undefined } },
  ])
  const template = JSON.stringify({ $template: 'x {y}', y: { $from: handle } })
  expect(findReferences({ a: template })).toMatchObject([{ place: ['a'], wanted: { text: 'x {y}' } }])
  for (const text of [
    '{"$from":"2024-01-01"}',
    `{"$from":"${handle}","to":1}`,
    `see {"$from":"${handle}"}`,
    `{"$from":"${handle}"`,
    `{"$$from":"${handle}"}`,
    `{"$from":"${handle}","path":"${'x'.repeat(5000)}"}`,
  ])
    expect(findReferences({ a: text })).toEqual([])
})

test('the path of a file with a result is as good as its handle', () => {
  expect(findReferences({ a: { $from: `/data/spill/1-ab/result-${handle}.json` } })).toEqual([
    { place: ['a'], wanted: { from: handle, path: undefined } },
  ])
})

test('a malformed reference gets an error with the right form', () => {
  for (const wrong of [{ $from: 7 }, { $from: handle, path: 1 }, { $from: [handle] }, { $from: null }])
    expect(findReferences({ a: wrong as JsonObject })).toEqual({
      fault: expect.stringContaining('{"$from": "<cache_id>"'),
    })
  for (const wrong of [
    { $template: 1 },
    { $template: '{a}', a: 3 },
    { $template: 'x', a: { $from: handle } },
  ])
    expect(findReferences({ a: wrong as JsonObject })).toHaveProperty('fault')
  expect(hasReferences({ a: { $from: 7 } })).toBe(true)
})

test('there is an end to references, levels and values', () => {
  const many = Array.from({ length: MOST_REFERENCES + 1 }, () => ({ $from: handle }))
  expect(findReferences({ many })).toEqual({ fault: expect.stringContaining(String(MOST_REFERENCES)) })
  let deep: JsonObject = { $from: handle }
  for (let level = 0; level < 50_000; level++) deep = { deep }
  expect(findReferences(deep)).toEqual([])
})

test('fills values into a copy and changes nothing else', () => {
  const args = deepFreeze({ a: { $from: handle }, list: [1, { b: { $from: handle } }], same: { c: 1 } })
  const expanded = withValues(args, [
    { place: ['a'], value: 'x' },
    { place: ['list', 1, 'b'], value: [2] },
  ])
  expect(expanded).toEqual({ a: 'x', list: [1, { b: [2] }], same: { c: 1 } })
  expect(expanded.same).toBe(args.same)
})

test('any name may be that of an argument', () => {
  const args = JSON.parse(
    `{"__proto__": {"x": {"$from": "${handle}"}}, "constructor": {"$from": "${handle}"}}`,
  ) as JsonObject
  const found = findReferences(args)
  if ('fault' in found) throw new Error(found.fault)
  const expanded = withValues(
    args,
    found.map(({ place }) => ({ place, value: 1 })),
  )
  expect(JSON.stringify(expanded)).toBe('{"__proto__":{"x":1},"constructor":1}')
  expect(({} as JsonObject).x).toBeUndefined()
})

test('finds no reference in data without one', () => {
  const data = fc
    .dictionary(fc.string(), fc.jsonValue())
    .filter((value) => !JSON.stringify(value).includes('$'))
  const property = fc.property(data, (value) => {
    expect(findReferences(value as JsonObject)).toEqual([])
    expect(hasReferences(value as JsonObject)).toBe(false)
  })
  fc.assert(property, { numRuns: runs(200) })
})

test('every place that is found is filled', () => {
  const reference = fc.constant<JsonValue>({ $from: handle })
  const tree = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      reference,
      fc.integer() as fc.Arbitrary<JsonValue>,
      fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<JsonValue>,
      fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 3 }) as fc.Arbitrary<JsonValue>,
    ),
  }))
  const property = fc.property(tree.value, (value) => {
    const args = deepFreeze({ value })
    const found = findReferences(args)
    if ('fault' in found) return
    const expanded = withValues(
      args,
      found.map(({ place }) => ({ place, value: 'put in' })),
    )
    expect(JSON.stringify(expanded)).toBe(
      JSON.stringify(args).replaceAll(`{"$from":"${handle}"}`, '"put in"'),
    )
  })
  fc.assert(property, { numRuns: runs(200) })
})

test('a template is filled once: braces in a value stay', () => {
  const template = { text: 'Dear {who}, {what} {unknown}', parts: new Map() }
  const values = new Map([
    ['who', '{what}'],
    ['what', '$& $1'],
  ])
  expect(filled(template, values)).toBe('Dear {what}, $& $1 {unknown}')
  expect(filled({ text: '{a.b}{aXb}', parts: new Map() }, new Map([['a.b', '1']]))).toBe('1{aXb}')
})

test('a schema says whether a place wants a text', () => {
  const schema = {
    $defs: { row: { type: 'object', properties: { id: { type: 'integer' } } } },
    properties: {
      text: { type: 'string' },
      maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      either: { type: ['string', 'array'] },
      rows: { type: 'array', items: { $ref: '#/$defs/row' } },
      endless: { $ref: '#/properties/endless' },
    },
    additionalProperties: { type: 'string' },
  }
  expect(wantedAt(schema, ['text'])).toBe('text')
  expect(wantedAt(schema, ['maybe'])).toBe('text')
  expect(wantedAt(schema, ['either'])).toBe('any')
  expect(wantedAt(schema, ['rows'])).toBe('data')
  expect(wantedAt(schema, ['rows', 3, 'id'])).toBe('data')
  expect(wantedAt(schema, ['rows', 3, 'other'])).toBe('any')
  expect(wantedAt(schema, ['endless'])).toBe('any')
  expect(wantedAt(schema, ['else'])).toBe('text')
  expect(wantedAt({}, ['x', 0])).toBe('any')
})

test('a reference may stand in the text of a template itself', () => {
  const part = `{"$from": "${handle}", "path": "$.names[0]"}`
  const [found] = findReferences({ a: { $template: `Dear ${part}, {"$from": "x"} {who}!` } }) as Found[]
  const wanted = found?.wanted as Template
  const [[name = '', reference] = []] = [...wanted.parts]
  expect(wanted.parts.size).toBe(1)
  expect(reference).toEqual({ from: handle, path: '$.names[0]' })
  expect(filled(wanted, new Map([[name, 'Ada']]))).toBe('Dear Ada, {"$from": "x"} {who}!')
})

test('a template without placeholders gets an error', () => {
  expect(findReferences({ a: { $template: `rows: {{${handle}}}` } })).toMatchObject({
    fault: expect.stringContaining('write {"$template"'),
  })
})

test('two braces are read as one', () => {
  const template = { text: '{{a}} {a} {"x":{a}}', parts: new Map() }
  expect(filled(template, new Map([['a', '1']]))).toBe('1 1 {"x":1}')
})
