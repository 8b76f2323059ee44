import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { where } from '../../../../src/processors/steps/where.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { resolveField } from '../../../../src/query/fields/fields.ts'
import { type Records, requireRecords } from '../../../../src/query/fields/records.ts'
import { Refusal } from '../../../../src/query/refusal.ts'
import { verifies } from '../../../support/verifies.ts'

function recordsOf(value: JsonValue): Records {
  return requireRecords(fromValue(value), 'test')
}

const items = Array.from({ length: 5 }, (_, n) => ({
  id: n,
  state: n % 2 === 0 ? 'open' : 'closed',
  created_at: '2024-05-01',
  user: { login: `u${n}`, site_admin: false },
  milestone: { title: 'm', due: null },
  labels: [{ name: 'bug', color: 'red' }],
  'app.kubernetes.io/name': 'x',
  sizes: Object.fromEntries(
    Array.from({ length: 12 }, (_, key) => [`s-${key}00`, { bytes: key, unit: 'B' }]),
  ),
}))
const root = { count: 5, items }

describe('a reference as models write it', () => {
  test.each([
    ['state', 'state'],
    ['user.login', 'user.login'],
    ['labels.name', 'labels.name'],
    ['labels[].name', 'labels[*].name'],
    ['labels[0].name', 'labels[0].name'],
    ['items.state', 'state'],
    ['items[].user.login', 'user.login'],
    ['$.items[*].labels[*].name', 'labels[*].name'],
    ['app.kubernetes.io/name', 'app.kubernetes.io/name'],
    ['["app.kubernetes.io/name"]', '["app.kubernetes.io/name"]'],
    ['sizes.*.bytes', 'sizes[*].bytes'],
  ])('%s is %s, without a remark', (reference, name) => {
    expect(resolveField(recordsOf(root), reference)).toMatchObject({ name })
    expect(resolveField(recordsOf(root), reference).note).toBeUndefined()
  })

  test.each([
    ['State', 'state'],
    ['createdAt', 'created_at'],
    ['USER.LOGIN', 'user.login'],
    ['login', 'user.login'],
    ['due', 'milestone.due'],
    ['issues.state', 'state'],
    ['sizes.bytes', 'sizes[*].bytes'],
    ['staet', 'state'],
    ['milestoen.title', 'milestone.title'],
    ['site_admn', 'user.site_admin'],
    ['Labels[0].Name', 'labels[0].name'],
  ])('%s is read as %s, with a remark', (reference, name) => {
    expect(resolveField(recordsOf(root), reference)).toMatchObject({
      name,
      note: `\`${reference}\` read as \`${name}\`.`,
    })
  })
})

describe('the title of a record', () => {
  const rows = ['Alien', 'Brazil', 'Alien', 'Contact'].map((heading, n) => ({ heading, line: n, Rating: n }))

  test.each(['title', 'Name', 'subject', 'summary', 'headline'])('%s is its heading', (reference) => {
    expect(resolveField(recordsOf(rows), reference)).toMatchObject({
      name: 'heading',
      note: `\`${reference}\` read as \`heading\`.`,
    })
  })

  test('is a field of the data where there is one', () => {
    const named = rows.map((row) => ({ ...row, 'First name': 'a', 'Last name': 'b' }))
    expect(resolveField(recordsOf(named), 'title').name).toBe('heading')
    expect(() => resolveField(recordsOf(named), 'name')).toThrow(Refusal)
    const titled = rows.map((row) => ({ ...row, Subject: 'a' }))
    expect(resolveField(recordsOf(titled), 'title').name).toBe('Subject')
    expect(() => resolveField(recordsOf(titled), 'name')).toThrow(Refusal)
  })

  test('is no heading above several of them', () => {
    const shared = rows.map((row, n) => ({ ...row, heading: n < 2 ? 'Films' : 'Series' }))
    expect(() => resolveField(recordsOf(shared), 'title')).toThrow(Refusal)
  })
})

