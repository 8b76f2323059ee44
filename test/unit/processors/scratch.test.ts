import { test } from 'vitest'
import { fromValue, fromRows } from '../../../src/documents/derive.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
const rows = [
  { id: 1, name: 'ann smith', state: 'open', price: 10.5, qty: 2, tags: ['a', 'b'], created: '2024-01-03', closed: '2024-01-10', email: 'ann@x.org', items: [{ sku: 'p', n: 2 }, { sku: 'q', n: 1 }] },
  { id: 2, name: 'bob jones', state: 'closed', price: 30, qty: 1, tags: ['b'], created: '2024-01-05', closed: null, email: 'bob@y.org', items: [{ sku: 'p', n: 5 }] },
  { id: 3, name: 'cat smith', state: 'open', price: 20, qty: 4, tags: [], created: '2024-02-05', closed: '2024-02-06', email: 'cat@x.org', items: [] },
]
const asks: Record<string, unknown>[] = [
  { fields: 'name, price * qty as total' },
  { fields: "id, upper(name), split(email, '@', 2) as domain" },
  { fields: "id, date_diff('day', created, closed) as days" },
  { fields: "id, case when price > 15 then 'dear' else 'cheap' end as kind" },
  { where: 'price * qty > 25', fields: 'id' },
  { where: 'lower(name) contains SMITH', fields: 'id' },
  { where: "date_diff('day', created, closed) >= 2", fields: 'id' },
  { sort: '-price*qty', fields: 'id' },
  { sort: '-price * qty', fields: 'id' },
  { sort: 'price * qty desc', fields: 'id' },
  { group_by: "split(email, '@', 2) as domain", aggregate: 'sum(price * qty) as revenue' },
  { group_by: 'bucket(price, 10)', aggregate: 'count' },
  { group_by: 'state', aggregate: 'sum(price)/sum(qty) as unit, count' },
  { group_by: 'state', aggregate: 'sum(price*qty)/count as each' },
  { aggregate: 'count_if(state = open) as open, count(state = closed), avg(price > 15)' },
  { aggregate: 'correlation(price, qty), first(name), last(name), top(price, 2), collect(id), stddev(price), variance(price), mode(state), arg_max(name, price)' },
  { group_by: 'state', aggregate: 'round(avg(price), 1) as p, 100.0 * count_if(qty > 1) / count as pct' },
  { group_by: 'state', aggregate: 'count(*) filter (where price > 15) as dear' },
  { group_by: 'state', aggregate: 'count', where: 'count > 1' },
  { aggregate: 'count(distinct state)' },
  { fields: "extract(name, '(\\w+)$', 1) as last" },
  { group_by: "extract(name, '(\\w+)$') as last", aggregate: 'count' },
  { fields: 'id, lag(price) over (order by created) as before, price - lag(price) over (order by created) as change' },
  { fields: 'id, list_sum(items[].n) as n, length(tags)' },
  { group_by: 'date_trunc(\'month\', created)', aggregate: 'count, sum(price)' },
  { group_by: 'created:month', aggregate: 'count, sum(count) over (order by created:month) as sofar' },
  { fields: "concat(name, ' <', email, '>') as who, coalesce(closed, 'never') as closed" },
  { aggregate: 'sum(case when state = open then price else 0 end) as open_sum' },
  { aggregate: 'max(price) - min(price) as spread' },
  { fields: 'round(price / qty, 2)' },
  { fields: 'distinct state' }, { fields: 'distinct(state), price > 15 as dear' }, {fields:'distinct'}, { fields: 'unnest(items) as item, item.sku', where: 'item.n > 1' }, { group_by: 'unnest(tags)', aggregate: 'count' },
  { fields: 'id, unnest(items).sku as sku' },
]
test('asks', () => {
  for (const ask of asks) {
    const parsed = filterParams.parse(ask)
    const { document, error, steps } = runPipeline(fromValue({ orders: rows }), filterSteps, parsed)
    const notes = steps.flatMap((s) => (s.metadata.notes as string[]) ?? [])
    console.log(`${JSON.stringify(ask)}\n   => ${error ?? JSON.stringify(document.rows().items).slice(0, 420)}  ${notes.length ? `NOTES ${JSON.stringify(notes).slice(0, 300)}` : ''}`)
  }
})
