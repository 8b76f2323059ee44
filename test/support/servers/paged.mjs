/**
 * A server on standard input and output with tools that give collections in pages, in shapes of well-known services. The first argument is
 * JSON:
 * `records` (1,214), `failAt`: a page that is an error, `failsOnce`: only the first time; `delay`: milliseconds of an answer. `stats` tells which pages were asked for.
 */
import { createInterface } from 'node:readline'

const options = { records: 1214, delay: 0, ...JSON.parse(process.argv[2] ?? '{}') }
const asked = []
let abandoned = 0

const issue = (id) => ({
  id: 100_000 + id,
  number: id + 1,
  title: `Issue ${id + 1}: ${['crash on start', 'slow query', 'wrong total'][id % 3]}`,
  state: id % 3 === 0 ? 'open' : 'closed',
  comments: id % 17,
  user: { login: `user${id % 23}` },
  labels: id % 5 === 0 ? ['bug'] : [],
})
const issues = (from, to) =>
  Array.from({ length: Math.max(0, Math.min(to, options.records) - from) }, (_, at) => issue(from + at))

const number = (description, fallback) => ({
  type: 'integer',
  description,
  ...(fallback !== undefined && { default: fallback }),
})
const text = (description) => ({ type: 'string', description })
const READS = { readOnlyHint: true }

/** Each: its parameters, and a page as data or text. */
const TOOLS = {
  // Like a search of issues: counted, with numbers of pages.
  search_issues: {
    properties: { query: text('words'), page: number('page', 1), perPage: number('size', 30) },
    run: ({ page = 1, perPage = 30 }) => ({
      total_count: options.records,
      incomplete_results: false,
      items: issues((page - 1) * perPage, page * perPage),
    }),
  },
  // A bare list: only a page that is not full tells that it is the last.
  list_issues: {
    properties: { page: number('page'), perPage: number('size', 30) },
    run: ({ page = 1, perPage = 30 }) => issues((page - 1) * perPage, page * perPage),
  },
  // With a cursor that means nothing to anybody else.
  list_events: {
    properties: { cursor: text('where to go on'), limit: number('size') },
    run: ({ cursor, limit = 30 }) => {
      const from = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64url').toString())
      const next = from + limit
      const hasMore = next < options.records
      return {
        ok: true,
        events: issues(from, next),
        response_metadata: { next_cursor: hasMore ? Buffer.from(String(next)).toString('base64url') : '' },
      }
    },
  },
  // As GraphQL answers.
  query_nodes: {
    properties: { after: text('cursor'), first: number('size') },
    run: ({ after, first = 30 }) => {
      const from = after === undefined ? 0 : Number(after.slice(1)) + 1
      const to = Math.min(from + first, options.records)
      return {
        data: {
          repository: {
            issues: {
              totalCount: options.records,
              pageInfo: { hasNextPage: to < options.records, endCursor: `c${to - 1}` },
              nodes: issues(from, to),
            },
          },
        },
      }
    },
  },
  // By offset.
  search_jira: {
    properties: { startAt: number('offset'), maxResults: number('size') },
    run: ({ startAt = 0, maxResults = 50 }) => ({
      startAt,
      maxResults: Math.min(50, maxResults),
      total: options.records,
      issues: issues(startAt, startAt + Math.min(50, maxResults)),
    }),
  },
  // By the last record.
  list_charges: {
    properties: { starting_after: text('id of the last one'), limit: number('size') },
    run: ({ starting_after: after, limit = 30 }) => {
      const from = after === undefined ? 0 : Number(after) - 100_000 + 1
      return { object: 'list', has_more: from + limit < options.records, data: issues(from, from + limit) }
    },
  },
  // The address of the next page.
  list_links: {
    properties: { page: number('page'), page_size: number('size') },
    run: ({ page = 1, page_size: size = 30 }) => ({
      count: options.records,
      next:
        page * size < options.records
          ? `https://api.example.org/items/?page=${page + 1}&page_size=${size}`
          : null,
      previous: page > 1 ? `https://api.example.org/items/?page=${page - 1}` : null,
      results: issues((page - 1) * size, page * size),
    }),
  },
  // In words.
  list_words: {
    properties: { page: number('page') },
    run: ({ page = 1 }) =>
      [
        `Showing ${(page - 1) * 30 + 1}-${Math.min(page * 30, options.records)} of ${options.records.toLocaleString('en')} issues (page ${page} of ${Math.ceil(options.records / 30)})`,
        ...issues((page - 1) * 30, page * 30).map((one) => `- #${one.number} ${one.title} (${one.state})`),
      ].join('\n'),
  },
  endless: {
    properties: { cursor: text('where to go on') },
    run: ({ cursor = '0' }) => ({
      items: issues(Number(cursor) % 900, (Number(cursor) % 900) + 5).map((one) => ({
        ...one,
        id: Number(cursor) * 1000 + one.id,
      })),
      next_cursor: String(Number(cursor) + 1),
    }),
  },
  looping: {
    properties: { cursor: text('where to go on') },
    run: ({ cursor = 'a' }) => ({
      items: issues(cursor === 'a' ? 0 : 30, cursor === 'a' ? 30 : 60),
      next_cursor: cursor === 'a' ? 'b' : 'a',
    }),
  },
  // Has a parameter for pages and does nothing with it.
  deaf: {
    properties: { page: number('page') },
    run: () => ({ total: options.records, items: issues(0, 30) }),
  },
  // Says that more exists, and has no parameter for it.
  closed: {
    properties: { query: text('words') },
    run: () => ({ items: issues(0, 30), next_cursor: 'x', total_count: options.records }),
  },
  shifting: {
    properties: { page: number('page') },
    run: ({ page = 1 }) => ({
      total_count: 60,
      items: [
        ...issues((page - 1) * 30, page * 30),
        ...(page === 2 ? [issue(3), { ...issue(4), state: 'moved' }] : []),
      ],
    }),
  },
  // Changes something with each call, or does not say that it does not.
  pop_issues: {
    annotations: {},
    properties: { page: number('page') },
    run: ({ page = 1 }) => ({ total_count: options.records, items: issues((page - 1) * 30, page * 30) }),
  },
  stats: { properties: {}, run: () => ({ asked, abandoned }), isQuiet: true },
}

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const pending = new Map()

