import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deferred } from '../../../support/deferred.ts'
import { AuthorizationServer } from '../../../support/oauth/authorization-server.ts'
import { createCaller, temporaryDirectory } from '../../../support/oauth/caller.ts'
import { createClock } from '../../../support/oauth/clock.ts'
import { type Protected, startProtected } from '../../../support/oauth/protected-server.ts'
import { verifies } from '../../../support/verifies.ts'

const HOUR = 3_600_000

function grants(server: Protected): (string | undefined)[] {
  return server.authorization.at('/token').map(({ params }) => params.grant_type)
}

describe('renewal', () => {
  test('a token is renewed a minute before it expires, without a refusal and without a person', async () => {
    const server = await startProtected({ scope: 'read' })
    const caller = createCaller(server)
    await caller.call()
    caller.clock.advance(HOUR - 61_000)
    await caller.call()
    expect(grants(server)).toEqual(['authorization_code'])
    caller.clock.advance(2_000)
    expect(await caller.call()).toBe(200)
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
    caller.clock.advance(HOUR)
    expect(await caller.call()).toBe(200)
    expect(caller.links).toHaveLength(1)
    expect(server.authorization.faults).toEqual([])
  })

  test('concurrent requests wait for one token renewal', async () => {
    const server = await startProtected()
    const caller = createCaller(server)
    await caller.call()
    caller.clock.advance(HOUR - 1_000)
    const gate = deferred()
    server.authorization.gate = gate.promise
    const calls = [caller.call(), caller.call(), caller.call()]
    await expect.poll(() => grants(server).length).toBe(2)
    gate.resolve()
    expect(await Promise.all(calls)).toEqual([200, 200, 200])
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
    expect(new Set(server.headers.slice(-3)).size).toBe(1)
  })

  test('a token of half a minute is not renewed with every call', async () => {
    const server = await startProtected({ expiresIn: 30 })
    const caller = createCaller(server)
    await caller.call()
    caller.clock.advance(14_000)
    await caller.call()
    expect(grants(server)).toHaveLength(1)
    caller.clock.advance(2_000)
    await caller.call()
    expect(grants(server)).toHaveLength(2)
  })

  test('a refused token is renewed, and a person is asked only when that does not help', async () => {
    const server = await startProtected()
    const caller = createCaller(server)
    await caller.call()
    caller.clock.advance(60_000)
    server.authorization.access.clear()
    expect(await caller.call()).toBe(200)
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
    caller.clock.advance(60_000)
    server.authorization.access.clear()
    server.authorization.refresh.clear()
    expect(await caller.call()).toBe(200)
    expect(grants(server).slice(2)).toEqual(['refresh_token', 'authorization_code'])
    expect(caller.links).toHaveLength(2)
  })

  test('while the authorization server is out of order, a token that is still good is sent', async () => {
    const server = await startProtected()
    const caller = createCaller(server)
    await caller.call()
    caller.clock.advance(HOUR - 30_000)
    server.authorization.outages.push({ status: 503, body: { error: 'temporarily_unavailable' } })
    expect(await caller.call()).toBe(200)
    expect(await caller.call()).toBe(200)
    expect(grants(server)).toHaveLength(2)
    caller.clock.advance(11_000)
    expect(await caller.call()).toBe(200)
    expect(grants(server)).toHaveLength(3)
    expect(caller.links).toHaveLength(1)
  })

  test('a client that the authorization server forgot registers again', async () => {
    const server = await startProtected()
    const caller = createCaller(server)
    await caller.call()
    caller.clock.advance(HOUR)
    server.authorization.forgetClients()
    expect(await caller.call()).toBe(200)
    expect(server.authorization.at('/register')).toHaveLength(2)
  })

  test('does not retry forever when a server refuses a new token', async () => {
    const server = await startProtected()
    server.authorization.access.set = function set() {
      return this
    }
    const caller = createCaller(server)
    expect(await caller.call()).toBe(401)
    expect(caller.links).toHaveLength(1)
    for (let call = 0; call < 10; call++) {
      caller.clock.advance(1_000)
      expect(await caller.call()).toBe(401)
    }
    expect(grants(server).length).toBeLessThan(8)
  })
})

