/** `fetch` over our own pool of connections, signed in. The SDK's transport uses it. */
import type { RequestInit, Response } from 'undici'
import type { Endpoint } from './endpoint.ts'

type Fetch = typeof globalThis.fetch

export async function authorizedFetch({ dispatcher, authorizer, url }: Endpoint): Promise<Fetch> {
  const { fetch } = await import('undici')
  const plain = (target: string | URL, init: RequestInit): Promise<Response> =>
    fetch(target, { ...init, dispatcher })
  if (authorizer === undefined) return plain as unknown as Fetch
  const send = async (
    target: string | URL,
    init: RequestInit,
    asked: readonly number[],
  ): Promise<Response> => {
    const signal = init.signal ?? undefined
    // Credentials of this server are for this origin.
    if (new URL(target).origin !== url.origin) return plain(target, init)
    const sent = await authorizer.header(signal)
    const headers = new Headers(init.headers as ConstructorParameters<typeof Headers>[0])
    if (sent !== undefined) headers.set('authorization', sent)
    const response = await plain(target, { ...init, headers: [...headers] })
    const challenge = response.headers.get('www-authenticate') ?? undefined
    const refused = response.status === 401 || (response.status === 403 && challenge !== undefined)
    // Once each: a token may first be refused and then lack a scope.
    if (!refused || asked.includes(response.status)) return response
    if (!(await authorizer.refused({ status: response.status, challenge, sent }, signal))) return response
    await response.body?.cancel()
    return send(target, init, [...asked, response.status])
  }
  return ((target: string | URL, init: RequestInit = {}) => send(target, init, [])) as unknown as Fetch
}
