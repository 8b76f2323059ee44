import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ScannedRecords, scannedList } from '../../../../src/documents/fast/lists.ts'
import { RecordsScan } from '../../../../src/documents/fast/records.ts'
import { parseJson } from '../../../../src/documents/json/stringify.ts'
import { knownOf } from '../../../../src/documents/shape/known-list.ts'
import { profile } from '../../../../src/documents/shape/profile.ts'
import type { Shape } from '../../../../src/documents/shape/shape.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import { readingRuns } from '../../../support/runs.ts'

/** The bytes of the JSON inside a string, and some that follow it. */
function written(json: string): Uint8Array {
  return new Uint8Array(Buffer.from(`${JSON.stringify(json).slice(1)}}]}`))
}

function scan(json: string, expected = 10): ScannedRecords {
  const bytes = written(json)
  const records = new RecordsScan(bytes, 0, expected, 0)
  while (!records.read(bytes.length)) expect.unreachable('there is no more')
  return records.finishedExactly(0, 0)
}

function parsed(json: string): JsonObject[] {
  return parseJson(json)?.value as JsonObject[]
}

/** All that a shape tells, with what was counted. */
function plainShape(shape: Shape | undefined): unknown {
  if (shape === undefined) return undefined
  const { distinct, fields, order, values, elements, held, ...rest } = shape
  return {
    ...rest,
    counts: [...distinct.counts].map(([value, count]) => [value, count, distinct.firstOf(value)]),
    overflow: distinct.overflow,
    fields: [...fields].map(([name, field]) => [name, plainShape(field)]),
    order: order.map(({ name }) => name),
    values: plainShape(values),
    elements: plainShape(elements),
    held: plainShape(held),
  }
}

function expectSame(json: string): void {
  const scanned = scan(json)
  const records = parsed(json)
  expect(plainShape(scanned.profile.record)).toEqual(plainShape(profile({ values: records }).record))
  expect(scanned.profile.count).toBe(records.length)
  const bytes = written(json)
  expect([...scannedList(bytes, scanned)]).toEqual(records)
  expect(bytes.length - 4 - scanned.saved).toBe(json.length)
  for (const name of new Set(records.flatMap((record) => Object.keys(record)))) {
    const has = (record: JsonValue) => isObject(record) && Object.hasOwn(record, name)
    expect(scanned.firstWith(name)).toBe(records.findIndex(has))
    expect(scanned.firstWithout(name)).toBe(records.findIndex((record) => !has(record)))
  }
}

