import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRows, fromText, fromValue } from '../../../src/documents/opening/derive.ts'
import { where } from '../../../src/processors/steps/where.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

interface Issue {
  [key: string]: JsonValue
  id: number
}

const issues: Issue[] = [
  {
    id: 1,
    state: 'open',
    title: 'Crash on start',
    comments: 7,
    size: '2Gi',
    created_at: '2024-05-01T10:00:00Z',
    labels: [{ name: 'bug' }],
    tags: ['a', 'b'],
    draft: false,
    price: '12.5',
    due: null,
    items: [{ price: 3 }, { price: 9 }],
  },
  {
    id: 2,
    state: 'closed',
    title: 'Add dark mode',
    comments: 0,
    size: '512Mi',
    created_at: '2024-05-31T23:59:59Z',
    labels: [],
    tags: [],
    draft: true,
    price: '9',
    due: '',
    items: [],
  },
  {
    id: 3,
    state: 'open',
    title: 'crash on exit',
    comments: 12,
    size: '100',
    created_at: '2024-06-01T00:00:00Z',
    labels: [{ name: 'ui' }, { name: 'bug' }],
    tags: ['b'],
    draft: false,
    price: '100',
    items: [{ price: 1 }],
  },
  {
    id: 4,
    state: 'Reopened',
    title: "Don't panic",
    comments: 5,
    size: '1k',
    created_at: '2023-01-15',
    labels: [{ name: 'debug' }],
    tags: ['c'],
    draft: true,
    price: 'n/a',
    due: '2024-01-01',
  },
]

function ids(...conditions: string[]): number[] {
  const { content, error } = where.process(fromRows({ noun: 'record', items: issues }), { where: conditions })
  expect(error).toBeUndefined()
  return content.rows().items.map((item) => (item as Issue).id)
}

verifies('S3.26', 'keeps the records that fulfil all conditions and counts over everything', () => {
  const { content, metadata } = where.process(fromValue({ total: 4, items: issues }), {
    where: ['state = open', 'comments > 5'],
  })
  expect(content.rows()).toMatchObject({ noun: 'record', items: [issues[0], issues[2]] })
  expect(metadata).toEqual({ total: 4, matched: 2 })
})

