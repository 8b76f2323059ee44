import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { keyedRecords } from '../../../src/documents/shape/collections.ts'
import { indexLeaves, shareText } from '../../../src/processors/search/searchable.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { runs } from '../../support/runs.ts'

const long = 'a sentence that is long enough to be kept as a part of the text of all leaves, once'

function share(value: JsonValue): void {
  const document = fromValue(value)
  shareText(document, indexLeaves(document))
}

/** The object, and a record of all that is put into it again. */
function watched<T extends object>(object: T): { object: T; put: [PropertyKey, unknown][] } {
  const put: [PropertyKey, unknown][] = []
  const set = (target: T, key: PropertyKey, value: unknown): boolean => {
    put.push([key, value])
    return Reflect.set(target, key, value)
  }
  return { object: new Proxy(object, { set }), put }
}

describe('long strings as parts of the text of the leaves', () => {
  test('each long value of a record is put again, equal, and no other', () => {
    const tags = watched(['b', `${long} and tags`])
    const first = watched<JsonObject>({ id: 1, title: 'short', body: long, tags: tags.object, none: null })
    const second = watched<JsonObject>({ id: 2, body: `${long} 2`, title: '', tags: [] })
    share([first.object, second.object, { id: 3 }, null, 4])
    expect(first.put).toEqual([['body', long]])
    expect(tags.put).toEqual([['1', `${long} and tags`]])
    expect(second.put).toEqual([['body', `${long} 2`]])
  })

  test('so are records that are texts, and what stands beside the records', () => {
    const texts = watched([long, 'x', long, 'y'])
    share(texts.object)
    expect(texts.put.map(([key]) => key)).toEqual(['0', '2'])
    const items = Array.from({ length: 9 }, (_, id) => ({ id, of: { it: 'all' } }))
    const beside = watched<JsonObject>({ note: long, items, after: `${long}.` })
    share(beside.object)
    expect(beside.put).toEqual([
      ['note', long],
      ['after', `${long}.`],
    ])
  })

  test('records of a map, and their copies with the key', () => {
    const records = Array.from({ length: 9 }, () => watched<JsonObject>({ body: long, of: { note: long } }))
    const map = { ...Object.fromEntries(records.map(({ object }, at) => [`key-${at}`, object])) }
    const before = JSON.stringify(map)
    const document = fromValue(map)
    const rows = document.rows().items
    const shown = JSON.stringify(rows)
    shareText(document, indexLeaves(document))
    for (const { put } of records) expect(put).toEqual([['body', long]])
    expect(JSON.stringify(map)).toBe(before)
    expect(JSON.stringify(document.rows().items)).toBe(shown)
    expect(keyedRecords(document.records() ?? { path: '$', keys: [], values: [] })).toBe(rows)
  })

  test('frozen data stays as it is', () => {
    const frozen = deepFreeze([{ body: long }, { body: long }, { body: 'x' }, { body: 'y' }])
    expect(() => share(frozen)).not.toThrow()
    const map = deepFreeze(Object.fromEntries(frozen.map((record, at) => [`key ${long} ${at}`, record])))
    expect(() => share(map)).not.toThrow()
  })

  test('no value changes, whatever the data', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.string({ minLength: 40, maxLength: 90, unit: 'binary' }),
      fc.constantFrom(`${long}\n${long}`, `é${long}`, `${long}漢字`),
    )
    const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value'), { maxLength: 6 }),
        fc.dictionary(fc.oneof(fc.string({ maxLength: 4 }), fc.constant('__proto__')), tie('value'), {
          maxKeys: 6,
        }),
      ),
    }))
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), fc.boolean(), (list, isMap) => {
        const values = isMap ? { ...list } : list
        const before = JSON.stringify(values)
        const parsed: JsonValue = JSON.parse(before)
        const document = fromValue(parsed)
        const rows = JSON.stringify(document.rows().items)
        shareText(document, indexLeaves(document))
        expect(JSON.stringify(document.rows().items)).toBe(rows)
        expect(JSON.stringify(parsed)).toBe(before)
      }),
      { numRuns: runs(200) },
    )
  })
})
