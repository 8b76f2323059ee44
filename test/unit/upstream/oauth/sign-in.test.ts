import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AuthorizationNeeded } from '../../../../src/upstream/transport.ts'
import { browse, createCaller } from '../../../support/oauth/caller.ts'
import { type ProtectedOptions, startProtected } from '../../../support/oauth/protected-server.ts'
import { verifies } from '../../../support/verifies.ts'

describe('where tokens come from', () => {
  const worlds: Record<string, ProtectedOptions> = {
    'the challenge names the metadata': {},
    'the metadata lies at its well-known place': { resourceMetadata: 'well-known' },
    'the metadata lies at the root': { resourceMetadata: 'root' },
    'the authorization server has a path': { path: '/tenant' },
    'the authorization server speaks OpenID': { metadata: 'openid', path: '/realms/one' },
    'the server is its own authorization server': { resourceMetadata: 'none' },
    'there is no metadata at all, only endpoints': { resourceMetadata: 'none', metadata: 'none' },
    'clients are given a secret': { authMethods: ['client_secret_post'] },
    'the answer names its issuer': { iss: 'right' },
  }
  for (const [name, options] of Object.entries(worlds)) {
    verifies('S1.58', `a person signs in: ${name}`, async () => {
      const server = await startProtected(options)
      const caller = createCaller(server)
      expect(await caller.call()).toBe(200)
      expect(await caller.call()).toBe(200)
      expect(server.authorization.faults).toEqual([])
      expect(server.headers).toEqual([undefined, expect.stringMatching(/^Bearer access-/), server.headers[1]])
      expect(caller.links).toHaveLength(1)
      expect(server.authorization.at('/register')).toHaveLength(1)
    })
  }

  test('a client id metadata document is used where the server takes one, and nothing is registered', async () => {
    const clientMetadataUrl = 'https://proxy.example/client.json'
    const server = await startProtected({ documents: true })
    expect(await createCaller(server, { settings: { clientMetadataUrl } }).call()).toBe(200)
    expect(server.authorization.at('/register')).toEqual([])
    expect(server.authorization.at('/authorize')[0]?.params.client_id).toBe(clientMetadataUrl)
    const other = await startProtected()
    expect(await createCaller(other, { settings: { clientMetadataUrl } }).call()).toBe(200)
    expect(other.authorization.at('/register')).toHaveLength(1)
  })

  test('a client that was registered by hand is used as it is', async () => {
    const server = await startProtected({ registration: false, clients: { me: 'my-secret' } })
    const caller = createCaller(server, { settings: { clientId: 'me', clientSecret: 'my-secret' } })
    expect(await caller.call()).toBe(200)
    expect(server.authorization.faults).toEqual([])
  })

  test('what registers says who it is, and asks for no more than it needs', async () => {
    const server = await startProtected({ scope: 'read' })
    await createCaller(server, { settings: { clientName: 'my proxy' } }).call()
    expect(server.authorization.at('/register')[0]?.params).toMatchObject({
      client_name: 'my proxy',
      redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      scope: 'read',
    })
  })

  test('a server that wants a token of another kind is left alone', async () => {
    const server = await startProtected({ resourceMetadata: 'none', metadata: 'none', registration: false })
    const caller = createCaller(server)
    expect(await caller.call()).toBe(401)
    expect(caller.links).toEqual([])
    const wished = createCaller(server, { settings: { enabled: true } })
    await expect(wished.call()).rejects.toThrow('does not register the proxy (HTTP 403); set "oauth"')
  })
})

describe('the proxy signs in for itself', () => {
  const settings = { grant: 'client_credentials', clientId: 'robot' } as const

  test('with a secret', async () => {
    const server = await startProtected({
      clients: { robot: 'robots-secret' },
      scopesSupported: ['read', 'list'],
    })
    const caller = createCaller(server, { settings: { ...settings, clientSecret: 'robots-secret' } })
    expect(await caller.call()).toBe(200)
    expect(caller.links).toEqual([])
    expect(server.authorization.at('/token')[0]?.params).toMatchObject({
      grant_type: 'client_credentials',
      scope: 'read list',
      resource: server.url,
    })
  })

  for (const algorithm of ['ES256', 'RS256'] as const) {
    test(`with a key, ${algorithm}`, async () => {
      const encoding = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as const
      const keys =
        algorithm === 'ES256'
          ? generateKeyPairSync('ec', { namedCurve: 'P-256', ...encoding, publicKeyEncoding: PUBLIC })
          : generateKeyPairSync('rsa', { modulusLength: 2048, ...encoding, publicKeyEncoding: PUBLIC })
      const server = await startProtected({ publicKey: keys.publicKey, authMethods: ['private_key_jwt'] })
      // On one line, as it comes from the environment.
      const privateKey = keys.privateKey.replaceAll('\n', '\\n')
      const caller = createCaller(server, { settings: { ...settings, privateKey, algorithm } })
      expect(await caller.call()).toBe(200)
      expect(server.authorization.faults).toEqual([])
    })
  }

  test('and again when the token is about to expire', async () => {
    const server = await startProtected({ clients: { robot: 'robots-secret' }, expiresIn: 600 })
    const caller = createCaller(server, { settings: { ...settings, clientSecret: 'robots-secret' } })
    await caller.call()
    caller.clock.advance(541_000)
    expect(await caller.call()).toBe(200)
    expect(server.authorization.at('/token')).toHaveLength(2)
  })
})