describe('tokens belong to one authorization server', () => {
  test('another one gets a new registration, and sees nothing of the first', async () => {
    const server = await startProtected({ authMethods: ['client_secret_basic'] })
    const caller = createCaller(server)
    await caller.call()
    const first = server.authorization
    server.authorization = await new AuthorizationServer({ ...first.options }).start()
    expect(await caller.call()).toBe(200)
    expect(server.authorization.at('/register')).toHaveLength(1)
    expect(server.authorization.faults).toEqual([])
    const told = JSON.stringify(server.authorization.seen)
    const secrets = [
      ...first.access.keys(),
      ...first.refresh.keys(),
      first.at('/authorize')[0]?.params.client_id ?? '',
    ]
    for (const secret of secrets) expect(told).not.toContain(secret)
    expect(server.authorization.at('/token').map(({ params }) => params.grant_type)).toEqual([
      'authorization_code',
    ])
  })

  test('an id and a secret of the configuration are not shown to another one', async () => {
    const clients = { me: 'my-secret' }
    const server = await startProtected({ clients })
    const settings = { clientId: 'me', clientSecret: 'my-secret' }
    const caller = createCaller(server, { settings })
    await caller.call()
    const { options, issuer } = server.authorization
    server.authorization = await new AuthorizationServer({ ...options }).start()
    await expect(caller.call()).rejects.toThrow(
      `not ${issuer}; if that is right, run \`mcp-rlm-proxy logout docs\``,
    )
    expect(server.authorization.seen).toEqual([])
    const strict = createCaller(server, { settings: { ...settings, issuer: 'https://mine.example' } })
    await expect(strict.call()).rejects.toThrow(
      'not https://mine.example; if that is right, correct "oauth.issuer"',
    )
    expect(server.authorization.seen).toEqual([])
  })
})

describe('stored tokens', () => {
  verifies('S1.58', 'are in a private file and last for the next run', async () => {
    const server = await startProtected()
    const first = createCaller(server)
    await first.call()
    const folder = join(first.dataDir, 'oauth')
    const [file = '', ...others] = readdirSync(folder)
    expect(others).toEqual([])
    expect(file).toMatch(/^[0-9a-f]{32}\.json$/)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    const next = createCaller(server, { dataDir: first.dataDir, clock: first.clock })
    expect(await next.call()).toBe(200)
    expect(next.links).toEqual([])
    expect(server.headers.at(-1)).toBe(server.headers[1])
    next.clock.advance(HOUR)
    expect(await next.call()).toBe(200)
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
  })

  test('another address, another client and another account have files of their own', async () => {
    const dataDir = temporaryDirectory()
    const server = await startProtected({ documents: true })
    const clock = createClock()
    const all = [
      undefined,
      { account: 'work' },
      { account: 'home' },
      { clientMetadataUrl: 'https://a.example/b' },
    ]
    for (const settings of all) await createCaller(server, { dataDir, clock, settings }).call()
    await createCaller(await startProtected(), { dataDir, clock }).call()
    expect(readdirSync(join(dataDir, 'oauth'))).toHaveLength(5)
  })

  test.each([
    ['a damaged file', '{"version":1,"tokens":{"access":"half'],
    ['a file of another version', '{"version":7}'],
    [
      'a file with an address that is none',
      '{"version":1,"realm":{"issuer":"x","url":"file:///etc/passwd"}}',
    ],
    ['a list', '[]'],
  ])('%s is ignored, with a warning that does not quote it', async (_, text) => {
    const server = await startProtected()
    const first = createCaller(server)
    await first.call()
    const [file = ''] = readdirSync(join(first.dataDir, 'oauth'))
    writeFileSync(join(first.dataDir, 'oauth', file), text)
    const next = createCaller(server, { dataDir: first.dataDir })
    expect(await next.call()).toBe(200)
    expect(next.links).toHaveLength(1)
    expect(next.logged()).toContain('a kept sign-in cannot be read and is ignored')
    expect(next.logged()).not.toContain('half')
  })

  test('a folder that cannot be written to costs the file, not the call', async () => {
    const server = await startProtected()
    const dataDir = join(temporaryDirectory(), 'file')
    writeFileSync(dataDir, '')
    const caller = createCaller(server, { dataDir })
    expect(await caller.call()).toBe(200)
    expect(await caller.call()).toBe(200)
    expect(caller.logged()).toContain('a sign-in could not be kept')
  })

  verifies('S1.58', 'no token, code, secret or verifier is ever logged', async () => {
    const server = await startProtected({
      scope: 'read',
      tools: { write: 'write' },
      authMethods: ['client_secret_post'],
    })
    const caller = createCaller(server)
    await caller.call('write')
    caller.clock.advance(HOUR)
    server.authorization.outages.push({
      status: 500,
      body: `oops ${[...server.authorization.refresh.keys()].at(-1)}`,
    })
    await caller.call().catch(() => {})
    server.authorization.outages.push({ status: 400, body: { error: 'invalid_grant' } })
    caller.clock.advance(HOUR)
    await caller.call()
    await caller.authorizer.signOut()
    const sent = server.authorization.seen.flatMap(({ params }) =>
      ['code', 'code_verifier', 'refresh_token', 'client_secret', 'state'].map((name) => params[name]),
    )
    const secrets = [...sent, ...server.authorization.access.keys(), ...server.authorization.refresh.keys()]
    expect(secrets.length).toBeGreaterThan(10)
    for (const secret of secrets) if (secret !== undefined) expect(caller.logged()).not.toContain(secret)
    expect(caller.logged()).toContain('open the address')
  })
})

