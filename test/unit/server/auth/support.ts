/** An authorization server of the test's own, and a small server that asks an authenticator. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/config/load-program.ts'
import type { Config } from '../../../../src/config/schema.ts'
import { createLogger } from '../../../../src/observe/logger.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { openAuthenticator } from '../../../../src/server/auth/open.ts'
import type { Principal } from '../../../../src/server/backend.ts'
import { requestUrl } from '../../../../src/server/http/request.ts'

/** A clock that stands still until it is moved. Milliseconds since 1970. */
export interface Clock {
  now: () => number
  pass(ms: number): void
}

export function clock(at = Date.UTC(2030, 0, 1)): Clock {
  let time = at
  return {
    now: () => time,
    pass(ms) {
      time += ms
    },
  }
}

export const AUDIENCE = 'https://proxy.example/mcp'

type Keys = Awaited<ReturnType<typeof generateKeyPair>>

export interface Issuer {
  url: string
  fetch: typeof fetch
  /** Addresses that were asked for, in order. */
  asked: string[]
  /** The answers at addresses in place of the issuer's own ones. */
  answers: Map<string, () => Response | Promise<Response>>
  /** Adds a key; the newest signs. Other keys than the newest are no longer given out. */
  rotate(alg?: string, kid?: string): Promise<void>
  /** A token with good claims but for `claims`; undefined takes one away. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
}

export async function issuer({ now }: Clock, url = 'https://issuer.example'): Promise<Issuer> {
  let current: { keys: Keys; alg: string; kid: string | undefined } | undefined
  const asked: string[] = []
  const json = (value: unknown): Response => Response.json(value)
  const answers = new Map<string, () => Response | Promise<Response>>([
    [`${url}/.well-known/oauth-authorization-server`, () => json({ issuer: url, jwks_uri: `${url}/keys` })],
    [
      `${url}/keys`,
      async () => {
        if (current === undefined) return json({ keys: [] })
        const { keys, alg, kid } = current
        return json({
          keys: [{ ...(await exportJWK(keys.publicKey)), alg, ...(kid && { kid }), use: 'sig' }],
        })
      },
    ],
  ])
  const self: Issuer = {
    url,
    asked,
    answers,
    fetch: async (input) => {
      asked.push(String(input))
      return (await answers.get(String(input))?.()) ?? new Response('', { status: 404 })
    },
    async rotate(alg = 'ES256', kid = `key-${Math.random()}`) {
      current = { keys: await generateKeyPair(alg, { extractable: true }), alg, kid }
    },
    async token(claims = {}, header = {}) {
      if (current === undefined) throw new Error('there is no key')
      const time = Math.floor(now() / 1000)
      const all = { iss: url, aud: AUDIENCE, sub: 'anna', exp: time + 600, iat: time, ...claims }
      const { alg, kid, keys } = current
      return new SignJWT(JSON.parse(JSON.stringify(all)))
        .setProtectedHeader({ alg, ...(kid !== undefined && { kid }), typ: 'at+jwt', ...header })
        .sign(keys.privateKey)
    },
  }
  await self.rotate()
  return self
}

export function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'auth-test-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Complete settings of a proxy over HTTP. */
export function settings(proxySettings: JsonObject): Config['settings'] {
  const value = { mcpServers: {}, proxySettings: { transport: 'streamable-http', ...proxySettings } }
  return loadConfig({ value, env: {}, cwd: '/', home: '/' }).config.settings
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  principal: Principal | undefined
}

export interface Asking {
  port: number
  logged(): string
  /** `headers` may hold a header several times. */
  ask(headers?: Record<string, string | string[]>, path?: string, method?: string): Promise<Answer>
  bearer(token: string): Promise<Answer>
}

/** A server that answers 200 to known clients; under `/stream` the answer does not end. */
export async function asking(
  proxySettings: JsonObject,
  { clock: { now }, fetch }: { clock: Clock; fetch?: typeof globalThis.fetch },
): Promise<Asking> {
  let logged = ''
  const write = (line: string): void => {
    logged += line
  }
  const logger = createLogger({ level: 'debug', destination: { write } })
  const authenticator = await openAuthenticator({
    settings: settings(proxySettings),
    logger,
    now,
    fetch: fetch ?? (() => Promise.reject(new Error('there is no network'))),
  })
  if (authenticator === undefined) throw new Error('nobody has to authenticate')
  let principal: Principal | undefined
  const server = createServer(async (incoming, response) => {
    if (authenticator.serve(incoming, response, requestUrl(incoming))) return
    principal = await authenticator.authenticate(incoming, response)
    if (principal && incoming.url === '/stream') response.flushHeaders()
    else if (principal) response.end(JSON.stringify(principal))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  const { port } = server.address() as AddressInfo
  const ask: Asking['ask'] = (headers = {}, path = '/mcp', method = 'GET') =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => {
          const status = response.statusCode ?? 0
          resolve({
            status,
            headers: response.headers,
            body,
            principal: status === 200 && path === '/mcp' ? JSON.parse(body) : undefined,
          })
        })
      })
      sent.once('error', reject)
      sent.end()
    })
  return { port, logged: () => logged, ask, bearer: (token) => ask({ authorization: `Bearer ${token}` }) }
}

/** Writes a file of tokens and gives its path. */
export function tokensFile(content: unknown, at = directory()): string {
  const path = join(at, 'tokens.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  return path
}
