import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

const machines = [
  {
    id: 1,
    Tags: [
      { Key: 'team', Value: 'search' },
      { Key: 'env', Value: 'prod' },
    ],
    fields: [
      { id: 360011, value: 'eu' },
      { id: 360012, value: true },
    ],
  },
  {
    id: 2,
    Tags: [
      { Key: 'team', Value: 'web' },
      { Key: 'was', Value: 'search' },
    ],
    fields: [
      { id: 360011, value: true },
      { id: 360012, value: false },
    ],
  },
  { id: 3, Tags: [], fields: [{ id: 360011, value: "O'Neil, Ann" }] },
]

const ask = (where: string) => {
  const { document, steps, error } = runPipeline(
    fromValue(machines),
    filterSteps,
    filterParams.parse({ where }),
  )
  const ids = document.rows().items.map((row) => (row as JsonObject).id)
  return { ids, error, notes: JSON.stringify(steps.map(({ metadata }) => metadata.notes)) }
}

describe('an element with several parts', () => {
  test.each([
    ['fields has {id: 360012, value: true}', [1]],
    ['fields has {"id": 360012, "value": true}', [1]],
    ['fields has {id = 360011, value = eu}', [1]],
    ['Tags has {Key: team, Value: search}', [1]],
    ['Tags has {Key: was, Value: search}', [2]],
    ["fields has {id: 360011, value: 'O\\'Neil, Ann'}", [3]],
    ['not Tags has {Key: team, Value: search}', [2, 3]],
  ])('%s', (where, ids) => {
    expect(ask(where)).toMatchObject({ ids, error: undefined })
  })
})

describe('a pair of a key and a value', () => {
  test('is asked for by both', () => {
    const { ids, notes } = ask('Tags has team=search')
    expect(ids).toEqual([1])
    expect(notes).toContain('read as `any(Tags, Key = ')
    expect(ask('Tags contains was = search').ids).toEqual([2])
    expect(ask('Tags not has team=search').ids).toEqual([2, 3])
  })

  test('of which no record has the key is refused', () => {
    expect(ask('Tags has zone=eu').error).toContain('No record has the field `zone`')
  })
})

describe('elements that a condition in brackets chooses', () => {
  const orders = [
    {
      id: 1,
      lines: [
        { sku: 'A', qty: 2, subs: [{ k: 1 }] },
        { sku: 'B', qty: 9 },
      ],
    },
    { id: 2, lines: [{ sku: 'A', qty: 9, subs: [{ k: 3 }] }] },
    { id: 3, lines: [{ sku: 'C', qty: 1 }] },
    { id: 4, lines: [] },
  ]
  const found = (params: object) => {
    const { document, error } = runPipeline(fromValue(orders), filterSteps, filterParams.parse(params))
    return error ?? document.rows().items.map((row) => (row as JsonObject).id)
  }

  test.each<[string, number[]]>([
    ['@.lines[?@.sku == "A"]', [1, 2]],
    ['!@.lines[?@.sku == "A"]', [3, 4]],
    ['@.lines[?(@.sku == "A" && @.qty > 5)]', [2]],
    ['@.lines[?@.subs[?@.k > 2]]', [2]],
    ['@.lines[?@.qty > 5].sku == "A"', [2]],
    ['@.lines[?@.qty > 5].length > 0', [1, 2]],
    ['count(@.lines[?@.qty > 5]) == 0', [3, 4]],
    ['count(@.lines) == 2', [1]],
    ['count(@.missing) == 0', [1, 2, 3, 4]],
    ['length( @.lines ) == 1', [2, 3]],
  ])('in a path: %s', (condition, ids) => {
    expect(found({ path: `$[?${condition}]` })).toEqual(ids)
  })

  test.each<[string, number[]]>([
    ['exists(lines[?qty > 5])', [1, 2]],
    ['not exists(lines[?qty > 5])', [3, 4]],
    ['lines[?qty > 5] exists', [1, 2]],
    ['lines[?qty > 5]', [1, 2]],
  ])('in a condition: %s', (where, ids) => {
    expect(found({ where })).toEqual(ids)
  })

  test('conditions within conditions have a depth', () => {
    const deep = (levels: number): string => (levels === 0 ? '@.k > 0' : `@.lines[?${deep(levels - 1)}]`)
    expect(found({ path: `$[?${deep(6)}]` })).toContain('nested too deeply')
  })

  test('a name of many brackets is refused', () => {
    expect(found({ path: `$[?count(${'a[?]'.repeat(200)}!) > 0]` })).toContain('count(a[?]')
  })
})

