import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { createOpenAiEmbedder, type OpenAiOptions } from '../../../../src/discovery/embed/openai.ts'
import { embedderContract, type OpenedEmbedder, vowels } from '../../../contract/embedder.ts'
import { verifies } from '../../../support/verifies.ts'

interface Request {
  path: string
  key: string | undefined
  body: { model: string; input: string[]; encoding_format: string; dimensions?: number }
}
type Answer = (request: Request, response: ServerResponse) => void

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server of embeddings on this machine; `answer` can be changed while it runs. */
async function serve(answer: Answer = embed) {
  const requests: Request[] = []
  const state = { answer, requests, base: '' }
  const server = createServer((request: IncomingMessage, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const seen = { path: request.url ?? '', key: request.headers.authorization, body: JSON.parse(text) }
      requests.push(seen)
      state.answer(seen, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no address')
  state.base = `http://127.0.0.1:${address.port}`
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return state
}

const json = (response: ServerResponse, status: number, value: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

/** In another order than asked, as the field `index` allows. */
function embed({ body }: Request, response: ServerResponse): void {
  json(response, 200, {
    data: body.input.map((text, index) => ({ index, embedding: vowels(text) })).reverse(),
  })
}

const waits: number[] = []
const open = (base: string, more: Partial<OpenAiOptions> = {}) =>
  createOpenAiEmbedder({
    apiKey: 'sk-secret-key',
    baseUrl: base,
    retry: { wait: async (ms) => void waits.push(ms), random: () => 1 },
    ...more,
  })

const spoilt: Record<Parameters<OpenedEmbedder['spoil']>[0], Answer> = {
  'too few': ({ body }, response) =>
    json(response, 200, { data: [{ index: 0, embedding: vowels(body.input[0] ?? '') }] }),
  'other length': ({ body }, response) =>
    json(response, 200, { data: body.input.map((_, index) => ({ index, embedding: [1, 2] })) }),
  'no numbers': ({ body }, response) =>
    json(response, 200, { data: body.input.map((_, index) => ({ index, embedding: [1, null, '3', 4, 5] })) }),
  failure: (_, response) => json(response, 400, { error: { message: 'no such model' } }),
}
embedderContract('openai', async () => {
  const server = await serve()
  return {
    embedder: open(server.base),
    spoil: (how) => {
      server.answer = spoilt[how]
    },
  }
})

describe('openai', () => {
  verifies('S1.32 S1.48', 'asks the configured server with the key, in batches', async () => {
    const { base, requests } = await serve()
    await open(`${base}/v1/`, { model: 'm', dimensions: 5, batch: 2 }).embed(['a', 'b', 'c'])
    expect(requests).toEqual([
      {
        path: '/v1/embeddings',
        key: 'Bearer sk-secret-key',
        body: { model: 'm', input: ['a', 'b'], encoding_format: 'float', dimensions: 5 },
      },
      {
        path: '/v1/embeddings',
        key: 'Bearer sk-secret-key',
        body: { model: 'm', input: ['c'], encoding_format: 'float', dimensions: 5 },
      },
    ])
  })

  test.each(['', '/', '/v1', '/v1/', '/v1/embeddings'])(
    'takes a base URL that ends with %j',
    async (ending) => {
      const { base, requests } = await serve()
      await open(base + ending).embed(['a'])
      expect(requests[0]?.path).toBe('/v1/embeddings')
    },
  )

  verifies('S1.48', 'needs a key, and says what to do', () => {
    for (const apiKey of [undefined, '', '  '])
      expect(() => open('http://localhost', { apiKey })).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          next: expect.stringContaining('Set OPENAI_API_KEY'),
        }),
      )
    expect(() => open('localhost:80')).toThrow('OPENAI_BASE_URL')
    expect(() => open('file:///etc/passwd')).toThrow('OPENAI_BASE_URL')
  })

  verifies('S1.48', 'never tells the key, whatever the server says', async () => {
    const server = await serve()
    const embedder = open(server.base)
    for (const status of [400, 401, 403, 404]) {
      server.answer = (_, response) =>
        json(response, status, { error: { message: 'wrong key sk-secret-key (sk-sec…)' } })
      const error = await embedder.embed(['a']).catch((thrown: Error) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('sk-secret-key')
    }
    expect(embedder.model).not.toContain('sk-secret-key')
    server.answer = (_, response) => json(response, 401, {})
    await expect(embedder.embed(['a'])).rejects.toThrow('check OPENAI_API_KEY')
  })

  test('tries again what may pass, after the time that was asked for', async () => {
    const server = await serve()
    const failures: [number, object][] = [
      [429, { 'retry-after': '3' }],
      [503, {}],
      [500, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
    ]
    server.answer = (request, response) => {
      const failure = failures.shift()
      if (failure) json(response, failure[0], { error: 'busy' }, failure[1])
      else embed(request, response)
    }
    waits.length = 0
    expect(await open(server.base).embed(['a'])).toHaveLength(1)
    expect(waits).toEqual([3000, 1000, 0])
  })

  test('gives up after four attempts, and at once where it cannot pass', async () => {
    const server = await serve((_, response) => json(response, 500, { error: { message: 'down' } }))
    await expect(open(server.base).embed(['a'])).rejects.toThrow('answered 500: down')
    expect(server.requests).toHaveLength(4)
    server.requests.length = 0
    server.answer = (_, response) => json(response, 400, { error: { message: 'no such model' } })
    await expect(open(server.base).embed(['a'])).rejects.toThrow('no such model')
    expect(server.requests).toHaveLength(1)
  })

  test('has a time limit and ends with the signal', async () => {
    const server = await serve(() => {})
    waits.length = 0
    await expect(open(server.base, { timeout: 20 }).embed(['a'])).rejects.toThrow('no answer within 20 ms')
    expect(waits).toHaveLength(3)
    const stop = new AbortController()
    server.answer = () => stop.abort(new Error('enough'))
    await expect(open(server.base).embed(['a'], stop.signal)).rejects.toThrow('enough')
  })

  test('a server that is not there is a failure in words', async () => {
    const error = await open('http://127.0.0.1:9')
      .embed(['a'])
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: expect.stringContaining('http://127.0.0.1:9'),
    })
  })

  test('does not follow a redirect with the key', async () => {
    const other = await serve()
    const server = await serve((_, response) =>
      response.writeHead(307, { location: `${other.base}/v1/embeddings` }).end(),
    )
    await expect(open(server.base).embed(['a'])).rejects.toThrow()
    expect(other.requests).toEqual([])
  })

  test.each([
    ['no JSON', 'hello'],
    ['null', 'null'],
    ['no data', '{"data":{}}'],
    ['twice the same place', '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}'],
    ['a place that is none', '{"data":[{"index":7,"embedding":[1]},{"index":"length","embedding":[1]}]}'],
    ['too large for a float', '{"data":[{"index":0,"embedding":[1e300]},{"index":1,"embedding":[1]}]}'],
  ])('refuses an answer that is wrong: %s', async (_, text) => {
    const server = await serve((_request, response) => response.writeHead(200).end(text))
    await expect(open(server.base).embed(['a', 'b'])).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' })
  })

  test('its vectors are another model where another server or length is chosen', () => {
    const names = [
      open('https://api.openai.com/v1'),
      open('https://api.openai.com/v1', { dimensions: 256 }),
      open('http://localhost:1/v1'),
      open('http://localhost:2/v1'),
      open('https://api.openai.com/v1', { model: 'm' }),
    ].map(({ model }) => model)
    expect(new Set(names).size).toBe(names.length)
    expect(names[0]).toBe('text-embedding-3-small')
  })
})
