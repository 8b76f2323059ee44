import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../../src/protocol/content.ts'
import { isObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { LIMIT_DEFAULTS } from '../../../../src/protocol/limits.ts'
import {
  event,
  events,
  json,
  type Loopback,
  loopback,
  request,
  resultFor,
  type TestTransport,
  transport,
} from '../../../support/loopback.ts'

const modern = { era: 'modern' as const }
const big = { content: [{ type: 'text', text: 'ü'.repeat(4000) }] }

function only(it: TestTransport): { error?: unknown; result?: unknown } {
  expect(it.received).toHaveLength(1)
  return it.received[0]?.message as unknown as JsonObject
}

describe('a large answer is handed on as bytes', () => {
  test.each<[string, (text: string) => { type: string; body: string }]>([
    ['JSON', (text) => ({ type: 'application/json', body: text })],
    ['JSON with a mark in front', (text) => ({ type: 'application/json', body: `\u{feff}${text}` })],
    ['an event', (text) => ({ type: 'text/event-stream', body: `data: ${text}\n\n` })],
    ['an event of three lines', (text) => ({ type: 'text/event-stream', body: `${lines(text)}\n\n` })],
  ])('%s', async (_, wrap) => {
    const server = await loopback((seen, response) => {
      const { type, body } = wrap(JSON.stringify(resultFor(seen, big)))
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    const it = await transport(server.url, { ...modern, largeBytes: 1000 })
    await it.send(request(1))
    await expect.poll(() => it.received).toHaveLength(1)
    const { result } = only(it)
    expect(result).toBeInstanceOf(LargeResult)
    expect((result as LargeResult).json()).toEqual(big)
  })

  test('also when it is laid out for people', async () => {
    const server = await loopback((seen, response) =>
      json(response, JSON.stringify(resultFor(seen, big), null, 2)),
    )
    const it = await transport(server.url, { ...modern, largeBytes: 1000 })
    await it.send(request('one'))
    expect((only(it).result as LargeResult).json()).toEqual(big)
  })
})

/** The same JSON in an event with data of several lines. */
function lines(text: string): string {
  return `data: ${text.replace('"result":', '\ndata:"result":\ndata: ')}`
}

describe('an answer over the ceiling fails its request alone', () => {
  const long = { text: 'x'.repeat(5000) }
  test.each<[string, (server: Loopback['seen'][0], response: Parameters<typeof json>[0]) => void]>([
    ['as JSON that says its length', (seen, response) => json(response, resultFor(seen, long))],
    [
      'as JSON in pieces',
      (seen, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const text = JSON.stringify(resultFor(seen, long))
        for (let i = 0; i < text.length; i += 1000) response.write(text.slice(i, i + 1000))
        response.end()
      },
    ],
    ['as an event', (seen, response) => events(response, event(resultFor(seen, long)))],
    [
      'as an event that does not tell its id',
      (_, response) => {
        events(response, event({ result: { id: 1, x: 'x'.repeat(5000) }, other: 1 }))
        response.end()
      },
    ],
  ])('%s', async (_, answer) => {
    const server = await loopback((seen, response) =>
      seen.body.id === 1 ? answer(seen, response) : json(response, resultFor(seen)),
    )
    const it = await transport(server.url, { ...modern, maxMessageBytes: 3000 })
    await it.send(request(1))
    await expect.poll(() => it.received).toHaveLength(1)
    expect(only(it)).toMatchObject({
      id: 1,
      error: { message: expect.stringMatching(/^sent a message .*limit.* 3000 bytes$/) },
    })
    await it.send(request(2))
    expect(it.received[1]?.message).toMatchObject({ id: 2, result: { done: true } })
  })
})

describe('answers that a server may give', () => {
  test('several messages in one document', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: {} }
    const server = await loopback((seen, response) => json(response, [note, resultFor(seen)]))
    const it = await transport(server.url)
    await it.send(request(1))
    expect(it.received.map(({ message }) => message)).toEqual([
      note,
      { jsonrpc: '2.0', id: 1, result: { done: true } },
    ])
  })

  test('no content type', async () => {
    const server = await loopback((seen, response) => response.end(JSON.stringify(resultFor(seen))))
    const it = await transport(server.url)
    await it.send(request(1))
    expect(only(it)).toMatchObject({ id: 1, result: {} })
  })

  test('a request of its own on the stream, and our answer to it goes out by itself', async () => {
    const server = await loopback((seen, response) => {
      if (seen.body.method === undefined) return void response.writeHead(202).end()
      events(response, event({ jsonrpc: '2.0', id: 'q', method: 'ping' }))
    })
    const it = await transport(server.url)
    await it.send(request(1))
    await expect.poll(() => it.received).toMatchObject([{ message: { id: 'q' }, via: 1 }])
    await it.send(
      { jsonrpc: '2.0', id: 'q', result: new LargeResult(sharedCopy('{"a":1}')) },
      { relatedRequestId: 'q' },
    )
    expect(server.seen[1]?.body).toEqual({ jsonrpc: '2.0', id: 'q', result: { a: 1 } })
  })

  test('an endless stream to a notification, which is left', async () => {
    let left = false
    const server = await loopback((_, response) => {
      events(response)
      response.on('close', () => {
        left = true
      })
    })
    const it = await transport(server.url)
    await it.send({ jsonrpc: '2.0', method: 'notifications/x' })
    await expect.poll(() => left).toBe(true)
  })

  test('an event that is no JSON-RPC is told, the next one counts', async () => {
    const server = await loopback((seen, response) => {
      events(response, 'data: {"half\n\n', 'event: other\ndata: {}\n\n', event(resultFor(seen)))
    })
    const it = await transport(server.url)
    await it.send(request(1))
    await expect.poll(() => it.received).toHaveLength(1)
    expect(it.troubles).toEqual(['sent an event that is not JSON-RPC'])
  })

  test.each([
    ['text/plain', 'hello\nyou', 'HTTP 200: the answer is text/plain, which is not MCP: hello you'],
    ['application/json', '{"half', 'HTTP 200: the answer is not JSON-RPC: {"half'],
    ['application/json', '', 'HTTP 200: the answer is not JSON-RPC:'],
  ])('not %s with %j', async (type, body, message) => {
    const server = await loopback(
      (_, response) => void response.writeHead(200, { 'content-type': type }).end(body),
    )
    const it = await transport(server.url)
    await expect(it.send(request(1))).rejects.toThrow(message)
  })

  test('not a document without the answer', async () => {
    const server = await loopback((_, response) => json(response, { jsonrpc: '2.0', id: 99, result: {} }))
    const it = await transport(server.url)
    await it.send(request(1))
    expect(it.received.at(-1)?.message).toMatchObject({ id: 1, error: { message: /before the answer/ } })
  })
})

describe('compression that was not requested', () => {
  const text = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: big })
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['Identity', Buffer.from],
  ])('%s is undone', async (encoding, compress) => {
    const server = await loopback((seen, response) => {
      const body = compress(Buffer.from(text(seen.body.id)))
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body)
    })
    const it = await transport(server.url, modern)
    await it.send(request(1))
    expect(only(it)).toMatchObject({ id: 1, result: big })
    expect(server.seen[0]?.headers['accept-encoding']).toBeUndefined()
  })

  test('events come out as they come in', async () => {
    let finish = (): void => {}
    const server = await loopback((seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      gzip.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }))
      gzip.flush()
      finish = () => void gzip.end(event(resultFor(seen)))
    })
    const it = await transport(server.url, modern)
    await it.send(request(1))
    await expect.poll(() => it.received).toHaveLength(1)
    finish()
    await expect.poll(() => it.received).toHaveLength(2)
  })

  test('a bomb ends at the ceiling', async () => {
    const server = await loopback((_, response) => {
      const body = gzipSync(Buffer.alloc(50_000_000, 'x'))
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body)
    })
    const it = await transport(server.url, { ...modern, maxMessageBytes: 100_000 })
    await it.send(request(1))
    expect(only(it)).toMatchObject({ error: { message: expect.stringContaining('100000 bytes') } })
  })

  test.each([
    ['zstd', /^HTTP 200: the answer is encoded as `zstd`/],
    ['gzip', /^HTTP 200: the answer could not be decoded: /],
  ])('%s that cannot be undone is told', async (encoding, message) => {
    const server = await loopback((_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
        .end('plain')
    })
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow(message)
  })

  test('refusals are read too', async () => {
    const error = { code: -32601, message: 'no' }
    const server = await loopback((_, response) => {
      const body = gzipSync(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
      response.writeHead(404, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body)
    })
    const it = await transport(server.url, modern)
    await it.send(request(1))
    expect(only(it).error).toEqual(error)
  })
})

