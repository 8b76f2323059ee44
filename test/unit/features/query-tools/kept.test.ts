/** The results that a caller keeps: listed, and found by other words than a handle. */
import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Engine, Query, Source } from '../../../../src/engine/contract.ts'
import { createProxyTools } from '../../../../src/features/query-tools/index.ts'
import type { Agent } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { PROXY_TOOL_NAMES } from '../../../../src/proxy/own-tools.ts'
import { createDiskStore } from '../../../../src/store/disk.ts'
import { createMemoryStore } from '../../../../src/store/memory.ts'
import { createResultStore, type ResultStoreOptions } from '../../../../src/store/result-store.ts'
import { RESULT_STORE_DEFAULTS } from '../../../support/defaults.ts'
import { exchange, temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const ANN: Agent = { id: 'ann', kind: 'session' }
const ANONYMOUS: Agent = { id: 'anonymous', kind: 'anonymous' }

function world({
  budget = 8000,
  dialect,
  ...options
}: Partial<ResultStoreOptions> & { budget?: number; dialect?: 'dispatch' } = {}) {
  const clock = { now: 1_000_000 }
  const resultStore = createResultStore({
    ...RESULT_STORE_DEFAULTS,
    memory: createMemoryStore(),
    now: () => clock.now,
    onDrop() {},
    onError(error) {
      throw error
    },
    ...options,
  })
  onTestFinished(() => resultStore.close())
  const asked: { handles: string[]; query: Query }[] = []
  const engine = {
    query: async (sources: readonly Source[], query: Query) => {
      asked.push({ handles: sources.map(({ handle }) => handle), query })
      return { text: ['answer'], failed: false, steps: {}, originalTokens: 1, answerTokens: 1 }
    },
  } as unknown as Engine
  const tools = createProxyTools({
    resultStore,
    engine,
    budget,
    ownTools: PROXY_TOOL_NAMES,
    call: () => Promise.reject(new Error('nothing is called')),
    ...(dialect && { dialect }),
  })
  const ask = async (name: string, args: JsonObject, agent: Agent = ANN) => {
    const answer = await tools.find((tool) => tool.name === name)?.call(args, { ...exchange(), agent })
    const [block] = (answer?.content ?? []) as { text: string }[]
    return { text: block?.text ?? '', isError: answer?.isError }
  }
  const keep = async (
    tool: string,
    args: JsonObject = {},
    { agent = ANN, text = `${tool} ${JSON.stringify(args)}` } = {},
  ) => {
    clock.now += 60_000
    const content = new TextEncoder().encode(JSON.stringify({ content: [{ type: 'text', text }] }))
    const hash = createHash('sha256').update(content).digest('hex')
    const look = { shape: 'json: 900 records', tokens: 12_345 }
    const { handle } = await resultStore.keep(agent, {
      content,
      hash,
      origin: { tool, arguments: args },
      look,
    })
    return handle
  }
  return { resultStore, clock, asked, ask, keep }
}

verifies(
  'S3.15',
  'without parameters proxy_explore lists kept results, newest first, one per line',
  async () => {
    const { ask, keep } = world()
    const first = await keep('fs_read', {
      path: '/a',
      big: 'x'.repeat(100_000),
      list: [1, 2],
      deep: { a: { b: 1 } },
    })
    const second = await keep('db_query', { sql: 'select 1' })
    await keep('fs_read', { path: '/of another' }, { agent: { id: 'ben', kind: 'session' } })
    const { text, isError } = await ask('proxy_explore', {})
    const [title, newest, oldest, hint, ...more] = text.split('\n')
    expect(isError).toBeUndefined()
    expect(title).toBe('2 kept results, newest first:')
    expect(newest).toBe(
      `${second} db_query {"sql":"select 1"} · json: 900 records · 12,345 tokens · 1 min ago`,
    )
    expect(oldest).toContain(`${first} fs_read {"path":"/a","big":"xxx`)
    expect(oldest?.length).toBeLessThan(300)
    expect(hint).toBe(`Ask about one by its cache_id: proxy_filter {"cache_id": "${second}", …}`)
    expect(more).toEqual([])
    for (const nothing of [
      { cache_id: '', tool: '', arguments: {} },
      { cache_id: null },
      { cache_id: 'none' },
      { cache_id: [] },
    ])
      expect(await ask('proxy_explore', nothing)).toEqual({ text, isError })
  },
)

test('what is kept again is the newest, under the call that gave it last', async () => {
  const { ask, keep } = world()
  const first = await keep('fs_read', { path: '/a' }, { text: 'same' })
  await keep('db_query')
  expect(await keep('fs_read', { path: '/b' }, { text: 'same' })).toBe(first)
  const { text } = await ask('proxy_explore', {})
  expect(text.split('\n')[1]).toContain(`${first} fs_read {"path":"/b"}`)
})

test('a long list goes on page by page, within the budget, and loses none', async () => {
  const { ask, keep } = world({ budget: 1500, ttl: 1e9 })
  const handles = []
  for (let index = 0; index < 20; index++) handles.unshift(await keep('fs_read', { index }))
  const seen: string[] = []
  for (let args: JsonObject = {}; ; ) {
    const { text } = await ask('proxy_explore', args)
    expect(text.length).toBeLessThanOrEqual(1500)
    expect(text).toContain('20 kept results')
    seen.push(...[...text.matchAll(/^([0-9a-z]{12}) /gm)].map(([, handle]) => String(handle)))
    const next = /^Next page: proxy_explore (\{.*\})$/m.exec(text)?.[1]
    if (next === undefined) break
    args = JSON.parse(next)
  }
  expect(seen).toEqual(handles)
  expect((await ask('proxy_explore', { offset: 20 })).text).toContain('none at offset 20')
})

test('says that nothing is kept, and what to do', async () => {
  expect((await world().ask('proxy_explore', {})).text).toMatch(
    /^Nothing is kept for you now\..*proxy_explore \{"tool": /s,
  )
  const dispatch = world({ dialect: 'dispatch' })
  expect((await dispatch.ask('proxy_explore', {})).text).toContain(
    'proxy-dispatch {"action": "explore", "tool": ',
  )
  const { text } = await dispatch.ask('proxy_search', { cache_id: '000000000000', pattern: 'x' })
  expect(text).toContain('proxy-dispatch {"action": "search_result", "tool": ')
})

verifies('S3.15', 'last, the name of a tool, and * mean kept results', async () => {
  const { ask, keep, asked } = world()
  const old = await keep('fs_read_file', { path: '/old' })
  const read = await keep('fs_read_file', { path: '/new' })
  const query = await keep('db_query')
  const own = await keep('proxy_filter', { cache_id: query })
  const last = await ask('proxy_filter', { cache_id: 'last' })
  expect(last.text).toBe(`cache_id ${query} is the last result of db_query {}.\nanswer`)
  for (const name of ['fs_read_file', 'mcp__proxy__fs_read_file', 'read_file'])
    await ask('proxy_filter', { cache_id: name })
  await ask('proxy_filter', { cache_id: `${old}, last` })
  const all = await ask('proxy_search', { cache_id: '*', pattern: 'x' })
  expect(all.text).toBe('Asked of all 3 kept results.\nanswer')
  expect(asked.map(({ handles }) => handles)).toEqual([
    [query],
    [read],
    [read],
    [read],
    [old, query],
    [query, read, old],
  ])
  expect(own).toMatch(/^[0-9a-z]{12}$/)
  expect(await ask('proxy_filter', { cache_id: 'file' })).toMatchObject({
    text: `cache_id ${read} is the last result of fs_read_file {"path":"/new"}.\nanswer`,
  })
  const none = await ask('proxy_filter', { cache_id: 'nothing_like_it' })
  expect(none).toMatchObject({
    isError: undefined,
    text: expect.stringMatching(/^No kept result has cache_id/),
  })
})

test('a search of everything is bounded and says so; a filter is told what to write', async () => {
  const { ask, keep, asked } = world({ ttl: 1e9 })
  for (let index = 0; index < 18; index++) await keep('fs_read', { index })
  expect((await ask('proxy_search', { cache_id: '*', pattern: 'x' })).text).toBe(
    'Asked of the 16 newest of 18 kept results.\nanswer',
  )
  expect(asked[0]?.handles).toHaveLength(16)
  const { text, isError } = await ask('proxy_filter', { cache_id: '*' })
  expect(text).toMatch(
    /^18 results are kept, and one question takes at most 16\. .*"cache_id": "[0-9a-z]{12}, [0-9a-z]{12}"\.$/,
  )
  expect(isError).toBeUndefined()
})

verifies(
  'S3.15 S3.32',
  'an owner that several clients share has handles alone: nothing is listed or found by a word',
  async () => {
    const { ask, keep, asked } = world()
    const handle = await keep('fs_read', {}, { agent: ANONYMOUS })
    const list = await ask('proxy_explore', {}, ANONYMOUS)
    expect(list.text).toMatch(/^This proxy cannot tell you from its other clients/)
    for (const word of ['last', 'LATEST', '*', 'fs_read', `${handle}, last`])
      for (const name of PROXY_TOOL_NAMES) {
        const answer = await ask(name, { cache_id: word, pattern: 'x' }, ANONYMOUS)
        expect(answer.text).not.toContain(handle)
        if (name !== 'proxy_search') continue
        expect(answer).toEqual({ text: list.text, isError: undefined })
      }
    expect(asked).toEqual([])
    await ask('proxy_filter', { cache_id: handle }, ANONYMOUS)
    expect(asked.map(({ handles }) => handles)).toEqual([[handle]])
  },
)

verifies(
  'S3.15',
  'a handle that is unknown, expired or another’s is answered alike, and is no error',
  async () => {
    const { ask, keep, clock } = world()
    const foreign = await keep('fs_read', {}, { agent: { id: 'ben', kind: 'session' } })
    const gone = await keep('fs_read')
    clock.now += RESULT_STORE_DEFAULTS.ttl
    const answers = await Promise.all(
      [foreign, gone, 'ffffffffffff'].map(async (cache_id) => {
        const { text, isError } = await ask('proxy_filter', { cache_id })
        expect(isError).toBeUndefined()
        return text.replaceAll(cache_id, '')
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('Do not retry')
    expect((await ask('proxy_explore', {})).text).toMatch(/^Nothing is kept/)
  },
)

test('lists results of an earlier run, but not as the last one', async () => {
  const directory = temporaryFolder()
  const disk = (now: () => number) => createDiskStore({ directory, maxBytes: 1e9, maxAge: 1e9, now })
  const before = world({ backing: await disk(() => 1_000_000) })
  const handle = await before.keep('fs_read', { path: '/a' })
  await before.keep('fs_read', {}, { agent: { id: 'ben', kind: 'session' } })
  await before.resultStore.close()
  const after = world({ backing: await disk(() => 1_000_000) })
  after.clock.now += 3_600_000
  const { text } = await after.ask('proxy_explore', {})
  expect(text).toContain('1 kept result, newest first:')
  expect(text).toContain(
    `${handle} fs_read {"path":"/a"} · json: 900 records · 12,345 tokens · 59 min ago, in an earlier run`,
  )
  expect((await after.ask('proxy_filter', { cache_id: 'last' })).text).toMatch(
    /^No result of a server's tool is kept/,
  )
  await after.ask('proxy_filter', { cache_id: handle })
  expect(after.asked[0]?.handles).toEqual([handle])
})
