import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { oauthSchema } from '../../../../src/config/auth-options.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import {
  type AuthorizersOptions,
  createAuthorizers,
  type ProtectedServer,
} from '../../../../src/upstream/oauth/authorizer.ts'
import type { AuthorizationNeeded } from '../../../../src/upstream/transport.ts'
import { temporaryDirectory } from '../../../support/oauth/caller.ts'
import { createClock } from '../../../support/oauth/clock.ts'
import { startProtected } from '../../../support/oauth/protected-server.ts'

function open(server: Partial<ProtectedServer>, options: Partial<AuthorizersOptions> = {}) {
  const clock = createClock()
  const authorizers = createAuthorizers({
    servers: [{ name: 'docs', url: 'https://mcp.example/mcp', headers: {}, oauth: undefined, ...server }],
    logger: silentLogger,
    dataDir: temporaryDirectory(),
    now: clock.now,
    later: clock.later,
    connectTimeoutMs: 30_000,
    open: 'auto',
    environment: {},
    platform: 'linux',
    ...options,
  })
  onTestFinished(() => authorizers.close())
  return { authorizers, clock }
}

const refusal = { status: 401, challenge: undefined, sent: undefined }

describe('servers that get an authorizer', () => {
  test('a server that says nothing of OAuth, once for all of its connections', () => {
    const { authorizers } = open({})
    expect(authorizers.for('docs')).toBeDefined()
    expect(authorizers.for('docs')).toBe(authorizers.for('docs'))
    expect(authorizers.for('other')).toBeUndefined()
  })

  test.each<[string, Partial<ProtectedServer>]>([
    ['with an Authorization header', { headers: { AUTHORIZATION: 'Bearer x' } }],
    ['with a password in its address', { url: 'https://me:x@mcp.example/' }],
    ['where OAuth is switched off', { oauth: oauthSchema.parse({ enabled: false }) }],
    ['with no address', { url: '${input:url}' }],
  ])('but not one %s', async (_, server) => {
    const { authorizers } = open(server)
    expect(authorizers.for('docs')).toBeUndefined()
    await expect(authorizers.signOut('docs')).rejects.toThrow('not one that the proxy signs in to')
  })
})

test('a program in BROWSER that follows the address signs in', async () => {
  const server = await startProtected({ resourceMetadata: 'well-known' })
  const directory = temporaryDirectory()
  const program = join(directory, 'browser.mjs')
  writeFileSync(program, `#!${process.execPath}\nawait (await fetch(process.argv[2])).text()\n`, {
    mode: 0o700,
  })
  const { authorizers } = open({ url: server.url }, { environment: { BROWSER: program } })
  expect(await authorizers.for('docs')?.refused(refusal)).toBe(true)
  expect(await authorizers.for('docs')?.header()).toMatch(/^Bearer access-/)
  expect(await authorizers.signOut('docs')).toBe('revoked')
})

test("without a browser the error gives the address before the caller's timeout, and no program is run", async () => {
  const directory = temporaryDirectory()
  const [program, flag] = [join(directory, 'browser'), join(directory, 'ran')]
  writeFileSync(program, `#!/bin/sh\n: > ${flag}\n`, { mode: 0o700 })
  const server = await startProtected({ resourceMetadata: 'well-known' })
  const told: string[][] = []
  const { authorizers, clock } = open(
    { url: server.url },
    { open: 'never', environment: { BROWSER: program, DISPLAY: ':0' }, tell: (...words) => told.push(words) },
  )
  const answer = authorizers
    .for('docs')
    ?.refused(refusal)
    .catch((error: unknown) => error)
  await expect.poll(() => clock.waiting).toBe(2)
  clock.advance(24_000)
  const { url } = (await answer) as AuthorizationNeeded
  expect(told).toEqual([['docs', url]])
  expect(existsSync(flag)).toBe(false)
})
