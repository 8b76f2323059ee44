import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { JsonRpcMessage, Notification } from '../../../src/protocol/message.ts'
import { Peer } from '../../../src/protocol/peer.ts'
import type { ModernService } from '../../../src/server/backend.ts'
import { openEras, StdioTransport } from '../../../src/server/stdio.ts'
import { linkedTransports } from '../../support/linked.ts'
import { envelope, LOCAL } from './support.ts'

async function started(output = new PassThrough()) {
  const input = new PassThrough()
  const transport = new StdioTransport({ input, output, maxMessageBytes: 1e6 })
  const received: JsonRpcMessage[] = []
  transport.onmessage = (message) => received.push(message)
  await transport.start()
  return { transport, input, output, received }
}

test('reads each message of a batch and refuses invalid ones', async () => {
  const { input, output, received } = await started()
  input.write(
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},7,{"jsonrpc":"2.0","method":"note"}]\n[]\nnull\n{"x"\n',
  )
  await expect.poll(() => received).toHaveLength(2)
  await once(output, 'readable')
  const refused = String(output.read())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(refused.map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32700],
  ])
})

test('reads thousands of lines that come at once in their order, and lets others have a turn in between', async () => {
  const { input, received } = await started()
  const lines = Array.from({ length: 3000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)
  input.end(lines.join(''))
  let turns = 0
  while (received.length < lines.length) {
    await new Promise((resolve) => setImmediate(resolve))
    turns += 1
  }
  expect(turns).toBeGreaterThan(3)
  expect(received.map((message) => 'id' in message && message.id)).toEqual(lines.map((_, id) => id))
})

test('what a client sent ahead is not read any more once its transport is closed', async () => {
  const { transport, input, received } = await started()
  input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.repeat(3000))
  await expect.poll(() => received.length).toBeGreaterThan(0)
  await transport.close()
  const read = received.length
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(received.length).toBe(read)
  expect(read).toBeLessThan(3000)
})

test('a client that does not read is sent answers, and no more notifications than it can hold', async () => {
  const { transport, output } = await started()
  const params = { data: 'x'.repeat(1024 * 1024) }
  const told = Array.from({ length: 40 }, () => transport.send({ jsonrpc: '2.0', method: 'note', params }))
  const answer = transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  expect(output.writableLength).toBeLessThan(20 * 1024 * 1024)
  output.resume()
  const outcomes = await Promise.allSettled(told)
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(20)
  await answer
})

test('a client that reads slowly costs no listeners', async () => {
  const { transport, output } = await started(new PassThrough({ highWaterMark: 10 }))
  const listeners = (): number => output.listenerCount('close') + output.listenerCount('drain')
  const before = listeners()
  for (let round = 0; round < 3; round++) {
    const sent = Array.from({ length: 20 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: {} }))
    expect(listeners()).toBeLessThanOrEqual(before + 2)
    output.resume()
    await Promise.all(sent)
    output.pause()
    expect(listeners()).toBe(before)
  }
})

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
}

async function connected(serve: ModernService['serve'] = async ({ method }) => ({ modern: method })) {
  const [near, far] = linkedTransports()
  const log: string[] = []
  const session = await openEras({
    id: 'stdio',
    agent: LOCAL,
    transport: far,
    modern: { serve, toolSchema: async () => undefined, close: async () => {} },
    backend: {
      handler: async ({ method }) => ({ legacy: method }),
      describe: () => ({ capabilities: {}, serverInfo: {}, instructions: '' }),
      opened: ({ era }) => log.push(`opened ${era}`),
      closed: ({ era }) => log.push(`closed ${era}`),
      notified: (_client, { method }) => log.push(method),
      logger: silentLogger,
      identity: 'this one',
    },
  })
  const told: Notification[] = []
  const client = new Peer(near, {
    onRequest: async () => ({}),
    onNotification: (notification) => told.push(notification),
  })
  await client.start()
  onTestFinished(() => client.close())
  const ask = (method: string, params: JsonObject = {}) => client.request({ method, params })
  const askModern = (method: string, params: JsonObject = {}) => ask(method, { ...params, _meta: envelope() })
  return { session, client, log, told, ask, askModern }
}

