import { describe, expect, test } from 'vitest'
import { type Ask, evaluate, type Gold, read } from './parts.ts'

const ISSUES = read(
  'issues.json',
  JSON.stringify({
    items: [
      {
        id: 1,
        state: 'open',
        votes: 5,
        price: '9.50',
        at: '2024-01-05T10:00:00Z',
        user: { login: 'ann' },
        labels: [{ name: 'bug' }, { name: 'ui' }],
        body: 'the kiln is cold',
      },
      {
        id: 2,
        state: 'closed',
        votes: 9,
        price: '10.5',
        at: '2024-02-05T10:00:00Z',
        user: { login: 'bob' },
        labels: [],
        body: 'nothing',
      },
      {
        id: 3,
        state: 'open',
        votes: 7,
        price: '100',
        at: '2024-02-06T10:00:00Z',
        user: { login: 'ann' },
        labels: [{ name: 'bug' }],
        body: null,
      },
      {
        id: 4,
        state: 'Open',
        votes: null,
        price: 'n/a',
        at: '2024-03-01T10:00:00Z',
        user: { login: 'eve' },
        labels: [{ name: 'docs' }],
        body: 'Kiln',
      },
      {
        id: 5,
        state: 'open',
        price: '3',
        at: '2024-03-02T10:00:00Z',
        user: null,
        labels: [{ name: 'ui' }],
        body: '',
      },
    ],
  }),
)
const PEOPLE = read(
  'people.json',
  JSON.stringify(['ann', 'bob', 'eve', 'kim', 'lee'].map((login, n) => ({ login, city: `c${n}` }))),
)
const items = ['items']
const is = (field: string, op: string, value: string | number | boolean) => ({
  field: field.split('.'),
  op,
  value,
})

const CASES: [string, Ask, Gold][] = [
  ['equal', { collection: items, where: [is('id', '=', 2)], want: ['state'] }, { set: ['closed'] }],
  ['case counts', { collection: items, where: [is('state', '=', 'open')], want: ['id'] }, { set: [1, 3, 5] }],
  [
    'any of a list',
    { collection: items, where: [is('labels.[].name', '=', 'bug')], want: ['id'] },
    { set: [1, 3] },
  ],
  [
    'both conditions',
    { collection: items, where: [is('labels.[].name', '=', 'ui'), is('votes', '>', 4)], want: ['id'] },
    { set: [1] },
  ],
  [
    'null meets nothing',
    { collection: items, where: [is('votes', '<', 100)], aggregate: 'count' },
    { number: 3 },
  ],
  [
    'numbers in strings',
    { collection: items, where: [is('price', '>', 9.5)], want: ['id'] },
    { set: [2, 3] },
  ],
  [
    'equal to a number in a string',
    { collection: items, where: [is('price', '=', 9.5)], want: ['id'] },
    { set: [1] },
  ],
  [
    'since a day',
    { collection: items, where: [is('at', '>=', '2024-02-06')], want: ['id'] },
    { set: [3, 4, 5] },
  ],
  [
    'in a month',
    { collection: items, where: [is('at', 'contains', '2024-02')], want: ['id'] },
    { set: [2, 3] },
  ],
  ['nothing', { collection: items, where: [is('id', '=', 9)], want: ['state'] }, { none: true }],
  ['a null is no answer', { collection: items, where: [is('id', '=', 3)], want: ['body'] }, { none: true }],
  ['sum', { collection: items, aggregate: 'sum', of: ['votes'] }, { number: 21 }],
  [
    'average of those that have one',
    { collection: items, aggregate: 'average', of: ['votes'] },
    { number: 7 },
  ],
  ['sum of numbers in strings', { collection: items, aggregate: 'sum', of: ['price'] }, { number: 123 }],
  ['largest', { collection: items, aggregate: 'max', of: ['price'] }, { number: 100 }],
  [
    'groups',
    { collection: items, by: ['user', 'login'] },
    {
      table: [
        ['ann', 2],
        ['bob', 1],
        ['eve', 1],
      ],
    },
  ],
  [
    'groups of a list',
    { collection: items, by: ['labels', '[]', 'name'], k: 2 },
    {
      table: [
        ['bug', 2],
        ['ui', 2],
      ],
    },
  ],
  [
    'highest',
    { collection: items, order: { field: ['votes'], descending: true }, k: 2, want: ['id'] },
    { list: [2, 3] },
  ],
  [
    'lowest as numbers',
    {
      collection: items,
      where: [is('id', '<', 4)],
      order: { field: ['price'], descending: false },
      k: 3,
      want: ['id'],
    },
    { list: [1, 2, 3] },
  ],
  ['words, as they are written', { collection: items, words: 'kiln', want: ['id'] }, { set: [1] }],
  ['how many records', { collection: items, structure: 'records' }, { number: 5 }],
  [
    'fields',
    { collection: items, structure: 'fields' },
    { set: ['id', 'state', 'votes', 'price', 'at', 'user', 'labels', 'body'] },
  ],
  [
    'join',
    {
      collection: items,
      where: [is('id', '=', 4)],
      join: {
        payload: 'people.json minified',
        collection: [],
        on: ['user', 'login'],
        equals: ['login'],
        want: ['city'],
      },
    },
    { set: ['c2'] },
  ],
]

describe('the evaluator', () => {
  test.each(CASES)('%s', (_, ask, gold) => {
    expect(evaluate(ask, ISSUES, [ISSUES, PEOPLE])).toEqual(gold)
  })

  test('compares times of an access log with dates as people write them', () => {
    const lines = [
      '17/May/2015:23:59:59',
      '18/May/2015:00:00:00',
      '18/May/2015:01:30:00',
      '01/Jun/2015:00:00:00',
      '02/Jun/2015:00:00:00',
    ]
    const log = read(
      'a.log',
      lines.map((time) => `10.0.0.1 - - [${time} +0000] "GET / HTTP/1.1" 200 5\n`).join(''),
    )
    const where = [is('time', '>=', '2015-05-18T00:00'), is('time', '<', '2015-06-02')]
    expect(evaluate({ collection: [], where, aggregate: 'count' }, log)).toEqual({ number: 3 })
  })
})
