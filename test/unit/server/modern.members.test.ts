import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findMember, withMembers } from '../../../src/server/modern.ts'
import { soundKeys } from '../../support/keys.ts'

const NAME = 'resultType'

describe('members of bytes', () => {
  test('are found at the top, and nowhere else', () => {
    const top = Buffer.from('{"a":["resultType",{"resultType":1}],"b":"x\\"resultType","resultType" : "x"}')
    expect(top.subarray(findMember(top, NAME)).toString()).toBe('"x"}')
    for (const json of [
      '{"a":{"resultType":1}}',
      '{"a":"\\"resultType\\":1"}',
      '{"a":"b\\\\\\"resultType","c":"resultType"}',
      '{"a":["resultType"]}',
      '{}',
      '{"a":"resultType',
    ])
      expect(findMember(Buffer.from(json), NAME), json).toBeUndefined()
  })

  test('whatever the object is, what is found is what JSON says', () => {
    const key = fc.oneof(fc.constant(NAME), fc.constant(`"${NAME}":`), fc.string())
    const value = soundKeys(fc.jsonValue({ maxDepth: 3 }))
    const object = soundKeys(
      fc.dictionary(key, fc.oneof(value, key, fc.dictionary(key, value)), {
        noNullPrototype: true,
      }),
    )
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (holder, indent) => {
        const json = Buffer.from(JSON.stringify(holder, undefined, indent))
        const at = findMember(json, NAME)
        expect(at !== undefined).toBe(Object.hasOwn(holder, NAME))
        if (at === undefined) return
        const value = JSON.stringify(holder[NAME], undefined, indent)
        // Further lines of a value are indented deeper inside of the object.
        expect(
          json
            .subarray(at)
            .toString()
            .startsWith(value.split('\n')[0] ?? ''),
        ).toBe(true)
      }),
    )
  })

  test('put in front, nothing else changes', () => {
    const object = soundKeys(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }))
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 2), (holder, indent) => {
        const json = JSON.stringify(holder, undefined, indent)
        const bytes = withMembers(Buffer.from(json), ['"added":1', '"more":{}'])
        const text = Buffer.from(bytes).toString()
        expect(text.endsWith(json.slice(1))).toBe(true)
        expect(JSON.parse(text)).toEqual({ added: 1, more: {}, ...JSON.parse(json) })
      }),
    )
  })
})
