/** Authentication over HTTP: clients of the SDK, tokens of the command line, an authorization server. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { ClientCredentialsProvider as LegacyProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import type { AnyClient } from './support/clients.ts'
import { runProxy } from './support/command.ts'
import { type HttpProxy, startHttpProxy } from './support/http-proxy.ts'
import { startIssuer } from './support/issuer.ts'
import { fixture, handleOf, temporaryDirectory, textOf, writeConfig } from './support/world.ts'

const servers = { f: fixture('f') }

/** How the clients of this test connect. */
const WAYS = ['1.x', '2.x', '2.x modern'] as const
type Way = (typeof WAYS)[number]

const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const

async function connect(way: Way, url: URL, options: object): Promise<AnyClient> {
  const info = { name: `test ${way}`, version: '1.0.0' }
  const client = way === '1.x' ? new LegacyClient(info) : new Client(info, way === '2.x' ? {} : modern)
  onTestFinished(() => client.close())
  const transport =
    way === '1.x' ? new LegacyTransport(url, options) : new StreamableHTTPClientTransport(url, options)
  await client.connect(transport as never)
  return client as unknown as AnyClient
}

const bearing = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

interface Place {
  directory: string
  add(name: string): Promise<string>
  remove(name: string): Promise<void>
}

function place(options: Parameters<typeof writeConfig>[1]): Place {
  const directory = temporaryDirectory()
  const config = writeConfig(directory, options)
  const token = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProxy(['--config', config, 'token', ...words])
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  return {
    directory,
    add: (name) => token('add', name),
    remove: async (name) => void (await token('remove', name)),
  }
}

async function withTokens(more: object = {}): Promise<HttpProxy & Place & { anna: string; ben: string }> {
  const made = place({ servers })
  const anna = await made.add('anna')
  const ben = await made.add('ben')
  return { ...made, anna, ben, ...(await startHttpProxy({ servers, directory: made.directory, ...more })) }
}

const question = (cache_id: string) => ({ name: 'proxy_filter', arguments: { cache_id, aggregate: 'count' } })
const records = { name: 'f_records', arguments: { count: 300 } }

describe('with tokens of the command line', () => {
  test.each(WAYS)('a client (%s) that sends one is served; another is not', async (way) => {
    const { url, anna } = await withTokens()
    const client = await connect(way, url, bearing(anna))
    expect(textOf(await client.callTool({ name: 'f_text', arguments: { size: 5 } }))).toBe('aaaaa')
    await expect(connect(way, url, {})).rejects.toThrow()
    await expect(connect(way, url, bearing(`${anna}x`))).rejects.toThrow()
  })

  test('over HTTP+SSE as well', async () => {
    const { url, anna } = await withTokens({ transport: 'sse' })
    const client = new LegacyClient({ name: 'test', version: '1.0.0' })
    onTestFinished(() => client.close())
    await client.connect(new SSEClientTransport(url, bearing(anna)) as never)
    expect((await client.listTools()).tools.length).toBeGreaterThan(3)
    expect((await fetch(url)).status).toBe(401)
  })

  verifies('S3.33 S3.15', 'two principals cannot read each other’s handles, in any era', async () => {
    const { url, anna, ben } = await withTokens()
    for (const way of WAYS) {
      const annas = await connect(way, url, bearing(anna))
      const bens = await connect(way, url, bearing(ben))
      const handle = handleOf(await annas.callTool(records))
      const foreign = await bens.callTool(question(handle))
      const unknown = await bens.callTool(question('0123456789ab'))
      expect(textOf(foreign)).toContain('No kept result has cache_id')
      expect(textOf(foreign)).toBe(textOf(unknown).replaceAll('0123456789ab', handle))
      expect(textOf(await annas.callTool(question(handle)))).toContain('300')
    }
  })

  verifies('S3.33', 'results of a principal outlive its session and are readable in every era', async () => {
    const { url, anna } = await withTokens()
    const first = await connect('1.x', url, bearing(anna))
    const handle = handleOf(await first.callTool(records))
    await first.close()
    for (const way of WAYS) {
      const later = await connect(way, url, bearing(anna))
      expect(textOf(await later.callTool(question(handle)))).toContain('300')
    }
  })

  test('a session of one principal is not there for another', async () => {
    const { url, anna, ben } = await withTokens()
    const client = new LegacyClient({ name: 'test', version: '1.0.0' })
    const transport = new LegacyTransport(url, bearing(anna))
    onTestFinished(() => client.close())
    await client.connect(transport as never)
    const status = async (token: string): Promise<number> => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': transport.sessionId ?? '',
          'mcp-protocol-version': '2025-11-25',
        },
        body: '{"jsonrpc":"2.0","id":"x","method":"ping"}',
      })
      await response.text()
      return response.status
    }
    expect(await status(anna)).toBe(200)
    expect(await status(ben)).toBe(404)
  })

  test('they are added and removed while the proxy runs', async () => {
    const { url, add, remove, ben } = await withTokens()
    const status = async (token: string): Promise<number> =>
      (await fetch(url, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } }))
        .status
    const carl = await add('carl')
    await expect.poll(() => status(carl)).toBe(400)
    expect(await status(ben)).toBe(400)
    await remove('ben')
    await expect.poll(() => status(ben)).toBe(401)
    expect(await status(carl)).toBe(400)
  })
})