describe('comparing', () => {
  test.each<[string, number[]]>([
    ['comments > 5', [1, 3]],
    ['comments >= 5', [1, 3, 4]],
    ['comments = 0', [2]],
    ['comments != 0', [1, 3, 4]],
    ['comments between 5 and 7', [1, 4]],
    ['comments in (0, 12)', [2, 3]],
    ['comments not in (0, 12)', [1, 4]],
    ['price > 9', [1, 3]],
    ['price = 12.50', [1]],
    ['price <= 9', [2]],
    ['size > 1GB', [1]],
    ['size >= 512Mi', [1, 2]],
    ['size < 1KiB', [3, 4]],
    ['comments < 1k', [1, 2, 3, 4]],
    ['created_at = 2024-05', [1, 2]],
    ['created_at > 2024-05', [3]],
    ['created_at >= 2024-05', [1, 2, 3]],
    ['created_at <= 2024-05-31', [1, 2, 4]],
    ['created_at < 2024-05-01', [4]],
    ['created_at between 2024-05-31 and 2024-06-01', [2, 3]],
    ['created_at > 2023', [1, 2, 3]],
    ['created_at = 2023', [4]],
    ['created_at starts with 2024', [1, 2, 3]],
    ['state = open', [1, 3]],
    ['state = OPEN', [1, 3]],
    ['state = reopened', [4]],
    ['state != open', [2, 4]],
    ['title = "crash on exit"', [3]],
    ["title = Don't panic", [4]],
    ['draft = true', [2, 4]],
    ['draft = "false"', [1, 3]],
    ['due is null', [1, 3]],
    ['due is not null', [2, 4]],
    ['due exists', [1, 2, 4]],
    ['due not exists', [3]],
    ['due is empty', [1, 2, 3]],
    ['title ~ ^crash', [1, 3]],
    ['title ~ /EXIT$/i', [3]],
    ['title !~ crash', [2, 4]],
    ['title like %mode', [2]],
    ['title contains CRASH', [1, 3]],
    ['title not contains crash', [2, 4]],
    ['title ends with start', [1]],
    ['labels has bug', [1, 3]],
    ['labels not has bug', [2, 4]],
    ['labels contains bug', [1, 3]],
    ['labels contains bu', [1, 3, 4]],
    ['labels.name contains bug', [1, 3, 4]],
    ['labels.name = bug', [1, 3]],
    ['labels.name != bug', [2, 4]],
    ['tags = b', [1, 3]],
    ['tags has b', [1, 3]],
    ['tags is empty', [2]],
    ['items.price > 5', [1]],
    ['items.price < 2', [3]],
    ['not (state = open)', [2, 4]],
    ['state = open and comments > 10 or draft = true', [2, 3, 4]],
    ['items has price', []],
  ])('%s', (condition, expected) => {
    expect(ids(condition)).toEqual(expected)
  })

  test('text to the letter when some record has it so, otherwise regardless of case', () => {
    const records = [{ s: 'Open' }, { s: 'open' }, { s: 'OPEN' }, { s: 'shut' }]
    const matched = (condition: string) =>
      where.process(fromValue(records), { where: [condition] }).metadata.matched
    expect(matched('s = open')).toBe(1)
    expect(matched('s = oPen')).toBe(3)
    expect(matched('s != oPen')).toBe(1)
    expect(matched('s in (open, Shut)')).toBe(2)
  })

  test('seconds and milliseconds since 1970 as dates', () => {
    const records = [{ t: 1_714_557_600 }, { t: 1_714_557_600_000 }, { t: 1 }, { t: 2 }]
    expect(where.process(fromValue(records), { where: ['t = 2024-05-01'] }).metadata.matched).toBe(2)
  })

  test('records of a map by their key', () => {
    const map = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`t3.${n}`, { n, unit: 'x' }]))
    const { content } = where.process(fromValue(map), { where: '_key starts with t3.1' as never })
    expect(content.rows().items).toEqual([1, 10, 11].map((n) => ({ _key: `t3.${n}`, n, unit: 'x' })))
  })

  test('scalar records', () => {
    const { content } = where.process(fromValue([5, 50, 500, 5000]), { where: ['@ >= 500'] })
    expect(content.rows().items).toEqual([500, 5000])
  })
})

describe('when nothing matches', () => {
  const note = (condition: string) =>
    where.process(fromValue(issues), { where: [condition] }).metadata.notes?.[0]

  test('says what the field holds', () => {
    expect(note('state = opened')).toBe(
      '`state = opened` matches none: `state` has "Reopened" (1), "open" (2), "closed" (1). It is part of 1: `state contains opened`.',
    )
    expect(note('state = shut')).not.toContain('part of')
    expect(note('comments > 100')).toContain('`comments` is from 0 to 12')
    expect(note('labels = enhancements')).toContain('holds objects with `name`; name one, as `labels.name`')
    expect(note('labels = bug')).toBe('`labels` holds objects and was read as `labels.name`.')
  })

  test('says where the value is a key, or the end of one', () => {
    const map = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`lib/p-${n}`, { n, name: `x${n}` }]))
    const said = (value: string) =>
      where.process(fromValue(map), { where: [`name = ${value}`] }).metadata.notes?.[0]
    expect(said('p-7')).toContain('write `_key = lib/p-7`')
    expect(said('lib/p-7')).toContain('write `_key = lib/p-7`')
    expect(said('""')).not.toContain('_key')
  })

  test('a number is the end of a path with words in it alone', () => {
    const rows = ['0/1', '1/1', 'gid://Issue/17', 'gid://Issue/18'].map((id, n) => ({ n, id }))
    const of = (value: string) =>
      where.process(fromValue(rows), { where: [`id = ${value}`] }).content.rows().items
    expect(of('17')).toEqual([rows[2]])
    expect(of('1')).toEqual([])
  })

  test('says how many match each condition alone', () => {
    const { metadata } = where.process(fromValue(issues), { where: ['state = open', 'draft = true'] })
    expect(metadata).toMatchObject({ total: 4, matched: 0 })
    expect(metadata.notes?.[0]).toContain('`state = open` 2, `draft = true` 2')
  })
})

