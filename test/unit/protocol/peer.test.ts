import { expect, onTestFinished, test, vi } from 'vitest'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Notification, Signal } from '../../../src/protocol/message.ts'
import {
  type Incoming,
  Peer,
  PeerClosed,
  type PeerHandlers,
  RequestTimeout,
} from '../../../src/protocol/peer.ts'
import { deferred } from '../../support/deferred.ts'
import { linkedTransports } from '../../support/linked.ts'

async function connected(server: Partial<PeerHandlers>, client: Partial<PeerHandlers> = {}) {
  const [near, far] = linkedTransports()
  const refuse = async () => Promise.reject(new RpcError(-32601, 'no'))
  const a = new Peer(near, {
    onRequest: refuse,
    onNotification: () => {},
    ...client,
  })
  const b = new Peer(far, {
    onRequest: refuse,
    onNotification: () => {},
    ...server,
  })
  await Promise.all([a.start(), b.start()])
  return { a, b }
}

test('pairs answers with requests whatever their order', async () => {
  const late: (() => void)[] = []
  const { a } = await connected({
    onRequest: async ({ params }) => {
      if (params?.wait) await new Promise<void>((resolve) => late.push(resolve))
      else late.shift()?.()
      return { echo: params ?? {} }
    },
  })
  const first = a.request({ method: 'x', params: { n: 1, wait: true } })
  const second = a.request({ method: 'x', params: { n: 2 } })
  expect(await second).toEqual({ echo: { n: 2 } })
  expect(await first).toEqual({ echo: { n: 1, wait: true } })
})

test('errors keep code, message and data', async () => {
  const { a } = await connected({
    onRequest: () =>
      Promise.reject(
        new RpcError(-32042, 'go there', {
          elicitations: [{ url: 'https://example.org' }],
        }),
      ),
  })
  await expect(a.request({ method: 'x' })).rejects.toMatchObject({
    code: -32042,
    message: 'go there',
    data: { elicitations: [{ url: 'https://example.org' }] },
  })
})

test('an aborted request is cancelled on the other side and gets no answer', async () => {
  let seen: Signal | undefined
  const started = deferred<void>()
  const { a } = await connected({
    onRequest: async (_, { signal }) => {
      seen = signal
      started.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return {}
    },
  })
  const stop = new AbortController()
  const call = a.request({ method: 'x' }, { signal: stop.signal })
  await started.promise
  stop.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => seen?.aborted).toBe(true)
})

test('progress reaches the caller under a token of ours, and keeps the call alive', async () => {
  // By this clock nothing but the call takes any time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const progress: JsonObject[] = []
  const { a } = await connected({
    onRequest: async ({ params }, { notify }: Incoming) => {
      const { progressToken } = (params as { _meta: { progressToken: number } })._meta
      for (let step = 1; step <= 3; step++) {
        vi.advanceTimersByTime(60)
        notify({
          method: 'notifications/progress',
          params: { progressToken, progress: step },
        })
        while (progress.length < step) await new Promise((resolve) => setImmediate(resolve))
      }
      return { done: true }
    },
  })
  const params = { _meta: { progressToken: 'theirs', other: 1 } }
  const result = await a.request(
    { method: 'x', params },
    { timeoutMs: 100, onProgress: (p) => progress.push(p) },
  )
  expect(result).toEqual({ done: true })
  expect(progress.map((p) => p.progress)).toEqual([1, 2, 3])
  expect(params).toEqual({ _meta: { progressToken: 'theirs', other: 1 } })
})

test('a request without an answer times out and is cancelled at the other side', async () => {
  const cancelled = deferred<void>()
  const { a } = await connected({
    onRequest: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          cancelled.resolve()
          reject(new Error('aborted'))
        })
      }),
  })
  await expect(a.request({ method: 'x' }, { timeoutMs: 20 })).rejects.toBeInstanceOf(RequestTimeout)
  await cancelled.promise
})

test('closing the connection rejects pending requests and aborts running handlers', async () => {
  const serving = deferred<Signal>()
  let ends = 0
  const { a, b } = await connected(
    {
      onRequest: (_, { signal }) => {
        serving.resolve(signal)
        return new Promise(() => {})
      },
    },
    { onClose: () => ends++ },
  )
  const call = a.request({ method: 'x' })
  const signal = await serving.promise
  await b.close()
  await expect(call).rejects.toBeInstanceOf(PeerClosed)
  expect(signal.aborted).toBe(true)
  expect(ends).toBe(1)
  await expect(a.request({ method: 'x' })).rejects.toBeInstanceOf(PeerClosed)
})

test('ping is answered, other notifications are handed on, stray answers are reported', async () => {
  const notes: Notification[] = []
  const errors: Error[] = []
  const [near, far] = linkedTransports()
  const peer = new Peer(far, {
    onRequest: async () => ({}),
    onNotification: (note) => notes.push(note),
    onError: (error) => errors.push(error),
  })
  await peer.start()
  const answers: unknown[] = []
  near.onmessage = (message) => answers.push(message)
  await near.send({ jsonrpc: '2.0', id: 'p', method: 'ping' })
  await near.send({
    jsonrpc: '2.0',
    method: 'notifications/roots/list_changed',
  })
  await near.send({ jsonrpc: '2.0', id: 99, result: {} })
  await expect.poll(() => errors.length).toBe(1)
  await expect.poll(() => answers).toEqual([{ jsonrpc: '2.0', id: 'p', result: {} }])
  expect(notes).toEqual([{ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }])
})