describe('fields that a text gives no name', () => {
  const rows = recordsOf(
    ['running', 'exited', 'running', 'paused'].map((state, n) => ({
      line: n + 1,
      part1: `web-${n}`,
      part2: state,
      part3: n === 2 ? 'paused' : `p${n}`,
    })),
  )

  test('one is meant by any name with a value that it alone has', () => {
    expect(resolveField(rows, 'status', ['Exited'])).toMatchObject({
      name: 'part2',
      note: '`status` read as `part2`. Of the fields without a name only that has the value.',
    })
    expect(() => resolveField(rows, 'status', ['paused'])).toThrow(Refusal)
    expect(() => resolveField(rows, 'status', ['gone'])).toThrow(Refusal)
  })

  test('are named with some of their values where another is asked for', () => {
    expect(() => resolveField(rows, 'status')).toThrow(
      'No record has the field `status`. There are: `part1` ("web-0", "web-1"), `part2` ("running", "exited"), `part3` ("p0", "p1"), `line`.',
    )
    expect(() => resolveField(rows, 'file')).toThrow('`file`. There are: `part1`')
    expect(() => resolveField(rows, 'line_from')).toThrow('Nearest: `line` (1, 2). There are: `part1` (')
  })
})

test('the cells of a report are found by the path that they had', () => {
  const report = recordsOf({
    dimension_headers: [{ name: 'date' }, { name: 'country' }],
    metric_headers: [{ name: 'users' }],
    rows: ['Germany', 'France', 'Spain'].map((value, n) => ({
      dimension_values: [{ value: `2025110${n}` }, { value }],
      metric_values: [{ value: String(n) }],
    })),
  })
  for (const reference of ['dimension_values[1].value', 'rows[*].dimension_values[1].value'])
    expect(resolveField(report, reference)).toMatchObject({
      name: 'country',
      note: `\`${reference}\` read as \`country\`.`,
    })
  expect(resolveField(report, 'metric_values[0]').name).toBe('users')
  for (const reference of ['dimension_values[2].value', 'dimension_values[1].name', 'others[0]'])
    expect(() => resolveField(report, reference)).toThrow(Refusal)
})

test('keeps the positions that are asked for when a name is read as another', () => {
  const places = recordsOf([
    { place: 'Paris', geometry: { coordinates: [2.5, 48.9] } },
    { geometry: { coordinates: [13.4, 52.5] } },
  ])
  for (const [asked, read] of [
    ['coordinates[0]', 'geometry.coordinates[0]'],
    ['Geometry.Coordinates[-1]', 'geometry.coordinates[-1]'],
    ['coordinates[0:1]', 'geometry.coordinates[0:1]'],
    ['coordinates', 'geometry.coordinates'],
    ['Place[0:3]', 'place'],
  ] as const)
    expect(resolveField(places, asked)).toMatchObject({
      name: read,
      note: `\`${asked}\` read as \`${read}\`.`,
    })
})

test('what is not unique or not there is refused with the nearest names and their values', () => {
  const records = recordsOf([
    { a: { name: 'x' }, b: { name: 'y' } },
    { a: { name: 'z' }, b: { name: 'y' } },
  ])
  expect(() => resolveField(records, 'name')).toThrow(Refusal)
  expect(() => resolveField(records, 'name')).toThrow('Nearest: `a.name` ("x", "z"), `b.name` ("y")')
  expect(() => resolveField(recordsOf(root), 'xyzzy')).toThrow(/There are: `id`, `state`/)
})

