import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packRecords } from '../../../../src/documents/columns/packed.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { soundKeys } from '../../../support/keys.ts'
import { runs } from '../../../support/runs.ts'

/** Packs and unpacks records that begin at the lines they name. */
function again(records: readonly JsonObject[], text: string): JsonObject[] | undefined {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return packRecords(records, text, ({ line }) =>
    typeof line === 'number' ? starts[line - 1] : undefined,
  )?.()
}

test('records come back as they were, whatever they hold and wherever the text says it', () => {
  const name = fc.constantFrom('line', 'time', 'level', 'message', 'a b', '__proto__', 'user')
  const word = fc.constantFrom(
    'INFO',
    'é東',
    '',
    'a longer text than is looked up, again and again',
    '2024-05-03',
  )
  const value = fc.oneof(
    word,
    fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
    fc.integer(),
    fc.constantFrom(-0, 0.5, 2 ** 29, -(2 ** 29), 2 ** 29 - 1, 1 - 2 ** 29, true, false, null),
    soundKeys(fc.jsonValue()).map((json) => JSON.parse(JSON.stringify(json))),
  )
  const record = fc.array(fc.tuple(name, value), { maxLength: 6 }).map(objectOf)
  fc.assert(
    fc.property(fc.array(record, { maxLength: 20 }), fc.array(word, { maxLength: 20 }), (records, words) => {
      const numbered = records.map((each, index) => objectOf([['line', index + 1], ...Object.entries(each)]))
      const text = words.join('\n')
      for (const list of [records, numbered]) {
        const back = again(list, text)
        expect(back).toEqual(list)
        expect(back?.map((each) => Object.keys(each))).toEqual(list.map((each) => Object.keys(each)))
      }
    }),
    { numRuns: runs(300) },
  )
})

test('what is far from the beginning of its record, and long, is found there', () => {
  const long = 'x'.repeat(40_000)
  const text = `first ${long} last\nsecond`
  const records = [
    { line: 1, message: `${long} last`, end: 'last' },
    { line: 2, message: 'second' },
  ]
  expect(again(records, text)).toEqual(records)
})

test('records are new each time', () => {
  const remake = packRecords([{ id: 1, tags: 'a' }], 'a', () => undefined)
  const [one] = remake?.() ?? []
  if (one) one.id = 2
  expect(remake?.()).toEqual([{ id: 1, tags: 'a' }])
})

test('records that have no names in common are not packed', () => {
  const unlike = Array.from({ length: 2_000 }, (_, index) => ({ [`field${index}`]: index }))
  expect(again(unlike, '')).toBeUndefined()
})

function objectOf(fields: readonly (readonly [string, JsonObject[string]])[]): JsonObject {
  const object: JsonObject = {}
  for (const [name, value] of fields)
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  return object
}
