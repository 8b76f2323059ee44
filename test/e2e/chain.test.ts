/** Proxies behind proxies: client → proxy → proxy → server. */
import { describe, expect, test } from 'vitest'
import { ownPort } from '../support/own-port.ts'
import { verifies } from '../support/verifies.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import {
  fixture,
  handleOf,
  MAIN,
  startProxy,
  temporaryDirectory,
  textOf,
  writeConfig,
} from './support/world.ts'

const ERAS = { legacy: {}, modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } } } as const

/** The configuration of a proxy with the fixture behind it, as a server of another. */
function inner() {
  const directory = temporaryDirectory()
  const file = writeConfig(directory, { servers: { far: fixture('far') }, settings: {} })
  return { command: process.execPath, args: [MAIN, '--config', file] }
}

describe.each(Object.entries(ERAS))('two proxies, a client of the %s era', (_era, client) => {
  const start = () => startProxy({ servers: { near: inner() }, client: client as never })

  verifies('S2.6', 'list, call and errors go through both, and tools are offered once', async () => {
    const proxy = await start()
    const { tools } = await proxy.client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain('near_far_text')
    expect(names.filter((name) => name.includes('proxy_'))).toEqual([
      'proxy_filter',
      'proxy_search',
      'proxy_explore',
      'proxy_code',
    ])
    expect(await proxy.text('near_far_text', { size: 5 })).toBe('aaaaa')
    await expect(proxy.client.callTool({ name: 'near_far_nothing', arguments: {} })).rejects.toThrow(
      /near_far/,
    )
    await expect(proxy.call('near_far_refuse')).rejects.toMatchObject({ code: -32050 })
  })

  verifies('S2.6', 'a large result is shaped once, by the proxy nearest the client', async () => {
    const proxy = await start()
    const result = await proxy.call('near_far_records', { count: 2000 })
    const text = textOf(result)
    expect(text).toContain('cache_id')
    const handle = handleOf(result)
    const handles = new Set(
      [...text.matchAll(/cache_id[":= ]+([A-Za-z0-9_-]{8,})/g)].map(([, found]) => found),
    )
    expect([...handles]).toEqual([handle])
    const answer = await proxy.text('proxy_filter', { cache_id: handle, aggregate: 'count' })
    expect(answer).toContain('2000')
  })

  test('the instructions explain the proxy once', async () => {
    const proxy = await start()
    await proxy.client.listTools()
    const text = proxy.client.getInstructions() ?? ''
    expect(text.match(/proxy_filter/g)).toHaveLength(1)
  })
})

describe('a proxy that is its own server', () => {
  verifies('S2.6', 'refuses over HTTP, and says why', async () => {
    const port = await ownPort()
    const url = `http://127.0.0.1:${port}/mcp`
    const { url: served, stderr } = await startHttpProxy({
      servers: { self: { url }, far: fixture('far') },
      args: ['--port', String(port)],
    })
    expect(served.port).toBe(String(port))
    const proxy = await startProxy({ servers: { outer: { url } } })
    expect(await proxy.text('outer_far_text', { size: 5 })).toBe('aaaaa')
    await expect.poll(stderr).toMatch(/among its own servers/)
  })

  verifies('S2.6', 'refuses over stdio, after one process too many', async () => {
    const directory = temporaryDirectory()
    const servers = {
      self: { command: process.execPath, args: [MAIN, '--config', `${directory}/mcp.json`] },
      far: fixture('far'),
    }
    const proxy = await startProxy({ directory, servers })
    const { tools } = await proxy.client.listTools()
    expect(tools.map(({ name }) => name)).toContain('far_text')
    await expect.poll(proxy.stderr).toMatch(/among its own servers/)
  })
})
