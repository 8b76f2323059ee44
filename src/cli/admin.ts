/** Asks the admin interface of a proxy that serves its console with the same configuration: what it knows needs no second gateway. */

import type { Config } from '../config/schema.ts'
import { notedConsoles } from '../data/consoles.ts'
import { dataDirectory } from '../data/directory.ts'
import { keptToken } from '../data/tokens.ts'
import { silentLogger } from '../observe/log.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { LIMIT_DEFAULTS } from '../protocol/limits.ts'
import type { Transport } from '../protocol/message.ts'
import { later } from '../upstream/backoff.ts'
import type { Host } from './host.ts'

export interface Admin {
  /** Where the console is. */
  readonly url: string
  /** The answer of a route of `/admin/api`. Undefined: it refuses. */
  ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: JsonObject): Promise<JsonObject | undefined>
  /** Speaks MCP with the proxy as a client of this machine. */
  mcp(profile: string | undefined): Promise<Transport>
}

/** Milliseconds in which a proxy on this machine says that it is there. */
const PRESENT_MS = 2_000

/** That of the proxy which was started last with this file. Undefined: none runs, or none answers. */
export async function adminOf(host: Host, config: Config): Promise<Admin | undefined> {
  if (config.file === undefined) return undefined
  const directory = dataDirectory(config, host.cwd, host.home)
  const [running] = notedConsoles(directory).filter(({ file }) => file === config.file)
  if (running === undefined) return undefined
  const { token } = keptToken(directory, 'console-token', { of: 'the console' })
  const send = (method: string, path: string, body?: JsonObject, signal?: AbortSignal): Promise<Response> =>
    fetch(new URL(`/admin/api${path}`, running.url), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  const isThere = await send('GET', '/status', undefined, AbortSignal.timeout(PRESENT_MS)).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!isThere) return undefined
  return {
    url: running.url,
    async ask(method, path, body) {
      const response = await send(method, path, body)
      const answer: unknown = response.ok ? await response.json() : undefined
      return isObject(answer) ? answer : undefined
    },
    async mcp(profile) {
      const { HttpTransport } = await import('../upstream/http/transport.ts')
      return new HttpTransport({
        url: new URL(`/admin/api/mcp${profile === undefined ? '' : `/${profile}`}`, running.url),
        headers: { authorization: `Bearer ${token}` },
        type: 'streamable-http',
        era: 'modern',
        maxMessageBytes: Number.POSITIVE_INFINITY,
        largeBytes: Number.POSITIVE_INFINITY,
        limits: LIMIT_DEFAULTS,
        graceMs: PRESENT_MS,
        conceal: (text) => text,
        logger: silentLogger,
        environment: {},
        later,
        random: Math.random,
      })
    },
  }
}