const words = fc.oneof(
  fc.constantFrom(
    'open',
    'closed',
    '',
    'https://a.b/c',
    'http:/x',
    '[Bug] "x"',
    '{"a":1}',
    '[1,2]',
    '-',
    '12',
    '-7.50',
    '007',
  ),
  fc.constantFrom(
    '2024-05-06',
    '2024-05-06T07:08:09Z',
    '2023-01-01 10:00',
    '2024-05-06T07:08:09.5+02:00',
    '2024-5-06',
    '9'.repeat(30),
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ minLength: 118, maxLength: 124 }),
)
const numbers = fc.oneof(
  fc.integer(),
  fc.nat(5000),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 0.1, 1e21, 123456789, 1234567890, 12.5),
)
const leaf: fc.Arbitrary<JsonValue> = fc.oneof(words, numbers, fc.boolean(), fc.constant(null))
// The JSON.parse of Node 24 takes a key of one escaped letter ("\\"" or "\\\\") for another such key it met before. So it could not say
// what is right.
const names = fc
  .oneof(fc.constantFrom('id', 'state', 'title', 'user', 'a"b', 'né', ''), fc.string({ maxLength: 3 }))
  .filter((name) => !/^(?:\d+|__proto__|["\\])$/.test(name))
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value
const records = fc.array(fc.dictionary(names, value, { maxKeys: 6, noNullPrototype: true }), {
  minLength: 1,
  maxLength: 12,
})

describe('records read where they are written', () => {
  test('the scan reports the same as reading their objects, in any layout', () => {
    fc.assert(
      fc.property(records, fc.constantFrom('', ' ', '\t', '\n', '   '), (list, indent) => {
        expectSame(JSON.stringify(list, null, indent))
      }),
      { numRuns: Math.max(400, readingRuns) },
    )
  })

  test('so it is for text that is written in escapes', () => {
    fc.assert(
      fc.property(records, (list) => {
        const json = JSON.stringify(list).replace(
          /[^\0-\x7f]/g,
          (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
        expectSame(json.replaceAll('/', '\\/'))
      }),
    )
  })

  test('many values, some of them frequent, are counted alike', () => {
    const list = Array.from({ length: 9000 }, (_, id) => ({
      id,
      name: `n${id}`,
      group: id % 7 === 0 ? `g${id % 13}` : `x${(id * 7919) % 5000}`,
      score: (id * 7919) % 6000,
      price: (id % 90) / 100,
      at: `2024-01-${String(10 + (id % 19)).padStart(2, '0')}`,
      odd: id % 3 === 0 ? 'é' : id % 3 === 1,
    }))
    expectSame(JSON.stringify(list))
  })

  test('fields that come late, are missing or change places are found', () => {
    expectSame(
      '[{"a":1,"b":2},{"b":2,"a":1},{"c":[{"d":1},{"e":2},{"d":3}]},{},{"a":null,"c":[]}, {"b" : 3,"z":{"y":{"x":{"w":{"v":{"u":{"t":1}}}}}}}]',
    )
  })

  test('a number that JavaScript would change is told as it is elsewhere', () => {
    expectSame(
      '[{"id":12345678901234567890,"x":0.30000000000000004},{"id":1e400,"x":-0},{"id":1E5,"x":-0.0},{"id":1e-7,"x":1.0}]',
    )
  })

  test('read piece by piece they are the same', () => {
    fc.assert(
      fc.property(
        records,
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 12 }),
        (list, steps) => {
          const bytes = written(JSON.stringify(list))
          const whole = scan(JSON.stringify(list))
          const begins = Array.from({ length: whole.offsets.count }, (_, index) => whole.offsets.from(index))
          const stepwise = new RecordsScan(bytes.slice(0, 1), 0, 10, 0)
          let end = 1
          for (let step = 0; end < bytes.length; step++) {
            stepwise.more(bytes.slice(0, end))
            // A record is read once all of it is there.
            const before = begins.findLast((begin) => begin <= end) ?? 0
            expect(stepwise.read(before)).toBe(false)
            end += steps[step % steps.length] ?? 1
          }
          stepwise.more(bytes)
          expect(stepwise.read(bytes.length)).toBe(true)
          const scanned = stepwise.finishedExactly(0, 0)
          expect(plainShape(scanned.profile.record)).toEqual(plainShape(whole.profile.record))
          expect([scanned.end, scanned.saved, scanned.offsets.count]).toEqual([
            whole.end,
            whole.saved,
            whole.offsets.count,
          ])
        },
      ),
    )
  })

  const many = (last: JsonObject) => [
    ...Array.from({ length: 200_010 }, (_, id) =>
      id % 3 === 0 ? { s: id % 6 === 0 ? 'six' : `x${id % 5000}`, t: [id % 5] } : { s: id % 700 },
    ),
    last,
  ]
  test.each([
    ['fewer were expected', 10, {}],
    ['more were expected', 900_000, {}],
    ['strings hold JSON', 10, { s: '{"b":1}' }],
  ])('of many records the same values are counted where %s', (_, expected, last) => {
    const list = many(last)
    const scanned = scan(JSON.stringify(list), expected)
    expect(scanned.profile.every).toBe(2)
    const right = profile({ values: list })
    expect(JSON.stringify(plainShape(scanned.profile.record))).toBe(JSON.stringify(plainShape(right.record)))
  })

  test('values of a sample are counted where there are many records', () => {
    const json = JSON.stringify(
      Array.from({ length: 1000 }, (_, id) => ({ id, even: id % 2 === 0 ? 'yes' : 'no' })),
    )
    const bytes = written(json)
    const records = new RecordsScan(bytes, 0, 400_001, 0)
    expect(records.read(bytes.length)).toBe(true)
    const scanned = records.finished()
    expect(scanned.profile.every).toBe(3)
    expect([...(scanned.profile.record.fields.get('even')?.distinct.counts ?? [])]).toEqual([
      ['yes', 167],
      ['no', 167],
    ])
    expect(scanned.profile.record.fields.get('id')?.numbers?.max).toBe(999)
  })

  test.each([
    ['a key that comes twice', '[{"a":1,"a":2}]'],
    ['keys that are numbers', '[{"2":1,"1":2}]'],
    ['a key that is a prototype', '[{"__proto__":{"x":1}}]'],
    ['an element that is no object', '[{"a":1},2]'],
    [
      'an object with many keys that is a map',
      `[{"a":{${Array.from({ length: 50 }, (_, key) => `"k${key}.x":{"v":1}`).join()}}}]`,
    ],
    ['keys that come and go', `[${Array.from({ length: 60 }, (_, key) => `{"k${key}":1}`).join()}]`],
    ['a comma too many', '[{"a":1,}]'],
    ['a comma too many in a list', '[{"a":[1,]}]'],
    ['no comma', '[{"a":1 "b":2}]'],
    ['no colon', '[{"a" 1}]'],
    ['a word that is none', '[{"a":nul}]'],
    ['a number with zeros before it', '[{"a":01}]'],
    ['a number that ends in a point', '[{"a":1.}]'],
    ['a plus', '[{"a":+1}]'],
    ['a line break in a string', '[{"a":"x\ny"}]'],
    ['an escape that is none', '[{"a":"\\x"}]'],
    ['no end', '[{"a":1}'],
    ['no end of a string', '[{"a":"x'],
  ])('%s is left to others', (_, json) => {
    expect(() => scan(json)).toThrow()
  })

  test('an object with many keys that is a record is read', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 50 }, (_, key) => [
        `field${'abcdefghij'[key % 10]}${'abcde'[Math.floor(key / 10)]}`,
        key % 3 === 0 ? 'text' : key % 3 === 1 ? { x: key } : key,
      ]),
    )
    expectSame(JSON.stringify([{ wide }, { wide }]))
    expectSame(JSON.stringify([wide, wide]))
  })

  test('a list knows where it is from, another does not', () => {
    const json = '[{"a":1},{"a":2}]'
    const list = scannedList(written(json), scan(json))
    expect(knownOf(list)?.profile.count).toBe(2)
    expect(knownOf([...list])).toBeUndefined()
    expect(Array.isArray(list) && list.slice(1)).toEqual([{ a: 2 }])
    expect(list[2]).toBeUndefined()
    expect(list.at(-1)).toBe(list[1])
  })
})
