import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinPages } from '../../../src/documents/paging/join.ts'
import { lookAtPage } from '../../../src/engine/pages.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { bytesOf, jsonResult, textResult } from '../engine/world.ts'

const records = (count: number, from = 0): JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ id: from + at, title: `Title ${from + at}` }))

const schemaOf = (...names: string[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
})

function look(value: JsonValue, args: JsonObject = {}, schema: JsonObject = { type: 'object' }) {
  return lookAtPage(bytesOf(jsonResult(value)), { args, schema })
}

const said = (text: string, args: JsonObject = {}) => lookAtPage(bytesOf(textResult(text)), { args }).standing

describe('what a result says of its collection', () => {
  const items = records(30)
  const partial: [string, JsonObject][] = [
    ['a total', { total_count: 1214, items }],
    ['a total beside a size', { total: 1214, limit: 30, offset: 0, items }],
    ['a total in an object of its own', { data: items, pagination: { total: 1214, per_page: 30 } }],
    ['a total beside a place and a size', { startAt: 0, maxResults: 30, total: 1214, issues: items }],
    [
      'a total with how exact it is',
      { took: 3, hits: { total: { value: 1214, relation: 'gte' }, hits: items } },
    ],
    ['hits of a search', { hits: { total: { value: 1214, relation: 'eq' }, hits: items }, has_more: true }],
    [
      'a total in an object of the envelope that is called like the list',
      { meta: { license: 'x', results: { skip: 0, limit: 30, total: 1214 } }, results: items },
    ],
    [
      'a total beside a link to the next page',
      { type: 'searchset', total: 1214, link: [{ relation: 'next', url: 'https://x.test/y' }], entry: items },
    ],
    ['a total of features', { type: 'x', numberMatched: 1214, numberReturned: 30, features: items }],
    [
      'edges of a graph',
      { data: { repo: { list: { totalCount: 1214, pageInfo: { hasNextPage: true }, nodes: items } } } },
    ],
  ]
  test.each(partial)('%s', (_, value) => {
    expect(look(value).standing).toBe('PARTIAL: 30 of 1,214')
  })

  const more: [string, JsonObject][] = [
    ['a cursor', { items, nextCursor: 'abc' }],
    ['a token', { items, nextPageToken: 'abc' }],
    ['a cursor beside', { channels: items, response_metadata: { next_cursor: 'abc' } }],
    ['a flag', { items, has_more: true }],
    ['an iterator', { records: items, offset: 'itrZ6b4m/rec0aB' }],
    ['an address', { items, _links: { next: { href: 'https://x.test/?page=2' } } }],
    ['an address of OData', { value: items, '@odata.nextLink': 'https://x.test/?$skip=30' }],
    ['a flag that this is not the last', { content: items, last: false }],
    ['a cursor of a page of pages', { results: items, paging: { next: { after: '30' } } }],
  ]
  test.each(more)('%s', (_, value) => {
    expect(look(value).standing).toBe('PARTIAL: 30 records, and more follow')
  })

  test('a feed of XML', () => {
    const entries = items.map(({ id }) => `<entry><id>${String(id)}</id><title>t</title></entry>`).join('')
    const feed = (beside: string) =>
      `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">${beside}${entries}</feed>`
    const total = '<opensearch:totalResults xmlns:opensearch="http://x.test/">1214</opensearch:totalResults>'
    expect(said(feed(total))).toBe('PARTIAL: 30 of 1,214')
    const links = '<link rel="self" href="https://x.test/?p=1"/><link rel="next" href="https://x.test/?p=2"/>'
    expect(said(feed(links))).toBe('PARTIAL: 30 records, and more follow')
    expect(said(feed('<link rel="self" href="x"/><link rel="alternate" href="y"/>'))).toBeUndefined()
  })

  const complete: JsonObject[] = [
    { items, total_count: 30 },
    { items, has_more: false },
    { items, next_cursor: null },
    { items, next: null, count: 30 },
    { items, pageInfo: { hasNextPage: false, endCursor: 'x' } },
    { items, total: 30, links: [{ rel: 'next', href: 'https://x.test/?page=2' }] },
  ]
  test.each(complete)('that it is all: %o', (value) => {
    expect(look(value).standing).toBe('COMPLETE: 30 records')
    expect(look(value, {}, schemaOf('cursor', 'page', 'offset')).rest).toBeUndefined()
  })

  test('the last page is no collection', () => {
    expect(look({ items, has_more: false }, { cursor: 'x' }).standing).toBe('PARTIAL: the last 30 records')
    expect(look({ items, has_more: false }, { page: 41 }).standing).toBe('PARTIAL: the last 30 records')
  })

  test('what only looks like it says nothing', () => {
    expect(look({ total: 1500, items }).standing).toBeUndefined()
    expect(
      look({ total: 1500, items, links: [{ rel: 'next', href: '/chapters/2' }] }).standing,
    ).toBeUndefined()
    expect(look(items).standing).toBeUndefined()
    expect(look({ items, more: 'text', next: 'the next step is to rest' }).standing).toBeUndefined()
    expect(look({ cursor: null, page: 'about', items }).standing).toBeUndefined()
    expect(said('On page 3 of the book, 5 of 20 people were there.\nAll was well.') ?? '').not.toContain(
      'COMPLETE',
    )
  })

  test('words', () => {
    expect(said('Showing 1-30 of 1,214 issues\n- one\n- two')).toBe('PARTIAL: 30 of 1,214')
    expect(said('Returned 30 of 1214 results\n- one')).toBe('PARTIAL: 30 of 1,214')
    expect(said('- one\n- two\n\nPage 1 of 41')).toBe('PARTIAL: page 1 of 41')
    expect(said('- one\n\nNext cursor: eyJh=')).toContain('more follow')
    expect(said('- one\n\nnext_cursor: null')).toContain('COMPLETE')
    expect(
      said('- one\nlink: <https://x.test/?page=2>; rel="next", <https://x.test/?page=41>; rel="last"'),
    ).toContain('more follow')
  })

  describe('words in records are no words of the server', () => {
    const lines = (count: number, line: (at: number) => string): string =>
      Array.from({ length: count }, (_, at) => line(at)).join('\n')
    const logged = (words: string) =>
      lines(40, (at) => `2026-05-01T08:00:${10 + at}Z INFO crawler: ${at === 3 ? words : `message ${at}`}`)
    const crawl = lines(
      40,
      (at) => `2026-05-01T08:00:${10 + at}Z INFO crawler: fetched page ${(at % 7) + 1} of 7`,
    )
    const chat = (first: string) =>
      `03/11/2025, 08:01 - Ana: ${first}\n${lines(40, (at) => `05/11/2025, 08:${10 + at} - Bo: message ${at}`)}`
    const cards = (read: string) => lines(20, (at) => `Name: n${at}\nRead: ${read}\nPrice: ${at}\n`)

    test.each([
      ['a log', crawl],
      ['one line of a log', logged('fetched page 1 of 7')],
      ['a log of results', logged('showing 5 of 20 rows')],
      ['a log of a job', logged('next cursor: abc, there are more results')],
      ['a message before a date', chat('Please open the page')],
      ['a message', chat('see page 3 of 7')],
      ['a field of cards', cards('page 5 of 300')],
      ['the last lines of cards', `${cards('all')}\nName: x\nRead: yes\nPrice: on page 3 of 9\n`],
      ['a column of a table', `id,note,n\n${lines(40, (at) => `${at},page 1 of 7,2`)}`],
      ['lines that are anything', lines(40, (at) => `fetched page ${(at % 7) + 1} of 7`)],
      ['all pages of a text', 'Words of it.\nPage 1 of 2\nMore words of it.\nPage 2 of 2\n'],
      ['a page, then a date', 'Please open the page\n05/11/2025 at noon\nand page 05/11/2025'],
    ])('%s', (_, text) => {
      expect(said(text)).toBeUndefined()
    })

    test.each([
      ['a log', logged('x')],
      ['a chat', chat('hello')],
      ['cards', cards('all')],
      ['a table', `id,note,n\n${lines(40, (at) => `${at},b,2`)}`],
      ['a list', lines(40, (at) => `${at + 1}. Item ${at}\n   Status: open`)],
    ])('above and below %s they are', (_, text) => {
      const told = expect.stringContaining('PARTIAL')
      for (const words of ['Page 1 of 41', 'There are more results available.', 'Next cursor: eyJh='])
        for (const whole of [
          `${words}\n\n${text}`,
          `${words}\n${text}`,
          `${text}\n\n${words}`,
          `${text}\n${words}`,
        ])
          expect(said(whole), whole.slice(0, 60)).toEqual(told)
      expect(said(`Page 1 of 41\n\n${text}\n\nPage 1 of 41`)).toEqual(told)
    })
  })

  test('nothing that a server sends throws, and no text takes long', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, args) => {
        const given = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {}
        lookAtPage(bytesOf(jsonResult(value as JsonValue)), {
          args: given as JsonObject,
          schema: { properties: given } as JsonObject,
        })
        lookAtPage(bytesOf(textResult(JSON.stringify(value))), { args: {} })
      }),
    )
    for (const piece of ['showing 1', 'page ', '<', 'next cursor ', 'of 1 ', 'first 9'])
      expect(() => said(piece.repeat(100_000))).not.toThrow()
  })
})

