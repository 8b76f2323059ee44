import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { LargeResult, plain } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Transport } from '../../../src/protocol/message.ts'
import type { Serve } from '../../../src/upstream/in-process.ts'
import {
  client,
  exchange,
  inProcessServer,
  jsonOf,
  textOf,
  toolCall,
  upstreams,
} from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const forever = new AbortController().signal

verifies('S4.33', 'a server of the SDK serves as it is', async () => {
  const serve: Serve = async (transport) => {
    const server = new McpServer({ name: 'sdk', version: '1' })
    server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }))
    await server.connect(transport as never)
  }
  const pool = upstreams({ servers: { sdk: { id: 'sdk', serve } } })
  const me = client()
  const [list] = await pool.list('tools', me, forever)
  expect(list?.items.map(({ name }) => name)).toEqual(['add'])
  expect(textOf(await pool.request('sdk', toolCall('add', { a: 2, b: 3 }), exchange(me)))).toBe('5')
  expect(pool.status()).toMatchObject([{ state: 'ready', transport: 'in-process' }])
})

test('a large answer comes as bytes, and says the same', async () => {
  const pool = upstreams({ servers: { docs: await inProcessServer() }, defaults: { largeBytes: 1000 } })
  const call = toolCall('big', { bytes: 5000 })
  const result = await pool.request('docs', call, exchange())
  expect(result).toBeInstanceOf(LargeResult)
  expect(textOf(plain(result))).toBe('x'.repeat(5000))
})

test("passes copies, so neither side can change the other's objects", async () => {
  const held: JsonObject = { content: [{ type: 'text', text: 'mine' }], deep: { list: [1] } }
  const seen: JsonObject[] = []
  const serve: Serve = (transport) => {
    transport.onmessage = (message) => {
      if (!('id' in message) || !('method' in message)) return
      const { id, method, params = {} } = message
      if (method === 'tools/call') {
        seen.push(params.arguments as JsonObject)
        ;(params.arguments as JsonObject).a = 'changed'
      }
      const initialized = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      }
      void transport.send({ jsonrpc: '2.0', id, result: method === 'initialize' ? initialized : held })
    }
  }
  const pool = upstreams({ servers: { x: { id: 'x', serve } } })
  const args = { a: 'given' }
  const result = plain(await pool.request('x', toolCall('any', args), exchange()))
  expect(result).toEqual(held)
  ;(result.deep as JsonObject).list = []
  expect(held.deep).toEqual({ list: [1] })
  expect(args).toEqual({ a: 'given' })
  expect(seen).toEqual([{ a: 'changed' }])
})

test('one that cannot start says why, and one that leaves is connected again', async () => {
  let far: Transport | undefined
  let starts = 0
  const good = await inProcessServer()
  const serve: Serve = async (transport) => {
    far = transport
    if (++starts === 1) throw new Error('no database')
    await good.serve(transport)
  }
  const pool = upstreams({ servers: { docs: { id: 'docs', serve } } })
  const me = client()
  await expect(pool.request('docs', toolCall('echo'), exchange(me))).rejects.toMatchObject({
    message: expect.stringContaining('could not be started: no database'),
  })
  expect(jsonOf(await pool.request('docs', toolCall('echo', { a: 1 }), exchange(me)))).toEqual({ a: 1 })
  const call = pool.request('docs', toolCall('never'), exchange(me)).catch((error: unknown) => error)
  await pool.request('docs', toolCall('echo'), exchange(me))
  await far?.close()
  expect(await call).toMatchObject({ code: 'UPSTREAM_CLOSED' })
  expect(jsonOf(await pool.request('docs', toolCall('echo', { a: 2 }), exchange(me)))).toEqual({ a: 2 })
  expect(starts).toBe(3)
  // After the end, nothing is taken.
  await pool.close()
  await expect(far?.send({ jsonrpc: '2.0', method: 'notifications/message' })).rejects.toThrow('closed')
})