describe('functions about the elements of a list of texts', () => {
  const commits = [
    {
      id: 1,
      files: ['src/a.ts', 'test/a.ts'],
      who: [
        { email: 'ann@x', rs: 'no' },
        { email: 'bo@x', rs: 'yes' },
      ],
    },
    { id: 2, files: ['test/b.ts'], who: [{ email: 'ann@x', rs: 'yes' }] },
    { id: 3, files: [], who: [] },
  ]
  const asked = (params: object) => {
    const { document, error } = runPipeline(fromValue(commits), filterSteps, filterParams.parse(params))
    return error ?? document.rows().items
  }
  const found = (where: string) => {
    const rows = asked({ where })
    return typeof rows === 'string' ? rows : rows.map((row) => (row as JsonObject).id)
  }

  test.each<[string, number[]]>([
    ["any('src' in f for f in files)", [1]],
    ["not any('src' in f for f in files)", [2, 3]],
    ["all('test' in f for f in files)", [2, 3]],
    ["files.some(f => f.includes('src'))", [1]],
    ["files.some(f => f.startsWith('test/'))", [1, 2]],
    ["any(f.startswith('src/') for f in files)", [1]],
    ["any(files, _value starts with 'src')", [1]],
    ["files.filter(f => f.includes('src')).length > 0", [1]],
    ["len([f for f in files if 'src' in f]) == 0", [2, 3]],
    ["any('ann' in a.email for a in who)", [1, 2]],
    ['who has (email = ann@x and rs = no)', [1]],
    ['not who has (rs = no)', [2, 3]],
    ['who not has (rs = yes)', [3]],
  ])('%s', (where, ids) => {
    expect(found(where)).toEqual(ids)
  })

  test.each(['who.filter(a => a.rs === "no").length as n', 'len([a for a in who if a["rs"] == "no"]) as n'])(
    'a count as a column: %s',
    (column) => {
      expect(asked({ fields: [column] })).toEqual([{ n: 1 }, { n: 0 }, { n: 0 }])
    },
  )

  test('a condition in brackets that nothing fulfils is not left out', () => {
    expect(found('files[?_value is big and red] exists')).toEqual([])
    expect(found("length(who[?rs = 'later']) = 0")).toEqual([1, 2, 3])
  })

  test('a list of the record is no name of all rows', () => {
    expect(found('who.filter(a => a.rs === "no")')).toEqual([1])
    expect(
      found('x => x.who.filter(a => a.rs === "no").length > 0 && x.files.some(f => f.startsWith("src"))'),
    ).toEqual([1])
  })

  test('what is in brackets behind has may be the value', () => {
    const asks = (where: string) => {
      const { document } = runPipeline(
        fromValue([
          { id: 1, tags: ['a=b'], title: 'key=value' },
          { id: 2, tags: [], title: 'x' },
        ]),
        filterSteps,
        filterParams.parse({ where }),
      )
      return document.rows().items.map((row) => (row as JsonObject).id)
    }
    expect(asks('tags has (a=b)')).toEqual([1])
    expect(asks('tags not has (a=b)')).toEqual([2])
    expect(asks('title contains (key=value)')).toEqual([1])
  })
})

