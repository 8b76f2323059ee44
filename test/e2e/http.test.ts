import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { fixture, handleOf, type ToolResult, textOf } from './support/world.ts'

const servers = { f: fixture('f') }

const MODERN = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const

async function connect(url: URL, options: object = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  await client.connect(new StreamableHTTPClientTransport(url))
  onTestFinished(() => client.close())
  return client
}

const call = async (client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> =>
  (await client.callTool({ name, arguments: args })) as ToolResult

verifies(
  'S3.33 S3.15',
  'two agents cannot read each other’s handles: a foreign one is as if it did not exist',
  async () => {
    const { url } = await startHttpProxy({ servers })
    const [anna, ben] = await Promise.all([connect(url), connect(url)])
    const [annas, bens] = await Promise.all([
      call(anna, 'f_records', { count: 300 }),
      call(ben, 'f_records', { count: 300 }),
    ])
    expect(handleOf(annas)).not.toBe(handleOf(bens))
    const foreign = await call(ben, 'proxy_filter', { cache_id: handleOf(annas), aggregate: 'count' })
    const unknown = await call(ben, 'proxy_filter', { cache_id: '0123456789ab', aggregate: 'count' })
    expect(textOf(foreign)).toContain('No kept result has cache_id')
    expect(textOf(foreign)).toBe(textOf(unknown).replaceAll('0123456789ab', handleOf(annas)))
    const taken = (handle: string) => call(ben, 'f_text', { size: { $from: handle, path: '$[5].id' } })
    expect(textOf(await taken(handleOf(bens)))).toBe('aaaaa')
    const refused = await taken(handleOf(annas))
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toBe(
      textOf(await taken('0123456789ab')).replaceAll('0123456789ab', handleOf(annas)),
    )
    const own = await call(ben, 'proxy_filter', { cache_id: handleOf(bens), aggregate: 'count' })
    expect(textOf(own)).toContain('300')
  },
)

verifies(
  'S3.33',
  'modern clients without a token share one owner and need the handle; sessions are separate owners',
  async () => {
    const { url } = await startHttpProxy({ servers })
    const [anna, ben, session] = await Promise.all([connect(url, MODERN), connect(url, MODERN), connect(url)])
    const handle = handleOf(await call(anna, 'f_records', { count: 300 }))
    const asked = async (client: Client, cache_id: string): Promise<string> =>
      textOf(await call(client, 'proxy_filter', { cache_id, aggregate: 'count' }))
    expect(await asked(ben, handle)).toContain('300')
    for (const other of ['0123456789ab', `${handle.slice(0, -1)}${handle.endsWith('0') ? '1' : '0'}`]) {
      expect(await asked(ben, other)).not.toContain(handle)
      expect(await asked(ben, other)).not.toContain('300')
    }
    const foreign = await asked(session, handle)
    expect(foreign).toBe((await asked(session, '0123456789ab')).replaceAll('0123456789ab', handle))
    const own = handleOf(await call(session, 'f_records', { count: 300 }))
    expect([handle.length, own.length]).toEqual([25, 12])
    expect(await asked(ben, own)).toBe((await asked(ben, '0123456789ab')).replaceAll('0123456789ab', own))
  },
)

verifies('S3.32', 'with isolation switched off all agents share one cache', async () => {
  const { url } = await startHttpProxy({ servers, settings: { enableAgentIsolation: false } })
  const [anna, ben] = await Promise.all([connect(url), connect(url)])
  const handle = handleOf(await call(anna, 'f_records', { count: 300 }))
  expect(textOf(await call(ben, 'proxy_filter', { cache_id: handle, aggregate: 'count' }))).toContain('300')
})

verifies('S1.38', 'clients of the 1.x line connect over streamable HTTP and over HTTP+SSE', async () => {
  const streamable = await startHttpProxy({ servers })
  const sse = await startHttpProxy({ servers, transport: 'sse' })
  for (const transport of [new LegacyTransport(streamable.url), new SSEClientTransport(sse.url)]) {
    const client = new LegacyClient({ name: 'legacy', version: '1.0.0' })
    await client.connect(transport as never)
    const result = (await client.callTool({ name: 'f_text', arguments: { size: 10 } })) as ToolResult
    expect(textOf(result)).toBe('a'.repeat(10))
    await client.close()
  }
})

verifies('S1.39', 'requests of web pages are refused: foreign Host, foreign Origin', async () => {
  const { url } = await startHttpProxy({ servers })
  const status = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(
        url,
        { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
      sent.once('error', reject)
      sent.end('{}')
    })
  expect(await status({ host: 'evil.example' })).toBe(403)
  expect(await status({ origin: 'https://evil.example' })).toBe(403)
  expect(await status({ origin: `http://localhost:${url.port}` })).not.toBe(403)
})

verifies('S2.1', 'unknown sessions get 404, requests without one 400', async () => {
  const { url } = await startHttpProxy({ servers })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(400)
  expect(
    (await fetch(url, { method: 'POST', headers: { ...headers, 'mcp-session-id': 'x' }, body })).status,
  ).toBe(404)
  expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(400)
  expect((await fetch(new URL('/healthz', url))).status).toBe(200)
})

verifies('S2.5', 'several proxies with different configurations run side by side on one host', async () => {
  const [one, two] = await Promise.all([
    startHttpProxy({ servers: { one: fixture('one') } }),
    startHttpProxy({ servers: { two: fixture('two') }, settings: { maxResponseSize: 200 } }),
  ])
  const [a, b] = await Promise.all([connect(one.url), connect(two.url)])
  expect(textOf(await call(a, 'one_text', { size: 300 }))).toBe('a'.repeat(300))
  expect(handleOf(await call(b, 'two_text', { size: 300 }))).toMatch(/^[0-9a-z]{12}$/)
})
