/** Statements with SELECTs in them, against plain code. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { withStatement } from '../../../src/processors/readings/statement.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { stageOf, valueSelects } from '../../../src/query/language/dialects/sql-nested.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { runs } from '../../support/runs.ts'

function ask(value: JsonValue, statement: string): JsonValue[] {
  const document = fromValue(deepFreeze(value))
  const { params, before } = withStatement({ where: statement }, document)
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
    [
      'SELECT g.home FROM games g JOIN (SELECT home FROM games) t ON g.home = t.home',
      /JOIN with another SELECT/,
    ],
    [
      'WITH t AS (SELECT home FROM games) SELECT * FROM games g JOIN t ON g.home = t.home',
      /JOIN with another/,
    ],
    ['SELECT home FROM games WHERE h = (SELECT h FROM games)', /gives 4 rows, where one value/],
    ['WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t', /WITH cannot be read/],
    [`SELECT * FROM ${'(SELECT * FROM '.repeat(12)}games${')'.repeat(12)}`, /At most 8 SELECTs/],
    [
      `WITH a AS (${Array(20).fill('SELECT * FROM games').join(' UNION ')}), b AS (${Array(20).fill('SELECT * FROM a').join(' UNION ')}) SELECT * FROM b`,
      /at most 50 SELECTs/,
    ],
    ['SELECT home FROM games WHERE EXISTS (SELECT 1 FROM games)', /within another is not read/],
    ['SELECT count(*) FROM (SELECT x FROM games WHERE nowhere > 3)', /nowhere/],
  ])('%s is refused with what to write', (statement, message) => {
    expect(() => ask(games, statement)).toThrow(message)
  })

  test('of several results at once has no values', () => {
    expect(() =>
      withStatement({ where: 'SELECT a FROM t WHERE a > (SELECT avg(a) FROM t)' }, undefined),
    ).toThrow(Refusal)
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