describe('with an authorization server', () => {
  test.each(WAYS)('a client (%s) finds it by the proxy’s own words and is served', async (way) => {
    const issuer = await startIssuer()
    const settings = { auth: { issuer: issuer.url, requiredScopes: ['tools'] } }
    const { url } = await startHttpProxy({ servers, settings })
    const options = { clientId: 'agent', clientSecret: 'sesame' }
    const authProvider =
      way === '1.x'
        ? // It asks for the scopes it was made with, whatever it is told.
          new LegacyProvider({ ...options, expectedIssuer: issuer.url, scope: 'tools' })
        : new ClientCredentialsProvider({ ...options, expectedIssuer: issuer.url })
    const client = await connect(way, url, { authProvider })
    expect(textOf(await client.callTool({ name: 'f_text', arguments: { size: 5 } }))).toBe('aaaaa')
    expect(issuer.asked.map((form) => [form.get('resource'), form.get('scope')])).toEqual([
      [url.href, 'tools'],
    ])
  })

  test.each(WAYS)('a client (%s) with a token for another server is not', async (way) => {
    const issuer = await startIssuer()
    const { url } = await startHttpProxy({ servers, settings: { auth: { issuer: issuer.url } } })
    const good = await issuer.token({ sub: 'anna', aud: url.href })
    await connect(way, url, bearing(good))
    const other = await issuer.token({ sub: 'anna', aud: 'http://127.0.0.1:1/mcp' })
    await expect(connect(way, url, bearing(other))).rejects.toThrow()
  })

  verifies('S3.33', 'two subjects are two, and one with two tokens is one', async () => {
    const issuer = await startIssuer()
    const { url } = await startHttpProxy({ servers, settings: { auth: { issuer: issuer.url } } })
    const as = async (claims: object): Promise<AnyClient> =>
      connect('2.x', url, bearing(await issuer.token({ aud: url.href, ...claims })))
    const handle = handleOf(await (await as({ sub: 'anna' })).callTool(records))
    expect(textOf(await (await as({ sub: 'anna', jti: '2' })).callTool(question(handle)))).toContain('300')
    expect(textOf(await (await as({ sub: 'ben' })).callTool(question(handle)))).toContain(
      'No kept result has cache_id',
    )
  })
})

/** An MCP server of the legacy era that remembers all it is sent. */
async function listeningServer(): Promise<{ url: string; heard(): string }> {
  let heard = ''
  const answer = async (request: IncomingMessage): Promise<object | undefined> => {
    heard += `${request.method} ${request.url} ${request.rawHeaders.join(' ')}\n`
    let body = ''
    for await (const chunk of request) body += chunk
    heard += `${body}\n`
    const { id, method, params } = body === '' ? {} : JSON.parse(body)
    if (id === undefined) return undefined
    const result = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'ears', version: '1' },
      },
      'tools/list': { tools: [{ name: 'hear', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'heard' }] },
    }[method as string]
    const error = { code: -32601, message: 'Method not found' }
    return { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }
  }
  const server = createServer(async (request, response) => {
    const said = await answer(request)
    if (request.method !== 'POST') response.writeHead(405).end()
    else if (said === undefined) response.writeHead(202).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, heard: () => heard }
}

test('the token of a client is in no line of the log and in no request to a server', async () => {
  const ears = await listeningServer()
  const issuer = await startIssuer()
  const all = { servers: { ears: { url: ears.url }, f: fixture('f') } }
  const { directory, add } = place(all)
  const anna = await add('anna')
  const file = join(directory, 'proxy.log')
  const settings = { log: { level: 'debug', file }, auth: { issuer: issuer.url } }
  const proxy = await startHttpProxy({ ...all, directory, settings })
  const signed = await issuer.token({ sub: 'anna', aud: proxy.url.href })
  for (const token of [anna, signed]) {
    for (const way of WAYS) {
      const client = await connect(way, proxy.url, bearing(token))
      expect(textOf(await client.callTool({ name: 'ears_hear', arguments: {} }))).toBe('heard')
      await client.close()
    }
    await fetch(`${proxy.url.href}?access_token=${token}`)
    await fetch(proxy.url, { headers: { authorization: `Bearer ${token}z` } })
    await fetch(proxy.url, { headers: { authorization: `Basic ${token}` } })
  }
  const log = readFileSync(file, 'utf8') + proxy.stderr()
  expect(log).toContain('a client was refused')
  expect(ears.heard()).toContain('tools/call')
  for (const secret of [anna.slice(4), signed.split('.')[1] ?? '', signed.split('.')[2] ?? '']) {
    expect(secret.length).toBeGreaterThan(20)
    for (const place of [log, ears.heard()]) expect(place).not.toContain(secret)
  }
})

test('other machines are not served unasked: the proxy does not start, and says the ways out', async () => {
  const { directory } = place({ servers })
  const args = [
    '--config',
    join(directory, 'mcp.json'),
    '--transport',
    'http',
    '--host',
    '0.0.0.0',
    '--port',
    '0',
  ]
  const { code, stdout, stderr } = await runProxy(args)
  expect(code).not.toBe(0)
  expect(stdout).toBe('')
  for (const way of ['token add', '"auth"', '--allow-unauthenticated']) expect(stderr).toContain(way)
})
