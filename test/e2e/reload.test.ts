/** The configuration changes while clients are connected and calls are under way. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished } from 'vitest'
import { deferred } from '../support/deferred.ts'
import { verifies } from '../support/verifies.ts'
import { changing } from './support/changing.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { fixture, handleOf, type RunningProxy, startProxy, type ToolResult, textOf } from './support/world.ts'

/** Another program takes the place of the file, as editors do it. */
function replace(directory: string, servers: Record<string, object>, settings: object = {}): void {
  const proxySettings = { dataDir: join(directory, 'data'), ...settings }
  writeFileSync(join(directory, 'new'), JSON.stringify({ mcpServers: servers, proxySettings }))
  renameSync(join(directory, 'new'), join(directory, 'mcp.json'))
}

const READ = /the configuration was read again/g
const reads = (said: string): number => said.match(READ)?.length ?? 0

const pidOf = async (proxy: RunningProxy, server: string): Promise<unknown> =>
  JSON.parse(await proxy.text(`${server}_environment`)).pid

describe('a configuration that changes', () => {
  verifies(
    'S1.63',
    'applies a new configuration: adds and removes servers, keeps the others, and lets running calls finish',
    async () => {
      const proxy = await startProxy({
        servers: { same: fixture('same'), other: fixture('other'), gone: fixture('gone') },
        client: { capabilities: { sampling: {} } },
      })
      const { client, directory } = proxy
      const asked = deferred()
      const reply = deferred()
      client.setRequestHandler('sampling/createMessage', async () => {
        asked.resolve()
        await reply.promise
        return { role: 'assistant', model: 'test', content: { type: 'text', text: 'answered late' } }
      })
      let told = 0
      client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
      const [same, other] = [await pidOf(proxy, 'same'), await pidOf(proxy, 'other')]
      const kept = handleOf(await proxy.call('same_records', { count: 300 }))
      const call = proxy.text('gone_sample')
      await asked.promise
      const before = told
      replace(directory, { fresh: fixture('fresh'), same: fixture('same'), other: fixture('changed') })
      await expect.poll(() => reads(proxy.stderr())).toBe(1)
      await expect.poll(() => told).toBeGreaterThan(before)
      const servers = async (): Promise<string[]> => {
        const { tools } = await client.listTools()
        return tools.flatMap(({ name }) => (name.endsWith('_records') ? [name] : []))
      }
      await expect.poll(servers).toEqual(['fresh_records', 'same_records', 'other_records'])
      expect(await pidOf(proxy, 'same')).toBe(same)
      expect(await pidOf(proxy, 'other')).not.toBe(other)
      expect(JSON.parse(await proxy.text('other_environment')).args).toEqual(['changed'])
      expect(await proxy.text('proxy_filter', { cache_id: kept, aggregate: 'count' })).toContain('300')
      await expect(proxy.call('gone_records')).rejects.toThrow('Unknown tool')
      reply.resolve()
      expect(await call).toContain('answered late')
    },
  )

  verifies('S1.63', 'and is not valid is refused with its fault, and the one before goes on', async () => {
    const proxy = await startProxy({ servers: { same: fixture('same') } })
    const pid = await pidOf(proxy, 'same')
    writeFileSync(join(proxy.directory, 'mcp.json'), '{ "mcpServers": { "same": { "comand": "x" } } }')
    await expect.poll(proxy.stderr).toContain('the one before goes on')
    await expect.poll(proxy.stderr).toContain('comand')
    expect(await pidOf(proxy, 'same')).toBe(pid)
    replace(proxy.directory, { same: fixture('same'), fresh: fixture('fresh') })
    await expect.poll(() => reads(proxy.stderr())).toBe(1)
    expect(await pidOf(proxy, 'same')).toBe(pid)
    expect(await proxy.text('fresh_text', { size: 3 })).toBe('aaa')
  })

  verifies('S1.63', 'is what retrieve_tools finds tools in', async () => {
    const settings = { exposure: 'retrieve' }
    const proxy = await startProxy({ servers: { a: changing(['hammer_nails']) }, settings })
    const found = async (query: string): Promise<string[]> =>
      JSON.parse(await proxy.text('retrieve_tools', { query })).tools.map(
        ({ name }: { name: string }) => name,
      )
    await expect.poll(() => found('hammer nails')).toEqual(['a_hammer_nails'])
    replace(proxy.directory, { b: changing(['paint_fences']) }, settings)
    await expect.poll(() => found('paint fences')).toEqual(['b_paint_fences'])
    expect(await found('hammer nails')).toEqual([])
    const gone = await proxy.call('call_tool', { name: 'a_hammer_nails' })
    expect(gone.isError).toBe(true)
    expect(await proxy.text('call_tool', { name: 'b_paint_fences' })).toContain('paint_fences of')
  })

  verifies(
    'S1.63',
    'is read over HTTP for all clients, and whenever SIGHUP asks for it',
    async () => {
      const proxy = await startHttpProxy({ servers: { same: fixture('same') } })
      const connect = async (): Promise<Client> => {
        const client = new Client({ name: 'test', version: '1.0.0' })
        onTestFinished(() => client.close())
        await client.connect(new StreamableHTTPClientTransport(proxy.url))
        return client
      }
      const clients = await Promise.all([connect(), connect()])
      replace(proxy.directory, { same: fixture('same'), fresh: fixture('fresh') })
      await expect.poll(() => reads(proxy.stderr())).toBe(1)
      for (const client of clients) {
        const result = (await client.callTool({ name: 'fresh_text', arguments: { size: 3 } })) as ToolResult
        expect(textOf(result)).toBe('aaa')
      }
      proxy.child.kill('SIGHUP')
      await expect.poll(() => reads(proxy.stderr())).toBe(2)
      for (const client of clients)
        expect((await client.listTools()).tools.map(({ name }) => name)).toContain('fresh_text')
    },
    { skip: process.platform === 'win32' },
  )
})