describe('functions around a condition', () => {
  const rows = [
    { id: 1, n: 1, title: 'Red tea', draft: false, tags: ['x'] },
    { id: 2, n: 5, title: 'blue', draft: true, tags: [] },
    { id: 3, n: 7, title: 'green tea', draft: false, tags: ['x', 'y'] },
  ]
  test.each<[string, number[]]>([
    ["lambda r: 'x' in r.tags", [1, 3]],
    ["lambda r: 'x' in r['tags'] and r['n'] > 1", [3]],
    ['data.filter(x => x.n > 3)', [2, 3]],
    ['x => /TEA$/i.test(x.title) && x.n > 1', [3]],
    ['i => !/tea$/i.test(i.title)', [2]],
    ["x => ['blue', 'red'].includes(x.title) || x.n === 7", [2, 3]],
    ["x => x.tags.indexOf('x') === -1", [2]],
    ["df[df.title.str.contains('~tea')]", []],
    ['title contains tea or a or b or c or d', [1, 2, 3]],
    ["[r for r in data if r['n'] > 3]", [2, 3]],
    ["df[(df['n'] > 1) & ~df['draft']]", [3]],
    ["df[df.title.str.contains('tea')]", [1, 3]],
    ['df.query("n > 5")', [3]],
    ['title contains tea or blue', [1, 2, 3]],
    ['title contains tea and green', [3]],
    ['title contains "Red" or "blue"', [1, 2]],
    ['title = "blue" or "green tea"', [2, 3]],
  ])('%s', (where, ids) => {
    const { document, error } = runPipeline(fromValue(rows), filterSteps, filterParams.parse({ where }))
    expect(error ?? document.rows().items.map((row) => (row as JsonObject).id)).toEqual(ids)
  })

  test('a value that looks like a condition of its own belongs to its operator', () => {
    const lines = [
      { id: 1, message: 'GET user=ann 200', user: 'ann', level: 'info' },
      { id: 2, message: 'GET user=bo 200', user: 'bo', level: 'info' },
    ]
    const { document } = runPipeline(
      fromValue(lines),
      filterSteps,
      filterParams.parse({ where: 'message contains user=ann' }),
    )
    expect(document.rows().items).toEqual([lines[0]])
  })
})

test('a text beside lists in other records is a list of one', () => {
  const people = [{ id: 1, groups: 'admins' }, { id: 2, groups: ['a', 'b'] }, { id: 3 }]
  const ask = (params: object) =>
    runPipeline(fromValue(people), filterSteps, filterParams.parse(params)).document.rows().items
  expect(ask({ where: 'length(groups) = 1', fields: ['id'] })).toEqual([{ id: 1 }])
  expect(ask({ where: 'length(groups) >= 2', fields: ['id'] })).toEqual([{ id: 2 }])
  expect(ask({ fields: ['length(groups) as n'] })).toEqual([{ n: 1 }, { n: 2 }, { n: 0 }])
})

test('a list as PostgreSQL writes it has its elements', () => {
  const rows = ['{vip,eu}', '{vip}', '{eu,promo}', '{}', '{eu,vip}', '{promo}', '{vip}', '{eu}'].map(
    (tags, id) => ({ id, tags }),
  )
  const ask = (where: string) =>
    runPipeline(fromValue(rows), filterSteps, filterParams.parse({ where }))
      .document.rows()
      .items.map((row) => (row as JsonObject).id)
  expect(ask('tags has vip')).toEqual([0, 1, 4, 6])
  expect(ask('not tags has vip')).toEqual([2, 3, 5, 7])
})

test.each<[string, number[]]>([
  ['rate > 20', [2]],
  ['rate > 20 req/s', [2]],
  ['user = -', [0, 2]],
  ['level:[2 TO 3]', [1, 2]],
  ['level:[2 TO *]', [1, 2]],
  ['NOT level:1', [1, 2]],
  ['level:2 OR code:500', [1, 2]],
  ["user = '-'", []],
])('values and search boxes: %s', (where, ids) => {
  const rows = [
    { id: 0, rate: '1.5 req/s', user: null, level: 1, http: { code: 200 } },
    { id: 1, rate: '12 req/s', user: 'ann', level: 2, http: { code: 200 } },
    { id: 2, rate: '40.5 req/s', user: null, level: 3, http: { code: 500 } },
  ]
  const { document, error } = runPipeline(fromValue(rows), filterSteps, filterParams.parse({ where }))
  expect(error ?? document.rows().items.map((row) => (row as JsonObject).id)).toEqual(ids)
})

