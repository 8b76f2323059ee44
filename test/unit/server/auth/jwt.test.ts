import { generateKeyPairSync } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { AUDIENCE, asking, clock, type Issuer, issuer } from './support.ts'

const seconds = (ms: number): number => Math.floor(ms / 1000)

async function world(auth: Record<string, unknown> = {}) {
  const time = clock()
  const as = await issuer(time)
  const server = await asking(
    { auth: { issuer: as.url, publicUrl: AUDIENCE, ...auth } as never },
    { clock: time, fetch: as.fetch },
  )
  return { time, as, ...server }
}

const keysAsked = ({ asked, url }: Issuer): number =>
  asked.filter((address) => address === `${url}/keys`).length

async function onlyKey(as: Issuer): Promise<object | undefined> {
  const { keys } = (await (await as.fetch(`${as.url}/keys`)).json()) as { keys: object[] }
  return keys[0]
}

describe('an access token', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('signed with %s lets its subject in', async (alg) => {
    const { as, bearer, time } = await world()
    await as.rotate(alg)
    const { status, principal } = await bearer(await as.token())
    expect([status, principal?.expiresAt]).toEqual([200, seconds(time.now()) + 600 + 60])
    expect(principal?.id).toMatch(/^o_[0-9a-f]{32}$/)
  })

  test('of the same subject is the same principal; of another, or of a client, another', async () => {
    const { as, bearer } = await world()
    const id = async (claims: object): Promise<string | undefined> =>
      (await bearer(await as.token({ ...claims }))).principal?.id
    const anna = await id({ jti: 1 })
    expect(anna).toBeDefined()
    expect(await id({ jti: 2, client_id: 'x' })).toBe(anna)
    const others = [await id({ sub: 'ben' }), await id({ sub: undefined, client_id: 'anna' })]
    expect(new Set([anna, ...others]).size).toBe(3)
  })

  test('of the same name at another issuer is another principal', async () => {
    const time = clock()
    const [one, two] = [await issuer(time), await issuer(time, 'https://other.example')]
    const fetch: typeof globalThis.fetch = (input) =>
      (String(input).startsWith(one.url) ? one : two).fetch(input)
    const auth = { issuers: [one.url, two.url], publicUrl: AUDIENCE }
    const { bearer } = await asking({ auth }, { clock: time, fetch })
    const ids = [await bearer(await one.token()), await bearer(await two.token())].map(
      ({ principal }) => principal?.id,
    )
    expect(ids[0]).toBeDefined()
    expect(ids[1]).toBeDefined()
    expect(ids[0]).not.toBe(ids[1])
    // Signed by one, said to be of the other.
    expect((await bearer(await one.token({ iss: two.url }))).status).toBe(401)
  })

  test.each<[string, (now: number) => Record<string, unknown>, number]>([
    ['of another issuer', () => ({ iss: 'https://evil.example' }), 401],
    ['without an issuer', () => ({ iss: undefined }), 401],
    ['for another server', () => ({ aud: 'https://other.example/mcp' }), 401],
    ['for nobody', () => ({ aud: undefined }), 401],
    ['for several servers, this one among them', () => ({ aud: ['https://x.example', AUDIENCE] }), 200],
    ['for this server, with a slash', () => ({ aud: `${AUDIENCE}/` }), 200],
    ['for a place below this server', () => ({ aud: `${AUDIENCE}/deeper` }), 401],
    ['for the origin', () => ({ aud: new URL(AUDIENCE).origin }), 401],
    ['that expired a moment ago', (now) => ({ exp: now - 59 }), 200],
    ['that expired', (now) => ({ exp: now - 60 }), 401],
    ['that never expires', () => ({ exp: undefined }), 401],
    ['whose end is no number', () => ({ exp: '99999999999' }), 401],
    ['that begins in a moment', (now) => ({ nbf: now + 60 }), 200],
    ['that begins later', (now) => ({ nbf: now + 61 }), 401],
    ['of nobody', () => ({ sub: undefined }), 401],
    ['of an empty name', () => ({ sub: '' }), 401],
    ['of a list of names', () => ({ sub: ['anna'] }), 401],
    ['bound to a key', () => ({ cnf: { jkt: 'x' } }), 401],
  ])('%s', async (_, claims, status) => {
    const { as, bearer, time } = await world()
    expect((await bearer(await as.token(claims(seconds(time.now()))))).status).toBe(status)
  })

  test.each<[string, Record<string, unknown>, number]>([
    ['JWT', { typ: 'JWT' }, 200],
    ['none', { typ: undefined }, 200],
    ['application/at+jwt', { typ: 'application/AT+jwt' }, 200],
    ['a proof', { typ: 'dpop+jwt' }, 401],
    ['a logout', { typ: 'logout+jwt' }, 401],
    ['with what must be understood', { crit: ['exp2'], exp2: 1 }, 401],
  ])('of type %s', async (_, header, status) => {
    const { as, bearer } = await world()
    const made = as.token({}, header)
    // jose does not sign what it would not accept.
    const token = await made.catch(async () => {
      const [, payload, signature] = (await as.token()).split('.')
      return `${Buffer.from(JSON.stringify({ alg: 'ES256', ...header })).toString('base64url')}.${payload}.${signature}`
    })
    expect((await bearer(token)).status).toBe(status)
  })

  test('that is not signed, signed with a public secret, changed, or cut is refused', async () => {
    const { as, bearer, time } = await world()
    const claims = { iss: as.url, aud: AUDIENCE, sub: 'anna', exp: seconds(time.now()) + 600 }
    const good = await as.token()
    const [header = '', payload = '', signature = ''] = good.split('.')
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'ben' })).toString('base64url')
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const bad = [
      new UnsecuredJWT(claims).encode(),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.${signature}`,
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode('x'.repeat(32))),
      await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(stranger),
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature}.x.y`,
    ]
    for (const token of bad) expect((await bearer(token)).status).toBe(401)
    expect((await bearer(good)).status).toBe(200)
  })

  test('is checked once a minute, and not beyond its end', async () => {
    const { as, bearer, time } = await world()
    const token = await as.token({ exp: seconds(time.now()) - 30 })
    expect((await bearer(token)).status).toBe(200)
    time.pass(29_000)
    expect((await bearer(token)).status).toBe(200)
    time.pass(1_000)
    expect((await bearer(token)).status).toBe(401)
  })
})

