import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changeTokens, createToken } from '../../../../src/data/tokens.ts'
import { verifies } from '../../../support/verifies.ts'
import { AUDIENCE, asking, clock, directory, issuer, tokensFile } from './support.ts'

const METADATA = '/.well-known/oauth-protected-resource'

async function oauth(auth: object = {}, more: object = {}) {
  const time = clock()
  const as = await issuer(time)
  const server = await asking({ auth: { issuer: as.url, publicUrl: AUDIENCE, ...auth }, ...more } as never, {
    clock: time,
    fetch: as.fetch,
  })
  return { time, as, ...server }
}

async function local() {
  const time = clock()
  const { token, entry } = createToken('anna', { now: time.now() })
  const path = tokensFile({ version: 1, tokens: [entry] })
  return { time, token, id: entry.id, ...(await asking({ auth: { tokens: path } }, { clock: time })) }
}

describe('a request without a token', () => {
  test('answers 401 without an error code, however often it comes', async () => {
    const { ask } = await local()
    for (let n = 0; n < 30; n++) {
      const { status, headers, body } = await ask()
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } })
    }
  })

  test('learns where the authorization server is named, and which scopes to ask for', async () => {
    const { ask } = await oauth({ requiredScopes: ['tools', 'read:all'] })
    const { headers } = await ask()
    expect(headers['www-authenticate']).toBe(
      `Bearer scope="tools read:all", resource_metadata="https://proxy.example${METADATA}/mcp"`,
    )
  })
})

