/** The contract for a server, however it is reached. Run for stdio, a server of this process, streamable HTTP and HTTP+SSE. */
import { describe, expect, test } from 'vitest'
import { ProxyError, RpcError } from '../../src/protocol/errors.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { RawJson } from '../../src/protocol/json.ts'
import type { ServerOptions } from '../../src/upstream/dial.ts'
import { client, exchange, jsonOf, textOf, toolCall, upstreams } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

const forever = new AbortController().signal

/** `start` brings up a fixture server with these options for the time of a test and says how to reach it. */
export function transportContract(
  name: string,
  start: (options?: JsonObject) => Promise<ServerOptions>,
): void {
  describe(name, () => {
    verifies('S1.2 S2.2 S2.8 S4.33', 'introduces itself properly and lists and calls tools', async () => {
      const pool = upstreams({ servers: { docs: await start() } })
      const me = client({ roots: {} })
      const [list] = await pool.list('tools', me, forever)
      expect(list?.server).toBe('docs')
      expect(list?.items[0]).toMatchObject({ name: 'echo', 'x-unknown': { kept: true } })
      const result = await pool.request('docs', toolCall('echo', { a: [1, 'ü'] }), exchange(me))
      expect(jsonOf(result)).toEqual({ a: [1, 'ü'] })
      const calls = jsonOf(await pool.request('docs', toolCall('calls'), exchange(me))) as JsonObject
      const received = calls.received as JsonObject[]
      expect(received.slice(0, 2)).toMatchObject([
        {
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: { roots: {} },
            clientInfo: { name: 'proxy-under-test', version: '1' },
          },
        },
        { method: 'notifications/initialized' },
      ])
      expect(pool.known('docs')).toMatchObject({ serverInfo: { name: 'fixture' }, instructions: 'a fixture' })
      expect(pool.status()[0]).toMatchObject({ state: 'ready', tools: list?.items.length })
    })

    test('a value that is sent as it is written arrives as that', async () => {
      const pool = upstreams({ servers: { docs: await start() } })
      const text = 'ü€𝄞\n"'.repeat(50_000)
      const written = Buffer.from(JSON.stringify({ text, list: [1, 2.5, null] }))
      const args = { a: RawJson.in(written), b: ['c', RawJson.in(Buffer.from('7'))], d: '"' }
      const result = await pool.request('docs', toolCall('echo', args), exchange())
      // Compared at once: a difference would be printed whole.
      const expected = { a: { text, list: [1, 2.5, null] }, b: ['c', 7], d: '"' }
      expect(JSON.stringify(jsonOf(result)) === JSON.stringify(expected)).toBe(true)
    })

    verifies('S2.8', 'an error of the server passes unchanged', async () => {
      const pool = upstreams({ servers: { docs: await start() } })
      const refused = await pool
        .request('docs', toolCall('refuse'), exchange())
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(RpcError)
      expect((refused as RpcError).toJSON()).toEqual({
        code: -32042,
        message: 'not today',
        data: { reason: 'closed' },
      })
    })

    verifies('S2.8', 'progress comes back under the token of the client', async () => {
      const pool = upstreams({ servers: { docs: await start() } })
      const mine = exchange()
      const call = toolCall('progress', { steps: 2, ms: 1 }, { progressToken: 'mine' })
      expect(textOf(await pool.request('docs', call, mine))).toBe('done')
      expect(mine.notified).toEqual(
        [1, 2].map((progress) => ({
          method: 'notifications/progress',
          params: { progressToken: 'mine', progress, total: 2 },
        })),
      )
    })

    verifies('S2.8', 'a request of the server reaches the client and its answer the server', async () => {
      const pool = upstreams({ servers: { docs: await start() } })
      const me = client({ sampling: {} }, { model: 'test', answer: 42 })
      const ask = toolCall('ask', { method: 'sampling/createMessage', params: { messages: [] } })
      expect(jsonOf(await pool.request('docs', ask, exchange(me)))).toEqual({ model: 'test', answer: 42 })
      expect(me.asked).toMatchObject([{ method: 'sampling/createMessage', params: { messages: [] } }])
    })

    test('cancelling tells the server', async () => {
      const pool = upstreams({ servers: { docs: await start() } })
      const me = client()
      await pool.open(me)
      const leave = new AbortController()
      const call = pool.request('docs', toolCall('never'), exchange(me, { signal: leave.signal }))
      const outcome = call.catch((error: unknown) => error)
      await pool.request('docs', toolCall('echo'), exchange(me))
      leave.abort()
      expect(await outcome).toMatchObject({ code: 'CANCELLED' })
      const seen = async (): Promise<unknown> =>
        (
          (jsonOf(await pool.request('docs', toolCall('calls'), exchange(me))) as JsonObject)
            .cancelled as unknown[]
        ).length
      await expect.poll(seen).toBe(1)
    })

    verifies('S3.36', 'a call that takes too long names server, tool and limit', async () => {
      const pool = upstreams({ servers: { docs: { ...(await start()), timeoutMs: 40 } } })
      const late = await pool.request('docs', toolCall('never'), exchange()).catch((error: unknown) => error)
      expect(late).toBeInstanceOf(ProxyError)
      expect(late).toMatchObject({
        code: 'UPSTREAM_TIMEOUT',
        message: 'server `docs`: tool `never` did not answer within 40 ms',
      })
    })

    verifies('S3.36', 'a server that does not finish its handshake is given up', async () => {
      const pool = upstreams({
        servers: { docs: { ...(await start({ slowStart: 60_000 })), connectTimeoutMs: 400 } },
      })
      await expect(pool.request('docs', toolCall('echo'), exchange())).rejects.toMatchObject({
        code: 'UPSTREAM_TIMEOUT',
        message: 'server `docs`: did not connect within 400 ms',
      })
    })

    test('a server that speaks an unknown revision is refused', async () => {
      const pool = upstreams({ servers: { docs: await start({ version: '1999-01-01' }) } })
      await expect(pool.request('docs', toolCall('echo'), exchange())).rejects.toMatchObject({
        code: 'UPSTREAM_CONNECT',
        message: 'server `docs`: speaks protocol version 1999-01-01, which this proxy does not',
      })
    })

    test('closing ends calls under way', async () => {
      const pool = upstreams({ servers: { docs: await start() } })
      const me = client()
      await pool.open(me)
      const call = pool.request('docs', toolCall('never'), exchange(me)).catch((error: unknown) => error)
      await pool.request('docs', toolCall('echo'), exchange(me))
      await pool.close()
      expect(await call).toMatchObject({ code: 'UPSTREAM_CLOSED' })
      await expect(pool.request('docs', toolCall('echo'), exchange(me))).rejects.toMatchObject({
        code: 'UPSTREAM_CLOSED',
      })
    })
  })
}
