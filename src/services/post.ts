/** Services of the operator that take JSON by POST: one address, with limits of time and size. */
import type { JsonValue } from '../protocol/json.ts'
import type { Signal } from '../protocol/message.ts'
import { abortSignalOf } from '../protocol/peer.ts'
import { retryAfter, Transient } from './retry.ts'

/** The service answered, and not with what it was asked for. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'
}

export interface Posted {
  /** Its name in errors: `the translation service`. */
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Of the answer. */
  readonly mostBytes: number
}

/**
 * The answer, which is JSON. Rejects with WrongAnswer where it is not, with Transient where trying again may help, with Error for anything
 * else. The body goes to this address alone: no redirect is followed.
 */
export async function post(
  url: string,
  body: object,
  { name, headers, timeoutMs, mostBytes }: Posted,
  signal: Signal,
): Promise<JsonValue> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.any([abortSignalOf(signal), AbortSignal.timeout(timeoutMs)]),
  })
  const { ok, status } = response
  if (!ok) {
    await response.body?.cancel()
    if (status === 408 || status === 429 || status >= 500)
      throw new Transient(
        `${name} answered ${status}`,
        retryAfter(response.headers.get('retry-after'), Date.now()),
      )
    const isElsewhere = status >= 300 && status < 400
    const hint = isElsewhere ? ', which leads to another address: write that one into `url`' : ''
    throw new Error(`${name} answered ${status}${hint}`)
  }
  const text = await textOf(response, name, mostBytes)
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new WrongAnswer(`${name} did not answer with JSON`)
  }
}

async function textOf(response: Response, name: string, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > most) throw new Error(`${name} answered with more than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
