import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Later } from '../../../../src/upstream/backoff.ts'
import { SessionExpired } from '../../../../src/upstream/transport.ts'
import {
  event,
  events,
  json,
  legacyServer,
  loopback,
  notification,
  request,
  resultFor,
  shakeHands,
  transport,
} from '../../../support/loopback.ts'

const none = (response: ServerResponse): void => void response.writeHead(405).end()
const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }
const closedEarly = { error: { message: 'closed the stream before the answer' } }

/** Timers that run at once, except the ones that are to keep waiting; what was asked for is noted. */
function eager(noted: number[], keep: (ms: number) => boolean = () => false): Later {
  return (ms, run) => {
    noted.push(ms)
    if (!keep(ms)) queueMicrotask(run)
    return () => {}
  }
}

describe('the session', () => {
  test('is named in every message after initialize, with the revision', async () => {
    const server = await legacyServer((seen, response) =>
      seen.method === 'GET' ? none(response) : json(response, resultFor(seen)),
    )
    const headers = { 'Mcp-Session-Id': 'mine', Accept: 'text/x', 'Content-Length': '3', 'X-Mine': ' yes\n' }
    const it = await transport(`${server.url}/mcp?k=1`, { headers })
    await shakeHands(it)
    await it.send(request(1))
    await it.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'POST', 'DELETE'])
    expect(server.seen.map(({ url }) => url)).toEqual(Array(5).fill('/mcp?k=1'))
    const header = (name: string): unknown[] => server.seen.map((seen) => seen.headers[name])
    expect(header('mcp-session-id')).toEqual([undefined, ...Array(4).fill('session-1')])
    expect(header('mcp-protocol-version')).toEqual([undefined, ...Array(4).fill('2025-11-25')])
    expect(header('accept')).toEqual([
      'text/x, application/json, text/event-stream',
      'text/x, application/json, text/event-stream',
      'text/x, text/event-stream',
      'text/x, application/json, text/event-stream',
      'text/x, text/event-stream',
    ])
    expect(header('x-mine')).toEqual(Array(5).fill('yes'))
    expect(header('accept-encoding')).toEqual(Array(5).fill(undefined))
  })

  test('nothing overtakes notifications/initialized', async () => {
    const server = await loopback((seen, response) => {
      if (seen.body.method !== 'notifications/initialized') return json(response, resultFor(seen))
      setTimeout(() => response.writeHead(202).end(), 20)
    })
    const it = await transport(server.url)
    await it.send(request('init', 'initialize'))
    const order: string[] = []
    const sent = [notification('notifications/initialized'), request(1), request(2)].map((message, i) =>
      it.send(message).then(() => order.push(String(i))),
    )
    await Promise.all(sent)
    expect(order[0]).toBe('0')
    const messages = server.seen.filter(({ method }) => method === 'POST').map(({ body }) => body.method)
    expect(messages).toEqual(['initialize', 'notifications/initialized', 'tools/call', 'tools/call'])
  })

  test.each([
    [404, 'no such session'],
    [404, ''],
    [404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'],
    [404, '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}'],
    [400, 'unknown session id'],
  ])('HTTP %i with %j says that it is over', async (status, body) => {
    const server = await legacyServer((seen, response) =>
      seen.method === 'GET' ? none(response) : void response.writeHead(status).end(body),
    )
    const it = await transport(server.url)
    await shakeHands(it)
    await expect(it.send(request(1))).rejects.toBeInstanceOf(SessionExpired)
    expect(it.received).toHaveLength(1)
  })

  test('an error of the request itself is its answer, whatever the status', async () => {
    const error = { code: -32601, message: 'no such method', data: { a: 1 } }
    const server = await legacyServer((seen, response) =>
      seen.method === 'GET' ? none(response) : json(response, { jsonrpc: '2.0', id: 1, error }, 404),
    )
    const it = await transport(server.url)
    await shakeHands(it)
    await it.send(request(1))
    expect(it.received.at(-1)).toEqual({ message: { jsonrpc: '2.0', id: 1, error }, via: 1 })
  })

  test('a server of the other era says so in answer to initialize', async () => {
    const error = { code: -32022, message: 'unsupported', data: { supported: ['2026-07-28'] } }
    const server = await loopback((_, response) => json(response, { jsonrpc: '2.0', id: null, error }, 400))
    const it = await transport(server.url, { type: 'auto' })
    await it.send(request(1, 'initialize'))
    expect(it.received).toEqual([{ message: { jsonrpc: '2.0', id: 1, error }, via: 1 }])
  })

  test('without one, 404 is a refusal', async () => {
    const server = await loopback((_, response) => void response.writeHead(404).end('nothing\nhere'))
    const it = await transport(server.url)
    await expect(it.send(request(1))).rejects.toMatchObject({
      status: 404,
      message: 'HTTP 404: nothing here',
    })
  })

  test('a server that does not hear its end is not waited for', async () => {
    const server = await loopback((seen, response) => {
      if (seen.method === 'POST') json(response, resultFor(seen), 200, { 'mcp-session-id': 's' })
    })
    const due: (() => void)[] = []
    const later: Later = (_, run) => {
      due.push(run)
      return () => {}
    }
    const it = await transport(server.url, { graceMs: 1234, later })
    await it.send(request('init', 'initialize'))
    const closed = it.close()
    await expect.poll(() => server.seen.at(-1)?.method).toBe('DELETE')
    for (const run of due) run()
    await closed
    expect(due).toHaveLength(1)
  })

  test('a goodbye that waits to be sent has its time again, and not for ever', async () => {
    const server = await loopback((seen, response) =>
      seen.method === 'POST'
        ? json(response, resultFor(seen), 200, { 'mcp-session-id': 's' })
        : void response.end(),
    )
    const close = async (early: number): Promise<number[]> => {
      const waited: number[] = []
      const later = eager(waited, () => waited.length > early)
      const it = await transport(server.url, { graceMs: 1234, later })
      await it.send(request('init', 'initialize'))
      await it.close()
      return waited
    }
    expect(await close(3)).toEqual(Array(4).fill(1234))
    expect(server.seen.at(-1)?.method).toBe('DELETE')
    expect(await close(100)).toEqual(Array(10).fill(1234))
    expect(server.seen.at(-1)?.method).toBe('POST')
  })
})

