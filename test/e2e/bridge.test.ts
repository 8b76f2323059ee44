/** The built command serves scripts beside its clients, in both transports, whatever the clients see. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { startLineClient, toolNames } from './support/line-client.ts'
import { fixture, textOf } from './support/world.ts'

const servers = { f: fixture('f') }
const settings = { exposure: 'dispatch', bridge: { enabled: true, tools: ['f/*'] } }

/** The requests of a script: the address and the token are in files, the rest is one request. */
function scriptOf(directory: string) {
  const file = (name: string): string => readFileSync(join(directory, 'data', name), 'utf8').trim()
  const token = file('bridge-token')
  const bridge = file('bridge-url')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    token,
    bridge,
    async post(action: string, body: object) {
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await (await fetch(`${bridge}/${action}`, init)).json()) as Record<string, unknown>
    },
    get: async (path: string) => (await fetch(new URL(path, bridge), { headers })).text(),
  }
}

verifies(
  'S4.39 S4.54',
  'over stdio: one tool for the model, the rest for scripts; nothing stays',
  async () => {
    const client = startLineClient({ servers, settings, args: ['--log-level', 'debug'] })
    await client.open()
    expect(await toolNames(client)).toEqual(['proxy-dispatch'])
    await expect.poll(client.stderr).toContain('serves scripts at http://127.0.0.1:')
    const { token, bridge, post, get } = scriptOf(client.directory)

    const args = { count: 500 }
    const seen = await client.call('proxy-dispatch', { action: 'call', tool: 'records', arguments: args })
    expect(textOf(seen).length).toBeLessThan(9_000)
    const kept = await post('call', { tool: 'records', arguments: args })
    const whole = JSON.parse(JSON.parse(await get(String(kept.url))).content[0].text)
    expect(whole).toHaveLength(500)
    expect(JSON.parse(await get(`${kept.url}?path=$[499].id`))).toBe(499)
    // A result that a script got belongs to scripts.
    const asked = await client.call('proxy-dispatch', { action: 'filter', cache_id: kept.cache_id })
    expect(textOf(asked)).toContain('No kept result has cache_id')

    const metrics = await get('/metrics')
    expect(metrics).toContain('mcp_rlm_proxy_tool_calls_total 3\n')
    expect(metrics).toContain('mcp_rlm_proxy_tool_call_errors_total 0\n')
    expect(await (await fetch(new URL('/healthz', bridge))).text()).toBe('ok\n')
    expect(await client.end('SIGTERM')).toMatchObject({ code: 0 })
    expect(client.strays).toEqual([])
    expect(client.stderr() + metrics).not.toContain(token)
    expect(existsSync(join(client.directory, 'data', 'bridge-url'))).toBe(false)
  },
)

verifies('S4.39 S4.54', 'over HTTP: clients, scripts, health and metrics at one address', async () => {
  const { url, directory } = await startHttpProxy({ servers, settings })
  const { bridge, post } = scriptOf(directory)
  expect(bridge).toBe(new URL('/bridge', url).href)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })
  const listed = await (await fetch(url, { method: 'POST', headers, body })).text()
  expect(listed).toContain('"name":"proxy-dispatch"')
  expect(listed).not.toContain('"name":"f_')
  const found = await post('search', { query: 'records with an output schema' })
  expect(found).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: 'typed' })]) })
  const { results } = await post('batch', {
    calls: [{ tool: 'text', arguments: { size: 3 } }, { tool: 'proxy-dispatch' }],
  })
  expect(results).toMatchObject([
    { status: 200, result: { content: [{ type: 'text', text: 'aaa' }] } },
    { status: 404, error: { code: 'not_found' } },
  ])
  expect(await (await fetch(new URL('/metrics', url))).text()).toContain('mcp_rlm_proxy_tool_calls_total 1\n')
  expect(await (await fetch(new URL('/healthz', url))).text()).toBe('ok\n')
})
