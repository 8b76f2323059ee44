import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { dataPassages } from '../../../src/processors/search/bm25.ts'
import { indexLeaves } from '../../../src/processors/search/searchable.ts'
import { isObject, type JsonValue } from '../../../src/protocol/json.ts'

/** The words of each passage, names and values apart. */
function passagesOf(value: JsonValue): { record: number; names: string[]; values: string[] }[] {
  const document = fromValue(value)
  const records = document.records()?.values.length ?? 0
  const { text, passages, shared, source, goOn } = dataPassages(indexLeaves(document), records)
  for (let index = 0; index < passages.count; index++) {
    const { record } = source(index)
    const isSame = index > 0 && record >= 0 && source(index - 1).record === record
    expect(goOn?.includes(index)).toBe(isSame)
  }
  return Array.from({ length: passages.count }, (_, index) => {
    const part = shared?.of[index] ?? 0
    const names = shared?.text.slice(shared.parts.start(part), shared.parts.end(part)) ?? ''
    return {
      record: source(index).record,
      names: names === '' ? [] : names.split('\n'),
      values: text.slice(passages.start(index), passages.end(index)).split('\n'),
    }
  })
}

describe('JSON as passages', () => {
  test('a record is its values and the names that lead to them, each said once', () => {
    const record = { id: 1, owner: { login: 'ada', admin: true }, tags: ['a', 'b'] }
    const names = ['id', 'owner', 'login', 'admin', 'tags']
    expect(passagesOf([record, { ...record, id: 2 }, { id: 3 }, null])).toEqual([
      { record: 0, names, values: ['1', 'ada', 'true', 'a', 'b'] },
      { record: 1, names, values: ['2', 'ada', 'true', 'a', 'b'] },
      { record: 2, names: ['id'], values: ['3'] },
    ])
  })

  test('names are said again in each element and in each piece of a long record', () => {
    const long = 'x'.repeat(2_000)
    const lines = [{ sku: 'a' }, { sku: 'b' }]
    const records = [{ lines }, { text: long, after: { it: 1 } }, {}, {}]
    expect(passagesOf(records)).toEqual([
      { record: 0, names: ['lines', 'sku', 'sku'], values: ['a', 'b'] },
      { record: 1, names: ['text'], values: [long] },
      { record: 1, names: ['after', 'it'], values: ['1'] },
    ])
  })

  test('what is beside the records comes last, the keys of a map are values', () => {
    const [one, two] = passagesOf({ total: 2, items: [{ id: 7 }, { id: 8 }] })
      .slice(-2)
      .map(({ record, names, values }) => ({ record, names, values }))
    expect(one).toEqual({ record: 1, names: ['id'], values: ['8'] })
    expect(two).toEqual({ record: -1, names: ['total'], values: ['2'] })
  })

  test('every value is in one passage, in order, with its own name', () => {
    const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom('a b', 'word', 'y'.repeat(700)))
    const { value: tree } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('id', 'name', 'user', 'x y', '__proto__'), tie('value'), {
          maxKeys: 4,
        }),
      ),
    }))
    fc.assert(
      fc.property(fc.array(tree, { minLength: 4, maxLength: 8 }), (records) => {
        const found = passagesOf(records)
        expect(found.flatMap(({ values }) => values)).toEqual(records.flatMap(leavesOf))
        found.forEach(({ record, names }) => {
          for (const name of names) expect(namesOf(records[record] ?? null)).toContain(name)
        })
        // A record that is not cut has all of its names, in order.
        for (const { record, names } of found)
          if (found.filter((other) => other.record === record).length === 1)
            expect(names).toEqual(namesOf(records[record] ?? null))
      }),
    )
  })
})

function leavesOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf)
  if (isObject(value)) return Object.values(value).flatMap(leavesOf)
  return value === null ? [] : [String(value)]
}

function namesOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(namesOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner).length === 0 ? [] : [name, ...namesOf(inner)],
  )
}