test('what cannot be filtered says what to do', () => {
  const lines = where.process(fromText('error: a\nfine\nan error'), {
    where: ['line ~ error', 'not line ~ ^an'],
  })
  expect(lines.content.rows().items).toEqual(['error: a'])
  expect(lines.metadata).toMatchObject({ matched: 1, total: 3 })
  expect(where.process(fromValue({ a: { b: 1 } }), { where: ['a = 1'] }).error).toContain('`path`')
  expect(where.process(fromValue(issues), { where: ['stat = 1'] }).error ?? '').not.toContain('failed')
  expect(where.process(fromValue(issues), { where: ['titlee ~ ('] }).applied).toBe(true)
  expect(where.process(fromValue(issues), { where: ['xyzzy = 1'] }).error).toContain(
    'No record has the field `xyzzy`',
  )
  expect(where.process(fromValue(issues), { where: Array(60).fill('id = 1') }).error).toContain('50')
})

verifies('S3.26', 'agrees with a plain evaluation of the same condition', () => {
  const operators: Record<string, (a: number, b: number) => boolean> = {
    '=': (a, b) => a === b,
    '!=': (a, b) => a !== b,
    '<': (a, b) => a < b,
    '<=': (a, b) => a <= b,
    '>': (a, b) => a > b,
    '>=': (a, b) => a >= b,
  }
  const small = fc.integer({ min: -3, max: 3 })
  const held = fc.oneof(small, small.map(String))
  const comparison = fc.record({
    field: fc.constantFrom('x', 'y.z'),
    operator: fc.constantFrom(...Object.keys(operators)),
    operand: small,
  })
  fc.assert(
    fc.property(
      fc.array(fc.record({ x: held, y: fc.record({ z: held }) }), { minLength: 1, maxLength: 8 }),
      fc.array(comparison, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (records, comparisons, any) => {
        const text = comparisons.map(({ field, operator, operand }) => `${field} ${operator} ${operand}`)
        const plain = records.filter((record) => {
          const results = comparisons.map(({ field, operator, operand }) =>
            operators[operator]?.(Number(field === 'x' ? record.x : record.y.z), operand),
          )
          return any ? results.some(Boolean) : results.every(Boolean)
        })
        const document = fromRows({ noun: 'record', items: records })
        const written = any ? [text.join(' or ')] : text
        expect(where.process(document, { where: written }).content.rows().items).toEqual(plain)
        if (!any)
          expect(where.process(document, { where: [text.join(' AND ')] }).content.rows().items).toEqual(plain)
      },
    ),
    { numRuns: runs(300) },
  )
})

test('what is written like a condition on what a field holds is a text where no such field is in it', () => {
  const items = [{ data: { 'app.conf': 'level=debug\nx=1' } }, { data: { 'app.conf': 'level=info' } }]
  const asked = (condition: string) => where.process(fromValue(items), { where: [condition] })
  const { metadata } = asked('data contains level=debug')
  expect(metadata).toMatchObject({ matched: 1, notes: ['`level=debug` read as a text.'] })
  expect(asked('data contains level=trace').error).toContain('No record has the field `level`.')
})

test('a condition and its negation divide the records', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('a', 'A', 'b', '2024-05-01', null, true),
  ) as fc.Arbitrary<JsonValue>
  const operator = fc.constantFrom('=', '<', '>', '~', 'has', 'contains', 'starts with')
  fc.assert(
    fc.property(
      fc.array(fc.record({ x: value }), { minLength: 1 }),
      operator,
      fc.constantFrom('a', '2', '2024'),
      (records, sign, operand) => {
        const asked = (condition: string) =>
          where.process(fromRows({ noun: 'record', items: records }), { where: [condition] })
        const matched = (condition: string) => asked(condition).metadata.matched ?? -1
        // Numbers and text have no order.
        const refused = [`x ${sign} ${operand}`, `not x ${sign} ${operand}`].map((each) => asked(each).error)
        if (refused[0] !== undefined) expect(refused[1]).toBe(refused[0])
        else
          expect(matched(`x ${sign} ${operand}`) + matched(`not x ${sign} ${operand}`)).toBe(records.length)
      },
    ),
  )
})

