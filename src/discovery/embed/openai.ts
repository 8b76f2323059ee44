/** Embeddings over HTTP, as OpenAI and many local servers offer them: `POST {base}/embeddings`. */

import { messageOf, ProxyError } from '../../protocol/errors.ts'
import { isObject, own } from '../../protocol/json.ts'
import { type RetryOptions, retry, retryAfter, Transient } from '../../services/retry.ts'
import { head } from '../../text/shorten.ts'
import { toUnit } from '../vectors/vector-index.ts'
import { checkVectors, type Embedder, embeddable, failed } from './embedder.ts'

export interface OpenAiOptions {
  /** OPENAI_API_KEY; sent to the server, and nowhere else. */
  apiKey: string | undefined
  /** OPENAI_BASE_URL, with the version in it: `http://localhost:11434/v1`. */
  baseUrl?: string | undefined
  model?: string | undefined
  /** For models that can shorten their vectors; undefined: as long as the model makes them. */
  dimensions?: number | undefined
  /** Milliseconds for one request. */
  timeout?: number
  /** Texts in one request. */
  batch?: number
  fetch?: typeof fetch
  retry?: Pick<RetryOptions, 'wait' | 'random'>
}

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'
export const OPENAI_MODEL = 'text-embedding-3-small'
const ATTEMPTS = 4
/** Of an answer: 128 vectors of 4,096 numbers are some 12 MB. */
const MOST_BYTES = 64 * 1024 * 1024

/** Throws a `ProxyError` for a missing key or a base URL that is none. */
export function createOpenAiEmbedder(options: OpenAiOptions): Embedder {
  const { model = OPENAI_MODEL, dimensions, timeout = 30_000, batch = 128 } = options
  const send = options.fetch ?? fetch
  const endpoint = endpointOf(options.baseUrl?.trim() || OPENAI_BASE_URL)
  const key = keyOf(options.apiKey)
  /** As long as the first vectors were. */
  let length = dimensions ?? 0

  async function request(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const limit = AbortSignal.timeout(timeout)
    let response: Response
    let body: string
    try {
      response = await send(endpoint, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify({
          model,
          input: texts,
          encoding_format: 'float',
          ...(dimensions && { dimensions }),
        }),
        // The key is for this server alone.
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      body = await bounded(response)
    } catch (error) {
      if (error instanceof ProxyError) throw error
      const what = limit.aborted ? `no answer within ${timeout} ms` : without(key, reasonOf(error))
      throw new Transient(`${endpoint.origin}: ${what}`, undefined)
    }
    if (!response.ok) throw refusal(endpoint, response, without(key, body))
    const vectors = vectorsIn(body)
    checkVectors(vectors, texts.length, length)
    length ||= vectors[0]?.length ?? 0
    return vectors.map(toUnit)
  }

  return {
    model: [model, dimensions, endpoint.href === endpointOf(OPENAI_BASE_URL).href ? undefined : endpoint.href]
      .filter((part) => part !== undefined)
      .join(' '),
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += batch) {
        const some = texts.slice(at, at + batch).map(embeddable)
        try {
          vectors.push(
            ...(await retry(() => request(some, signal), { ...options.retry, attempts: ATTEMPTS, signal })),
          )
        } catch (error) {
          throw error instanceof Transient ? failed(error.message) : error
        }
      }
      return vectors
    },
    close: async () => {},
  }
}

function endpointOf(base: string): URL {
  let url: URL
  try {
    url = new URL(base)
    if (!/^https?:$/.test(url.protocol)) throw new TypeError('no HTTP')
  } catch (cause) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `OPENAI_BASE_URL is ${JSON.stringify(base)}, which is no HTTP URL`,
      'Write it with its version, for example http://localhost:11434/v1.',
      { cause },
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = `${path === '' ? '/v1' : path.replace(/\/embeddings$/, '')}/embeddings`
  return url
}

function keyOf(apiKey: string | undefined): string {
  const key = apiKey?.trim()
  if (key && !/[\r\n\0]/.test(key)) return key
  throw new ProxyError(
    'CONFIG_INVALID',
    key ? 'OPENAI_API_KEY holds a line break' : 'The embedder openai needs OPENAI_API_KEY, which is not set',
    'Set OPENAI_API_KEY (a server that needs no key takes any text), or choose MCPPROXY_EMBEDDER=BM25.',
  )
}

async function bounded(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES) throw failed(`the answer has more than ${MOST_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function refusal(endpoint: URL, response: Response, body: string): Error {
  const { status } = response
  // The answer to a wrong key repeats parts of it.
  if (status === 401 || status === 403)
    return failed(`${endpoint.origin} refused the key (${status}); check OPENAI_API_KEY`)
  const what = `${endpoint.origin} answered ${status}: ${head(messageIn(body), 300)}`
  const passing = status === 408 || status === 429 || status >= 500
  return passing
    ? new Transient(what, retryAfter(response.headers.get('retry-after'), Date.now()))
    : failed(what)
}

function messageIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    const error = isObject(value) ? own(value, 'error') : undefined
    const message = isObject(error) ? own(error, 'message') : error
    return typeof message === 'string' ? message : body
  } catch {
    return body
  }
}

/** In the order of the texts, which `index` tells where it is given. */
function vectorsIn(body: string): Float32Array[] {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw failed('the answer is no JSON')
  }
  const data = isObject(value) ? own(value, 'data') : undefined
  if (!Array.isArray(data)) throw failed('the answer has no list "data"')
  const vectors: Float32Array[] = []
  for (const [place, item] of data.entries()) {
    const embedding = isObject(item) ? own(item, 'embedding') : undefined
    const index = isObject(item) ? (own(item, 'index') ?? place) : place
    if (!Array.isArray(embedding) || !embedding.every((part) => typeof part === 'number'))
      throw failed('an item of "data" has no list of numbers "embedding"')
    if (typeof index !== 'number' || !(index in data) || index in vectors)
      throw failed('the items of "data" are not numbered from 0')
    vectors[index] = Float32Array.from(embedding)
  }
  return vectors
}

/** fetch hides what happened in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return messageOf(cause)
}

function without(secret: string, text: string): string {
  return text.replaceAll(secret, '[key]')
}
