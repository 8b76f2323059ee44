import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { changeTokens, createToken, hashToken } from '../../../../src/data/tokens.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import { openAuthenticator } from '../../../../src/server/auth/open.ts'
import { verifies } from '../../../support/verifies.ts'
import { AUDIENCE, asking, clock, directory, settings, tokensFile } from './support.ts'

function added(
  path: string,
  name: string,
  options: { now: number; expires?: number; profiles?: string[] },
): { token: string; id: string } {
  const { token, entry } = createToken(name, options)
  changeTokens(path, (entries) => [...entries, entry])
  return { token, id: entry.id }
}

async function world() {
  const time = clock()
  const dataDir = directory()
  const path = join(dataDir, 'tokens.json')
  const anna = added(path, 'anna', { now: time.now() })
  const server = await asking({ dataDir }, { clock: time })
  return { time, dataDir, path, anna, ...server }
}

describe('a token of the file', () => {
  test('lets its owner in, as the same principal every time', async () => {
    const { bearer, anna, path, time, ask } = await world()
    const ben = added(path, 'ben', { now: time.now() })
    time.pass(1000)
    expect((await bearer(anna.token)).principal).toEqual({ id: anna.id, name: 'anna' })
    expect((await ask({ authorization: `bEARER ${anna.token}` })).principal).toEqual({
      id: anna.id,
      name: 'anna',
    })
    expect((await bearer(ben.token)).principal).toEqual({ id: ben.id, name: 'ben' })
    expect(ben.id).not.toBe(anna.id)
  })

  verifies('S2.22', 'may be for single profiles', async () => {
    const { bearer, path, time } = await world()
    const expires = time.now() + 60_000
    const ben = added(path, 'ben', { now: time.now(), expires, profiles: ['notes'] })
    time.pass(1000)
    expect((await bearer(ben.token)).principal).toEqual({
      id: ben.id,
      name: 'ben',
      profiles: ['notes'],
      expiresAt: expires / 1000,
    })
  })

  test('counts without a restart when it is added, and no longer when it is removed', async () => {
    const { bearer, path, time } = await world()
    const ben = added(path, 'ben', { now: time.now() })
    expect((await bearer(ben.token)).status).toBe(401)
    time.pass(1000)
    expect((await bearer(ben.token)).status).toBe(200)
    changeTokens(path, (entries) => entries.filter(({ id }) => id !== ben.id))
    time.pass(1000)
    expect((await bearer(ben.token)).status).toBe(401)
  })

  test('counts until it expires, and tells when that is', async () => {
    const { bearer, path, time } = await world()
    const ben = added(path, 'ben', { now: time.now(), expires: time.now() + 60_000 })
    time.pass(2000)
    expect((await bearer(ben.token)).principal?.expiresAt).toBe((time.now() + 58_000) / 1000)
    time.pass(58_000)
    const { status, headers } = await bearer(ben.token)
    expect([status, headers['www-authenticate']]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="the token has expired"',
    ])
  })

  test('lies there as a hash alone, readable by its owner alone', async () => {
    const { path, anna } = await world()
    const content = readFileSync(path, 'utf8')
    expect(content).not.toContain(anna.token)
    expect(content).not.toContain(anna.token.slice(4, 20))
    expect(content).toContain(hashToken(anna.token))
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('its hash opens nothing', async () => {
    const { bearer, anna, ask } = await world()
    expect((await bearer(hashToken(anna.token).slice(7))).status).toBe(401)
    expect((await ask({ authorization: `Bearer ${hashToken(anna.token)}` })).status).toBe(401)
  })
})

describe('a file of tokens that breaks', () => {
  test.each([
    ['is gone', (path: string) => rmSync(path)],
    ['is no JSON', (path: string) => writeFileSync(path, '{')],
    ['holds something else', (path: string) => writeFileSync(path, '{"version":2,"tokens":[]}')],
  ])('refuses every client when it %s, and serves them again when it is back', async (_, spoil) => {
    const { bearer, path, anna, time, logged } = await world()
    const before = readFileSync(path)
    spoil(path)
    time.pass(1000)
    expect((await bearer(anna.token)).status).toBe(401)
    expect(logged()).toContain('no client can connect with a token')
    writeFileSync(path, before)
    time.pass(1000)
    expect((await bearer(anna.token)).status).toBe(200)
  })

  test.each([
    ['', 'is no JSON'],
    [{ version: 1 }, 'has no list of tokens'],
    [{ version: 1, tokens: [{}] }, 'has at tokens[0] something that is no token'],
    [
      { version: 1, tokens: [{ id: 'a', name: 'a', hash: 'sha256:', created: '' }] },
      'has at tokens[0] something that is no token',
    ],
    [
      { version: 1, tokens: [{ id: 'a', name: 'a', hash: hashToken('x'), created: '', expires: 'never' }] },
      'has at tokens[0] something that is no token',
    ],
    [
      {
        version: 1,
        tokens: ['a', 'b'].map((id) => ({ id, name: id, hash: hashToken('x'), created: '' })),
      },
      'has the same hash twice',
    ],
  ])('at the start ends it: %j', async (content, problem) => {
    const opened = openAuthenticator({
      settings: settings({ auth: { tokens: tokensFile(content) } }),
      logger: silentLogger,
      now: Date.now,
    })
    await expect(opened).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(problem),
    })
  })

  test('ends the start if a configured file is missing; the default file may be missing', async () => {
    const open = (auth: { tokens?: string }) =>
      openAuthenticator({
        settings: settings({ dataDir: directory(), auth }),
        logger: silentLogger,
        now: Date.now,
      })
    await expect(open({ tokens: join(directory(), 'none.json') })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
    expect(await open({})).toBeUndefined()
  })

  test.skipIf(process.getuid?.() === 0)('that cannot be looked at is not taken for absent', async () => {
    const dataDir = directory()
    chmodSync(dataDir, 0o000)
    const opened = openAuthenticator({ settings: settings({ dataDir }), logger: silentLogger, now: Date.now })
    await expect(opened).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})

test('of two simultaneous changes one succeeds and the other gets an error', () => {
  const path = tokensFile({ version: 1, tokens: [] })
  changeTokens(path, () => {
    expect(() => changeTokens(path, (entries) => [...entries])).toThrow(
      'are being changed by another command',
    )
    return [createToken('a', { now: 0 }).entry]
  })
  changeTokens(path, (entries) => [...entries, createToken('b', { now: 0 }).entry])
  expect(JSON.parse(readFileSync(path, 'utf8')).tokens).toHaveLength(2)
})

test('a change that fails leaves the file as it was', () => {
  const path = tokensFile({ version: 1, tokens: [] })
  const before = readFileSync(path, 'utf8')
  expect(() =>
    changeTokens(path, () => {
      throw new Error('no')
    }),
  ).toThrow()
  expect(readFileSync(path, 'utf8')).toBe(before)
  changeTokens(path, (entries) => [...entries])
})

describe('a response that lasts', () => {
  afterEach(() => void vi.useRealTimers())

  async function stream(port: number, token: string): Promise<{ ended: () => boolean }> {
    let ended = false
    const sent = get({
      port,
      host: '127.0.0.1',
      path: '/stream',
      headers: { authorization: `Bearer ${token}` },
    })
    sent.on('error', () => {})
    const [response] = await once(sent, 'response')
    response.resume().on('error', () => {})
    response.once('close', () => {
      ended = true
    })
    return { ended: () => ended }
  }

  test('ends within five seconds after its token was removed, and no other does', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { port, path, anna, time } = await world()
    const ben = added(path, 'ben', { now: time.now() })
    time.pass(1000)
    const [hers, his] = [await stream(port, anna.token), await stream(port, ben.token)]
    await vi.advanceTimersByTimeAsync(4000)
    expect([hers.ended(), his.ended()]).toEqual([false, false])
    changeTokens(path, (entries) => entries.filter(({ id }) => id !== anna.id))
    time.pass(4000)
    await vi.advanceTimersByTimeAsync(4000)
    await vi.waitFor(() => expect(hers.ended()).toBe(true))
    expect(his.ended()).toBe(false)
  })

  test('ends in time where another server never says what the token of another response is worth', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const time = clock()
    const dataDir = directory()
    const path = join(dataDir, 'tokens.json')
    const anna = added(path, 'anna', { now: time.now() })
    let silent = false
    const { port } = await asking(
      {
        dataDir,
        auth: { publicUrl: AUDIENCE, introspection: { url: 'https://issuer.example/ask' } },
      } as never,
      {
        clock: time,
        fetch: async () =>
          silent ? new Promise(() => {}) : Response.json({ active: true, sub: 'ben', aud: AUDIENCE }),
      },
    )
    const his = await stream(port, 'a-token-of-the-issuer')
    const hers = await stream(port, anna.token)
    silent = true
    changeTokens(path, (entries) => entries.filter(({ id }) => id !== anna.id))
    // The answer of the issuer about his token counts no longer.
    time.pass(61_000)
    await vi.advanceTimersByTimeAsync(4000)
    await vi.waitFor(() => expect(hers.ended()).toBe(true))
    expect(his.ended()).toBe(false)
  })

  test('ends when its token opens other profiles than before', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { port, path, anna, time } = await world()
    const hers = await stream(port, anna.token)
    changeTokens(path, (entries) => entries.map((entry) => ({ ...entry, profiles: ['reader'] })))
    time.pass(4000)
    await vi.advanceTimersByTimeAsync(4000)
    await vi.waitFor(() => expect(hers.ended()).toBe(true))
  })
})
