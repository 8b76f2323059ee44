/** Conditions in the words of people, which have no operator of the language. */
import { describe, expect, test } from 'vitest'
import { fromRecognised, fromValue } from '../../../../src/documents/opening/derive.ts'
import { where } from '../../../../src/processors/steps/where.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'

const day = 86_400_000
const rows: JsonValue = Array.from({ length: 8 }, (_, n) => ({
  id: n + 1,
  status: ['open', 'blocked', 'closed', 'done'][n % 4] ?? '',
  assignee: n % 3 ? { login: `dev${n % 3}` } : null,
  labels: ['bug', 'ui', 'docs'].slice(0, n % 4).map((name) => ({ name })),
  comments: n * 10,
  merged_at: n % 2 ? '2024-05-01T00:00:00Z' : null,
  created_at: new Date(Date.now() - (n * 10 + 1) * day).toISOString(),
  urgent: n > 5,
  file: n % 2 ? `src/a${n}.ts` : `doc/b${n}.md`,
  text: n % 2 ? 'It crashes' : 'It is slow',
}))

function ask(conditions: string, value: JsonValue = rows) {
  const { content, error, metadata } = where.process(fromValue(value), { where: [conditions] })
  const ids = content.rows().items.map((row) => (row as { id: number }).id)
  return { ids: error === undefined ? ids : [], notes: metadata.notes ?? [], error: error ?? '' }
}

describe('are read', () => {
  test.each<[string, string, number[]]>([
    ['no assignee', 'assignee is empty', [1, 4, 7]],
    ['without an assignee', 'assignee is empty', [1, 4, 7]],
    ['with an assignee', 'assignee is not empty', [2, 3, 5, 6, 8]],
    ['not yet merged', 'merged_at is empty', [1, 3, 5, 7]],
    ['not yet urgent', 'not urgent', [1, 2, 3, 4, 5, 6]],
    ['has at least 2 labels', 'length(labels) at least 2', [3, 4, 7, 8]],
    ['has three labels', 'length(labels) = 3', [4, 8]],
    ['more than 50 comments', 'comments more than 50', [7, 8]],
    ['got over 50 comments', 'comments over 50', [7, 8]],
    ['older than 35 days', 'created_at older than 35 days', [5, 6, 7, 8]],
    ['in the last 15 days', 'created_at in the last 15 days', [1, 2]],
    ['labelled bug', 'labels = "bug"', [2, 3, 4, 6, 7, 8]],
    ['assigned to dev2', 'assignee = "dev2"', [3, 6]],
    ['with status open', 'status = "open"', [1, 5]],
    ['mentions crash', '* contains "crash"', [2, 4, 6, 8]],
    ['*.ts', '* like *.ts', [2, 4, 6, 8]],
    ['either open or blocked', 'status in (open, blocked)', [1, 2, 5, 6]],
    ['only open', 'status = open', [1, 5]],
    ['blocked by dev2', 'status = blocked and assignee.login = dev2', [6]],
    ['urgent and closed', 'urgent and status = closed', [7]],
  ])('%s', (condition, read, ids) => {
    const found = ask(condition)
    expect(found.ids).toEqual(ids)
    expect(found.notes).toContain(`\`${condition}\` read as \`${read}\`.`)
  })

  test('with none that fulfils them, where they name a field', () => {
    expect(ask('more than 900 comments').error).toBe('')
    expect(ask('more than 900 comments').ids).toEqual([])
  })

  test('of levels by any of their words', () => {
    const log = ['ERROR', 'WARN', 'INFO', 'ERROR', 'INFO', 'WARN'].map(
      (level, n) => `2026-11-01T10:00:1${n}Z ${level} [web] message ${n}`,
    )
    const { content } = where.process(fromRecognised(log.join('\n')), { where: ['errors and warnings'] })
    expect(content.rows().count).toBe(4)
  })

  test('of another list, where they fit that alone', () => {
    const lists = {
      rows,
      users: Array.from({ length: 4 }, (_, n) => ({ id: n, role: n % 2 ? 'admin' : 'guest' })),
    }
    const { ids, notes } = ask('users who are admins', lists)
    expect(ids).toEqual([1, 3])
    expect(notes).toContain('Only the records of `$.users` are so, so those were filtered.')
  })
})

describe('are refused', () => {
  test('with a condition that works, where a word is a value', () => {
    expect(ask('delayed by dev1').error).toContain(
      'has no operator. Write a field, an operator and a value, like `assignee.login = dev1`. There are: `id`,',
    )
  })
  test('with any condition, where none is', () => {
    expect(ask('slightly odd').error).toContain('like `id > 1`, `status = open`')
  })
  test('with the place that they name', () => {
    expect(ask('last 3 rows').error).toContain('"limit": 3, "offset": 5.')
    expect(ask('the first one').error).toContain('"limit": 1, "offset": 0.')
  })
  test('where they are a constant, or have signs', () => {
    expect(ask('true').error).toContain('No record has the field')
    expect(ask('nosuch = open').error).toContain('No record has the field `nosuch`')
  })
  test('where a time may be one of several', () => {
    const two = [1, 2, 3].map((id) => ({ id, start: `2024-05-0${id}`, end: `2024-06-0${id}` }))
    expect(ask('last week', two).error).toBe(
      '`last week` of which time? Write `start in last week`; there is also `end`.',
    )
  })
  test('where the beginning of a name is another word', () => {
    expect(ask('with lab').error).toContain('has no operator')
  })
})