describe('how the rest is asked for', () => {
  const items = records(30)
  const rest = (value: JsonValue, args: JsonObject, ...names: string[]) =>
    look(value, args, schemaOf(...names)).rest

  test('a cursor goes to the parameter that takes it', () => {
    expect(rest({ items, nextCursor: 'abc' }, { q: 'x' }, 'q', 'cursor')).toEqual({
      calls: [{ q: 'x', cursor: 'abc' }],
      known: false,
    })
    expect(rest({ items, nextPageToken: 'abc' }, {}, 'page_token', 'cursor')?.calls).toEqual([
      { page_token: 'abc' },
    ])
    expect(
      rest({ nodes: items, pageInfo: { hasNextPage: true, endCursor: 'abc' } }, {}, 'first', 'after')?.calls,
    ).toEqual([{ after: 'abc' }])
  })

  test('nothing is asked for that the schema does not have', () => {
    expect(rest({ items, nextCursor: 'abc', total: 900 }, {}, 'query')).toBeUndefined()
    expect(look({ items, nextCursor: 'abc' }, {}, {}).rest).toBeUndefined()
    fc.assert(
      fc.property(
        fc.subarray(['page', 'cursor', 'offset', 'limit', 'after', 'query', 'starting_after']),
        fc.subarray(['nextCursor', 'total', 'has_more', 'next_page', 'page', 'offset', 'next']),
        (names, members) => {
          const values: JsonObject = {
            nextCursor: 'abc',
            total: 90,
            has_more: true,
            next_page: 2,
            page: 1,
            offset: 0,
            next: 'https://x.test/?page=2&evil=1',
          }
          const value = {
            items,
            ...Object.fromEntries(members.map((member) => [member, values[member] ?? null])),
          }
          for (const call of rest(value, {}, ...names)?.calls ?? [])
            expect(names).toEqual(expect.arrayContaining(Object.keys(call)))
        },
      ),
    )
  })

  test('pages and offsets that are known are all worked out', () => {
    const pages = rest({ total_count: 1214, items }, { perPage: 30 }, 'page', 'perPage')
    expect(pages?.known).toBe(true)
    expect(pages?.calls.map(({ page }) => page)).toEqual(Array.from({ length: 40 }, (_, at) => at + 2))
    const offsets = rest({ total: 100, startAt: 0, maxResults: 30, issues: items }, {}, 'startAt')
    expect(offsets?.calls).toEqual([{ startAt: 30 }, { startAt: 60 }, { startAt: 90 }])
    const nought = rest({ totalPages: 3, page: 0, items }, {}, 'page')
    expect(nought?.calls).toEqual([{ page: 1 }, { page: 2 }])
  })

  test('of a bare list only a full page has one behind it', () => {
    expect(rest(items, { per_page: 30 }, 'page', 'per_page')?.calls).toEqual([{ per_page: 30, page: 2 }])
    expect(rest(items, { per_page: 50 }, 'page', 'per_page')).toBeUndefined()
    expect(rest(items, {}, 'page', 'per_page')).toBeUndefined()
  })

  test('where the place that was asked for cannot be read, nothing is counted on from it', () => {
    const $from = 'a'.repeat(25)
    for (const page of [{ $from }, `{"$from":"${$from}"}`, 'last'])
      expect(rest({ total_count: 300, items }, { page }, 'page')).toBeUndefined()
    expect(rest({ total_count: 300, items }, { offset: { $from } }, 'offset')).toBeUndefined()
    expect(rest({ total_count: 60, items }, { page: null }, 'page')?.calls).toEqual([{ page: 2 }])
  })

  test('a value is of the type that the parameter has', () => {
    const schema = { properties: { page: { type: 'string' } } }
    expect(look({ total_count: 60, items }, {}, schema).rest?.calls).toEqual([{ page: '2' }])
  })
})