const PUBLIC = { type: 'spki', format: 'pem' } as const

describe('scopes', () => {
  test('the challenge says what to ask for, before the metadata', async () => {
    const server = await startProtected({ scope: 'read', scopesSupported: ['read', 'write', 'everything'] })
    await createCaller(server).call()
    expect(server.authorization.at('/authorize')[0]?.params.scope).toBe('read')
  })

  test('without it the metadata does; offline_access is added where it is known', async () => {
    const server = await startProtected({ scopesSupported: ['read'], scopes: ['read', 'offline_access'] })
    await createCaller(server).call()
    expect(server.authorization.at('/authorize')[0]?.params.scope).toBe('read offline_access')
  })

  test('the configuration wins over both, and no scope is asked for where none is named', async () => {
    const server = await startProtected({ scopesSupported: ['read'] })
    await createCaller(server, { settings: { scope: 'little' } }).call()
    expect(server.authorization.at('/authorize')[0]?.params.scope).toBe('little')
    const plain = await startProtected()
    await createCaller(plain).call()
    expect(plain.authorization.at('/authorize')[0]?.params).not.toHaveProperty('scope')
  })

  test('a call that needs more leads to a sign-in for the present and the missing scopes', async () => {
    const server = await startProtected({ scope: 'read', tools: { write: 'write' } })
    const caller = createCaller(server)
    expect(await caller.call('read')).toBe(200)
    expect(await caller.call('write')).toBe(200)
    expect(await caller.call('read')).toBe(200)
    expect(server.authorization.at('/authorize').map(({ params }) => params.scope)).toEqual([
      'read',
      'read write',
    ])
    expect(server.authorization.at('/register')).toHaveLength(1)
  })

  test('scopes that the person does not grant are not asked for again and again', async () => {
    const server = await startProtected({ scope: 'read', tools: { write: 'write' }, withheld: ['write'] })
    const caller = createCaller(server)
    expect(await caller.call('write')).toBe(403)
    expect(await caller.call('write')).toBe(403)
    expect(caller.links).toHaveLength(2)
    caller.clock.advance(60_000)
    expect(await caller.call('write')).toBe(403)
    expect(caller.links).toHaveLength(3)
  })
})

describe('what is not accepted', () => {
  async function refusal(options: ProtectedOptions): Promise<{ message: string; codes: number }> {
    const server = await startProtected(options)
    const error = await createCaller(server)
      .call()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    return { message: (error as Error).message, codes: server.authorization.at('/token').length }
  }

  test.each<[string, ProtectedOptions, string]>([
    ['metadata of another issuer', { mangled: { issuer: 'https://evil.example' } }, 'Issuer mismatch'],
    ['metadata of another resource', { resource: 'https://other.example/mcp' }, 'another resource'],
    ['an answer of another issuer', { iss: 'wrong' }, 'Issuer mismatch'],
    ['an answer that does not name the issuer as promised', { iss: 'promised' }, 'Issuer mismatch'],
    ['a server without PKCE', { mangled: { code_challenge_methods_supported: ['plain'] } }, 'S256'],
    ['a token endpoint without TLS', { mangled: { token_endpoint: 'http://as.example/token' } }, 'non-https'],
    [
      'an address to sign in at without TLS',
      { mangled: { authorization_endpoint: 'http://as.example/a' } },
      'non-https',
    ],
    [
      'an address to sign in at that is a script',
      { mangled: { authorization_endpoint: 'javascript:alert(1)' } },
      'URL cannot use javascript:',
    ],
    ['a person who says no', { person: 'denies' }, 'access_denied: the person <b>said no</b>'],
  ])('%s', async (_, options, words) => {
    const { message, codes } = await refusal(options)
    expect(message).toContain('wants a sign-in, and that failed: ')
    expect(message).toContain(words)
    expect(codes).toBe(0)
  })

  test.each<[string, object | string, string]>([
    ['a token of another type', { access_token: 'x', token_type: 'mac' }, 'of the type "mac"'],
    [
      'a token with a line break',
      { access_token: 'x\r\nX-Evil: 1', token_type: 'Bearer' },
      'header can carry',
    ],
    ['no token', { token_type: 'Bearer' }, 'access_token'],
    ['no JSON', '<html>', 'JSON'],
    ['far too much', `"${'x'.repeat(2 * 1024 * 1024)}"`, 'sent more than'],
  ])('%s', async (_, body, words) => {
    const server = await startProtected()
    server.authorization.outages.push({ status: 200, body })
    const caller = createCaller(server)
    await expect(caller.call()).rejects.toThrow(words)
    expect(await caller.authorizer.header()).toBeUndefined()
  })

  test('the page says that it did not work, and repeats nothing of what a server said', async () => {
    const server = await startProtected({ person: 'denies' })
    let page: { status: number; text: string } | undefined
    const person = async (link: string): Promise<void> => {
      page = await browse(link)
    }
    await expect(createCaller(server, { person }).call()).rejects.toThrow('access_denied')
    await expect.poll(() => page?.status).toBe(400)
    expect(page?.text).toContain('Not signed in to docs')
    expect(page?.text).not.toContain('said no')
  })
})