describe('the stream of a request', () => {
  test('tells which request a message belongs to, and ends with the answer', async () => {
    const server = await legacyServer((seen, response) => {
      if (seen.method === 'GET') return events(response, event({ jsonrpc: '2.0', method: 'other' }))
      events(response, event(progress), event(resultFor(seen)))
      response.end()
    })
    const it = await transport(server.url)
    await shakeHands(it)
    await Promise.all([it.send(request('a')), it.send(request(7))])
    await expect.poll(() => it.received).toHaveLength(6)
    const methods = it.received.map(({ message, via }) => [
      'method' in message ? message.method : 'answer',
      via,
    ])
    expect(methods).toContainEqual(['notifications/progress', 'a'])
    expect(methods).toContainEqual(['notifications/progress', 7])
    expect(methods).toContainEqual(['answer', 'a'])
    expect(methods).toContainEqual(['other', undefined])
  })

  test('that ends without an answer and without ids fails the request', async () => {
    const server = await legacyServer((_, response) => {
      events(response, event(progress))
      response.end()
    })
    const it = await transport(server.url)
    await it.send(request(1))
    await expect.poll(() => it.received.at(-1)?.message).toMatchObject({ id: 1, ...closedEarly })
    expect(server.seen).toHaveLength(1)
  })

  test('is taken up where it ended, after the time the server asks for', async () => {
    const tries: (string | undefined)[] = []
    const server = await legacyServer((seen, response) => {
      if (seen.method === 'POST') {
        events(response, 'id: 1\nretry: 77\ndata:\n\n')
        return void response.end()
      }
      tries.push(seen.headers['last-event-id'] as string)
      if (tries.length === 1) return void response.destroy()
      if (tries.length === 2) {
        events(response, event(progress, '2'))
        return void response.end()
      }
      events(response, event({ jsonrpc: '2.0', id: 5, result: {} }))
    })
    const waited: number[] = []
    const it = await transport(server.url, { later: eager(waited) })
    await it.send(request(5))
    await expect.poll(() => it.received).toHaveLength(2)
    expect(it.received.map(({ via }) => via)).toEqual([5, 5])
    expect(tries).toEqual(['1', '1', '2'])
    expect(waited).toEqual([77, 250, 77])
  })

  test('is given up when trying brings nothing, and other requests go on', async () => {
    const server = await legacyServer((seen, response) => {
      if (seen.body.id === 2) return json(response, resultFor(seen))
      if (seen.method === 'POST') events(response, 'id: 1\ndata:\n\n')
      response.end()
    })
    const it = await transport(server.url, { later: eager([]) })
    await it.send(request(1))
    await expect.poll(() => it.received.at(-1)?.message).toMatchObject({ id: 1, ...closedEarly })
    expect(server.seen.length).toBe(9)
    await it.send(request(2))
    expect(it.received.at(-1)?.message).toMatchObject({ id: 2, result: {} })
  })

  test('is given up at once when the server has nothing to take up', async () => {
    const server = await legacyServer((seen, response) => {
      if (seen.method === 'GET') return none(response)
      events(response, 'id: 1\ndata:\n\n')
      response.end()
    })
    const it = await transport(server.url, { later: eager([]) })
    await it.send(request(1))
    await expect.poll(() => it.received.at(-1)?.message).toMatchObject({ id: 1, ...closedEarly })
    expect(server.seen).toHaveLength(2)
  })

  test('is left when the request is cancelled, once the server has heard it', async () => {
    let left = false
    let heardFirst = false
    const server = await legacyServer((seen, response) => {
      if (seen.body.method === 'notifications/cancelled') {
        heardFirst = !left
        return void response.writeHead(202).end()
      }
      events(response)
      response.on('close', () => {
        left = true
      })
    })
    const it = await transport(server.url)
    await it.send(request(1))
    await it.send(notification('notifications/cancelled', { requestId: 1 }))
    await expect.poll(() => left).toBe(true)
    expect(heardFirst).toBe(true)
    expect(it.received).toEqual([])
  })

  test('need not end after the answer: old ones are cut', async () => {
    let open = 0
    const server = await legacyServer((seen, response) => {
      events(response, event(resultFor(seen)))
      open++
      response.on('close', () => open--)
    })
    const it = await transport(server.url)
    await Promise.all(Array.from({ length: 80 }, (_, i) => it.send(request(i))))
    await expect.poll(() => it.received).toHaveLength(80)
    await expect.poll(() => open).toBe(64)
  })

  test('an answer may come on another', async () => {
    const server = await legacyServer((seen, response) => {
      if (seen.body.id === 1) return void response.writeHead(202).end()
      events(response, event({ jsonrpc: '2.0', id: 1, result: {} }), event(resultFor(seen)))
      response.end()
    })
    const it = await transport(server.url)
    await it.send(request(1))
    await it.send(request(2))
    await expect.poll(() => it.received.map(({ message }) => 'id' in message && message.id)).toEqual([1, 2])
  })
})