describe('malformed credentials are refused', () => {
  test('a token in the address, even with a good one in the header', async () => {
    const { ask, token } = await local()
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const answer = await ask(headers, `/mcp?access_token=${token}`)
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toContain('error="invalid_request"')
    }
  })

  test('two headers, whichever comes first', async () => {
    const { port, token } = await local()
    const raw = (lines: string): Promise<string> =>
      new Promise((resolve, reject) => {
        let answer = ''
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`)
        })
        socket.setEncoding('utf8').on('data', (chunk) => {
          answer += chunk
        })
        socket.once('close', () => resolve(answer))
        socket.once('error', reject)
      })
    expect(await raw(`Authorization: Bearer ${token}\r\n`)).toContain(' 200 ')
    expect(await raw(`Authorization: Bearer ${token}\r\nauthorization: Bearer ${token}\r\n`)).toContain(
      ' 401 ',
    )
    expect(await raw(`Authorization: Bearer x\r\nAuthorization: Bearer ${token}\r\n`)).toContain(' 401 ')
    expect(await raw(`Authorization: Bearer ${token}, Bearer ${token}\r\n`)).toContain(' 401 ')
  })

  test('other schemes', async () => {
    const { ask, token } = await local()
    for (const authorization of [`Basic ${token}`, token, `Token ${token}`])
      expect((await ask({ authorization })).status).toBe(401)
  })
})

describe('scopes that name profiles', () => {
  const opened = async (server: Awaited<ReturnType<typeof oauth>>, claims: object) => {
    const { status, principal } = await server.bearer(await server.as.token({ ...claims }))
    return { status, ...principal }
  }

  verifies(
    'S2.22',
    'open only these profiles, and each set of profiles has its own kept results',
    async () => {
      const server = await oauth({ profileScopes: 'profile:', requiredScopes: ['tools'] })
      const notes = await opened(server, { scope: 'tools profile:notes profile:notes' })
      expect(notes).toMatchObject({ status: 200, profiles: ['notes'] })
      const both = await opened(server, { scp: ['profile:notes', 'tools', 'profile:books'] })
      expect(both.profiles).toEqual(['books', 'notes'])
      const none = await opened(server, { scope: 'tools profile xprofile:notes' })
      expect(none).toMatchObject({ status: 200, profiles: [] })
      expect((await opened(server, { scope: 'profile:notes' })).status).toBe(403)
      expect(new Set([notes.id, both.id, none.id]).size).toBe(3)
      const again = await opened(server, { scope: 'profile:notes tools', jti: 'another' })
      expect(again.id).toBe(notes.id)
    },
  )

  test('say nothing of them unless the settings do, and never limit a token that was made here', async () => {
    const server = await oauth()
    expect(await opened(server, { scope: 'profile:notes' })).not.toHaveProperty('profiles')
    const made = createToken('anna', { now: Date.now() })
    const tokens = tokensFile({ version: 1, tokens: [made.entry] })
    const both = await oauth({ profileScopes: 'profile:', tokens })
    expect((await both.bearer(made.token)).principal).toEqual({ id: made.entry.id, name: 'anna' })
  })
})

describe('scopes', () => {
  test.each<[string, object, number]>([
    ['all of them', { scope: 'read tools' }, 200],
    ['others as well', { scope: 'tools x read' }, 200],
    ['in a list', { scp: ['tools', 'read'] }, 200],
    ['in another claim', { scp: 'tools read' }, 200],
    ['one is missing', { scope: 'tools' }, 403],
    ['none', {}, 403],
    ['part of a word', { scope: 'toolsread tools-read' }, 403],
    ['of another type', { scope: { tools: true, read: true } }, 403],
  ])('%s', async (_, claims, status) => {
    const { as, bearer } = await oauth({ requiredScopes: ['tools', 'read'] })
    expect((await bearer(await as.token({ ...claims }))).status).toBe(status)
  })

  test('that lack are named, and are no failure', async () => {
    const { as, bearer } = await oauth({ requiredScopes: ['tools'] })
    const token = await as.token()
    for (let n = 0; n < 30; n++) {
      const { status, headers } = await bearer(token)
      expect([status, headers['www-authenticate']]).toEqual([
        403,
        `Bearer error="insufficient_scope", error_description="the token lacks a scope", scope="tools", resource_metadata="https://proxy.example${METADATA}/mcp"`,
      ])
    }
  })

  test('are not asked of tokens of the file', async () => {
    const dataDir = directory()
    const { token, entry } = createToken('anna', { now: 0 })
    changeTokens(join(dataDir, 'tokens.json'), () => [entry])
    const { bearer, as } = await oauth({ requiredScopes: ['tools'] }, { dataDir })
    expect((await bearer(token)).principal).toEqual({ id: entry.id, name: 'anna' })
    expect((await bearer(await as.token({ scope: 'tools' }))).status).toBe(200)
  })
})

describe('an address that guesses tokens', () => {
  test('may fail twenty times, then waits', async () => {
    const { bearer, ask, time } = await local()
    for (let n = 0; n < 20; n++) expect((await bearer(`mrp_${n}`)).status).toBe(401)
    const { status, headers } = await bearer('mrp_x')
    expect([status, headers['retry-after']]).toEqual([429, '3'])
    expect((await ask({ authorization: 'nonsense' })).status).toBe(429)
    time.pass(3_000)
    expect((await bearer('mrp_x')).status).toBe(401)
    expect((await bearer('mrp_x')).status).toBe(429)
  })

  test('does not lock out a client with a valid token at the same address', async () => {
    const { bearer, token, id } = await local()
    for (let n = 0; n < 30; n++) await bearer(`mrp_${n}`)
    expect((await bearer(token)).principal).toEqual({ id, name: 'anna' })
  })

  test('slows down no other client behind the same address, and makes no work', async () => {
    const { bearer, as, time } = await oauth()
    const [old, fresh] = [await as.token(), await as.token({ jti: 2 })]
    expect((await bearer(old)).status).toBe(200)
    for (let n = 0; n < 20; n++) expect((await bearer(`made-up-${n}`)).status).toBe(401)
    // The memory of the good token is past its time.
    time.pass(60_000)
    for (let n = 0; n < 20; n++) expect((await bearer(`made-up-${n}`)).status).toBe(401)
    expect((await bearer(fresh)).status).toBe(200)
    expect((await bearer(old)).status).toBe(200)
    const asked = as.asked.length
    for (let n = 0; n < 5; n++)
      expect((await bearer(await as.token({}, { kid: `made-up-${n}` }))).status).toBe(429)
    // Keys of unknown names are looked for once a minute, however many are made up.
    expect(as.asked.length).toBeLessThanOrEqual(asked + 1)
  })

  test('waits before its issuer is asked about another token', async () => {
    const url = 'https://issuer.example/introspect'
    const { bearer, as } = await oauth({ introspection: { url } })
    as.answers.set(url, () => Response.json({ active: false }))
    for (let n = 0; n < 20; n++) expect((await bearer(`made-up-${n}`)).status).toBe(401)
    const asked = as.asked.length
    expect((await bearer('made-up')).status).toBe(429)
    expect(as.asked.length).toBe(asked)
  })

  test('appears in the log without the tokens that it tried', async () => {
    const { bearer, ask, logged, token } = await local()
    const marker = 'mrp_MARKER0123456789'
    await bearer(marker)
    await ask({ authorization: `Basic ${marker}` })
    await ask({ authorization: `Bearer ${marker} x` })
    await ask({}, `/mcp?access_token=${marker}`)
    await bearer(token)
    expect(logged()).toContain('a client was refused')
    expect(logged()).toContain('127.0.0.1')
    expect(logged()).not.toContain('MARKER')
    expect(logged()).not.toContain(token)
  })
})

describe('protected resource metadata', () => {
  test.each([METADATA, `${METADATA}/mcp`])('lies at %s, for everybody', async (path) => {
    const { ask } = await oauth({ requiredScopes: ['tools'] })
    const { status, headers, body } = await ask({}, path)
    expect([status, headers['content-type'], headers['access-control-allow-origin']]).toEqual([
      200,
      'application/json',
      '*',
    ])
    expect(JSON.parse(body)).toEqual({
      resource: AUDIENCE,
      authorization_servers: ['https://issuer.example'],
      scopes_supported: ['tools'],
      bearer_methods_supported: ['header'],
      resource_name: 'mcp-rlm-proxy',
    })
  })

  test('lies where the path of the public address puts it', async () => {
    const { ask } = await oauth({ publicUrl: 'https://tools.example/team/mcp' })
    expect(JSON.parse((await ask({}, `${METADATA}/team/mcp`)).body).resource).toBe(
      'https://tools.example/team/mcp',
    )
    expect((await ask()).headers['www-authenticate']).toContain(`"https://tools.example${METADATA}/team/mcp"`)
  })

  test('can only be read', async () => {
    const { ask } = await oauth()
    const { status, headers } = await ask({}, METADATA, 'POST')
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test('answers 404 without an authorization server, and at other paths', async () => {
    expect((await (await local()).ask({}, METADATA)).status).toBe(401)
    expect((await (await oauth()).ask({}, `${METADATA}/mcp/x`)).status).toBe(401)
  })
})

describe('on loopback, without a public address', () => {
  test('the resource has the name that the client calls', async () => {
    const { ask, port } = await oauth({ publicUrl: undefined })
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const { body } = await ask({ host: `${name}:${port}` }, METADATA)
      expect(JSON.parse(body).resource).toBe(`http://${name}:${port}/mcp`)
    }
  })

  test('any other name is not believed, for a token of another server would open this one', async () => {
    const { ask, as, port } = await oauth({ publicUrl: undefined })
    const token = await as.token({ aud: 'http://evil.example/mcp' })
    const headers = { host: 'evil.example', authorization: `Bearer ${token}` }
    expect((await ask(headers)).status).toBe(401)
    expect(JSON.parse((await ask({ host: 'evil.example' }, METADATA)).body).resource).toBe(
      `http://127.0.0.1:${port}/mcp`,
    )
    const own = await as.token({ aud: `http://localhost:${port}/mcp` })
    expect((await ask({ authorization: `Bearer ${own}` })).status).toBe(200)
    const neighbour = await as.token({ aud: `http://localhost:${port + 1}/mcp` })
    expect((await ask({ authorization: `Bearer ${neighbour}` })).status).toBe(401)
  })

  test('a configured audience replaces it', async () => {
    const { bearer, as, port } = await oauth({ publicUrl: undefined, audience: 'api://tools' })
    expect((await bearer(await as.token({ aud: 'api://tools' }))).status).toBe(200)
    expect((await bearer(await as.token({ aud: `http://localhost:${port}/mcp` }))).status).toBe(401)
  })
})