describe('texts with several values', () => {
  const texts =
    'work, home|homework, x|work|home, net|x, work|net, x, work|home|net|work, net|homework'.split('|')
  const labels: JsonValue = texts.map((label, at) => ({ id: at, label }))

  test('has asks for a whole value, as of a list, and says so', () => {
    const note = 'A text of `label` holds several values: whole ones were compared.'
    const asked = where.process(fromValue(labels), { where: ['label has work'] })
    expect(Array.from(asked.content.rows().items, (row) => (row as { id: number }).id)).toEqual([
      0, 2, 4, 5, 8,
    ])
    expect(asked.metadata.notes).toEqual([note])
    const others = where.process(fromValue(labels), { where: ['not label has work'] })
    expect(others.content.rows().items).toHaveLength(5)
    // A part that is no value is looked for in the text.
    expect(
      where.process(fromValue(labels), { where: ['label has omewo'] }).content.rows().items,
    ).toHaveLength(2)
  })

  test('few different texts are enough where a value stands alone as well', () => {
    const few: JsonValue = ['work, home', 'homework', 'work', 'net, home'].map((label, id) => ({ id, label }))
    const asked = where.process(fromValue(few), { where: ['label has work'] })
    expect(Array.from(asked.content.rows().items, (row) => (row as { id: number }).id)).toEqual([0, 2])
    const names: JsonValue = ['Smith, Ann', 'Jones, Bo', 'Annika'].map((label, id) => ({ id, label }))
    expect(where.process(fromValue(names), { where: ['label has Ann'] }).content.rows().items).toHaveLength(2)
  })

  test('other operators say what has would find', () => {
    const notes = (condition: string) =>
      where.process(fromValue(labels), { where: [condition] }).metadata.notes
    expect(notes('label = work')).toEqual([
      '4 more have it beside other values in one text: `label has work` finds these as well.',
    ])
    expect(notes('label contains work')).toEqual([
      '2 of them have it as a part of another value: `label has work` leaves these out.',
    ])
    expect(notes('label = net')?.[0]).toContain('3 more have it')
  })
})

test('a value is found behind a sign or in a link, and that is said', () => {
  const cells = [
    '❌ failed',
    '[#90](https://x.example/90)',
    '[!9](https://x.example/900 "a b")',
    '-12',
    '#77',
  ]
  const found = (value: string) => {
    const { content, metadata } = where.process(fromValue(cells.map((x) => ({ x }))), {
      where: [`x = ${value}`],
    })
    return [content.rows().items.map((row) => (row as { x: string }).x), metadata.notes?.[0]]
  }
  expect(found('failed')).toEqual([['❌ failed'], '`failed` read as "❌ failed".'])
  expect(found('90')[0]).toEqual(['[#90](https://x.example/90)'])
  expect(found('9')[0]).toEqual(['[!9](https://x.example/900 "a b")'])
  expect(found('77')[0]).toEqual(['#77'])
  // A minus is part of a number.
  expect(found('12')[0]).toEqual([])
})