describe('the stream of the server', () => {
  test('is asked for once when there is none', async () => {
    const server = await legacyServer((seen, response) =>
      seen.method === 'GET' ? none(response) : void response.writeHead(202).end(),
    )
    const it = await transport(server.url, { later: eager([]) })
    await shakeHands(it)
    await expect.poll(() => server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET'])
    await it.send(notification('notifications/roots/list_changed'))
    await it.close()
    expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
  })

  test('comes back for as long as the connection lives', async () => {
    const asked: (string | undefined)[] = []
    const server = await legacyServer((seen, response) => {
      asked.push(seen.headers['last-event-id'] as string | undefined)
      if (asked.length <= 2) return void response.writeHead(503).end()
      if (asked.length === 3) {
        events(response, 'retry: 99\n\n', event(progress, 'é'))
        return void response.end()
      }
      if (asked.length === 4) return void response.destroy()
      events(response, event(progress))
    })
    const waited: number[] = []
    const it = await transport(server.url, { later: eager(waited, (ms) => ms === 2000) })
    await shakeHands(it)
    await expect.poll(() => it.received.filter(({ via }) => via === undefined)).toHaveLength(2)
    expect(asked.map((id) => id && Buffer.from(id, 'latin1').toString())).toEqual([
      undefined,
      undefined,
      undefined,
      'é',
      'é',
    ])
    // 1500: for the end of what follows a notification.
    expect(waited.filter((ms) => ms !== 1500)).toEqual([1000, 1000, 99, 250])
    await it.close()
    expect(asked).toHaveLength(5)
  })
})
