import { describe, expect, test } from 'vitest'
import { open } from '../../../../src/explore.ts'
import { TABLES } from '../../../../src/query/language/page.ts'

/** The examples of a table as the page prints it. */
function examplesOf(name: string): string[] {
  const [head = '', , ...rows] = (TABLES[name]?.() ?? '').split('\n').map((line) => line.split(/(?<!\\)\|/))
  const at = [...head].findIndex((cell) => cell.trim() === 'Example')
  return rows.map((cells) => (cells[at] ?? '').trim().replace(/^`|`$/g, '').replaceAll('\\|', '|'))
}

/** Records with every field that an example names. */
const RECORDS = Array.from({ length: 12 }, (_, id) => ({
  id,
  ...{ n: id, x: id, a: id, b: 2 * id, code: `c-${id}`, region: id % 2 ? 'north' : 'south', team: id % 3 },
  ...{
    user: { login: id % 2 ? 'ann' : 'bob' },
    state: id % 2 ? 'open' : 'closed',
    first: 'Ann',
    last: 'Roth',
  },
  ...{ price: id * 3.5, rating: id % 5, score: id - 4, points: id, change: -id, rate: 0.1, amount: 10 * id },
  ...{
    size: `${id}MB`,
    area: id * id,
    age: 20 + id,
    total: id,
    value: id + 1,
    ms: id * 20,
    comments: id,
    scores: [1, id],
  },
  ...{
    title: `crash #${id} in dark mode`,
    path: `src/${id}.ts`,
    file: `src/${id}.ts`,
    name: `web ${id}`,
    text: `@ann ${id}`,
  },
  ...{
    email: `u${id}@example.com`,
    nickname: null,
    assignee: 'ann',
    draft: id % 3 === 0,
    note: `error ${id}`,
    tags: ['bug', 'ui'],
    labels: ['bug', 'ui'],
  },
  ...{
    items: [{ price: 1 }, { price: id }],
    year: 2024,
    month: 5,
    day: `2024-05-${String(id + 1).padStart(2, '0')}`,
  },
  ...{
    created_at: '2024-05-02T10:00:00Z',
    closed_at: id % 2 ? null : '2024-06-01T10:00:00Z',
    due: '2024-05-20',
    version: '1.2.3',
  },
}))
const records = open(JSON.stringify(RECORDS))

/** Says that a name or a condition of the question does not fit. */
const MISFIT = /no field|not a field|there is no|is no |cannot be read|is not in|unknown|nothing is called/i

describe.each([
  ['operators', (example: string) => ({ where: [example] })],
  ['functions', (example: string) => ({ fields: ['id', `${example} as computed`] })],
  ['aggregates', (example: string) => ({ aggregate: example })],
  ['windows', (example: string) => ({ fields: ['id', `${example} as computed`] })],
  ['dialects', (example: string) => ({ where: [example] })],
])('on the page of the query language, the examples of the %s', (name, ask) => {
  test.each(examplesOf(name))('answers %s', async (example) => {
    const { failed, text } = await records.filter(ask(example))
    expect({ failed, text }).toMatchObject({ failed: false, text: expect.not.stringMatching(MISFIT) })
  })
})

test('an example that does not fit would be seen', async () => {
  const { failed, text } = await records.filter({ where: ['nowhere_found = 3'] })
  expect(failed || MISFIT.test(text)).toBe(true)
})