describe('keys of an issuer', () => {
  test('are fetched on first use, once for all waiting requests', async () => {
    const { as, bearer } = await world()
    const tokens = await Promise.all([1, 2, 3].map((jti) => as.token({ jti })))
    expect(as.asked).toEqual([])
    const answers = await Promise.all(tokens.map((token) => bearer(token)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(keysAsked(as)).toBe(1)
  })

  test('are fetched again for one that is not known, at most once a minute', async () => {
    const { as, bearer, time } = await world()
    await bearer(await as.token())
    await as.rotate()
    expect((await bearer(await as.token())).status).toBe(401)
    expect(keysAsked(as)).toBe(1)
    time.pass(60_000)
    expect((await bearer(await as.token())).status).toBe(200)
    for (let jti = 0; jti < 10; jti++) await bearer(await as.token({ jti }, { kid: `made-up-${jti}` }))
    expect(keysAsked(as)).toBe(2)
  })

  test('that were taken back do not count any more after ten minutes', async () => {
    const { as, bearer, time } = await world()
    const lasting = await as.token({ exp: seconds(time.now()) + 100_000 })
    expect((await bearer(lasting)).status).toBe(200)
    await as.rotate()
    time.pass(600_000)
    await bearer(lasting)
    time.pass(60_000)
    expect((await bearer(lasting)).status).toBe(401)
  })

  test('stay valid for an hour while the issuer does not answer; then the answer is 503', async () => {
    const { as, bearer, time } = await world()
    const token = await as.token({ exp: seconds(time.now()) + 100_000 })
    expect((await bearer(token)).status).toBe(200)
    as.answers.clear()
    time.pass(3_500_000)
    expect((await bearer(token)).status).toBe(200)
    time.pass(100_000)
    const { status, headers } = await bearer(token)
    expect([status, headers['retry-after']]).toEqual([503, '5'])
  })

  test('are fetched again after a failure, and no client counts as a guesser', async () => {
    const { as, bearer, time, logged } = await world()
    const answers = new Map(as.answers)
    as.answers.clear()
    for (let n = 0; n < 30; n++) expect((await bearer(await as.token({ jti: n }))).status).toBe(503)
    expect(as.asked.length).toBeLessThan(4)
    expect(logged()).toContain('could not be fetched')
    for (const [address, answer] of answers) as.answers.set(address, answer)
    time.pass(5_000)
    expect((await bearer(await as.token())).status).toBe(200)
  })

  test('are looked for where OpenID Connect says, too', async () => {
    const time = clock()
    const as = await issuer(time, 'https://issuer.example/tenant')
    as.answers.clear()
    const { bearer, ...server } = await asking(
      { auth: { issuer: as.url, publicUrl: AUDIENCE } },
      { clock: time, fetch: as.fetch },
    )
    await bearer(await as.token())
    expect(as.asked).toEqual([
      'https://issuer.example/.well-known/oauth-authorization-server/tenant',
      'https://issuer.example/.well-known/openid-configuration/tenant',
      'https://issuer.example/tenant/.well-known/openid-configuration',
    ])
    expect(server.logged()).not.toContain('eyJ')
  })

  test.each<[string, unknown]>([
    ['another issuer', { issuer: 'https://evil.example', jwks_uri: 'https://issuer.example/keys' }],
    ['no keys', { issuer: 'https://issuer.example' }],
    ['keys in the clear', { issuer: 'https://issuer.example', jwks_uri: 'http://issuer.example/keys' }],
    ['keys in a file', { issuer: 'https://issuer.example', jwks_uri: 'file:///etc/passwd' }],
    ['nothing that is an object', ['x']],
  ])('metadata that names %s is not believed', async (_, metadata) => {
    const { as, bearer } = await world()
    as.answers.set(`${as.url}/.well-known/oauth-authorization-server`, () => Response.json(metadata))
    expect((await bearer(await as.token())).status).toBe(503)
    expect(keysAsked(as)).toBe(0)
  })

  test('are not looked for where their address is configured', async () => {
    const { as, bearer } = await world({ jwksUri: 'https://issuer.example/keys' })
    expect((await bearer(await as.token())).status).toBe(200)
    expect(as.asked).toEqual(['https://issuer.example/keys'])
  })

  test('without key ids are all tried', async () => {
    const { as, bearer, time } = await world()
    await as.rotate('ES256', '')
    const first = await onlyKey(as)
    const token = await as.token({ exp: seconds(time.now()) + 100_000 }, { kid: undefined })
    await as.rotate('ES256', '')
    const second = await onlyKey(as)
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    const all = [{ ...stranger, alg: 'ES256' }, second, first]
    as.answers.set(`${as.url}/keys`, () => Response.json({ keys: all }))
    expect((await bearer(token)).status).toBe(200)
    as.answers.set(`${as.url}/keys`, () => Response.json({ keys: [all[0], second] }))
    time.pass(700_000)
    await bearer(await as.token({}, { kid: undefined }))
    time.pass(60_000)
    expect((await bearer(token)).status).toBe(401)
  })
})