/** The number of the page that is asked for. */
function placeOf(name, { page, cursor }) {
  if (page !== undefined || 'page' in TOOLS[name].properties) return page ?? 1
  if (name !== 'list_events') return asked.filter((one) => one.name === name).length + 1
  return cursor === undefined ? 1 : Number(Buffer.from(cursor, 'base64url').toString()) / 30 + 1
}

async function call(id, { name, arguments: args = {} }) {
  const tool = TOOLS[name]
  const page = placeOf(name, args)
  if (!tool.isQuiet) asked.push({ name, place: page, at: Date.now(), ...args })
  if (options.delay && !tool.isQuiet) {
    const wait = new AbortController()
    pending.set(id, wait)
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, options.delay)
      wait.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        abandoned += 1
        resolve()
      })
    })
    pending.delete(id)
  }
  if (options.failAt === page && !tool.isQuiet) {
    if (options.failsOnce) options.failAt = undefined
    return { content: [{ type: 'text', text: `503: page ${page} could not be read` }], isError: true }
  }
  const data = tool.run(args)
  return { content: [{ type: 'text', text: typeof data === 'string' ? data : JSON.stringify(data) }] }
}

async function answer({ id, method, params }) {
  if (method === 'notifications/cancelled') pending.get(params.requestId)?.abort()
  if (id === undefined) return
  if (method === 'initialize')
    return send({
      jsonrpc: '2.0',
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'paged', version: '1' },
      },
    })
  if (method === 'tools/list') {
    const tools = Object.entries(TOOLS).map(([name, { properties, annotations = READS }]) => ({
      name,
      description: name,
      inputSchema: { type: 'object', properties, additionalProperties: false },
      annotations,
    }))
    return send({ jsonrpc: '2.0', id, result: { tools } })
  }
  if (method === 'tools/call') return send({ jsonrpc: '2.0', id, result: await call(id, params) })
  if (method === 'ping') return send({ jsonrpc: '2.0', id, result: {} })
  return send({ jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method}` } })
}

createInterface({ input: process.stdin }).on('line', (line) => void answer(JSON.parse(line)))