test('messages that are no requests are refused with an id when there is one, and nothing throws', async () => {
  const [near, far] = linkedTransports()
  const answers: unknown[] = []
  near.onmessage = (message) => answers.push(message)
  const errors: string[] = []
  const notes: string[] = []
  const peer = new Peer(far, {
    onRequest: async ({ params }) => ({ params: params ?? {} }),
    onNotification: ({ method }) => notes.push(method),
    onError: ({ message }) => errors.push(message),
  })
  await peer.start()
  const say = (message: object): Promise<void> => near.send({ jsonrpc: '2.0', ...message } as never)
  await say({ id: 1, method: 5 })
  await say({ id: null, method: 'tools/call' })
  await say({ id: { a: 1 }, method: 'tools/call' })
  await say({ id: 'p', method: 'tools/call', params: [1] })
  await say({ id: 0, method: 'tools/call', params: null })
  await say({ method: 7 })
  await say({ id: null, method: 'notifications/tools/list_changed' })
  await say({ id: 99, error: null })
  await expect.poll(() => errors).toHaveLength(2)
  await expect.poll(() => answers).toHaveLength(5)
  expect(answers).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32600 }) }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
      expect.objectContaining({ id: 'p', error: expect.objectContaining({ code: -32602 }) }),
      expect.objectContaining({ id: 0, result: { params: {} } }),
    ]),
  )
  expect(notes).toEqual(['notifications/tools/list_changed'])
})

test('an error that breaks JSON-RPC becomes one that clients can read', async () => {
  const [near, far] = linkedTransports()
  far.onmessage = (message) => {
    if ('id' in message) void far.send({ jsonrpc: '2.0', id: message.id, error: { code: 'E_FAIL' } } as never)
  }
  const peer = new Peer(near, { onRequest: async () => ({}), onNotification: () => {} })
  await peer.start()
  const error = await peer.request({ method: 'x' }).catch((thrown: RpcError) => thrown.toJSON())
  expect(error).toEqual({ code: -32603, message: 'an error without a message' })
})

test('rejects all callers even if the transport fails to close', async () => {
  const [near] = linkedTransports()
  near.close = () => Promise.reject(new Error('stuck'))
  const peer = new Peer(near, { onRequest: async () => ({}), onNotification: () => {} })
  await peer.start()
  const pending = peer.request({ method: 'x' }).catch((error: unknown) => error)
  await expect(peer.close()).rejects.toThrow('stuck')
  expect(await pending).toBeInstanceOf(PeerClosed)
})

test('an error in a notification handler affects no other message', async () => {
  const errors: string[] = []
  const [near, far] = linkedTransports()
  const a = new Peer(near, {
    onRequest: async () => ({}),
    onNotification: () => {
      throw new RangeError('too deep')
    },
    onError: ({ message }) => errors.push(message),
  })
  await Promise.all([a.start(), far.start()])
  expect(() => near.onmessage?.({ jsonrpc: '2.0', method: 'notifications/message' })).not.toThrow()
  expect(errors).toEqual(['too deep'])
})

test('JSON too deep to be written fails its request at once, and a notification quietly', async () => {
  const errors: string[] = []
  const transport = linkedTransports()[0]
  transport.send = () => {
    throw new RangeError('too deep')
  }
  const peer = new Peer(transport, {
    onRequest: async () => ({}),
    onNotification: () => {},
    onError: ({ message }) => errors.push(message),
  })
  await peer.start()
  await expect(peer.request({ method: 'x' }, { timeoutMs: 60_000 })).rejects.toThrow('too deep')
  expect(peer.waiting).toBe(0)
  peer.notify({ method: 'notifications/x' })
  expect(errors).toEqual(['too deep'])
})

test('answers with an error at once when too many requests of the other side are under way', async () => {
  const [near, far] = linkedTransports()
  const waiting: ReturnType<typeof deferred<JsonObject>>[] = []
  const asked = new Peer(
    near,
    {
      onRequest: () => {
        const answer = deferred<JsonObject>()
        waiting.push(answer)
        return answer.promise
      },
      onNotification: () => {},
    },
    { limit: { most: 3, words: () => 'too many' } },
  )
  const told: unknown[] = []
  far.onmessage = (message) => told.push(message)
  await Promise.all([asked.start(), far.start()])
  // The same id again counts as another request.
  for (const id of [1, 1, 1, 1, 2]) await far.send({ jsonrpc: '2.0', id, method: 'roots/list' })
  await expect.poll(() => told).toHaveLength(2)
  expect(told).toMatchObject([
    { id: 1, error: { code: -32603, message: 'too many' } },
    { id: 2, error: {} },
  ])
  for (const { resolve } of waiting) resolve({})
  await expect.poll(() => told).toHaveLength(5)
  await far.send({ jsonrpc: '2.0', id: 9, method: 'roots/list' })
  await expect.poll(() => waiting).toHaveLength(4)
})
