import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { where } from '../../../src/processors/steps/where.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

const people = [
  { id: 1, name: 'Smith, John', node: '>=17 || 14 >=14.58', status: 'open', tags: ['red, green', 'x'] },
  { id: 2, name: 'Smith', node: '>=17', status: 'closed', tags: ['red'] },
  { id: 3, name: 'John', node: '>=18', status: 'open', tags: [] },
  { id: 4, name: 'rock and roll, status = open', node: '14', status: 'closed', tags: ['x'] },
]

function found(conditions: string[]): { ids: unknown[]; notes: string[] } {
  const { content, metadata, error } = where.process(fromValue(people), { where: conditions })
  expect(error).toBeUndefined()
  const ids = content.rows().items.map((row) => (row as { id: number }).id)
  return { ids, notes: metadata.notes ?? [] }
}

describe('a value that holds what joins conditions is one where a record has it', () => {
  test.each([
    ['name = Smith, John', [1]],
    ['name == smith, john', [1]],
    ['name: Smith, John', [1]],
    ['name != Smith, John', [2, 3, 4]],
    ['name = Smith, John, status = open', [1]],
    ['status = open and name = Smith, John', [1]],
    ['(name = Smith, John) or id = 3', [1, 3]],
    ['node = >=17 || 14 >=14.58', [1]],
    ['node = >=17 || 14 >=14.58 and status = open', [1]],
    ['node = ">=17 || 14 >=14.58"', [1]],
    ['name = rock and roll, status = open', [4]],
    ['tags = red, green', [1]],
    ['not name = Smith, John', [2, 3, 4]],
  ])('%s', (condition, ids) => {
    expect(found([condition]).ids).toEqual(ids)
  })
})

test.each([
  ['status = open, id = 3', [3]],
  ['id = 1 or 2 < id', [1, 3, 4]],
  ['status = open or status = closed', [1, 2, 3, 4]],
  ['status = "open" || "closed"', [1, 2, 3, 4]],
])('what no record has is two conditions as before: %s', (condition, ids) => {
  expect(found([condition]).ids).toEqual(ids)
})

test.each(['node = ">=17 || 14 >=99"', 'name = "Smith, Jane"', 'status = "open, closed"'])(
  'a text in quotes that no record has is not taken apart: %s',
  (condition) => {
    const { ids, notes } = found([condition])
    expect(ids).toEqual([])
    expect(notes.join('\n')).toContain('matches none')
    expect(notes.join('\n')).not.toContain('read as')
  },
)

test('any text of a record is found by it, with quotes or without', () => {
  const word = fc.constantFrom(
    'a',
    'or',
    'and',
    ',',
    '||',
    '&&',
    ';',
    '>=1',
    'b c',
    '14',
    'state',
    '= x',
    '|',
  )
  const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => ['v', ...words, 'w'].join(' '))
  fc.assert(
    fc.property(text, (wanted) => {
      const rows: JsonValue[] = [
        { name: `x ${wanted}`, state: 'x' },
        { name: wanted, state: 'y' },
        { name: 'a', state: 'z' },
      ]
      const { content, error } = where.process(fromValue(rows), { where: [`name = "${wanted}"`] })
      expect(error).toBeUndefined()
      const expected = rows.filter((row) => (row as { name: string }).name === wanted)
      expect(content.rows().items).toEqual(expected)
      if (/[,;&|]|\s(?:and|or)\s/.test(wanted)) {
        const bare = where.process(fromValue(rows), { where: [`name = ${wanted}`] })
        expect(bare.error).toBeUndefined()
        expect(bare.content.rows().items).toEqual(expected)
      }
    }),
  )
})

describe('or within a value', () => {
  const packages = ['MIT', 'Apache-2.0', 'MIT OR Apache-2.0', 'GPL-3.0 AND MIT', 'BSD'].map(
    (license, id) => ({
      id,
      license,
      state: id % 2 ? 'open' : 'closed',
    }),
  )
  const asked = (condition: string) => {
    const { content, metadata, error } = where.process(fromValue(packages), { where: [condition] })
    expect(error).toBeUndefined()
    const ids = content.rows().items.map((row) => (row as { id: number }).id)
    return { ids, notes: (metadata.notes ?? []).join(' ') }
  }

  test.each([
    [
      'license = MIT OR Apache-2.0',
      [2],
      'is one value; for either of them write `license in (MIT, Apache-2.0)`',
    ],
    [
      'license = MIT OR Apache-2.5',
      [],
      'compared as one value; for either write `license in (MIT, Apache-2.5)`',
    ],
    ['license = MIT OR Apache-2.5 and state = closed', [], 'compared as one value'],
    ['license = "MIT OR Apache-2.5"', [], 'matches none'],
    ['license = GPL-3.0 AND Apache-2.0', [], 'matches none'],
    ['license = GPL-3.0 AND MIT', [3], ''],
    ['license = MIT or BSD', [0, 4], 'read as `license in (MIT, BSD)`'],
    ['state = open or shut', [1, 3], 'read as `state in (open, shut)`'],
    ['license = MIT OR license = BSD', [0, 4], ''],
  ])('%s', (condition, ids, note) => {
    const found = asked(condition)
    expect(found.ids).toEqual(ids)
    expect(found.notes).toContain(note)
  })
})

test.each([
  ["first || ' ' || last = 'Ann Lee'", [1]],
  ["'Ann Lee' = first || ' ' || last", [1]],
  ["(first || '-' || last like 'bo-%' or id = 1)", [1, 2]],
  ["'#' || id = '#2'", [2]],
  ["first = 'Ann' || '-' || 'Bo'", [1, 2]],
  ["first = 'Ann' || last = 'Ray'", [1, 2]],
])('texts that SQL joins: %s', (condition, ids) => {
  const people = [
    { id: 1, first: 'Ann', last: 'Lee' },
    { id: 2, first: 'Bo', last: 'Ray' },
  ]
  const { content, error } = where.process(fromValue(people), { where: [condition] })
  expect(error).toBeUndefined()
  expect([...content.rows().items].map((row) => (row as { id: number }).id)).toEqual(ids)
})
