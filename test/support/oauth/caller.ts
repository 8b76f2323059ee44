/** Calls a protected server as the HTTP transport does, and does what a person does in a browser. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type OAuthSettings, oauthSchema } from '../../../src/config/auth-options.ts'
import type { Logger } from '../../../src/observe/log.ts'
import {
  type AuthorizerOptions,
  createAuthorizer,
  type OAuthAuthorizer,
} from '../../../src/upstream/oauth/authorizer.ts'
import type { Authorizer } from '../../../src/upstream/transport.ts'
import { type Clock, createClock } from './clock.ts'
import type { Protected } from './protected-server.ts'

export interface Caller {
  authorizer: OAuthAuthorizer
  clock: Clock
  dataDir: string
  /** Everything that was logged, as one text. */
  logged(): string
  /** Addresses that were to be opened. */
  links: string[]
  /** The status of a call of this tool, after what the authorizer could do about refusals. */
  call(tool?: string): Promise<number>
}

export interface CallerOptions extends Partial<Omit<AuthorizerOptions, 'settings' | 'now' | 'later'>> {
  settings?: Partial<OAuthSettings> | undefined
  clock?: Clock
  /** Opens an address for the person. Absent: as a browser does. */
  person?: (link: string) => unknown
}

/** A directory for the time of a test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'oauth-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Follows redirects to the end, as a browser does. */
export async function browse(link: string): Promise<{ status: number; text: string }> {
  const response = await fetch(link)
  return { status: response.status, text: await response.text() }
}

export function createCaller(server: Protected, options: CallerOptions = {}): Caller {
  const {
    settings,
    clock = createClock(),
    person = browse,
    dataDir = temporaryDirectory(),
    ...rest
  } = options
  const lines: string[] = []
  const links: string[] = []
  const log = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  const authorizer = createAuthorizer({
    server: 'docs',
    url: server.url,
    settings: settings && oauthSchema.parse(settings),
    dataDir,
    logger,
    now: clock.now,
    later: clock.later,
    waitMs: 20_000,
    open(link) {
      links.push(link)
      void Promise.resolve(person(link)).catch(() => {})
      return true
    },
    ...rest,
  })
  onTestFinished(() => authorizer.close())
  return {
    authorizer,
    clock,
    dataDir,
    links,
    logged: () => lines.join('\n'),
    call: (tool = 'read') => callServer(server.url, authorizer, tool),
  }
}

/** One request; a refusal is shown to the authorizer, as often as it has something new to send. */
async function callServer(url: string, authorizer: Authorizer, tool: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } })
  for (let tries = 0; ; tries++) {
    const sent = await authorizer.header()
    const headers = { 'content-type': 'application/json', ...(sent !== undefined && { authorization: sent }) }
    const response = await fetch(url, { method: 'POST', headers, body })
    await response.arrayBuffer()
    if (response.ok || tries > 20) return response.status
    const challenge = response.headers.get('www-authenticate') ?? undefined
    if (!(await authorizer.refused({ status: response.status, challenge, sent }))) return response.status
  }
}