describe('two proxies with one account', () => {
  test('use one refresh token once', async () => {
    const server = await startProtected()
    const one = createCaller(server)
    await one.call()
    const two = createCaller(server, { dataDir: one.dataDir, clock: one.clock })
    expect(await two.call()).toBe(200)
    one.clock.advance(HOUR)
    const gate = deferred()
    server.authorization.gate = gate.promise
    const calls = [one.call(), two.call()]
    await expect.poll(() => grants(server).length).toBe(2)
    await expect.poll(() => one.clock.waiting).toBe(1)
    gate.resolve()
    await expect.poll(() => existsSync(lockOf(one.dataDir))).toBe(false)
    one.clock.advance(100)
    expect(await Promise.all(calls)).toEqual([200, 200])
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
    expect(server.authorization.faults).toEqual([])
  })

  test('a sign-in in one is found by the other, also while it waits for a person itself', async () => {
    const server = await startProtected()
    const one = createCaller(server, { person: () => {} })
    const waiting = one.call()
    await expect.poll(() => one.clock.waiting).toBe(2)
    const two = createCaller(server, { dataDir: one.dataDir, clock: one.clock })
    expect(await two.call()).toBe(200)
    expect(await one.call()).toBe(200)
    expect(await waiting).toBe(200)
    expect(one.clock.waiting).toBe(0)
  })

  test('removes a stale lock', async () => {
    const server = await startProtected()
    const caller = createCaller(server)
    await caller.call()
    writeFileSync(lockOf(caller.dataDir), '')
    utimesSync(lockOf(caller.dataDir), new Date(0), new Date(0))
    caller.clock.advance(HOUR)
    expect(await caller.call()).toBe(200)
    expect(existsSync(lockOf(caller.dataDir))).toBe(false)
  })

  test('waiting for a lock ends with the proxy', async () => {
    const server = await startProtected()
    const caller = createCaller(server)
    await caller.call()
    writeFileSync(lockOf(caller.dataDir), '')
    caller.clock.advance(HOUR - 1_000)
    const call = caller.call()
    await expect.poll(() => caller.clock.waiting).toBe(1)
    await caller.authorizer.close()
    expect(await call).toBe(200)
    expect(caller.clock.waiting).toBe(0)
  })

  function lockOf(dataDir: string): string {
    const [file = ''] = readdirSync(join(dataDir, 'oauth')).filter((name) => name.endsWith('.json'))
    return join(dataDir, 'oauth', `${file}.lock`)
  }
})

describe('signing out', () => {
  test('revokes the refresh token and forgets everything', async () => {
    const server = await startProtected({ authMethods: ['client_secret_basic'] })
    const caller = createCaller(server)
    await caller.call()
    const [refresh] = server.authorization.refresh.keys()
    expect(await caller.authorizer.signOut()).toBe('revoked')
    expect(server.authorization.revoked).toEqual([refresh])
    expect(server.authorization.at('/revoke')[0]?.authorization).toMatch(/^Basic /)
    expect(readdirSync(join(caller.dataDir, 'oauth'))).toEqual([])
    expect(await caller.authorizer.header()).toBeUndefined()
    expect(await caller.authorizer.signOut()).toBe('nothing kept')
  })

  test('says so where the server could not be told', async () => {
    const server = await startProtected({ mangled: { revocation_endpoint: 'http://as.example/revoke' } })
    const caller = createCaller(server)
    await caller.call()
    expect(await caller.authorizer.signOut()).toBe('forgotten')
  })
})
