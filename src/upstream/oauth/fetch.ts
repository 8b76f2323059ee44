/**
 * `fetch` for a sign-in. Requests go through a proxy where the environment names one, as calls of servers do, each over a
 * connection of its own. Authorization servers are strangers: an answer has a largest size and a longest time.
 */
import type { Response as UndiciResponse } from 'undici'
import { dispatcherFor } from '../http/endpoint.ts'

export function environmentFetch(environment: Readonly<Record<string, string | undefined>>): typeof fetch {
  return async (target, init = {}) => {
    const { fetch } = await import('undici')
    const url = new URL(target instanceof Request ? target.url : target)
    const { method = 'GET', body, redirect = 'follow', signal } = init
    const answer: UndiciResponse = await fetch(url, {
      method,
      redirect,
      headers: [...new Headers(init.headers)],
      dispatcher: await dispatcherFor(url, environment, true),
      ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {}),
      ...(signal && { signal }),
    })
    return answer as unknown as Response
  }
}

/** Metadata and tokens are a few kilobytes. */
const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 20_000
/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const BODILESS = new Set([101, 204, 205, 304])

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** The same fetch; an answer is read whole, up to a limit, before it is given out. `signal` ends all of it. */
export function boundedFetch(inner: typeof fetch, signal: AbortSignal): Fetch {
  return async (url, init) => {
    const signals = [signal, AbortSignal.timeout(TIMEOUT_MS), ...(init?.signal ? [init.signal] : [])]
    const response = await inner(url, { ...init, signal: AbortSignal.any(signals) })
    const { status, statusText, headers } = response
    const body = BODILESS.has(status) ? null : await readAll(response, url)
    return new Response(body, { status, statusText, headers })
  }
}

async function readAll(response: Response, url: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`${new URL(url).origin} sent more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
