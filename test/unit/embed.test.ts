import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport as SdkTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { createGateway, defineModule, type Gateway, type Transport } from '../../src/index.ts'
import { toolServer } from '../support/embedded.ts'
import { temporaryFolder } from '../support/upstream.ts'

const ROWS = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, state: id % 5 ? 'done' : 'open' })))

function server() {
  return toolServer({
    rows: { run: () => ROWS },
    small: { run: (args) => `hello ${args.name}` },
  })
}

async function gatewayOf(options: Parameters<typeof createGateway>[0] = {}): Promise<Gateway> {
  const gateway = await createGateway({
    mcpServers: { data: server().serve },
    ...options,
    proxySettings: {
      dataDir: temporaryFolder(),
      ...('proxySettings' in options ? options.proxySettings : {}),
    },
  })
  onTestFinished(() => gateway.close())
  return gateway
}

async function clientOf(transport: SdkTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return client
}

async function connected(gateway: Gateway): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  await gateway.connect(far as Transport)
  return clientOf(near)
}

const textOf = (result: object): string => JSON.stringify(result)
const handleOf = (result: object): string => /cache_id\W+([0-9a-z]{12})/.exec(textOf(result))?.[1] ?? ''
const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args })

/** Calls the gateway by its web handler, as a client of the SDK. */
function overFetch(gateway: Gateway, base = 'http://localhost'): SdkTransport {
  return new StreamableHTTPClientTransport(new URL('/mcp', base), {
    fetch: (url, init) => gateway.fetch(new Request(url, init as RequestInit)),
  }) as SdkTransport
}

test('nothing is required, and what is kept lies in the home directory', async () => {
  const home = temporaryFolder()
  for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const gateway = await createGateway()
  onTestFinished(() => gateway.close())
  const { tools } = await (await connected(gateway)).listTools()
  expect(readdirSync(home)).toEqual(['.mcpproxy'])
  expect(tools.map(({ name }) => name)).toEqual([
    'proxy_filter',
    'proxy_search',
    'proxy_explore',
    'proxy_code',
  ])
})

test('a client of this process calls tools, and asks questions about a large result', async () => {
  const client = await connected(await gatewayOf())
  expect(textOf(await call(client, 'data_small', { name: 'you' }))).toContain('hello you')
  const preview = await call(client, 'data_rows')
  const answer = await call(client, 'proxy_filter', {
    cache_id: handleOf(preview),
    where: ['state = open'],
    aggregate: 'count',
  })
  expect(textOf(answer)).toContain('100')
})

test('each client of this process owns its results, and one that leaves takes no other along', async () => {
  const gateway = await gatewayOf()
  const [one, two] = [await connected(gateway), await connected(gateway)]
  const handle = handleOf(await call(one, 'data_rows'))
  expect(handle).not.toBe('')
  expect(textOf(await call(one, 'proxy_explore', { cache_id: handle }))).not.toContain('no result')
  const foreign = textOf(await call(two, 'proxy_explore', { cache_id: handle }))
  const unknown = textOf(await call(two, 'proxy_explore', { cache_id: 'x'.repeat(handle.length) }))
  expect(foreign.replaceAll(handle, '')).toBe(unknown.replaceAll('x'.repeat(handle.length), ''))
  await one.close()
  expect(textOf(await call(two, 'data_small', { name: 'two' }))).toContain('hello two')
})

test('a gateway that is closed ends its clients, and takes no more', async () => {
  const gateway = await gatewayOf()
  const client = await connected(gateway)
  const left = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  await gateway.close()
  await left
  await expect(connected(gateway)).rejects.toThrow('The gateway is closed')
})

test('a program’s own module and entries of the configuration stand in one list', async () => {
  const shout = defineModule({
    name: 'shout',
    options: z.object({ mark: z.string().default('!') }),
    messages: ['tools/call'],
    create: ({ mark }) => ({
      wrap: (next) => async (exchange) => ({ ...(await next(exchange)), _meta: { mark } }),
    }),
  })
  const gateway = await gatewayOf({ modules: [shout, { use: 'block', tools: ['data_rows'] }] })
  const client = await connected(gateway)
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('data_rows')
  expect(await call(client, 'data_small', { name: 'you' })).toMatchObject({ _meta: { mark: '!' } })
})

test('bad options are told with their place and what is allowed', async () => {
  await expect(createGateway({ proxySettings: { maxResponseSize: 'much' } })).rejects.toThrow(
    /proxySettings\.maxResponseSize/,
  )
})

test('the web handler serves a client with sessions, streams and all', async () => {
  const gateway = await gatewayOf()
  const client = await clientOf(overFetch(gateway))
  const preview = await call(client, 'data_rows')
  const answer = await call(client, 'proxy_search', { cache_id: handleOf(preview), pattern: '"id":499' })
  expect(textOf(answer)).toContain('499')
  await client.close()
})

