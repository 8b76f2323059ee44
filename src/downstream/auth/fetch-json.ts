/** Small JSON documents of an authorization server. */
import { isObject, type JsonObject } from '../../protocol/json.ts'

/** Milliseconds until the whole answer has to be there. */
const TIMEOUT_MS = 5_000
const MAX_BYTES = 512 * 1024

export type Fetch = typeof fetch

/** Throws when it does not come, is too long or is no JSON object. Redirects are not followed: nobody was told to trust their end. */
export async function fetchJson(
  url: string,
  { fetch, ...init }: RequestInit & { fetch: Fetch },
): Promise<JsonObject> {
  const headers = { accept: 'application/json', ...init.headers }
  const response = await fetch(url, {
    ...init,
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`${url} answered with status ${response.status}`)
  }
  const value: unknown = JSON.parse(await textOf(response, url))
  if (!isObject(value)) throw new Error(`${url} answered with something that is no JSON object`)
  return value
}

async function textOf(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    // Leaving the loop ends the response.
    if (size > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