test('an aggregate under the name that it is to have', () => {
  const ask = (aggregate: unknown) =>
    runPipeline(
      fromValue([{ p: 1 }, { p: 4 }]),
      filterSteps,
      filterParams.parse({ aggregate }),
    ).document.rows().items
  expect(ask({ n: 'count', total: 'sum(p)' })).toEqual([{ n: 2, total: 5 }])
  expect(ask({ n: { $sum: 1 }, total: { $sum: '$p' } })).toEqual([{ n: 2, total: 5 }])
})

describe('questions in the words of other libraries', () => {
  const rows = Array.from({ length: 12 }, (_, id) => ({
    id,
    n: id % 4,
    title: `request ${id}`,
    made: `2024-0${1 + (id % 3)}-05T10:00:00Z`,
  }))
  const asked = (params: object) => {
    const { document, error } = runPipeline(fromValue(rows), filterSteps, filterParams.parse(params))
    return error ?? document.rows().items
  }

  test.each<[unknown, number[]]>([
    ['n under 1', [0, 4, 8]],
    ['made__month = 2 and n = 1', [1]],
    ['made__month__gte = 3 and n = 1', [5]],
    ["re.search('request 1\\d', title)", [10, 11]],
    ["x => new Date(x.made) >= new Date('2024-03-01') && x.n === 1", [5]],
    [{ all: [{ field: 'n', op: '>', value: 2 }, { title: 'request 3' }] }, [3]],
    [{ any: [{ title: 'request 2' }, { title: 'request 3' }] }, [2, 3]],
    [{ query_string: { query: 'title:"request 2"' } }, [2]],
    [{ nested: { path: 'x', query: { term: { title: 'request 7' } } } }, [7]],
  ])('%j', (where, ids) => {
    const found = asked({ where })
    expect(typeof found === 'string' ? found : found.map((row) => (row as JsonObject).id)).toEqual(ids)
  })

  test.each<[object, unknown]>([
    [{ sort: { n: -1, id: 1 }, fields: ['id'] }, { id: 3 }],
    [{ sort: 'ORDER BY n DESC, id DESC', fields: ['id'] }, { id: 11 }],
    [
      { group_by: 'made.month', sort: 'made:month' },
      { 'made:month': '2024-01', count: 4 },
    ],
    [
      { group_by: 'made.dt.month', sort: 'made:month' },
      { 'made:month': '2024-01', count: 4 },
    ],
    [{ aggregate: [{ op: 'sum', field: 'n', as: 't' }] }, { t: 18 }],
  ])('%j', (params, first) => {
    expect(asked(params)[0]).toEqual(first)
  })
})

test('rates of bytes are sizes, and other rates are numbers', () => {
  const rows = ['10 KB/s', '2 MB/s', '900 KB/s', '1 GB/s', '900 B/s'].map((rate, id) => ({ id, rate }))
  const ask = (where: string) =>
    runPipeline(fromValue(rows), filterSteps, filterParams.parse({ where }))
      .document.rows()
      .items.map((row) => (row as JsonObject).id)
  expect(ask('rate > 100 KB/s')).toEqual([1, 2, 3])
  expect(ask("rate < '1 MB/s'")).toEqual([0, 2, 4])
})

test('a value with a colon behind or is no condition on a field that is called nearly so', () => {
  const rows = [
    { id: 0, tag: 'env:prod', environment: 'x' },
    { id: 1, tag: 'env:dev', environment: 'y' },
    { id: 2, tag: 'q', environment: 'dev' },
  ]
  const { document } = runPipeline(
    fromValue(rows),
    filterSteps,
    filterParams.parse({ where: 'tag = env:prod or env:dev' }),
  )
  expect(document.rows().items.map((row) => (row as JsonObject).id)).toEqual([0, 1])
})

test('brackets around a name alone are taken off, up to a bound', () => {
  const asked = (layers: number) => {
    const where = `${'('.repeat(layers)}id${')'.repeat(layers)} > 1`
    const { document, error } = runPipeline(
      fromValue([{ id: 1 }, { id: 2 }]),
      filterSteps,
      filterParams.parse({ where }),
    )
    return error ?? document.rows().items
  }
  expect(asked(15)).toEqual([{ id: 2 }])
  expect(asked(800)).toContain('at most 1000 characters')
})