test('the web handler answers as a listener does: health, unknown paths, large bodies, foreign hosts', async () => {
  const gateway = await gatewayOf()
  const ask = (address: string, init?: RequestInit) => gateway.fetch(new Request(address, init))
  const health = await ask('http://localhost/healthz')
  expect([health.status, await health.text()]).toEqual([200, 'ok\n'])
  expect((await ask('http://localhost/elsewhere')).status).toBe(404)
  expect((await ask('http://attacker.example/mcp', { method: 'POST', body: '{}' })).status).toBe(403)
  const foreign = { method: 'POST', body: '{}', headers: { origin: 'http://attacker.example' } }
  expect((await ask('http://localhost/mcp', foreign)).status).toBe(403)
  const large = {
    method: 'POST',
    body: 'x'.repeat(20_000_000),
    headers: { 'content-type': 'application/json' },
  }
  expect((await ask('http://localhost/mcp', large)).status).toBe(413)
})

test('a request that is aborted rejects, and the next one is answered', async () => {
  const gateway = await gatewayOf()
  const gone = new Request('http://localhost/mcp', { signal: AbortSignal.abort() })
  await expect(gateway.fetch(gone)).rejects.toThrow()
  expect((await gateway.fetch(new Request('http://localhost/healthz'))).status).toBe(200)
})

test('the host that clients use is one of the configuration', async () => {
  const proxySettings = { auth: { publicUrl: 'https://tools.example' } }
  const gateway = await gatewayOf({ proxySettings })
  const client = await clientOf(overFetch(gateway, 'http://tools.example'))
  expect(textOf(await call(client, 'data_small', { name: 'you' }))).toContain('hello you')
})

test('no client is served where every machine on the network could connect', async () => {
  const gateway = await gatewayOf({ proxySettings: { host: '0.0.0.0' } })
  const response = await gateway.fetch(new Request('http://localhost/mcp'))
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('everybody')])
})

test('the handler of Node is mounted beside other pages', async () => {
  const gateway = await gatewayOf()
  const http = createServer((request, response) =>
    request.url?.startsWith('/mcp') ? gateway.node(request, response) : response.end('my page'),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const client = await clientOf(new StreamableHTTPClientTransport(new URL('/mcp', base)) as SdkTransport)
  expect(textOf(await call(client, 'data_small', { name: 'you' }))).toContain('hello you')
  expect(await (await fetch(base)).text()).toBe('my page')
  await client.close()
})

test('a request with a body that was read already is refused with what to do', async () => {
  const gateway = await gatewayOf()
  const http = createServer(async (request, response) => {
    await new Promise((resolve) => request.resume().once('end', resolve))
    gateway.node(request, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const response = await fetch(address, { method: 'POST', body: '{}' })
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringContaining('before what parses'),
  ])
})

test('layers and modules get a true AbortSignal, which aborts when the client cancels', async () => {
  const signals: AbortSignal[] = []
  const noted = (signal: AbortSignal): void => {
    if (!signals.includes(signal)) signals.push(AbortSignal.any([signal, new AbortController().signal]))
  }
  const module = defineModule({
    name: 'noting',
    options: z.object({}),
    create: () => ({
      wrap: (next) => (exchange) => {
        if (exchange.method === 'tools/call') noted(exchange.signal)
        return next(exchange)
      },
      list: ({ items }, { signal }) => {
        noted(signal)
        return items
      },
    }),
  })
  const slow = toolServer({ wait: { run: () => new Promise<string>(() => {}) } })
  const gateway = await createGateway(
    { mcpServers: { data: slow.serve }, modules: [module], proxySettings: { dataDir: temporaryFolder() } },
    {
      middlewares: [
        {
          name: 'layer',
          list: ({ items }, { signal }) => {
            noted(signal)
            return items
          },
          wrap: (next) => (exchange) => {
            noted(exchange.signal)
            return next(exchange)
          },
        },
      ],
    },
  )
  onTestFinished(() => gateway.close())
  const client = await connected(gateway)
  await client.listTools()
  const before = signals.length
  expect(before).toBeGreaterThanOrEqual(2)
  const leaving = new AbortController()
  const called = client.callTool({ name: 'data_wait', arguments: {} }, undefined, { signal: leaving.signal })
  await expect.poll(() => signals.length).toBeGreaterThanOrEqual(before + 2)
  leaving.abort()
  await expect(called).rejects.toThrow()
  await expect.poll(() => signals.slice(before).every(({ aborted }) => aborted)).toBe(true)
})
