import { describe, expect, test } from 'vitest'
import {
  conclude,
  fieldNames,
  nameOf,
  objectsIn,
  readPreview,
  readReply,
  readType,
  valuesIn,
  wantedIn,
} from './reading-parts.ts'

const PREVIEW = `cache_id 0123456789ab keeps the whole result of x_get (json: 30 records in $.items, 334 KB, ≈98k tokens)
type: {id: number, title, "a b"?: date|null, user: {login, …14 more}, labels: {name}[], extra: Record<string, {size: number}>} (no type: string)
beside the records: total_count = 1370, done = false
state (2 values): open ×20, closed ×7; none in 3
user.login (many values, most frequent): ann ×9, bo ×4
labels[].name (2 values): bug ×12, ui ×6`

describe('a preview, as a model reads it', () => {
  const preview = readPreview(PREVIEW)

  test('the handle, how many records there are and where, and the fields', () => {
    expect(preview).toMatchObject({ handle: '0123456789ab', records: 30, main: '$.items' })
    expect(fieldNames(preview)).toEqual(['id', 'title', 'a b', 'user', 'labels', 'extra'])
    expect(preview.beside.get('total_count')).toBe('1370')
  })

  test('values are all values only where their counts add up', () => {
    expect(preview.values.get('state')).toEqual([
      ['open', 20],
      ['closed', 7],
    ])
    expect([...preview.values.keys()]).toEqual(['state'])
  })

  test('names are written as the type has them: lists with brackets, maps with a star', () => {
    expect(nameOf(['labels', '[]', 'name'], preview.type)).toBe('labels[].name')
    expect(nameOf(['extra', '[]', 'size'], preview.type)).toBe('extra.*.size')
  })

  test('a name that holds what operators are written with is put in quotes', () => {
    expect(nameOf(['scripts', 'build:all'], preview.type)).toBe('scripts["build:all"]')
  })

  test('values beside the records may hold commas; one that is cut is not known', () => {
    const beside = 'beside the records: title = "Past, present", kind = List, about = "A long …'
    const read = readPreview(
      `cache_id 44bff8c94e04 keeps the whole result (json: 3 records in $["a (b)"], 90 bytes)\n${beside}`,
    )
    expect([...read.beside]).toEqual([
      ['title', 'Past, present'],
      ['kind', 'List'],
    ])
    expect(read.main).toBe('$["a (b)"]')
  })

  test('a type that leaves fields out does not name them all; one that cannot be read is none', () => {
    expect(fieldNames({ type: readType('{id, name, …3 more}') })).toBeUndefined()
    expect(readType('{id: ')).toBeUndefined()
  })
})

describe('a reply, as a model reads it', () => {
  test('a table, its total and the next page', () => {
    const reading = readReply(
      '373 of 1,000 records match `where` · records 1-2 of 373, next: offset 2\n[2]{id,user.login}:\n  1,ann\n  2,"b, o"',
    )
    expect(reading).toMatchObject({ matched: 373, next: 2, more: true, nothing: false })
    expect(reading.rows).toEqual([
      { id: 1, 'user.login': 'ann' },
      { id: 2, 'user.login': 'b, o' },
    ])
  })

  test('a remark that begins with a number is no hit', () => {
    const reading = readReply(
      'over 46 records · 1 of 1 group\n23 of 46 have no `tags` and are in no group.\n{"tags":"a","count":23}',
    )
    expect(reading.rows).toEqual([{ tags: 'a', count: 23 }])
    expect(reading.passages).toEqual([])
  })

  test('hits of a log are passages', () => {
    const reading = readReply('2 of 9 lines match `x`\n3: a x\n7: b x')
    expect(reading.passages).toEqual(['a x', 'b x'])
    expect(readReply('1 of 9 lines matches `x`\n3:2673: …a x…').passages).toEqual(['…a x…'])
  })

  test('nothing found is nothing over everything', () => {
    expect(readReply('0 of 30 records match `where`').nothing).toBe(true)
  })

  test('a column stands for a field if its name is the end of the field, never for another with the same end', () => {
    expect(valuesIn({ login: 'ann' }, ['user', 'login'])).toEqual(['ann'])
    expect(valuesIn({ 'user.id': 5 }, ['id'])).toBeUndefined()
    expect(valuesIn({ $ref: '#/a' }, ['$ref'])).toEqual(['#/a'])
    expect(valuesIn({ type: 'dir', name: 'a' }, ['children', '[]', 'type'])).toBeUndefined()
    expect(valuesIn({ labels: [{ name: 'a' }, { name: 'b' }] }, ['labels', '[]', 'name'])).toEqual(['a', 'b'])
  })

  test('groups of a field that is called like the count are told from their counts', () => {
    const reading = readReply('over 9 records · 2 of 2 groups\n[2]{count,count()}:\n  7,1\n  6,8')
    expect(conclude({ by: ['count'] }, reading)).toEqual({
      answer: [
        [7, 1],
        [6, 8],
      ],
    })
  })

  test('no answer from a page that says there is more, nor from a value that was cut', () => {
    const ask = { collection: [], where: [], want: ['id'] }
    expect(
      conclude(ask, readReply('9 of 9 records match · records 1-1 of 9, next: offset 1\n{"id":1}')),
    ).toHaveProperty('unanswered')
    expect(
      conclude(ask, readReply('1 of 9 records matches\n{"id":"a …[33 characters left out]… b"}')),
    ).toHaveProperty('unanswered')
    expect(conclude(ask, readReply('1 of 9 records matches\n{"id":1}'))).toEqual({ answer: [1] })
  })
})

describe('a piece of JSON', () => {
  const text = JSON.stringify([
    { id: 1, name: 'one "1"', inner: { a: 5 } },
    { id: 2, name: 'two' },
  ])

  test('shows the objects that are in it, whole or not, wherever it is cut', () => {
    for (let cut = 0; cut < text.indexOf('"id":2'); cut++) {
      expect(
        wantedIn(
          { where: [{ field: ['id'], op: '=', value: 2 }], want: ['name'] },
          objectsIn(text.slice(cut)),
        ),
      ).toEqual(['two'])
    }
  })

  test('never pairs fields of different objects', () => {
    for (let cut = 0; cut < text.length; cut++) {
      const found = wantedIn(
        { where: [{ field: ['id'], op: '=', value: 1 }], want: ['name'] },
        objectsIn(text.slice(0, cut), true),
      )
      expect(found.filter((name) => name !== 'one "1"')).toEqual([])
    }
  })
})
