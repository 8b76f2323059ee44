import { describe, expect, test } from 'vitest'
import { readSelect } from '../../../src/query/language/dialects/sql.ts'

const read = (text: string) => readSelect(text).params

describe('a statement becomes the parameters of a filter', () => {
  test.each([
    ['SELECT * FROM t', {}],
    ['select id, name from items', { fields: ['id', 'name'] }],
    [
      "SELECT id FROM t WHERE state = 'open' AND n > 5",
      { fields: ['id'], where: ["state = 'open'", 'n > 5'] },
    ],
    ['SELECT * FROM t WHERE n BETWEEN 1 AND 5 AND m = 2', { where: ['n BETWEEN 1 AND 5', 'm = 2'] }],
    ['SELECT * FROM t WHERE a = 1 OR b = 2 AND c = 3', { where: ['a = 1 OR b = 2 AND c = 3'] }],
    [
      "SELECT * FROM t WHERE title = 'order by from where' LIMIT 3",
      { where: ["title = 'order by from where'"], limit: 3 },
    ],
    ['SELECT COUNT(*) FROM t', { aggregate: ['COUNT(*)'] }],
    ['SELECT COUNT(*) AS n FROM t WHERE a > 1', { aggregate: ['COUNT(*) as n'], where: ['a > 1'] }],
    [
      'SELECT region, SUM(amount) AS s FROM t GROUP BY region ORDER BY s DESC LIMIT 3',
      { group_by: ['region'], aggregate: ['SUM(amount) as s'], sort: ['s desc'], limit: 3 },
    ],
    [
      'SELECT region r, SUM(amount) total FROM t GROUP BY 1 HAVING total > 100 ORDER BY 2',
      {
        group_by: ['region as r'],
        aggregate: ['SUM(amount) as total'],
        where: ['having total > 100'],
        sort: ['total'],
      },
    ],
    [
      'SELECT region, COUNT(*) FROM t GROUP BY region HAVING COUNT(*) > 2 AND MAX(n) < 9',
      {
        group_by: ['region'],
        aggregate: ['COUNT(*)'],
        where: ['having COUNT(*) > 2', 'having MAX(n) < 9'],
        fields: ['region', 'COUNT(*)'],
      },
    ],
    [
      'SELECT DISTINCT region, product FROM t',
      { group_by: ['region', 'product'], fields: ['region', 'product'] },
    ],
    [
      'SELECT price * quantity AS total FROM t ORDER BY total DESC, id',
      { fields: ['price * quantity as total'], sort: ['price * quantity desc', 'id'] },
    ],
    [
      'SELECT From, COUNT(*) c FROM mail WHERE From contains "a" GROUP BY From ORDER BY c DESC LIMIT 1',
      {
        where: ['"From" contains "a"'],
        group_by: ['"From"'],
        aggregate: ['COUNT(*) as c'],
        sort: ['c desc'],
        limit: 1,
      },
    ],
    [
      "SELECT id, From FROM mail WHERE lower(From) = 'a' ORDER BY From",
      { fields: ['id', '"From"'], where: ['lower("From") = \'a\''], sort: ['"From"'] },
    ],
    ['SELECT extract(year FROM at) AS y FROM order', { fields: ['extract(year FROM at) as y'] }],
    ['SELECT TOP 5 id FROM t ORDER BY n DESC', { fields: ['id'], sort: ['n desc'], limit: 5 }],
    ['SELECT id FROM t LIMIT 10 OFFSET 20', { fields: ['id'], limit: 10, offset: 20 }],
    ['SELECT id FROM t LIMIT 20, 10', { fields: ['id'], limit: 10, offset: 20 }],
    ['SELECT id FROM t OFFSET 5 ROWS FETCH NEXT 2 ROWS ONLY', { fields: ['id'], limit: 2, offset: 5 }],
    [
      'SELECT o.id, o.user.login FROM orders o WHERE o.total > 5;',
      { fields: ['id', 'user.login'], where: ['total > 5'] },
    ],
    [
      'SELECT o.id, p.name FROM orders AS o JOIN products AS p ON o.product_id = p.id',
      { fields: ['id', 'products.name'], join_on: ['inner product_id = products.id'] },
    ],
    ['SELECT * FROM a LEFT JOIN b ON a.x = b.y', { join_on: ['x = b.y'] }],
    ['SELECT * FROM a LEFT JOIN b ON b.y = a.x', { join_on: ['x = b.y'] }],
    ['SELECT * FROM a JOIN b ON b.y = a.x AND a.z = b.z', { join_on: ['inner x = b.y and z = b.z'] }],
    [
      'SELECT e.name FROM staff e JOIN staff m ON m.id = e.boss',
      { fields: ['name'], join_on: ['inner boss = self.id'] },
    ],
    [
      'SELECT e.name FROM staff e JOIN staff m ON e.manager_id = m.id WHERE e.pay > m.pay',
      { fields: ['name'], join_on: ['inner manager_id = self.id'], where: ['pay > self.pay'] },
    ],
    ['SELECT * FROM a JOIN b USING (id)', { join_on: ['inner id = b.id'] }],
    [
      'SELECT * FROM a JOIN b ON b.x = a.x LEFT JOIN c ON b.y = c.y AND c.z = a.z',
      { join_on: ['inner x = b.x', 'left b.y = c.y and z = c.z'] },
    ],
    [
      'SELECT * FROM a, b, c WHERE a.x = b.y AND c.z = b.z AND a.n > 3',
      { join_on: ['inner x = b.y', 'inner b.z = c.z'], where: ['n > 3'] },
    ],
    [
      "SELECT * FROM a JOIN b ON a.x = b.x AND b.kind = 'new'",
      { join_on: ['inner x = b.x'], where: ["b.kind = 'new'"] },
    ],
    [
      'SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC',
      {
        fields: ['a', 'b'],
        where: ['row_number() over (partition by a order by a, b DESC) = 1'],
        sort: ['a', 'b desc'],
      },
    ],
    [
      'SELECT a FROM t QUALIFY rank() OVER (ORDER BY b) < 3',
      { fields: ['a'], where: ['rank() OVER (ORDER BY b) < 3'] },
    ],
    [
      'SELECT l AS label, COUNT(*) AS n FROM items i CROSS JOIN UNNEST(i.labels) AS l GROUP BY l',
      { group_by: ['unnest(labels) as label'], aggregate: ['COUNT(*) as n'] },
    ],
    ['SELECT i.id, l.value FROM items i, json_each(i.labels) l', { fields: ['id', 'unnest(labels)'] }],
    [
      'SELECT year / 10 AS decade, COUNT(*) AS n FROM t GROUP BY year / 10',
      { group_by: ['floor(year / 10) as decade'], aggregate: ['COUNT(*) as n'] },
    ],
    ['SELECT cardinality(labels) AS n FROM items', { fields: ['length(labels) as n'] }],
    [
      'SELECT a.n, m.n AS boss FROM a LEFT JOIN a m ON a.of = m.id',
      { join_on: ['of = self.id'], fields: ['n', 'self.n as boss'] },
    ],
    [
      'SELECT region, name, SUM(n) AS s FROM t GROUP BY region',
      { group_by: ['region'], aggregate: ['first(name) as name', 'SUM(n) as s'] },
    ],
    [
      "SELECT 'all' AS kind, COUNT(*) AS n FROM t",
      { aggregate: ['COUNT(*) as n'], fields: ["'all' as kind", 'n'] },
    ],
    [
      'SELECT COUNT(*) FILTER (WHERE ok = true) AS good FROM t',
      { aggregate: ['sum(case when ok = true then 1 else 0 end) as good'] },
    ],
    [
      'SELECT id, RANK() OVER (PARTITION BY region ORDER BY amount DESC) AS place FROM t',
      { fields: ['id', 'RANK() OVER (PARTITION BY region ORDER BY amount DESC) as place'] },
    ],
    [
      "SELECT CASE WHEN n > 5 THEN 'big' ELSE 'small' END AS size, COUNT(*) FROM t GROUP BY size",
      { group_by: ["CASE WHEN n > 5 THEN 'big' ELSE 'small' END as size"], aggregate: ['COUNT(*)'] },
    ],
    [
      'SELECT COUNT(*), region FROM t GROUP BY region',
      { group_by: ['region'], aggregate: ['COUNT(*)'], fields: ['COUNT(*)', 'region'] },
    ],
    ['SELECT limit, order FROM t', { fields: ['limit', 'order'] }],
    ['/* all */ SELECT id -- the id\nFROM t', { fields: ['id'] }],
    ['(SELECT id FROM t)', { fields: ['id'] }],
  ])('%s', (text, params) => {
    expect(read(text)).toEqual(params)
  })
})

