/** Generated statements over generated tables, against plain code that knows nothing of the engine. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { withStatement } from '../../../src/processors/readings/statement.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { runs } from '../../support/runs.ts'

/** Runs a statement as a question about a document is run: its rows. */
function ask(value: JsonValue, statement: string): JsonValue[] {
  const document = fromValue(value)
  const { params } = withStatement({ where: statement }, [{ handle: '', document }])
  const { offset = 0, limit, ...asked } = filterParams.parse(params)
  const { document: found, error } = runPipeline(document, filterSteps, asked)
  if (error !== undefined) throw new Error(`${statement}: ${error}`)
  return [...found.rows().items].slice(offset, limit === undefined ? undefined : offset + limit)
}

interface Row {
  id: number
  region: string
  units: number
  price: number
  note: string | null
}

const rows = fc
  .array(
    fc.record({
      region: fc.constantFrom('North', 'South', 'East'),
      units: fc.integer({ min: 0, max: 9 }),
      price: fc.integer({ min: 1, max: 50 }),
      note: fc.option(fc.constantFrom('late order', 'gift'), { nil: null }),
    }),
    { minLength: 3, maxLength: 25 },
  )
  .map((list) => list.map((row, at): Row => ({ id: at + 1, ...row })))

/** A condition as SQL and as code. */
interface Test {
  sql: string
  holds(row: Row): boolean
}

const simple: fc.Arbitrary<Test> = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map((n) => ({ sql: `units > ${n}`, holds: ({ units }: Row) => units > n })),
  fc
    .integer({ min: 1, max: 50 })
    .map((n) => ({ sql: `t.price <= ${n}`, holds: ({ price }: Row) => price <= n })),
  fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 5, max: 9 })).map(([low, high]) => ({
    sql: `units BETWEEN ${low} AND ${high}`,
    holds: ({ units }: Row) => units >= low && units <= high,
  })),
  fc.constantFrom('North', 'South').map((name) => ({
    sql: `region = '${name}'`,
    holds: ({ region }: Row) => region === name,
  })),
  fc.constant({
    sql: `region IN ('North', 'East')`,
    holds: ({ region }: Row) => region === 'North' || region === 'East',
  }),
  fc.constant({ sql: 'note IS NULL', holds: ({ note }: Row) => note === null }),
  fc.constant({ sql: "note LIKE '%late%'", holds: ({ note }: Row) => note?.includes('late') === true }),
)

const condition: fc.Arbitrary<Test> = fc.oneof(
  simple,
  fc.tuple(simple, simple).map(([one, other]) => ({
    sql: `${one.sql} AND ${other.sql}`,
    holds: (row: Row) => one.holds(row) && other.holds(row),
  })),
  fc.tuple(simple, simple, simple).map(([one, other, third]) => ({
    sql: `(${one.sql} OR ${other.sql}) AND ${third.sql}`,
    holds: (row: Row) => (one.holds(row) || other.holds(row)) && third.holds(row),
  })),
)

const clause = fc.option(condition, { nil: { sql: '', holds: () => true } })
const where = ({ sql }: Test) => (sql === '' ? '' : ` WHERE ${sql}`)

/** Rows by a number, the first in the data first among equals. */
const by = <T>(list: readonly T[], of: (one: T) => number, descending: boolean): T[] =>
  [...list].sort((one, other) => (of(one) - of(other)) * (descending ? -1 : 1))

test('records: conditions, columns, order and part', () => {
  fc.assert(
    fc.property(
      rows,
      clause,
      fc.constantFrom('units', 'price') as fc.Arbitrary<'units' | 'price'>,
      fc.boolean(),
      fc.option(fc.integer({ min: 1, max: 8 })),
      fc.integer({ min: 0, max: 3 }),
      (table, wanted, order, descending, limit, offset) => {
        const page = limit === null ? '' : ` LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ''}`
        const statement = `SELECT t.id, ${order} FROM sales t${where(wanted)} ORDER BY ${order}${descending ? ' DESC' : ''}${page}`
        const chosen = by(table.filter(wanted.holds), (row) => row[order], descending)
        const expected = limit === null ? chosen : chosen.slice(offset, offset + limit)
        expect(ask(table as unknown as JsonValue, statement)).toEqual(
          expected.map((row) => ({ id: row.id, [order]: row[order] })),
        )
      },
    ),
    { numRuns: runs(150) },
  )
})

test('groups: what is computed, conditions on groups, order by a column', () => {
  fc.assert(
    fc.property(
      rows,
      clause,
      fc.integer({ min: 0, max: 60 }),
      fc.boolean(),
      (table, wanted, least, named) => {
        const having = named ? `total > ${least}` : `SUM(price) > ${least}`
        const statement = `SELECT region, COUNT(*) AS n, SUM(price) AS total, MAX(units) AS most FROM sales${where(wanted)} GROUP BY region HAVING ${having} ORDER BY total DESC`
        const groups = new Map<string, Row[]>()
        for (const row of table.filter(wanted.holds))
          groups.set(row.region, [...(groups.get(row.region) ?? []), row])
        const made = [...groups].map(([region, members]) => ({
          region,
          n: members.length,
          total: members.reduce((sum, { price }) => sum + price, 0),
          most: Math.max(...members.map(({ units }) => units)),
        }))
        const expected = by(
          made.filter(({ total }) => total > least),
          ({ total }) => total,
          true,
        )
        const found = ask(table as unknown as JsonValue, statement) as unknown as typeof made
        expect(found.map(({ total }) => total)).toEqual(expected.map(({ total }) => total))
        expect(new Map(found.map((group) => [group.region, group]))).toEqual(
          new Map(expected.map((group) => [group.region, group])),
        )
      },
    ),
    { numRuns: runs(150) },
  )
})

test('each combination of values once, and one number over all', () => {
  fc.assert(
    fc.property(rows, clause, (table, wanted) => {
      const chosen = table.filter(wanted.holds)
      const value = table as unknown as JsonValue
      const pairs = ask(value, `SELECT DISTINCT region, units FROM t${where(wanted)}`) as JsonObject[]
      const expected = new Set(chosen.map(({ region, units }) => `${region} ${units}`))
      expect(pairs.length).toBe(expected.size)
      expect(new Set(pairs.map(({ region, units }) => `${region} ${units}`))).toEqual(expected)
      const [counted] = ask(value, `SELECT COUNT(*) AS n FROM t${where(wanted)}`) as JsonObject[]
      expect(counted).toEqual({ n: chosen.length })
    }),
    { numRuns: runs(100) },
  )
})

test('a join keeps what both have, a left join all of the first', () => {
  fc.assert(
    fc.property(rows, fc.boolean(), (sales, left) => {
      const regions = [
        { name: 'North', boss: 'Ann' },
        { name: 'South', boss: 'Bo' },
      ]
      const value = { sales, regions } as unknown as JsonValue
      const statement = `SELECT s.id, r.boss FROM sales s ${left ? 'LEFT ' : ''}JOIN regions r ON s.region = r.name ORDER BY s.id`
      if (!sales.some(({ region }) => region !== 'East')) return
      const boss = (row: Row) => regions.find(({ name }) => name === row.region)?.boss
      const expected = sales.filter((row) => left || boss(row) !== undefined)
      const found = ask(value, statement) as JsonObject[]
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      expect(found.map((row) => row.boss ?? row['regions.boss'])).toEqual(expected.map(boss))
    }),
    { numRuns: runs(60) },
  )
})
