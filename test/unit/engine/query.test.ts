import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Query, QueryAnswer, Source } from '../../../src/engine/contract.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { soundKeys } from '../../support/keys.ts'
import { patience, runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'
import { jsonResult, orders, sourceOf, textResult } from './world.ts'

// Hundreds of questions are asked, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: patience(180_000) })

const BUDGET = 3000

function ask(
  kind: Query['kind'],
  params: JsonObject,
  sources: Source | Source[],
  budget = BUDGET,
): QueryAnswer {
  return query(createViews(), [sources].flat(), { kind, params, budget })
}

const textOf = ({ text }: QueryAnswer): string => text.join('fedcbafedcba')

/** The kept answer as the source of the next question. */
function next({ whole }: QueryAnswer): Source {
  if (whole === undefined) throw new Error('the answer was complete')
  return { handle: 'fedcbafedcba', tool: 'proxy_filter', ...whole }
}

const shop = sourceOf(jsonResult({ page: 1, items: orders(300) }))
const log = sourceOf(
  textResult(
    Array.from(
      { length: 2000 },
      (_, n) =>
        `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}Z ${n % 100 ? 'INFO' : 'ERROR'} job ${n} ended`,
    ).join('\n'),
  ),
  'aaaaaaaaaaaa',
)

test('as many records as an order or an aggregate in words asks for', () => {
  for (const params of [{ aggregate: 'top 2 by id' }, { sort: 'ORDER BY id DESC LIMIT 2' }]) {
    const answer = textOf(ask('filter', params, shop))
    expect(answer).toContain('records 1-2 of 300')
    expect(answer).toContain('"limit": 2.')
  }
})

describe('a whole SELECT', () => {
  test.each(['where', 'path'])('in `%s` is run by the steps, and the reply says how it was read', (place) => {
    const statement = "SELECT id, total FROM items WHERE state = 'open' ORDER BY id DESC LIMIT 2"
    const answer = ask('filter', { [place]: statement }, shop)
    expect(answer.failed).toBe(false)
    expect(textOf(answer)).toMatch(/^100 of 300 records match/)
    expect(textOf(answer)).toContain('"id":297')
    expect(textOf(answer)).not.toContain('"id":291')
    expect(textOf(answer)).toContain(
      'Read as {"fields":["id","total"],"where":["state = \'open\'"],"sort":["id desc"],"limit":2}.',
    )
  })

  test('that one question cannot say is refused, with what to ask instead', () => {
    const answer = ask('filter', { where: 'SELECT * FROM items WHERE id IN (SELECT id FROM other)' }, shop)
    expect(answer.failed).toBe(true)
    expect(textOf(answer)).toContain('Ask the inner one first')
  })
})

describe('filter', () => {
  verifies(
    'S3.18 S3.26',
    'path, where, sort and projection work on each other, and counts are over everything',
    () => {
      const answer = ask(
        'filter',
        { where: ['state = open'], sort: '-total', fields: ['id', 'customer.name'], limit: 2 },
        shop,
      )
      expect(textOf(answer)).toMatch(/^100 of 300 records match/)
      expect(textOf(answer)).toContain('"id":297,"customer.name":"Customer 7"')
      expect(textOf(answer)).toContain('"id":294')
      expect(textOf(answer)).not.toContain('"id":291')
      expect(answer).toMatchObject({
        failed: false,
        steps: { where: { applied: true, total: 300, matched: 100 } },
      })
    },
  )

  test('groups are sorted and paged like records', () => {
    const answer = ask(
      'filter',
      { group_by: 'customer.name', aggregate: 'count, sum(total)', sort: 'customer.name', limit: 3 },
      shop,
    )
    expect(textOf(answer)).toContain('over 300 records')
    expect(textOf(answer)).toContain('Customer 0')
    expect(textOf(answer)).not.toContain('Customer 3')
  })

  verifies('S3.11 S3.43', 'an answer too large is bounded, and its whole can be asked again', () => {
    const first = ask('filter', { where: ['id >= 100'], limit: 300, fields: ['id', 'note', 'total'] }, shop)
    expect(textOf(first).length).toBeLessThanOrEqual(BUDGET)
    expect(textOf(first)).toContain('fedcbafedcba')
    const second = ask(
      'filter',
      { where: ['id >= 200'], limit: 300, fields: ['id', 'note', 'total'] },
      next(first),
    )
    expect(textOf(second)).toMatch(/^100 of 200 records match/)
    const third = ask('filter', { aggregate: 'count' }, next(second))
    expect(textOf(third)).toContain('{"count":100}')
    expect(third.whole).toBeUndefined()
  })

  test('pages of what no step changed point to the kept result itself', () => {
    const answer = ask('filter', { offset: 10, limit: 5 }, shop)
    expect(answer.whole).toBeUndefined()
    expect(answer.text).toHaveLength(1)
    expect(textOf(answer)).toContain('records 11-15 of 300')
    const bytes = sourceOf(
      textResult(Array.from({ length: 900 }, (_, n) => `line ${n} of a text`).join('\n')),
    )
    expect(textOf(ask('filter', { limit: 900 }, bytes))).toContain(`{"cache_id":"${bytes.handle}","offset":`)
  })

  test('what the budget cuts from a page is on the next page: nothing is kept for it', () => {
    const first = ask('filter', { where: ['id >= 100'], fields: ['id', 'note', 'total'] }, shop)
    expect(first.whole).toBeUndefined()
    expect(textOf(first)).toMatch(/records 1-\d+ of 200, next: offset \d+$/m)
    expect(textOf(first)).not.toContain('cache_id')
  })

  test('shows wide records in their most informative fields when none were requested', () => {
    const answer = ask('filter', { where: ['note ~ storm'], sort: '-total' }, shop)
    expect(answer.whole).toBeDefined()
    const [title, note, head, first] = textOf(answer).split('\n')
    expect(title).toBe('43 of 300 records match `where`')
    expect(note).toBe(
      'Rows show 3 of 5 fields: name others in "fields", or "*" for all. The whole answer: cache_id fedcbafedcba.',
    )
    expect(head).toBe('[43]{id,total,note}:')
    expect(first).toBe('  294,2940,Order number 294 was delayed by a storm.')
    expect(textOf(ask('filter', { where: ['note ~ storm'], limit: 3 }, shop))).toContain(
      '"customer":{"name":',
    )
  })

  test('more records than a page holds are a first look at some: as many as are short, else twenty', () => {
    const records = (width: number): Source =>
      sourceOf(
        jsonResult(
          Array.from({ length: 300 }, (_, id) => ({ id, state: 'open', name: `n${id}`.padEnd(width, 'x') })),
        ),
      )
    const heading = (source: Source, params: JsonObject): string =>
      textOf(ask('filter', { where: ['state = open'], ...params }, source)).split('\n')[0] ?? ''
    expect(heading(records(8), {})).toBe(
      '300 of 300 records match `where` · records 1-50 of 300, next: offset 50',
    )
    expect(heading(records(90), {})).toContain('records 1-20 of 300, next: offset 20')
    // A number of rows, a page further on and a choice of fields are answered as asked.
    expect(heading(records(90), { limit: 25 })).toContain('records 1-25 of 300')
    expect(heading(records(90), { offset: 20 })).toContain('records 21-70 of 300')
    expect(heading(records(90), { fields: ['id', 'name'] })).toContain('records 1-26 of 300')
  })

  test('a search of points counts values, for it goes through the series as they were sent', () => {
    const series = ['web-1', 'web-2'].map((host, nth) => ({
      metric: { host },
      values: Array.from({ length: 100 }, (_, at) => [1_700_000_000 + at * 60, String(nth * 1000 + at)]),
    }))
    const source = sourceOf(jsonResult({ status: 'success', data: { resultType: 'matrix', result: series } }))
    expect(textOf(ask('filter', { aggregate: 'count' }, source))).toContain('over 200 records')
    expect(textOf(ask('search', { pattern: 'web-2' }, source))).toContain('1 of 404 values matches')
    expect(textOf(ask('search', { pattern: '^10..$' }, source))).toContain('100 of 404 values match')
    expect(textOf(ask('search', { pattern: 'web-2', mode: 'context' }, source))).toContain('1 of 404 values')
  })

  test('a few large records that were looked for are short as well, and "*" shows all of them', () => {
    const values = Array.from({ length: 30 }, (_, id) => ({
      id,
      name: `n${id}`,
      state: id % 3 === 0 ? 'open' : 'closed',
      body: `${'Long words about it. '.repeat(90)}${id}`,
      parts: Array.from({ length: 90 }, (__, nth) => ({ nth, code: `c${nth}` })),
    }))
    const wide = sourceOf(jsonResult(values))
    for (const params of [
      { where: ['id in (4, 5)'] },
      { where: ['id = 7'] },
      { sort: '-id', limit: 1 },
      { limit: 2 },
    ]) {
      const answer = ask('filter', params, wide, 8000)
      expect(textOf(answer)).toContain('fields: name others in "fields", or "*" for all.')
      expect(textOf(answer)).toMatch(/"?name"?[:,]/)
      expect(textOf(answer).length).toBeLessThan(1_200)
      expect(answer.whole !== undefined || textOf(answer).includes('next: offset')).toBe(true)
      expect(textOf(ask('filter', { ...params, fields: ['*'] }, wide, 8000))).toContain('"code":"c89"')
    }
    for (const params of [{ limit: 1 }, { path: '$[4]' }, { where: ['id = 7'], exclude: ['body'] }])
      expect(textOf(ask('filter', params, wide, 8000))).toContain('"code":"c89"')
    const whole = ask('filter', { where: ['id in (4, 5)'] }, wide, 8000)
    expect(textOf(ask('filter', { path: '$[1]', fields: ['id', 'body'] }, next(whole), 8000))).toContain(
      'about it. 5"',
    )
  })

  test('a few small records are whole', () => {
    const values = Array.from({ length: 30 }, (_, id) => ({ id, name: `n${id}`, deep: { a: [{ b: 1 }] } }))
    expect(textOf(ask('filter', { where: ['id < 3'] }, sourceOf(jsonResult(values)), 8000))).toContain(
      '{"id":2,"name":"n2","deep":{"a":[{"b":1}]}}',
    )
  })

  test('a limit of more than a page brings all that it asks for, where that is not too long', () => {
    const source = sourceOf(jsonResult(orders(200)))
    const asked = (params: JsonObject, most: number) =>
      query(createViews(), [source], {
        kind: 'filter',
        params: { fields: ['id', 'note'], ...params },
        budget: 2000,
        most,
      })
    const all = asked({ limit: 120 }, 20_000)
    expect(all.whole).toBeUndefined()
    expect(textOf(all)).toContain('119')
    expect(textOf(all)).toMatch(/next: offset 120/)
    for (const one of [asked({ limit: 120 }, 2500), asked({ limit: 50 }, 20_000), asked({}, 20_000)])
      expect(textOf(one).length).toBeLessThanOrEqual(2000)
  })

  test('what a limit leaves out is asked for with the next offset: nothing is kept for it', () => {
    const asked = { where: ['state = open'], sort: '-id', fields: ['id'], limit: 40 }
    const seen: number[] = []
    for (let offset = 0; offset < 100; offset += 40) {
      const answer = ask('filter', { ...asked, offset }, shop)
      expect(answer.whole).toBeUndefined()
      if (offset < 80) expect(textOf(answer)).toContain(`next: offset ${offset + 40}`)
      seen.push(
        ...textOf(answer)
          .split('\n')
          .flatMap((line) => /^\s*(\d+)$/.exec(line)?.[1] ?? [])
          .map(Number),
      )
    }
    expect(seen).toHaveLength(100)
    expect(seen).toEqual([...seen].sort((a, b) => b - a))
  })

  test('an answer that has grown far beyond its source is not kept', () => {
    let deep: JsonObject = { id: 0 }
    for (let level = 1; level < 3000; level++) deep = { id: level, child: deep, pad: 'x'.repeat(20) }
    const answer = ask(
      'filter',
      { path: '$..child', limit: 5000, fields: ['id', 'child'] },
      sourceOf(jsonResult(deep)),
    )
    expect(answer.whole).toBeUndefined()
    expect(textOf(answer)).toMatch(/records 1-\d+ of 2,999, \d+ cut short, next: offset \d+/)
    expect(textOf(answer)).not.toContain('cache_id')
  })

  test('returns at most fifty rows by default', () => {
    const answer = ask('filter', { fields: ['id'], where: ['id >= 0'] }, shop, 100_000)
    expect(textOf(answer)).toContain('records 1-50 of 300, next: offset 50')
  })

  verifies('S3.26', 'several results are one, each record with its handle', () => {
    const other = sourceOf(jsonResult(orders(20)), 'bbbbbbbbbbbb')
    const answer = ask('filter', { where: ['id = 5'], fields: ['id', '_from'] }, [shop, other])
    expect(textOf(answer)).toMatch(/^2 of 320 records match/)
    expect(textOf(answer)).toContain('bbbbbbbbbbbb')
  })

  test('wrong parameters fail with the right form', () => {
    const missing = ask('filter', { where: ['colour = red'], fields: ['id'] }, shop)
    expect(missing).toMatchObject({ failed: true })
    expect(textOf(missing)).toContain('`colour`')
    expect(missing.steps).toMatchObject({
      where: { applied: false, error: expect.any(String) },
      projection: { applied: true },
    })
    expect(ask('filter', { limit: 'many' }, shop)).toMatchObject({ failed: true })
    expect(ask('filter', { where: ['state = nothing'] }, shop)).toMatchObject({ failed: false })
  })
})

describe('search', () => {
  verifies('S3.21', 'shows a page of hits and how many there are', () => {
    const answer = ask('search', { pattern: 'ERROR', max_results: 3 }, log)
    expect(textOf(answer)).toMatch(/^20 of 2,000 lines match `ERROR` · hits 1-3 of 20, next: offset 3/)
    expect(textOf(ask('search', { pattern: 'ERROR', max_results: 3, offset: 18 }, log))).toContain('job 1900')
  })

  verifies('S3.11', 'a pattern that matches everything in 5 MB stays within its budget', () => {
    const large = sourceOf(textResult('a line of a long, long text\n'.repeat(180_000)))
    const answer = ask('search', { pattern: '.*', max_results: 1_000_000 }, large)
    expect(textOf(answer).length).toBeLessThanOrEqual(BUDGET)
    expect(textOf(answer)).toMatch(/^180,00\d of 180,00\d lines match/)
  })

  verifies('S3.22', 'bm25 shows the best five, with scores', () => {
    const answer = ask('search', { pattern: 'delayed storm', mode: 'bm25' }, shop)
    expect(textOf(answer)).toContain('passages 1-5 of 43')
    expect(textOf(answer)).toContain('"score"')
  })

  verifies('S3.23', 'fuzzy forgives a typo', () => {
    expect(textOf(ask('search', { pattern: 'delaid', mode: 'fuzzy' }, shop))).toMatch(
      /^43 of 300 records match/,
    )
  })

  verifies('S3.24', 'context shows the surrounding lines', () => {
    const text = sourceOf(textResult('First paragraph.\n\nThe storm came\nat night.\n\nLast.'))
    const answer = ask('search', { pattern: 'storm', mode: 'context' }, text)
    expect(textOf(answer)).toContain('at night.')
    expect(textOf(answer)).not.toContain('Last.')
  })

  test('fields are projected first, and `mode` is that of the search', () => {
    const answer = ask('search', { pattern: 'storm', fields: ['id', 'state'], mode: 'regex' }, shop)
    expect(textOf(answer)).toMatch(/^0 of 300/)
    expect(ask('search', { pattern: 'Customer 3', exclude: ['note'], mode: 'context' }, shop)).toMatchObject({
      failed: false,
      steps: { projection: { applied: true }, context: { matched: 30 } },
    })
  })

  test('several results are searched each, hits labelled; one without the field does not spoil the other', () => {
    const answer = ask('search', { pattern: 'ERROR|storm', max_results: 100 }, [shop, log], 20_000)
    expect(textOf(answer)).toContain('aaaaaaaaaaaa')
    expect(textOf(answer)).toContain(`"_from":"${shop.handle}"`)
    const partly = ask('search', { pattern: 'Customer 1', path: 'items' }, [shop, log])
    expect(partly.failed).toBe(false)
    expect(textOf(partly)).toContain('aaaaaaaaaaaa: ')
  })

  test('a result without hits says nothing beside one with some', () => {
    const partly = textOf(ask('search', { pattern: 'storm' }, [shop, log]))
    expect(partly).not.toContain('Nothing matches')
    expect(textOf(ask('search', { pattern: 'zzzzzz' }, [shop, log]))).toContain('Nothing matches')
  })

  test('ranked hits of several results alternate', () => {
    const other = sourceOf(jsonResult(orders(50)), 'bbbbbbbbbbbb')
    const answer = ask('search', { pattern: 'storm', mode: 'bm25', top_k: 2 }, [shop, other])
    expect(textOf(answer)).toContain(shop.handle)
    expect(textOf(answer)).toContain('bbbbbbbbbbbb')
  })

  test('a missing pattern is a failure; a missing match is not', () => {
    expect(ask('search', {}, shop)).toMatchObject({
      failed: true,
      text: [expect.stringContaining('`pattern`')],
    })
    expect(ask('search', { pattern: 'zzzzzz' }, shop)).toMatchObject({ failed: false })
  })
})

describe('explore', () => {
  verifies('S3.25', 'describes the structure, and zooms in by path', () => {
    expect(textOf(ask('explore', {}, shop))).toContain('300 records in $.items')
    const zoomed = textOf(ask('explore', { path: 'items[*].customer' }, shop))
    expect(zoomed).toContain('structure in items[*].customer')
    expect(zoomed).toContain('name')
    expect(zoomed).not.toContain('state')
  })

  test('several results are described one after the other', () => {
    const text = textOf(ask('explore', {}, [shop, log], 20_000))
    expect(text).toContain(`=== ${shop.handle} ===`)
    expect(text).toContain('=== aaaaaaaaaaaa ===')
  })

  test('a structure too large for its budget is kept', () => {
    const answer = ask('explore', {}, shop, 400)
    expect(textOf(answer).length).toBeLessThanOrEqual(400)
    expect(textOf(ask('search', { pattern: 'customer' }, next(answer)))).not.toMatch(/^0 /)
  })
})

verifies('S3.16', 'savings: tokens of source and answer, sizes by step', () => {
  const answer = ask('filter', { where: ['state = open'], fields: ['id'], limit: 5 }, shop)
  expect(answer.originalTokens).toBeGreaterThan(answer.answerTokens)
  expect(answer.steps).toMatchObject({
    where: { total: 300, matched: 100, originalSize: expect.any(Number), processedSize: expect.any(Number) },
    sort: { applied: false },
  })
})

test('the same question has the same answer, warm or cold, and changes no content', () => {
  const views = createViews()
  const before = Buffer.from(shop.content).toString('hex')
  const asked: Query = { kind: 'filter', params: { where: ['id > 250'], sort: '-id' }, budget: BUDGET }
  const cold = query(views, [shop], asked)
  const warm = query(views, [shop], asked)
  expect(warm).toEqual(cold)
  expect(warm.text).toEqual(query(createViews(), [shop], asked).text)
  expect(Buffer.from(shop.content).toString('hex')).toBe(before)
})

verifies('S3.11', 'every answer is within its budget and never throws, whatever is asked of whatever', () => {
  const params = fc.record(
    {
      path: fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('$', '$..*', 'a.b', '[*]', '$..[?(@.a)]')),
      where: fc.array(fc.string({ maxLength: 20 }), { maxLength: 2 }),
      fields: fc.array(fc.string({ maxLength: 10 }), { maxLength: 3 }),
      sort: fc.string({ maxLength: 10 }),
      pattern: fc.oneof(fc.string({ maxLength: 10 }), fc.constantFrom('.', '.*', 'a+', '(')),
      mode: fc.constantFrom('regex', 'bm25', 'fuzzy', 'context', 'include'),
      offset: fc.integer({ min: -1, max: 50 }),
      limit: fc.integer({ min: 0, max: 50 }),
    },
    { requiredKeys: [] },
  )
  const content = fc.oneof(soundKeys(fc.json({ maxDepth: 5 })), fc.string({ maxLength: 500, unit: 'binary' }))
  fc.assert(
    fc.property(
      fc.constantFrom<Query['kind']>('filter', 'search', 'explore'),
      params,
      fc.array(content, { minLength: 1, maxLength: 2 }),
      fc.integer({ min: 200, max: 1000 }),
      (kind, given, texts, budget) => {
        const sources = texts.map((text, nth) => sourceOf(textResult(text), `${nth}`.padEnd(12, '0')))
        const answer = ask(kind, given as JsonObject, sources, budget)
        expect(textOf(answer).length).toBeLessThanOrEqual(budget)
        if (answer.whole === undefined) expect(answer.text).toHaveLength(1)
      },
    ),
    { numRuns: runs(300) },
  )
})

