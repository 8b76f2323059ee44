/** Clients that break the protocol, or leave in the middle. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { startLineClient, toolNames } from './support/line-client.ts'
import { descendantsOf, marked, nothingLives, onLinuxOnly } from './support/processes.ts'
import { fixture, handleOf, temporaryDirectory, textOf } from './support/world.ts'

const servers = { f: fixture('f') }

verifies(
  'S2.7 S2.1',
  'lines that are no requests are refused or skipped, and the session goes on',
  async () => {
    const client = startLineClient({ servers: { ...servers, g: fixture('g') } })
    // No request is answered before initialize.
    await expect(client.request('tools/list')).rejects.toMatchObject({ code: -32600 })
    await client.open()
    const noise = [
      'garbage',
      '{"jsonrpc":"2.0","id":1',
      '[]',
      'null',
      '42',
      '"text"',
      '[1,2]',
      '{}',
      '{"jsonrpc":"2.0","id":900001}',
      '{"jsonrpc":"2.0","id":900002,"method":5}',
      '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
      '{"jsonrpc":"2.0","id":900003,"result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}',
      '{"jsonrpc":"2.0","method":"notifications/nothing","params":[1]}',
      '{"jsonrpc":"2.0","id":900004,"method":"__proto__"}',
      '{"jsonrpc":"2.0","id":900005,"method":"tools/call","params":"text"}',
      '{"jsonrpc":"2.0","id":900006,"method":"tools/call","params":{"name":7}}',
      '{"jsonrpc":"2.0","id":900007,"method":"tools/call","params":{"name":"proxy_filter","arguments":"text"}}',
      `{"jsonrpc":"2.0","id":900008,"method":"${'m'.repeat(1_000_000)}"}`,
      `{"jsonrpc":"2.0","id":900009,"method":"ping","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      '\u0000\u0001',
      '',
    ]
    for (const line of noise) client.write(`${line}\n`)
    expect(await client.request('ping')).toEqual({})
    expect(textOf(await client.call('f_text', { size: 3 }))).toBe('aaa')
    expect(client.strays).toEqual([])
    // The first two lines have no id to answer to.
    const codes = client.unasked.map(({ error }) => (error as { code: number } | undefined)?.code)
    expect(codes).toContain(-32700)
    const answered = (id: number): unknown => client.unasked.find((message) => message.id === id)?.error
    expect(answered(900_004)).toMatchObject({ code: expect.any(Number) })
    expect(answered(900_006)).toMatchObject({ code: -32602 })
    expect(JSON.stringify(client.unasked).length).toBeLessThan(20_000)
    expect((await client.end()).code).toBe(0)
  },
)

verifies(
  'S2.7',
  'unknown methods, tools, prompts and resources are errors of the protocol that name them',
  async () => {
    const client = startLineClient({ servers: { ...servers, g: fixture('g') } })
    await client.open()
    await expect(client.request('no/such')).rejects.toMatchObject({ code: -32601 })
    await expect(client.call('f_txet')).rejects.toThrow(/Unknown tool: f_txet\. Did you mean f_text/)
    await expect(client.call('constructor')).rejects.toThrow(/Unknown tool/)
    await expect(client.request('prompts/get', { name: '__proto__' })).rejects.toThrow(/Unknown prompt/)
    await expect(client.request('tools/list', { cursor: 'made up' })).rejects.toMatchObject({ code: -32602 })
    expect(await client.request('ping')).toEqual({})
  },
)

for (const signal of [undefined, 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  verifies(
    'S3.35 S1.51',
    `calls, queries and large results under way do not delay ${signal ?? 'the end of input'}`,
    async () => {
      const mark = randomUUID()
      const busy = { f: { ...fixture('f'), env: marked(mark) } }
      const client = startLineClient({ servers: busy, settings: { log: { level: 'error' } } })
      await client.open()
      await toolNames(client)
      const handle = handleOf(await client.call('f_records', { count: 20_000, pad: 200 }))
      const first = client.call('proxy_search', { cache_id: handle, pattern: 'name 1' })
      const pending = [
        client.call('f_never'),
        client.call('f_records', { count: 30_000, pad: 300 }),
        ...['(?=(x+x+)+y)', '(.*)\\1\\1\\1y', '(?<=q)(x|xx)+z'].map((pattern) =>
          client.call('proxy_search', { cache_id: handle, pattern }),
        ),
      ]
      for (const one of pending) one.catch(() => {})
      // Questions about one result are answered one after the other: when this one has its answer, the next is under way.
      await first
      const below = descendantsOf(client.pid)
      const ended = await client.end(signal)
      // Code 1 would say that closing took too long: each of these alone takes far longer.
      expect(ended, client.stderr()).toMatchObject({ code: 0, signal: null })
      await nothingLives(mark, [client.pid, ...below])
      expect(client.strays).toEqual([])
    },
    onLinuxOnly,
  )
}

verifies('S2.5 S3.31', 'two proxies at once on one data directory do not disturb each other', async () => {
  const directory = temporaryDirectory()
  const clients = [1, 2].map(() =>
    startLineClient({ servers, directory, settings: { maxEntriesPerAgent: 2 } }),
  )
  await Promise.all(clients.map((client) => client.open()))
  const handles = await Promise.all(
    clients.map(async (client, which) => {
      const kept: string[] = []
      for (let n = 0; n < 6; n++)
        kept.push(handleOf(await client.call('f_records', { count: 300 + 10 * n + which })))
      return kept
    }),
  )
  await Promise.all(
    clients.map(async (client, which) => {
      for (const [n, cache_id] of (handles[which] ?? []).entries()) {
        const answer = await client.call('proxy_filter', { cache_id, aggregate: 'count' })
        expect(textOf(answer)).toContain(String(300 + 10 * n + which))
      }
    }),
  )
  for (const client of clients) expect((await client.end()).code).toBe(0)
  // Both were the same person's one local client: a third finds what either kept.
  const third = startLineClient({ servers, directory })
  await third.open()
  for (const cache_id of handles.flat()) {
    const answer = await third.call('proxy_filter', { cache_id, aggregate: 'count' })
    expect(answer.isError, textOf(answer)).toBeFalsy()
  }
})