describe('a connection of either era', () => {
  test('is of the legacy era after its handshake', async () => {
    const { ask, askModern, log, client, session } = await connected()
    expect(await ask('initialize', INITIALIZE)).toMatchObject({ protocolVersion: '2025-11-25' })
    client.notify({ method: 'notifications/roots/list_changed' })
    expect(await ask('tools/list')).toEqual({ legacy: 'tools/list' })
    expect(await askModern('tools/list')).toEqual({ legacy: 'tools/list' })
    await session.close()
    expect(log).toEqual(['opened legacy', 'notifications/roots/list_changed', 'closed legacy'])
  })

  test('answers a legacy handshake that names a modern revision with the newest legacy one', async () => {
    const { ask } = await connected()
    const answer = await ask('initialize', { ...INITIALIZE, protocolVersion: '2026-07-28' })
    expect(answer).toMatchObject({ protocolVersion: '2025-11-25' })
  })

  test('is of the modern era after a request with an envelope', async () => {
    const { ask, askModern, log } = await connected()
    expect(await askModern('tools/list')).toEqual({ modern: 'tools/list' })
    await expect(ask('initialize', INITIALIZE)).rejects.toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    })
    expect(await ask('tools/list')).toEqual({ modern: 'tools/list' })
    expect(log).toEqual([])
  })

  test('may be looked at before it is decided', async () => {
    const { ask, askModern } = await connected()
    expect(await askModern('server/discover')).toEqual({ modern: 'server/discover' })
    await askModern('server/discover')
    await expect(ask('tools/list')).rejects.toMatchObject({ code: -32600 })
    expect(await ask('server/discover')).toEqual({ modern: 'server/discover' })
    await ask('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } })
    expect(await ask('initialize', INITIALIZE)).toMatchObject({ protocolVersion: '2025-11-25' })
    expect(await ask('tools/list')).toEqual({ legacy: 'tools/list' })
  })

  test('takes an `initialize` with an envelope for the method it was', async () => {
    const { askModern, ask } = await connected()
    expect(await askModern('initialize', INITIALIZE)).toEqual({ modern: 'initialize' })
    await expect(ask('initialize', INITIALIZE)).rejects.toMatchObject({ code: -32022 })
  })

  test('pings in the legacy way only', async () => {
    const { ask, askModern } = await connected()
    expect(await ask('ping')).toEqual({})
    expect(await askModern('ping')).toEqual({ modern: 'ping' })
  })

  test('passes the client to the modern service, and its messages back', async () => {
    const { client, told } = await connected(async (_request, { agent, id, notify }) => {
      notify({ method: 'notifications/x', params: { id } })
      return { agent: agent.id }
    })
    const ids: unknown[] = []
    const request = { method: 'tools/call', params: { _meta: envelope() } }
    const answer = await client.request(request, { onId: (id) => ids.push(id) })
    expect(answer).toEqual({ agent: 'local' })
    expect(told).toEqual([{ jsonrpc: '2.0', method: 'notifications/x', params: { id: ids[0] } }])
  })

  test('cancels by notification', async () => {
    const aborted: unknown[] = []
    const { client } = await connected(
      (_request, { signal }) =>
        new Promise(() =>
          signal.addEventListener('abort', () => aborted.push(signal.reason), { once: true }),
        ),
    )
    const controller = new AbortController()
    const request = { method: 'tools/call', params: { _meta: envelope() } }
    const answer = client.request(request, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
    await expect.poll(() => aborted).toHaveLength(1)
  })
})

test('a message of too many values is refused, and one that says too much of its client too', async () => {
  const { input, output, received } = await started()
  const dense = `[${'[],'.repeat(300_000)}1]`
  input.write(`${dense}\n`)
  input.write(
    `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments":{"id":1,"list":${dense}}}}\n`,
  )
  input.write(`{"method":"tools/call","params":{"list":${dense},"id":1},"jsonrpc":"2.0","id":"six"}\n`)
  input.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params: { clientInfo: { name: 'x'.repeat(70_000) } } })}\n`,
  )
  await once(output, 'readable')
  await expect.poll(() => output.readableLength).toBeGreaterThan(700)
  const refused = String(output.read())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(refused.map(({ id, error }) => [id, /`limits\.\w+`/.exec(error.message)?.[0]])).toEqual([
    [null, '`limits.requestValues`'],
    [5, '`limits.requestValues`'],
    ['six', '`limits.requestValues`'],
    [7, '`limits.introductionBytes`'],
  ])
  expect(received).toEqual([])
})