verifies('S3.19', 'records of maps are reached with and without the level of the map', () => {
  const map = recordsOf(
    Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k-${n}`, { v: { cpu: n }, w: 'w' }])),
  )
  for (const reference of ['*.v.cpu', '$.*.v.cpu', '$[*].v.cpu', 'v.cpu']) {
    expect(resolveField(map, reference)).toEqual(expect.objectContaining({ name: 'v.cpu' }))
  }
  expect(resolveField(map, '_key').name).toBe('_key')
})

test('rows of an earlier step are named by the ends of their keys', () => {
  const rows = recordsOf([
    { 'user.login': 'a', 'sum(items.price)': 1 },
    { 'user.login': 'b', 'sum(items.price)': 2 },
  ])
  expect(resolveField(rows, 'user.login').note).toBeUndefined()
  expect(resolveField(rows, 'sum(items.price)').note).toBeUndefined()
  expect(resolveField(rows, 'login').note).toBe('`login` read as `["user.login"]`.')
  expect(resolveField(rows, 'items.price').note).toBe('`items.price` read as `["sum(items.price)"]`.')
})

test('scalar records are named @, value or _value', () => {
  for (const reference of ['@', '$', 'value', '_value']) {
    expect(resolveField(recordsOf([1, 2, 3, 4]), reference).path).toEqual([])
  }
})

test('names of prototypes are no fields', () => {
  for (const reference of ['constructor', '__proto__', 'toString.name']) {
    expect(() => resolveField(recordsOf(root), reference)).toThrow(Refusal)
  }
})

test('without records every reference is taken as written', () => {
  expect(resolveField(recordsOf([]), 'a.b')).toMatchObject({ name: 'a.b' })
})

describe('of fields that share a name', () => {
  const rows = Array.from({ length: 4 }, (_, n) => ({
    id: n,
    author: { login: `a${n}`, mail: null },
    closer: { login: null, mail: '' },
    repo: { owner: { login: null, mail: `m${n}` } },
  }))

  test('one that holds nothing but null is no candidate', () => {
    expect(resolveField(recordsOf(rows), 'login')).toMatchObject({ name: 'author.login' })
    expect(resolveField(recordsOf(rows), 'mail')).toMatchObject({
      name: 'repo.owner.mail',
      note: '`mail` read as `repo.owner.mail`.',
    })
  })

  test('the one less deep is taken and the others are named', () => {
    const deeper = rows.map((row) => ({ ...row, repo: { owner: { login: 'o', mail: null } } }))
    expect(resolveField(recordsOf(deeper), 'login').note).toBe(
      '`login` read as `author.login`. There is `repo.owner.login` as well.',
    )
  })

  test('of several as deep none is chosen', () => {
    const both = rows.map((row) => ({ ...row, closer: { login: 'c', mail: null } }))
    expect(() => resolveField(recordsOf(both), 'login')).toThrow(
      /`login` may be several fields.*`author\.login`.*`closer\.login`/,
    )
  })

  test('of several that are equal in every record the first is taken, and the others are named', () => {
    const equal = [1, 2, 3].map((n) => ({ spec: { replicas: n }, status: { replicas: n, ready: n } }))
    expect(resolveField(recordsOf(equal), 'replicas')).toMatchObject({
      name: 'spec.replicas',
      note: '`replicas` read as `spec.replicas`. `status.replicas` has the same value in every record.',
    })
    const other = [...equal, { spec: { replicas: 4 }, status: { replicas: 0, ready: 0 } }]
    expect(() => resolveField(recordsOf(other), 'replicas')).toThrow(/`replicas` may be several fields/)
  })

  test('where none holds a value, all are named', () => {
    const none = rows.map(({ id }) => ({ id, a: { x: null }, b: { x: null } }))
    expect(() => resolveField(recordsOf(none), 'x')).toThrow(/`a\.x`.*`b\.x`/)
  })
})

test('a name that has to be quoted is no other field of that name', () => {
  const { metadata } = where.process(fromValue([1, 2, 3].map((n) => ({ 'Use%': `${n}%`, b: n }))), {
    where: ['Use% > 20'],
  })
  expect(metadata.notes?.join('\n')).not.toContain("the record's own")
})

describe('rows of lists', () => {
  const rows = [
    ['Name', 'Start Date', 'Salary'],
    ['Ann', '2020-01-01', '100'],
    ['Bob', '2021-01-01'],
  ]

  test('have the names of the first row, and that is said', () => {
    expect(resolveField(recordsOf(rows), 'salary')).toMatchObject({
      name: 'Salary',
      note: '`Salary` is [2]: the first row has the names, and is one of the rows.',
    })
    expect(resolveField(recordsOf(rows), 'Start Date')).toMatchObject({ name: 'Start Date' })
    expect(resolveField(recordsOf(rows), '[2]').note).toBeUndefined()
  })

  test.each([
    [
      'numbers in the first row',
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
    [
      'the same name twice',
      [
        ['a', 'a'],
        ['x', 'y'],
        ['x', 'z'],
      ],
    ],
    [
      'longer rows below',
      [
        ['a', 'b'],
        ['x', 'y', 'z'],
        ['x', 'z', 'y'],
      ],
    ],
  ])('have no names where there are %s', (_, values) => {
    expect(() => resolveField(recordsOf(values), 'zone')).toThrow('The records have no fields')
  })
})
