import { describe, expect, test } from 'vitest'
import { AuthorizationNeeded, type Authorizer, type Refusal } from '../../../../src/upstream/transport.ts'
import {
  type Answer,
  event,
  events,
  json,
  loopback,
  request,
  resultFor,
  transport,
} from '../../../support/loopback.ts'

const modern = { era: 'modern' as const }

interface Fake extends Authorizer {
  refusals: Refusal[]
}

/** Sends these tokens, the next one after each refusal. */
function authorizer(...tokens: (string | Error)[]): Fake {
  const refusals: Refusal[] = []
  const next = (): string | undefined => {
    const [token] = tokens
    if (token instanceof Error) throw token
    return token
  }
  return {
    refusals,
    header: async () => next(),
    refused: async (refusal) => {
      refusals.push(refusal)
      tokens.shift()
      return next() !== undefined
    },
    close: async () => {},
  }
}

/** Lets this token in. */
const onlyFor =
  (token: string, answer: Answer = (seen, response) => json(response, resultFor(seen))): Answer =>
  (seen, response) => {
    if (seen.headers.authorization === token) return answer(seen, response)
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end('who are you?')
  }

describe('over streamable HTTP', () => {
  test('every request carries the header of the authorizer', async () => {
    const server = await loopback(onlyFor('Bearer a'))
    const signIn = authorizer('Bearer a')
    const it = await transport(server.url, { ...modern, authorizer: signIn })
    await it.send(request(1))
    await it.send(request(2))
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer a', 'Bearer a'])
    expect(signIn.refusals).toEqual([])
  })

  test('reports a 401 to the authorizer and sends the message once more', async () => {
    const server = await loopback(onlyFor('Bearer b'))
    const signIn = authorizer('Bearer a', 'Bearer b')
    const it = await transport(server.url, { ...modern, authorizer: signIn })
    await it.send(request(1))
    expect(it.received).toHaveLength(1)
    expect(server.seen.map(({ body }) => body.id)).toEqual([1, 1])
    expect(signIn.refusals).toEqual([{ status: 401, challenge: 'Bearer realm="x"', sent: 'Bearer a' }])
  })

  test('without a token nothing is sent until one is asked for', async () => {
    const server = await loopback(onlyFor('Bearer b'))
    const signIn = authorizer(undefined as never, 'Bearer b')
    const it = await transport(server.url, { ...modern, authorizer: signIn })
    await it.send(request(1))
    expect(signIn.refusals).toMatchObject([{ sent: undefined }])
    expect(it.received).toHaveLength(1)
  })

  test('a second refusal is the end, and so is having nothing new', async () => {
    const server = await loopback(onlyFor('Bearer z'))
    for (const tokens of [['Bearer a', 'Bearer b', 'Bearer c'], ['Bearer a']]) {
      const signIn = authorizer(...tokens)
      const it = await transport(server.url, { ...modern, authorizer: signIn })
      await expect(it.send(request(1))).rejects.toMatchObject({
        status: 401,
        message: 'HTTP 401: who are you?',
      })
      expect(signIn.refusals).toHaveLength(1)
    }
    expect(server.seen).toHaveLength(3)
  })

  test('a token may first be refused and then lack a scope', async () => {
    const server = await loopback((seen, response) => {
      const status = { 'Bearer a': 401, 'Bearer b': 403 }[seen.headers.authorization ?? '']
      if (status === undefined) json(response, resultFor(seen))
      else response.writeHead(status, { 'www-authenticate': 'Bearer error="insufficient_scope"' }).end()
    })
    const signIn = authorizer('Bearer a', 'Bearer b', 'Bearer c')
    const it = await transport(server.url, { ...modern, authorizer: signIn })
    await it.send(request(1))
    expect(it.received).toHaveLength(1)
    expect(signIn.refusals.map(({ status }) => status)).toEqual([401, 403])
  })

  test('an address to visit goes up as it is, from either question', async () => {
    const server = await loopback(onlyFor('Bearer z'))
    const needed = new AuthorizationNeeded('sign in at http://x/', 'http://x/')
    for (const tokens of [['Bearer a', needed], [needed]]) {
      const it = await transport(server.url, { ...modern, authorizer: authorizer(...tokens) })
      expect(await it.send(request(1)).catch((error: unknown) => error)).toBe(needed)
    }
  })

  test.each([
    ['with a challenge is told', { 'www-authenticate': 'Bearer error="insufficient_scope"' }, 1],
    ['without one is an answer', {}, 0],
  ])('403 %s', async (_, challenge, times) => {
    const server = await loopback((_seen, response) => void response.writeHead(403, challenge).end('no'))
    const signIn = authorizer('Bearer a', 'Bearer b')
    const it = await transport(server.url, { ...modern, authorizer: signIn })
    await expect(it.send(request(1))).rejects.toThrow('HTTP 403: no')
    expect(signIn.refusals).toHaveLength(times)
  })

  test('a configured header wins', async () => {
    const server = await loopback(onlyFor('Bearer z'))
    const signIn = authorizer('Bearer a', 'Bearer z')
    const it = await transport(server.url, {
      ...modern,
      authorizer: signIn,
      headers: { AUTHORIZATION: 'Bearer mine' },
    })
    await expect(it.send(request(1))).rejects.toThrow('HTTP 401')
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer mine'])
    expect(signIn.refusals).toEqual([])
  })

  test('a cancelled call does not wait for the authorizer', async () => {
    const server = await loopback(onlyFor('Bearer a'))
    let aborted = false
    const slow: Authorizer = {
      header: (signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            aborted = true
            reject(signal.reason)
          })
        }),
      refused: async () => false,
      close: async () => {},
    }
    const it = await transport(server.url, { ...modern, authorizer: slow })
    const sent = it.send(request(1))
    await it.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await sent
    expect(aborted).toBe(true)
    expect(server.seen).toEqual([])
  })
})

describe('over HTTP+SSE', () => {
  const old: Answer = (seen, response) => {
    if (seen.method === 'GET') return events(response, 'event: endpoint\ndata: /messages\n\n')
    response.writeHead(202).end()
  }
  const sse = { type: 'sse' as const }

  test('stream and messages are signed in', async () => {
    const server = await loopback(onlyFor('Bearer b', old))
    const signIn = authorizer('Bearer a', 'Bearer b')
    const it = await transport(server.url, { ...sse, authorizer: signIn })
    await it.send(request(1))
    expect(server.seen.map(({ method, headers }) => [method, headers.authorization])).toEqual([
      ['GET', 'Bearer a'],
      ['GET', 'Bearer b'],
      ['POST', 'Bearer b'],
    ])
  })

  test('an address to visit goes up as it is', async () => {
    const server = await loopback(onlyFor('Bearer z', old))
    const needed = new AuthorizationNeeded('sign in at http://x/', 'http://x/')
    const failed = await transport(server.url, { ...sse, authorizer: authorizer('Bearer a', needed) }).catch(
      (error: unknown) => error,
    )
    expect(failed).toBe(needed)
  })

  test('messages come and go', async () => {
    const server = await loopback((seen, response) => {
      if (seen.method !== 'GET') return void response.writeHead(202).end()
      events(response, 'event: endpoint\ndata: /messages\n\n', event({ jsonrpc: '2.0', method: 'x' }))
    })
    const it = await transport(server.url, sse)
    await expect.poll(() => it.received).toHaveLength(1)
    await it.send(request(1))
    expect(server.seen.at(-1)).toMatchObject({ url: '/messages', body: { id: 1 } })
  })
})
