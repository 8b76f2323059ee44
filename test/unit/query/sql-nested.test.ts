/** Statements with SELECTs in them, against plain code. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { combine } from '../../../src/documents/opening/combine.ts'
import { fromRecognised, fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { withStatement } from '../../../src/processors/readings/statement.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { stageOf, valueSelects } from '../../../src/query/language/dialects/sql-nested.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { runs } from '../../support/runs.ts'

function ask(value: JsonValue, statement: string): JsonValue[] {
  const document = fromValue(deepFreeze(value))
  const { params, before } = withStatement({ where: statement }, [{ handle: '', document }])
  const { offset = 0, limit, ...asked } = filterParams.parse(params)
  const { document: found, error } = runPipeline(
    document,
    [...(before ? [before] : []), ...filterSteps],
    asked,
  )
  if (error !== undefined) throw new Error(`${statement}: ${error}`)
  return [...found.rows().items].slice(offset, limit === undefined ? undefined : offset + limit)
}

const games = [
  { home: 'a', away: 'b', h: 2, w: 1 },
  { home: 'b', away: 'c', h: 0, w: 0 },
  { home: 'c', away: 'a', h: 1, w: 3 },
  { home: 'a', away: 'c', h: 1, w: 1 },
]

test.each(['where', 'path', 'aggregate', 'fields'])('a SELECT is read in `%s`', (place) => {
  const document = fromValue(games)
  const statement = 'SELECT home, COUNT(*) c FROM games GROUP BY home ORDER BY c DESC LIMIT 1'
  const given = filterParams.parse({ [place]: statement, offset: 0 })
  expect(withStatement(given, [{ handle: '', document }]).params).toEqual({
    aggregate: ['COUNT(*) as c'],
    group_by: ['home'],
    limit: 1,
    offset: 0,
    sort: ['c desc'],
  })
})

test('fields after the word select are no statement', () => {
  const params = { fields: 'select home, away', aggregate: ['count'] }
  expect(withStatement(params, [{ handle: '', document: fromValue(games) }]).params).toEqual(params)
})

test('a SELECT about the same list by another name is asked for each record of the outer one', () => {
  const made = [
    { at: { id: 'a' }, n: 1 },
    { at: { id: 'a' }, n: 5 },
    { at: { id: 'b' }, n: 3 },
  ]
  const statement = (inner: string, outer: string, key: string) =>
    `SELECT n FROM ${outer} WHERE n = (SELECT MAX(n) FROM ${inner} WHERE ${key})`
  expect(ask(made, statement('t t2', 't', 't2.at.id = t.at.id'))).toEqual([{ n: 5 }, { n: 3 }])
  expect(ask(made, statement('t b', 't a', 'b.at.id = a.at.id'))).toEqual([{ n: 5 }, { n: 3 }])
  expect(ask(made, statement('t t2', 't', 't.at.id = t2.at.id'))).toEqual([{ n: 5 }, { n: 3 }])
})

describe('a SELECT within another', () => {
  test.each<[string, JsonValue[]]>([
    [
      'SELECT count(*) FROM (SELECT home, count(*) AS n FROM games GROUP BY home) t WHERE t.n > 1',
      [{ count: 1 }],
    ],
    [
      'WITH goals AS (SELECT home, sum(h) AS s FROM games GROUP BY home), many AS (SELECT * FROM goals WHERE s > 0) SELECT home FROM many ORDER BY s DESC',
      [{ home: 'a' }, { home: 'c' }],
    ],
    [
      'SELECT team, sum(p) AS points FROM (SELECT home AS team, CASE WHEN h > w THEN 3 WHEN h = w THEN 1 ELSE 0 END AS p FROM games UNION ALL SELECT away, CASE WHEN w > h THEN 3 WHEN h = w THEN 1 ELSE 0 END FROM games) t GROUP BY team ORDER BY points DESC',
      [
        { team: 'a', points: 7 },
        { team: 'c', points: 2 },
        { team: 'b', points: 1 },
      ],
    ],
    [
      'SELECT home FROM games UNION SELECT away FROM games ORDER BY home DESC LIMIT 2',
      [{ home: 'c' }, { home: 'b' }],
    ],
    ['SELECT away FROM games WHERE h > (SELECT avg(h) FROM games)', [{ away: 'b' }]],
    ['SELECT away FROM games WHERE home IN (SELECT away FROM games WHERE w >= 1) AND h = 0', [{ away: 'c' }]],
    [
      'SELECT k, sum(n) AS s FROM (SELECT home AS k, 1 AS n FROM games UNION ALL SELECT away, -1 FROM games) GROUP BY k ORDER BY k',
      [
        { k: 'a', s: 1 },
        { k: 'b', s: 0 },
        { k: 'c', s: -1 },
      ],
    ],
    ['SELECT count(*) AS c FROM (SELECT DISTINCT * FROM (SELECT home FROM games))', [{ c: 3 }]],
    ['SELECT max(h) AS m FROM (SELECT h FROM games ORDER BY h LIMIT 2)', [{ m: 1 }]],
  ])('%s', (statement, expected) => {
    expect(ask(games, statement)).toEqual(expected)
  })

  test.each([
    ['SELECT home FROM games WHERE h = (SELECT h FROM games)', /gives 4 rows, where one value/],
    ['WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t', /WITH cannot be read/],
    [`SELECT * FROM ${'(SELECT * FROM '.repeat(12)}games${')'.repeat(12)}`, /At most 8 SELECTs/],
    [
      `WITH a AS (${Array(20).fill('SELECT * FROM games').join(' UNION ')}), b AS (${Array(20).fill('SELECT * FROM a').join(' UNION ')}) SELECT * FROM b`,
      /at most 50 SELECTs/,
    ],
    ['SELECT home FROM games WHERE EXISTS (SELECT 1 FROM games)', /EXISTS is read with one equation/],
    [
      'SELECT home FROM games g WHERE h > (SELECT h FROM games o WHERE o.home = g.home ORDER BY h LIMIT 1)',
      /about `g` of the one around it/,
    ],
    ['SELECT count(*) FROM (SELECT x FROM games WHERE nowhere > 3)', /nowhere/],
  ])('%s is refused with what to write', (statement, message) => {
    expect(() => ask(games, statement)).toThrow(message)
  })

  test('of no result has no values', () => {
    expect(() => withStatement({ where: 'SELECT a FROM t WHERE a > (SELECT avg(a) FROM t)' }, [])).toThrow(
      Refusal,
    )
  })
})

test('groups of groups are those of plain code', () => {
  const rows = fc.array(
    fc.record({ k: fc.constantFrom('x', 'y', 'z'), n: fc.integer({ min: 0, max: 20 }) }),
    { minLength: 3, maxLength: 30 },
  )
  fc.assert(
    fc.property(rows, fc.integer({ min: 0, max: 60 }), (list, least) => {
      const sums = new Map<string, number>()
      for (const { k, n } of list) sums.set(k, (sums.get(k) ?? 0) + n)
      const above = [...sums.values()].filter((sum) => sum >= least)
      const statement = `SELECT count(*) AS c, sum(s) AS total FROM (SELECT k, sum(n) AS s FROM t GROUP BY k) WHERE s >= ${least}`
      const [found] = ask(list, statement) as { c: number; total: number | null }[]
      expect([found?.c ?? 0, found?.total ?? 0]).toEqual([above.length, above.reduce((a, b) => a + b, 0)])
    }),
    { numRuns: runs(100) },
  )
})

test('any text is taken apart or refused', () => {
  const word = fc.constantFrom(
    'SELECT',
    'FROM',
    'WITH',
    'AS',
    'UNION',
    'ALL',
    'JOIN',
    'a',
    '(',
    ')',
    ',',
    "'",
    '*',
    'IN',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      const text = words.join(' ')
      try {
        stageOf(text)
        for (const { from, to } of valueSelects(text)) expect(text.slice(from, to)).toMatch(/^\(.*\)$/s)
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
      }
    }),
    { numRuns: runs(1000) },
  )
})

const shop = {
  buyers: [
    { id: 1, name: 'Ada', city: 'Ulm', boss: null },
    { id: 2, name: 'Ben', city: 'Bonn', boss: 1 },
    { id: 3, name: 'Cy', city: 'Ulm', boss: 1 },
  ],
  orders: [
    { id: 10, buyer: 1, day: '2024-01-02' },
    { id: 11, buyer: 1, day: '2024-02-03' },
    { id: 12, buyer: 2, day: '2024-02-04' },
  ],
  lines: [
    { order: 10, item: 'tea', price: 4 },
    { order: 10, item: 'cup', price: 6 },
    { order: 11, item: 'tea', price: 4 },
    { order: 12, item: 'pot', price: 9 },
  ],
}

describe('the lists that a statement joins', () => {
  test.each<[string, JsonValue[]]>([
    [
      'SELECT b.name, sum(l.price) AS total FROM buyers b JOIN orders o ON o.buyer = b.id JOIN lines l ON l.order = o.id GROUP BY b.name ORDER BY total DESC',
      [
        { name: 'Ada', total: 14 },
        { name: 'Ben', total: 9 },
      ],
    ],
    [
      'SELECT b.name, count(o.id) AS n FROM buyers b LEFT JOIN orders o ON o.buyer = b.id GROUP BY b.id, b.name ORDER BY b.name',
      [
        { name: 'Ada', n: 2 },
        { name: 'Ben', n: 1 },
        { name: 'Cy', n: 0 },
      ],
    ],
    [
      'SELECT b.name FROM buyers b LEFT JOIN orders o ON b.id = o.buyer WHERE o.buyer IS NULL',
      [{ name: 'Cy' }],
    ],
    [
      'SELECT name FROM buyers b WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.buyer = b.id)',
      [{ name: 'Cy' }],
    ],
    [
      "SELECT name FROM buyers b WHERE EXISTS (SELECT * FROM orders WHERE buyer = b.id AND day > '2024-02-03')",
      [{ name: 'Ben' }],
    ],
    [
      "SELECT name FROM buyers WHERE id IN (SELECT buyer FROM orders WHERE id IN (SELECT order FROM lines WHERE item = 'tea'))",
      [{ name: 'Ada' }],
    ],
    [
      'WITH n AS (SELECT buyer, count(*) AS orders FROM orders GROUP BY buyer) SELECT b.name, n.orders FROM n JOIN buyers b ON b.id = n.buyer ORDER BY n.orders',
      [
        { name: 'Ben', orders: 1 },
        { name: 'Ada', orders: 2 },
      ],
    ],
    [
      'SELECT b.name, x.n FROM buyers b LEFT JOIN (SELECT buyer, count(*) AS n FROM orders GROUP BY buyer) x ON x.buyer = b.id WHERE b.city = "Ulm"',
      [{ name: 'Ada', n: 2 }, { name: 'Cy' }],
    ],
    [
      'SELECT o.day, b.name, m.name AS boss FROM orders o JOIN buyers b ON o.buyer = b.id JOIN buyers m ON b.boss = m.id',
      [{ day: '2024-02-04', name: 'Ben', boss: 'Ada' }],
    ],
    [
      'SELECT b.name, l.item FROM buyers b, orders o, lines l WHERE b.id = o.buyer AND o.id = l.order AND l.price > 5 ORDER BY l.item',
      [
        { name: 'Ada', item: 'cup' },
        { name: 'Ben', item: 'pot' },
      ],
    ],
    [
      "SELECT 'orders' AS kind, count(*) AS n FROM orders UNION ALL SELECT 'lines', count(*) FROM lines",
      [
        { kind: 'orders', n: 3 },
        { kind: 'lines', n: 4 },
      ],
    ],
    [
      'SELECT city FROM buyers EXCEPT SELECT item FROM lines ORDER BY city',
      [{ city: 'Bonn' }, { city: 'Ulm' }],
    ],
    [
      'SELECT x.id, y.id AS next FROM orders x JOIN orders y ON date_trunc("month", x.day) = date_trunc("month", y.day) AND x.id < y.id',
      [{ id: 11, next: 12 }],
    ],
    [
      'SELECT b.name, o.id FROM buyers b JOIN orders o ON o.buyer = b.id + 1',
      [{ name: 'Ada', 'orders.id': 12 }],
    ],
    [
      'SELECT name, (SELECT count(*) FROM orders o WHERE o.buyer = b.id) AS n FROM buyers b ORDER BY name',
      [
        { name: 'Ada', n: 2 },
        { name: 'Ben', n: 1 },
        { name: 'Cy', n: 0 },
      ],
    ],
    [
      "SELECT item FROM lines l WHERE price > (SELECT avg(price) FROM lines x WHERE x.order = l.order) AND item != 'pot'",
      [{ item: 'cup' }],
    ],
    [
      "SELECT b.name FROM buyers b WHERE (SELECT max(o.day) FROM orders o WHERE o.buyer = b.id AND o.id > 10) > '2024-02-03'",
      [{ name: 'Ben' }],
    ],
    ['SELECT id FROM buyers INTERSECT SELECT buyer FROM orders', [{ id: 1 }, { id: 2 }]],
    [
      'SELECT (SELECT count(*) FROM orders) AS orders, (SELECT max(price) FROM lines) AS most',
      [{ orders: 3, most: 9 }],
    ],
    [
      'WITH n AS (SELECT item, count(*) AS c FROM lines GROUP BY item) SELECT item FROM n WHERE c > (SELECT avg(c) FROM n)',
      [{ item: 'tea' }],
    ],
    [
      'SELECT item, SUM(price) AS s, RANK() OVER (ORDER BY SUM(price) DESC) AS r FROM lines GROUP BY item ORDER BY r',
      [
        { item: 'pot', s: 9, r: 1 },
        { item: 'tea', s: 8, r: 2 },
        { item: 'cup', s: 6, r: 3 },
      ],
    ],
    [
      'SELECT item, COUNT(*) * 100.0 / 4 AS pct FROM lines GROUP BY item HAVING SUM(price)/2 > 3 ORDER BY MAX(price) DESC',
      [
        { item: 'pot', pct: 25 },
        { item: 'tea', pct: 50 },
      ],
    ],
  ])('%s', (statement, expected) => {
    expect(ask(shop, statement)).toEqual(expected)
  })

  test('and a list of values too long for a condition', () => {
    const long = {
      people: Array.from({ length: 3000 }, (_, id) => ({ id, team: id % 3 })),
      terms: Array.from({ length: 2900 }, (_, n) => ({ person: n + 50 })),
    }
    expect(ask(long, 'SELECT count(*) AS n FROM people WHERE id NOT IN (SELECT person FROM terms)')).toEqual([
      { n: 100 },
    ])
    expect(
      ask(
        long,
        'SELECT count(*) AS n FROM people p WHERE (p.team = 1 OR p.id IN (SELECT person FROM terms)) AND p.id < 60',
      ),
    ).toEqual([{ n: 27 }])
    expect(() =>
      ask(long, 'SELECT count(*) FROM (SELECT * FROM people) WHERE id IN (SELECT person FROM terms)'),
    ).toThrow(/2900 values/)
  })

  test('are those of several results in the order of the statement, whichever comes first', () => {
    const [buyers, orders] = [fromValue(shop.buyers), fromValue(shop.orders)]
    const parts = [
      { handle: 'aaaaaaaaaaa1', document: orders },
      { handle: 'aaaaaaaaaaa2', document: buyers },
    ]
    const statement =
      'SELECT b.name FROM buyers b LEFT JOIN orders o ON o.buyer = b.id WHERE o.day IS NULL AND b.city IS NOT NULL'
    const { params, before, notes } = withStatement({ where: statement }, parts)
    const asked = filterParams.parse(params)
    const { document } = runPipeline(combine(parts), [...(before ? [before] : []), ...filterSteps], asked)
    expect(document.rows().items).toEqual([{ name: 'Cy' }])
    expect(notes.join(' ')).toContain('`buyers = aaaaaaaaaaa2`')
  })
})

describe('names of lists', () => {
  const geo = {
    data: {
      countries: {
        total: 2,
        nodes: [
          { code: 'DE', name: 'Germany' },
          { code: 'FR', name: 'France' },
        ],
      },
      regions: {
        nodes: ['Berlin', 'Bremen', 'Corse', 'Germany'].map((name, at) => ({
          name,
          of: at < 2 ? 'DE' : 'FR',
          towns: [{ town: name }, { town: 'x' }],
        })),
      },
    },
  }
  test.each<[string, JsonValue[]]>([
    ['SELECT count(*) AS n FROM countries', [{ n: 2 }]],
    ['SELECT count(*) AS n FROM country', [{ n: 2 }]],
    ['SELECT count(*) AS n FROM data.countries.nodes', [{ n: 2 }]],
    ['SELECT count(*) AS n FROM towns', [{ n: 8 }]],
    ['SELECT r.name FROM regions r JOIN countries c ON r.name = c.name', [{ name: 'Germany' }]],
    [
      'SELECT name FROM countries WHERE code NOT IN (SELECT of FROM regions WHERE name = "Corse")',
      [{ name: 'Germany' }],
    ],
    [
      'SELECT name FROM countries UNION ALL SELECT name FROM regions WHERE of = "DE"',
      [{ name: 'Germany' }, { name: 'France' }, { name: 'Berlin' }, { name: 'Bremen' }],
    ],
    [
      'SELECT n, sum(a) AS a, sum(b) AS b FROM (SELECT name AS n, 1 AS a, 0 AS b FROM countries UNION ALL SELECT name, 0, 2 FROM countries) GROUP BY n ORDER BY n',
      [
        { n: 'France', a: 1, b: 2 },
        { n: 'Germany', a: 1, b: 2 },
      ],
    ],
  ])('%s', (statement, expected) => {
    expect(ask(geo, statement)).toEqual(expected)
  })

  test.each<[string, number]>([
    ['image IN (SELECT image FROM services WHERE main = true)', 4],
    ['_key IN (SELECT _key FROM services WHERE main = true)', 1],
    ['_key NOT IN (SELECT needs FROM services)', 6],
    ['_key IN (SELECT needs FROM services)', 6],
  ])('a SELECT behind IN gives its own column, the elements of lists one by one: %s', (condition, n) => {
    const services = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `s${at}`,
        {
          image: `image:${at % 3}`,
          main: at === 5,
          ...(at > 0 && { needs: at < 6 ? [`s${at - 1}`, 's9'] : [] }),
        },
      ]),
    )
    const statement = `SELECT count(*) AS n FROM services WHERE ${condition}`
    expect(ask({ services }, statement)).toEqual([{ n }])
  })

  test('that are unknown are told, or refused in a join', () => {
    const parts = [{ handle: '', document: fromValue(geo) }]
    const { notes } = withStatement({ where: 'SELECT count(*) FROM places' }, parts)
    expect(notes.join(' ')).toContain('`places` is no list of this result, so the main one was asked.')
    const three = [{ handle: '', document: fromValue({ a: shop.buyers, b: shop.orders, c: shop.lines }) }]
    expect(() => withStatement({ where: 'SELECT * FROM a JOIN d ON a.id = d.id' }, three)).toThrow(
      /`d` is no list of this result. There are `a`, `b`, `c`/,
    )
  })

  test('the lines of a text are a list where its records are others', () => {
    const notes = fromRecognised(
      '# Changes\n\n## 2.0\n\n- [FIX] a\n- [NEW] b\n\n## 1.0\n\n- [FIX] c\n- [FIX] d\n',
    )
    const rowsOf = (where: string): readonly JsonValue[] => {
      const { params, before } = withStatement({ where }, [{ handle: '', document: notes }])
      const steps = [...(before ? [before] : []), ...filterSteps]
      return runPipeline(notes, steps, filterParams.parse(params)).document.rows().items
    }
    expect(rowsOf("SELECT count(*) AS n FROM lines WHERE line LIKE '%[FIX]%'")).toEqual([{ n: 3 }])
    expect(rowsOf("SELECT heading FROM sections WHERE text LIKE '%NEW%'")).toEqual([{ heading: '2.0' }])
  })

  test('mean one of several results each', () => {
    const parts = [
      { handle: 'aaaaaaaaaaa1', document: fromValue(shop.orders) },
      { handle: 'aaaaaaaaaaa2', document: fromValue(shop.buyers) },
    ]
    const rowsOf = (where: string): readonly JsonValue[] => {
      const { params, before } = withStatement({ where }, parts)
      const steps = [...(before ? [before] : []), ...filterSteps]
      const { document, error } = runPipeline(combine(parts), steps, filterParams.parse(params))
      if (error !== undefined) throw new Error(error)
      return document.rows().items
    }
    expect(rowsOf('SELECT count(*) AS n FROM buyers WHERE city = "Ulm"')).toEqual([{ n: 2 }])
    expect(rowsOf('SELECT id FROM buyers EXCEPT SELECT buyer FROM orders')).toEqual([{ id: 3 }])
    expect(rowsOf('SELECT name FROM buyers WHERE id NOT IN (SELECT buyer FROM orders)')).toEqual([
      { name: 'Cy' },
    ])
    expect(
      rowsOf(
        'SELECT b.name, x.n FROM buyers b JOIN (SELECT buyer, count(*) AS n FROM orders GROUP BY buyer) x ON x.buyer = b.id ORDER BY x.n',
      ),
    ).toEqual([
      { name: 'Ben', n: 1 },
      { name: 'Ada', n: 2 },
    ])
    expect(withStatement({ where: 'SELECT count(*) FROM stuff' }, parts).notes.join(' ')).toContain(
      '`stuff` was read as all 2 results',
    )
  })
})

test('joined and counted rows are those of plain code', () => {
  const key = fc.integer({ min: 0, max: 4 })
  const lists = fc.record({
    a: fc.array(fc.record({ id: key, at: key }), { minLength: 2, maxLength: 8 }),
    b: fc.array(fc.record({ id: key, to: key }), { minLength: 2, maxLength: 8 }),
    c: fc.array(fc.record({ id: key, n: key }), { minLength: 2, maxLength: 8 }),
  })
  fc.assert(
    fc.property(lists, ({ a, b, c }) => {
      const inner = a.flatMap((x) =>
        b.filter((y) => y.id === x.at).flatMap((y) => c.filter((z) => z.id === y.to).map((z) => z.n)),
      )
      const statement = 'FROM a x JOIN b y ON x.at = y.id JOIN c z ON y.to = z.id'
      const [found] = ask({ a, b, c }, `SELECT count(*) AS rows, sum(z.n) AS n ${statement}`) as JsonObject[]
      expect(found?.rows ?? 0).toBe(inner.length)
      if (inner.length > 0) expect(found?.n).toBe(inner.reduce((sum, n) => sum + n, 0))
      const lonely = a.filter((x) => !b.some((y) => y.id === x.at)).length
      for (const asked of [
        'SELECT count(*) AS n FROM a LEFT JOIN b ON a.at = b.id WHERE b.id IS NULL',
        'SELECT count(*) AS n FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.id = a.at)',
        'SELECT count(*) AS n FROM a WHERE at NOT IN (SELECT id FROM b)',
      ])
        expect([asked, ask({ a, b, c }, asked)]).toEqual([asked, [{ n: lonely }]])
    }),
    { numRuns: runs(100) },
  )
})

describe('functions and clauses of several databases', () => {
  const sales = [
    {
      id: 1,
      day: '1999-05-01T10:00:00Z',
      kind: 'a',
      n: 7.5,
      at: '1970-01-01T00:01:30Z',
      big: '1234567890123456789',
    },
    { id: 2, day: '2001-05-02T10:00:00Z', kind: 'a', n: 2, at: '1970-01-01T00:02:00Z' },
    { id: 3, day: '2003-08-03T10:00:00Z', kind: 'b', n: 3, at: '1970-01-01T00:00:10Z' },
  ]
  test.each<[string, JsonValue[]]>([
    [
      "SELECT CAST(strftime('%Y', day) AS INTEGER)/10*10 AS decade, COUNT(*) AS c FROM sales GROUP BY decade ORDER BY decade",
      [
        { decade: 1990, c: 1 },
        { decade: 2000, c: 2 },
      ],
    ],
    [
      "SELECT ((strftime('%m', day)+2)/3) AS quarter, COUNT(*) AS c FROM sales GROUP BY quarter ORDER BY quarter",
      [
        { quarter: 2, c: 2 },
        { quarter: 3, c: 1 },
      ],
    ],
    ['SELECT COUNT(DISTINCT kind) FILTER (WHERE n > 1) AS c FROM sales', [{ c: 2 }]],
    [
      'SELECT 100 * (COUNT(*) FILTER (WHERE n > 2) - COUNT(*) FILTER (WHERE n <= 2)) / COUNT(n) AS score FROM sales',
      [{ score: 33.3333333333333 }],
    ],
    ["SELECT strftime('%s', MAX(at)) - strftime('%s', MIN(at)) AS s FROM sales", [{ s: 110 }]],
    ['SELECT * EXCLUDE (day, at, n) FROM sales WHERE id = 1', [{ id: 1, kind: 'a' }]],
    ['SELECT CAST(big AS BIGINT) % 10 AS d FROM sales WHERE id = 1', [{ d: 9 }]],
    ['SELECT CAST(n AS INT) AS whole FROM sales WHERE id = 1', [{ whole: 7 }]],
    ["SELECT id FROM sales WHERE DATE(day, '+1 day') = '2001-05-03'", [{ id: 2 }]],
    ["SELECT DATEDIFF('2001-05-03', day) AS d FROM sales WHERE id = 2", [{ d: 1 }]],
    ['SELECT LAST_DAY(day) AS d FROM sales WHERE id = 1', [{ d: '1999-05-31' }]],
    ['SELECT COUNT(DISTINCT kind, n) AS c FROM sales', [{ c: 3 }]],
    [
      "SELECT split(day, '-')[0] AS y, split(day, '-')[-1] AS rest FROM sales WHERE id = 1",
      [{ y: '1999', rest: '01T10:00:00Z' }],
    ],
    [
      "SELECT add_months(day, 2) AS later, months_between('2001-07-02T10:00:00Z', day) AS m, dayofyear(day) AS n, to_date(day, 'YYYY-MM-DD') AS d FROM sales WHERE id = 2",
      [{ later: '2001-07-02T10:00:00Z', m: 2, n: 122, d: '2001-05-02' }],
    ],
    [
      "SELECT locate('b', kind) AS l, nvl2(n, 'some', 'none') AS v FROM sales WHERE id = 3",
      [{ l: 1, v: 'some' }],
    ],
    ["SELECT date(day, 'start of month', 'weekday 1') AS d FROM sales WHERE id = 1", [{ d: '1999-05-03' }]],
    ['SELECT AVG(LENGTH(kind)) AS l, MIN(LENGTH(kind)) AS least FROM sales', [{ l: 1, least: 1 }]],
  ])('%s', (statement, rows) => expect(ask(sales, statement)).toMatchObject(rows))

  test('a modifier that is none is refused with one that is', () => {
    expect(() => ask(sales, "SELECT date(day, 'next moon') AS d FROM sales")).toThrow('start of month')
  })
})

test.each<[string, number[]]>([
  ['cid not in (SELECT id FROM customers)', [3]],
  ["cid in (SELECT id FROM customers WHERE tier = 'gold')", [1]],
  ['total = (SELECT MAX(total) FROM orders)', [2]],
  ['NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = orders.cid)', [3]],
])('a SELECT in a condition that no statement is around: %s', (where, ids) => {
  const shop = {
    orders: [
      { no: 1, cid: 7, total: 5 },
      { no: 2, cid: 8, total: 9 },
      { no: 3, cid: 9, total: 1 },
    ],
    customers: [
      { id: 7, tier: 'gold' },
      { id: 8, tier: 'free' },
    ],
  }
  const document = fromValue(shop)
  const { params } = withStatement({ where }, [{ handle: '', document }])
  const { document: found } = runPipeline(document, filterSteps, filterParams.parse(params))
  expect(found.rows().items.map((row) => (row as { no: number }).no)).toEqual(ids)
})
