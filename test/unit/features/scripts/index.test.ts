/** Gateways of this process over real servers, asked by scripts. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../../../../src/config/load-program.ts'
import { bridgeToken } from '../../../../src/features/scripts/index.ts'
import { createGateway, type Gateway } from '../../../../src/gateway.ts'
import type { Logger } from '../../../../src/observe/log.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { stdioServer, temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const PATIENT = { connect: { timeoutMs: 120_000, listWaitMs: 120_000 } }

interface World {
  gateway: Gateway
  url: string | undefined
  bridge: string | undefined
  dataDir: string
  token: string
  logged: string[]
  ask(path: string, body?: JsonObject): Promise<{ status: number; body: JsonObject }>
  get(path: string, from?: string): Promise<Response>
}

async function world(settings: JsonObject, servers: object = { f: stdioServer({}) }): Promise<World> {
  const dataDir = temporaryFolder()
  const logged: string[] = []
  const log = (fields: object, message: string): void => {
    logged.push(`${JSON.stringify(fields)} ${message}`)
  }
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  const proxySettings = { dataDir, port: 0, ...PATIENT, bridge: { enabled: true, tools: ['*'] }, ...settings }
  const gateway = await createGateway(parseConfig({ mcpServers: servers as JsonObject, proxySettings }), {
    input: new PassThrough(),
    output: new PassThrough(),
    logger,
  })
  onTestFinished(() => gateway.close())
  const { url, bridge } = await gateway.start()
  const file = join(dataDir, 'bridge-token')
  const token = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    gateway,
    url,
    bridge,
    dataDir,
    token,
    logged,
    async ask(path, body = {}) {
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const answered = await fetch(`${bridge}${path}`, init)
      return { status: answered.status, body: (await answered.json()) as JsonObject }
    },
    get: (path, from = bridge) => fetch(`${from}${path}`, { headers }),
  }
}

verifies('S4.54 S4.39', 'over stdio the bridge has a listener of its own, and scripts find it', async () => {
  const { bridge, ask, get, dataDir, token, logged, gateway } = await world(
    {},
    { f: stdioServer({}), g: stdioServer({ tools: ['die'] }) },
  )
  expect(bridge).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/bridge$/)
  expect(readFileSync(join(dataDir, 'bridge-url'), 'utf8').trim()).toBe(bridge)
  expect(statSync(join(dataDir, 'bridge-url')).mode & 0o777).toBe(0o600)

  expect((await ask('/list')).body).toMatchObject({
    connections: [
      { alias: 'c1', name: 'f' },
      { alias: 'c2', name: 'g' },
    ],
  })
  expect((await ask('/search', { query: 'echo' })).body).toMatchObject({ tools: [{ name: 'echo' }] })
  const small = await ask('/call', { tool: 'echo', arguments: { a: [1] } })
  expect(small.body.result).toEqual({ content: [{ type: 'text', text: '{"a":[1]}' }] })

  // Larger than what is parsed on the event loop, and much larger than what is answered at once.
  const large = await ask('/call', { tool: 'big', arguments: { bytes: 300_000 } })
  expect(large.body).toMatchObject({ tool: 'big', bytes: expect.any(Number) })
  expect(JSON.stringify(large.body).length).toBeLessThan(300)
  const whole = await get(`/result/${large.body.cache_id}`)
  const bytes = await whole.text()
  expect([whole.status, bytes.length]).toEqual([200, large.body.bytes])
  expect(JSON.parse(bytes)).toEqual({ content: [{ type: 'text', text: 'x'.repeat(300_000) }] })
  const payload = await get(`/result/${large.body.cache_id}?payload`)
  expect(payload.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect((await payload.text()) === 'x'.repeat(300_000)).toBe(true)

  // The result of one call is the input of another by its id.
  const rows = JSON.stringify({ rows: Array.from({ length: 900 }, (_, id) => ({ id })) })
  const kept = await ask('/call', { tool: 'echo', arguments: JSON.parse(rows) })
  const part = await get(`/result/${kept.body.cache_id}?path=${encodeURIComponent('$.rows[2]')}`)
  expect(await part.json()).toEqual({ id: 2 })
  const passed = { value: { $from: kept.body.cache_id ?? null, path: '$.rows[7].id' } }
  const chained = await ask('/call', { tool: 'echo', arguments: passed })
  expect(chained.body.result).toEqual({ content: [{ type: 'text', text: '{"value":7}' }] })

  const batch = await ask('/batch', {
    calls: [{ tool: 'echo' }, { tool: 'refuse' }, { tool: 'none' }],
  })
  const results = batch.body.results as JsonObject[]
  expect(results.map(({ status }) => status)).toEqual([200, 502, 404])
  expect(JSON.stringify(results[1])).toContain('not today')
  const died = await ask('/call', { tool: 'die', arguments: { code: 1 } })
  expect(died).toMatchObject({ status: 502, body: { error: { code: 'server_failed' } } })

  const metrics = await (await get('/metrics', bridge?.replace('/bridge', ''))).text()
  expect(metrics).toContain('mcp_rlm_proxy_tool_calls_total 7\n')
  expect(metrics).toContain('mcp_rlm_proxy_tool_call_errors_total 2\n')
  expect(metrics).toMatch(/kept_results [1-9]/)
  expect(metrics).toContain('server_state{server="f",state="idle"}')
  expect((await fetch(`${bridge?.replace('/bridge', '')}/metrics`)).status).toBe(401)
  expect(metrics + logged.join()).not.toContain(token)

  await gateway.close()
  expect(existsSync(join(dataDir, 'bridge-url'))).toBe(false)
  await expect(get('/list')).rejects.toThrow()
})

verifies('S4.54 S4.39', 'over HTTP it is on the same server, whatever clients see of the tools', async () => {
  for (const exposure of ['passthrough', 'retrieve', 'dispatch']) {
    const transport = exposure === 'retrieve' ? 'sse' : 'streamable-http'
    const { url = '', bridge, ask } = await world({ transport, exposure })
    expect(bridge).toBe(`${new URL(url).origin}/bridge`)
    const called = await ask('/call', { tool: 'echo', connection: 'c1', arguments: { exposure } })
    expect(called.body.result, exposure).toEqual({
      content: [{ type: 'text', text: JSON.stringify({ exposure }) }],
    })
    const metrics = await (await fetch(new URL('/metrics', url))).text()
    expect(metrics, exposure).toContain('mcp_rlm_proxy_tool_calls_total 1\n')
    expect(await (await fetch(new URL('/healthz', url))).text()).toBe('ok\n')
  }
})

verifies('S4.54', 'off by default: no listener, no file, no endpoint', async () => {
  const quiet = await world({ bridge: {} })
  expect(quiet.bridge).toBe(undefined)
  expect(existsSync(join(quiet.dataDir, 'bridge-token'))).toBe(false)
  const { url = '' } = await world({ transport: 'streamable-http', bridge: {} })
  expect((await fetch(new URL('/bridge/list', url), { method: 'POST' })).status).toBe(404)
})

test('a port that is taken costs the bridge, not the session', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  const { bridge, logged } = await world({ bridge: { enabled: true, port } })
  expect(bridge).toBe(undefined)
  expect(logged.join()).toMatch(/already in use|EADDRINUSE/)
})

test('a token of the configuration is the one, and no file is made', async () => {
  const token = 'a-token-of-my-own-that-is-long-enough'
  const { bridge, dataDir, logged } = await world({ bridge: { enabled: true, token, port: 0 } })
  const list = (bearer: string): Promise<Response> =>
    fetch(`${bridge}/list`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } })
  expect([(await list(token)).status, (await list('else')).status]).toEqual([200, 401])
  expect(existsSync(join(dataDir, 'bridge-token'))).toBe(false)
  expect(logged.join()).not.toContain(token)
})

test('answers malformed requests, and the next one too', async () => {
  const { ask } = await world({})
  let deep: JsonObject = {}
  for (let level = 0; level < 4_000; level++) deep = { a: deep }
  for (const args of [
    deep,
    JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
    { $from: 'nothing-there' },
  ]) {
    const { status, body } = await ask('/call', { tool: 'echo', arguments: args })
    expect([200, 400, 500, 502], JSON.stringify(body).slice(0, 200)).toContain(status)
  }
  expect((await ask('/call', { tool: 'echo' })).status).toBe(200)
})

verifies('S4.54', 'a token is made once, long, and readable by its owner alone', () => {
  const folder = join(temporaryFolder(), 'data')
  const { token, path } = bridgeToken(folder)
  expect(token).toMatch(/^mrp_[\w-]{43}$/)
  expect(readFileSync(path, 'utf8')).toBe(`${token}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['bridge-token'])
  expect(bridgeToken(folder)).toEqual({ token, path })
  rmSync(path)
  expect(bridgeToken(folder).token).not.toBe(token)
})

test('an insecure token file ends the start with the remedy', () => {
  const folder = temporaryFolder()
  const { path, token } = bridgeToken(folder)
  const refused = (reason: string): void => {
    const wanted = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(reason),
    })
    expect(() => bridgeToken(folder)).toThrow(wanted)
  }
  chmodSync(path, 0o644)
  refused('others can read it')
  rmSync(path)
  for (const content of ['', 'short', `${token} ${token}`, `${token}\nmore`]) {
    writeFileSync(path, content, { mode: 0o600 })
    refused('it holds no token')
    rmSync(path)
  }
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, token, { mode: 0o600 })
  symlinkSync(elsewhere, path)
  refused('it is no ordinary file')
  rmSync(path)
  mkdirSync(path)
  refused('it is no ordinary file')
})