describe('an answer that was kept has the rows it had', () => {
  const columns = Array.from({ length: 300 }, (_, n) => `name${n},kind,place`)
  test.each<[string, Query['kind'], JsonObject, Source]>([
    [
      'passages of several lines',
      'search',
      { pattern: 'ended', mode: 'context', context_lines: 1, context_type: 'lines', max_results: 100 },
      sourceOf(
        textResult(
          Array.from({ length: 300 }, (_, n) => (n % 9 ? `line ${n}` : `job ${n} ended`)).join('\n'),
        ),
      ),
    ],
    [
      'lines that look like a table',
      'filter',
      { where: ['line ~ kind'], limit: 1000 },
      sourceOf(textResult(columns.flatMap((line) => [line, `and ${line.length} words`]).join('\n'))),
    ],
    [
      'numbers',
      'filter',
      { where: ['value > 5'], limit: 5000 },
      sourceOf(jsonResult(Array.from({ length: 3000 }, (_, n) => n))),
    ],
  ])('%s', (_, kind, params, source) => {
    const first = ask(kind, params, source, 600)
    const total = (answer: QueryAnswer): string | undefined =>
      / of ([\d,]+)(?:, next|$)/m.exec(textOf(answer).split('·').at(-1) ?? '')?.[1]
    expect(total(first)).toBeDefined()
    expect(total(ask('filter', {}, next(first), 600))).toBe(total(first))
  })
})