describe('the person takes their time', () => {
  test('the call is told where to sign in; the next call finds the token', async () => {
    const server = await startProtected()
    const caller = createCaller(server, { person: () => {} })
    const first = caller.call().catch((error: unknown) => error)
    await expect.poll(() => caller.links.length).toBe(1)
    await expect.poll(() => caller.clock.waiting).toBe(2)
    caller.clock.advance(20_000)
    const needed = (await first) as AuthorizationNeeded
    expect(needed).toBeInstanceOf(AuthorizationNeeded)
    const [link = ''] = caller.links
    expect(needed.url).toBe(link)
    expect(needed.message).toBe(`needs you to sign in: open ${link} and call again`)
    const page = await browse(link)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Signed in to docs') })
    expect(await caller.call()).toBe(200)
    expect(caller.clock.waiting).toBe(0)
  })

  test('calls that come meanwhile wait for the same sign-in', async () => {
    const server = await startProtected()
    const caller = createCaller(server, { person: () => {} })
    const calls = [caller.call(), caller.call(), caller.call('write')]
    await expect.poll(() => caller.clock.waiting).toBe(4)
    await browse(caller.links[0] ?? '')
    expect(await Promise.all(calls)).toEqual([200, 200, 200])
    expect(server.authorization.at('/authorize')).toHaveLength(1)
    expect(server.authorization.at('/register')).toHaveLength(1)
  })

  test('one who leaves does not end the sign-in for the others', async () => {
    const server = await startProtected({ resourceMetadata: 'well-known' })
    const caller = createCaller(server, { person: () => {} })
    const leaving = new AbortController()
    const refusal = { status: 401, challenge: undefined, sent: undefined }
    const left = caller.authorizer.refused(refusal, leaving.signal)
    const stays = caller.authorizer.refused(refusal)
    await expect.poll(() => caller.clock.waiting).toBe(3)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    await browse(caller.links[0] ?? '')
    expect(await stays).toBe(true)
  })

  test('after five minutes the address is closed; the next call gives another, and opens no second browser', async () => {
    const server = await startProtected()
    const caller = createCaller(server, { person: () => {} })
    for (const time of [1, 2]) {
      const call = caller.call().catch((error: unknown) => error)
      await expect.poll(() => caller.clock.waiting).toBe(2)
      caller.clock.advance(20_000)
      const { url } = (await call) as AuthorizationNeeded
      caller.clock.advance(5 * 60_000)
      await expect(browse(url)).rejects.toThrow('fetch failed')
      expect(caller.logged().match(/open the address/g)).toHaveLength(time)
    }
    expect(caller.links).toHaveLength(1)
    expect(server.authorization.at('/register')).toHaveLength(1)
    expect(caller.clock.waiting).toBe(0)
  })

  test('a registration that led nowhere is not used again', async () => {
    const server = await startProtected()
    const caller = createCaller(server, { person: () => {} })
    const call = caller.call().catch(() => {})
    await expect.poll(() => caller.clock.waiting).toBe(2)
    server.authorization.forgetClients()
    expect((await browse(caller.links[0] ?? '')).text).toBe('unknown client')
    caller.clock.advance(5 * 60_000)
    await call
    const again = caller.call()
    await expect.poll(() => caller.clock.waiting).toBe(2)
    expect(server.authorization.at('/register')).toHaveLength(2)
    const link = [...caller.logged().matchAll(/"open":"([^"]+)"/g)].at(-1)?.[1] ?? ''
    await browse(link)
    expect(await again).toBe(200)
  })

  test('the end of the proxy ends the waiting', async () => {
    const server = await startProtected()
    const caller = createCaller(server, { person: () => {} })
    const call = caller.call()
    call.catch(() => {})
    await expect.poll(() => caller.clock.waiting).toBe(2)
    await caller.authorizer.close()
    await expect(call).rejects.toThrow('broken off')
    await expect(browse(caller.links[0] ?? '')).rejects.toThrow('fetch failed')
    expect(await caller.authorizer.refused({ status: 401, challenge: undefined, sent: undefined })).toBe(
      false,
    )
  })

  test('where no user can sign in, the error names the command that does it', async () => {
    const server = await startProtected()
    const caller = createCaller(server, { interactive: false })
    await expect(caller.call()).rejects.toThrow('needs you to sign in: run `mcp-rlm-proxy login docs`')
    expect(caller.links).toEqual([])
  })
})
