import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { jsonParts, RawJson } from '../../../src/protocol/json.ts'
import { runs } from '../../support/runs.ts'

const raw = (text: string): JsonValue => RawJson.in(Buffer.from(text))
const joined = (value: unknown): string =>
  Buffer.concat(jsonParts(value).map((part) => Buffer.from(part as string))).toString('utf8')

test('writes raw JSON between the other members, byte for byte', () => {
  expect(jsonParts({ a: 1 })).toEqual(['{"a":1}'])
  expect(joined({ a: raw('12345678901234567890'), b: [raw('"ü"'), 'x', raw('{"c" :1}')] })).toBe(
    '{"a":12345678901234567890,"b":["ü","x",{"c" :1}]}',
  )
  expect(joined(raw('[1]'))).toBe('[1]')
})

test('other writers get the value, also after a message that could not be written', () => {
  const circle: unknown[] = [raw('1')]
  circle.push(circle)
  expect(() => jsonParts(circle)).toThrow(TypeError)
  expect(JSON.stringify({ a: raw('{"b":[2]}') })).toBe('{"a":{"b":[2]}}')
  expect(Object.keys(raw('{"b":1}') as object)).toEqual([])
})

test('any values at any places of any message', () => {
  const place = fc.tuple(fc.jsonValue(), fc.boolean())
  const property = fc.property(fc.array(fc.dictionary(fc.string(), place)), (objects) => {
    const plain = objects.map((each) =>
      Object.fromEntries(Object.entries(each).map(([name, [value]]) => [name, value])),
    )
    const mixed = objects.map((each) =>
      Object.fromEntries(
        Object.entries(each).map(([name, [value, isRaw]]) => [
          name,
          isRaw ? raw(JSON.stringify(value)) : value,
        ]),
      ),
    )
    expect(joined(mixed)).toBe(JSON.stringify(plain))
    expect(JSON.parse(JSON.stringify(mixed))).toEqual(JSON.parse(JSON.stringify(plain)))
  })
  fc.assert(property, { numRuns: runs(200) })
})
