/** Comparisons of two fields of one record, and words that may be either a field or a text. */
import { describe, expect, test } from 'vitest'
import { fromRows, fromValue } from '../../../src/documents/opening/derive.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
import { where } from '../../../src/processors/steps/where.ts'
import { verifies } from '../../support/verifies.ts'

const records = [
  {
    id: 1,
    w: { p: { a: 'x', made: '2025-01-02T10:00:00Z' }, q: { b: 'x', due: '2025-01-01' } },
    s: { m: 4, n: 1, l: [1, 2], k: [1] },
    user: { login: 'ann' },
    asked: [{ login: 'ann' }, { login: 'bob' }],
    label: 'ann:fix',
    state: 'Open',
    title: 'author unknown',
    author: 'ann',
  },
  {
    id: 2,
    w: { p: { a: 'y', made: '2025-01-02T09:00:00Z' }, q: { b: 'z', due: '2025-01-02' } },
    s: { m: 9, n: 4, l: [], k: [] },
    user: { login: 'bob' },
    asked: [],
    label: 'acme:fix',
    state: 'Shut',
    title: 'plain',
    author: 'bob',
    count: { open: 2, shut: 1 },
  },
]

function asked(condition: string): { ids: unknown[]; notes: string } {
  const { content, metadata, error } = where.process(fromRows({ noun: 'record', items: records }), {
    where: [condition],
  })
  expect(error).toBeUndefined()
  return {
    ids: content.rows().items.map((item) => (item as { id: number }).id),
    notes: (metadata.notes ?? []).join('\n'),
  }
}

describe('a name on the right of a comparison', () => {
  const cases: [string, number[], string][] = [
    ['a = b', [1], '`b` read as `w.q.b`.'],
    ['a != b', [2], '`b` read as `w.q.b`.'],
    ['p.a = q.b', [1], '`w.q.b` read as the field.'],
    ['lower(a) = lower(b)', [1], '`b` read as `w.q.b`.'],
    ['length(l) > length(k)', [1], '`k` read as `s.k`.'],
    ['length(l) != length(k)', [1], '`k` read as `s.k`.'],
    ['m > n * 3', [1], '`n` read as `s.n`.'],
    ['date(made) = date(due)', [2], '`due` read as `w.q.due`.'],
    ['made > due', [1], '`due` read as `w.q.due`.'],
    ['asked.login has user.login', [1], '`user.login` read as the field.'],
    ['user.login in asked.login', [1], '`asked.login` read as the field.'],
    ['label starts with user.login', [1], '`user.login` read as the field.'],
    ['label not contains user.login', [2], '`user.login` read as the field.'],
  ]
  for (const [condition, ids, note] of cases)
    verifies('S3.26', `is read as on the left: ${condition}`, () => {
      const found = asked(condition)
      expect(found.ids).toEqual(ids)
      expect(found.notes).toContain(note)
    })

  test.each<[string, number[]]>([
    // Some record has the text as a value, or one that is spelled a little otherwise.
    ['state = open', [1]],
    ['state != open', [2]],
    ['title contains author', [1]],
    ['a = x', [1]],
    // A plain word is more often a text that is looked for, although a record has the author in its label.
    ['label contains author', []],
    ['label not contains author', [1, 2]],
  ])('stays a text: %s', (condition, ids) => {
    const found = asked(condition)
    expect(found.ids).toEqual(ids)
    expect(found.notes).not.toMatch(/read as the field|`(?:open|author|x)` read as/)
  })

  verifies('S3.26', 'stays a text where no record has both alike, and that is said', () => {
    const note = '`b` was compared as a text; write `w.q.b` in full for the field.'
    expect(asked('label = b')).toMatchObject({ ids: [], notes: expect.stringContaining(note) })
    expect(asked('label != b')).toEqual({ ids: [1, 2], notes: note })
  })
})

test.each<[string, number]>([
  ['assignee = reporter', 1],
  ['assignee != reporter', 2],
  ['tags = topics', 1],
  ['tags != topics', 2],
])('objects and lists are compared whole: %s', (condition, matched) => {
  const ann = { id: 1, name: 'ann' }
  const bob = { id: 2, name: 'bob' }
  const document = fromValue([
    { f: { assignee: ann, reporter: ann, tags: ['a', 'b'], topics: ['a', 'b'] } },
    { f: { assignee: ann, reporter: bob, tags: ['a'], topics: ['a', 'b'] } },
    { f: { assignee: bob, reporter: ann, tags: [], topics: ['c'] } },
    { f: { assignee: null, reporter: null, tags: null, topics: null } },
  ])
  expect(where.process(document, { where: [condition] }).metadata.matched).toBe(matched)
})

test('a word for a number is a value, whatever else is called so', () => {
  const document = fromValue([
    { level: 50, n: { error: 50 } },
    { level: 30, n: { error: 30 } },
  ])
  const { metadata } = where.process(document, { where: ['level = error'] })
  expect(metadata).toMatchObject({ matched: 1, notes: ['`error` read as 50, the number of that level.'] })
})

test('within what is computed a path is read as a field too', () => {
  const { content, metadata } = aggregate.process(fromValue(records), {
    aggregate: ['count_if(p.a != q.b) as n'],
  })
  expect(content.rows().items).toEqual([{ n: 1 }])
  expect(metadata.notes?.join(' ')).toContain('`q.b` read as `w.q.b`.')
})

test('two fields that no record has so are no question about what is around the records', () => {
  const document = fromValue({
    total: 1,
    items: [{ c: { total: 1, list: [{ n: 1 }] } }, { c: { total: 0, list: [] } }],
  })
  const { metadata } = where.process(document, { where: ['c.total != length(c.list)'] })
  expect(metadata.matched).toBe(0)
})
