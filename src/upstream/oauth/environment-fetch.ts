/** `fetch` for a sign-in: through a proxy where the environment names one, as calls of servers, but each request alone. */
import type { Response as UndiciResponse } from 'undici'
import { dispatcherFor } from '../http/connector.ts'

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