describe('pages in one', () => {
  test('keep what is around the records of the last page, and records in their order', () => {
    const pages = [records(3), records(3, 3)].map((items, at) =>
      jsonResult({ page: at + 1, items, next: at === 0 ? 'x' : null }),
    )
    const { result, records: count } = joinPages(pages, ['items'])
    expect(JSON.parse(String((result.content as JsonObject[])[0]?.text))).toEqual({
      page: 2,
      items: records(6),
      next: null,
    })
    expect(count).toBe(6)
  })

  test('records that came again appear once, and records that changed in both versions', () => {
    const pages = [records(3), [...records(2, 2), { id: 0, title: 'changed' }]].map((items) =>
      jsonResult(items),
    )
    expect(joinPages(pages, [])).toMatchObject({ records: 5, repeated: 1, changed: 1, key: 'id' })
  })

  test('records that nothing tells apart are all kept', () => {
    const pages = [1, 2].map(() => jsonResult([{ a: 1 }, { a: 1 }]))
    expect(joinPages(pages, [])).toMatchObject({ records: 4, repeated: 0 })
  })

  test('names that are special in JavaScript are names', () => {
    const page = textResult('{"__proto__":{"items":[{"id":1}]}}')
    const { result } = joinPages([page, page], ['__proto__', 'items'])
    expect((result.content as JsonObject[])[0]?.text).toBe('{"__proto__":{"items":[{"id":1}]}}')
  })

  test('texts stand one below the other, a heading of a table once', () => {
    const pages = ['id,name\n1,a\n', 'id,name\n2,b\n'].map((text) => textResult(text))
    expect(joinPages(pages, undefined).result.content).toEqual([{ type: 'text', text: 'id,name\n1,a\n2,b' }])
  })
})