function sharedCopy(text: string): Uint8Array<SharedArrayBuffer> {
  const bytes = new Uint8Array(new SharedArrayBuffer(text.length))
  bytes.set(Buffer.from(text))
  expect(isObject(JSON.parse(text))).toBe(true)
  return bytes
}

test('an endless body after a notification does not hold the connection', async () => {
  const alarms: (() => void)[] = []
  let hungUp = 0
  const server = await loopback((_, response) => {
    response.once('close', () => hungUp++)
    response.writeHead(202, { 'content-type': 'text/plain' }).write('and')
  })
  const later = (_: number, run: () => void) => {
    alarms.push(run)
    return () => {}
  }
  const it = await transport(server.url, { ...modern, later })
  await it.send({ jsonrpc: '2.0', method: 'notifications/x' })
  expect(hungUp).toBe(0)
  for (const run of alarms) run()
  await expect.poll(() => hungUp).toBe(1)
})

describe('a stream of events without end', () => {
  const message = 'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'

  for (const coding of ['identity', 'gzip']) {
    test(`is read in turns, and its answer comes last (${coding})`, async () => {
      const server = await loopback((seen, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': coding })
        const body = message.repeat(2000) + event(resultFor(seen, {}))
        response.end(coding === 'gzip' ? gzipSync(body) : body)
      })
      const limits = { ...LIMIT_DEFAULTS, serverTurnMessages: 20, serverMessagesPerSecond: 1e6 }
      const it = await transport(server.url, { ...modern, limits })
      let most = 0
      await it.send(request(1))
      for (let before = 0; it.received.length < 2001; before = it.received.length) {
        await new Promise((resolve) => setImmediate(resolve))
        most = Math.max(most, it.received.length - before)
      }
      expect(it.received.at(-1)?.message).toMatchObject({ id: 1, result: {} })
      // Two lines an event; a turn may end in the middle of what the next one begins with.
      expect(most).toBeLessThanOrEqual(20)
    })
  }

  test('ends when too much of it is no message', async () => {
    const server = await loopback((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: y\n\n'.repeat(10_000))
    })
    const limits = { ...LIMIT_DEFAULTS, serverBadLines: 100, serverMessagesPerSecond: 1e6 }
    const it = await transport(server.url, { ...modern, limits })
    await it.send(request(1))
    await expect.poll(() => it.received).toHaveLength(1)
    expect(it.troubles.at(-1)).toContain('`limits.serverBadLines`')
  })
})