test('a list after FROM that nothing else names is unnested all the same', () => {
  const text = 'SELECT s, COUNT(*) AS n FROM t CROSS JOIN UNNEST(lines) AS l GROUP BY s'
  expect(read(text)).toMatchObject({ where: ['unnest(lines) exists'] })
  expect(read(`${text.replace('COUNT(*)', 'SUM(l.n)')}`)).not.toHaveProperty('where')
})

describe('what one question cannot say is refused, with what to ask instead', () => {
  test.each([
    ['SELECT * FROM t WHERE id IN (SELECT id FROM u)', /Ask the inner one first/],
    ['SELECT * FROM (SELECT 1)', /Ask the inner one first/],
    ['WITH a AS (SELECT 1) SELECT * FROM a', /Ask the inner SELECT first/],
    ['DELETE FROM t WHERE id = 1', /never changed/],
    ['UPDATE t SET a = 1', /never changed/],
    ['SELECT * FROM a RIGHT JOIN b ON a.x = b.y', /LEFT JOIN/],
    ['SELECT * FROM a JOIN b', /needs its condition/],
    ['SELECT * FROM a, b WHERE a.x = 3', /JOIN products ON/],
    ["SELECT * FROM a LEFT JOIN b ON a.x = b.x AND b.kind = 'new'", /a SELECT of its own/],
    ['SELECT * FROM a JOIN a b ON a.x = b.y JOIN a c ON b.x = c.y', /at most/],
    ['SELECT region, SUM(n) FROM t', /write GROUP BY region/],
    ['SELECT * FROM t LIMIT many', /number of rows/],
    ['SELECT a FROM t ORDER BY 3', /no column 3/],
    ['SELECT FROM t', /Nothing stands after SELECT/],
    ['SELECT a FROM', /Nothing stands after FROM/],
    ['SELECT a, SUM(b) FROM t GROUP BY ROLLUP(a)', /ROLLUP is not read/],
  ])('%s', (text, says) => {
    expect(() => read(text)).toThrow(says)
  })
})
