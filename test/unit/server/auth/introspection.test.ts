import { describe, expect, test } from 'vitest'
import { deferred } from '../../../support/deferred.ts'
import { AUDIENCE, asking, clock } from './support.ts'

const URL_ = 'https://issuer.example/introspect'

async function world(answer: () => unknown = () => ({}), auth: object = {}, introspection: object = {}) {
  const time = clock()
  const asked: { body: URLSearchParams; authorization: string | null; method: string | undefined }[] = []
  const server = await asking(
    {
      auth: { publicUrl: AUDIENCE, introspection: { url: URL_, ...introspection }, ...auth },
    } as never,
    {
      clock: time,
      fetch: async (input, init) => {
        const request = new Request(input as string, init)
        asked.push({
          body: new URLSearchParams(await request.text()),
          authorization: request.headers.get('authorization'),
          method: init?.method,
        })
        const claims = await answer()
        if (claims instanceof Response) return claims
        return Response.json({ active: true, sub: 'anna', aud: AUDIENCE, ...(claims as object) })
      },
    },
  )
  return { time, asked, ...server }
}

describe('an opaque token', () => {
  test('is asked about in a form, under the name of the proxy', async () => {
    const { asked, bearer } = await world(undefined, {}, { clientId: 'my proxy', clientSecret: 'se:cret%' })
    const { principal } = await bearer('opaque')
    expect(principal?.id).toMatch(/^o_/)
    expect(principal).not.toHaveProperty('expiresAt')
    expect(asked.map(({ method, body }) => [method, body.toString()])).toEqual([
      ['POST', 'token=opaque&token_type_hint=access_token'],
    ])
    const encoded = asked[0]?.authorization?.replace('Basic ', '') ?? ''
    expect(Buffer.from(encoded, 'base64').toString()).toBe('my+proxy:se%3Acret%25')
  })

  const now = clock().now() / 1000
  test.each<[string, object, number]>([
    ['not active', { active: false }, 401],
    ['active in other words', { active: 'true' }, 401],
    ['for another server', { aud: 'https://other.example' }, 401],
    ['for nobody', { aud: undefined }, 401],
    ['for several', { aud: ['x', AUDIENCE] }, 200],
    ['of nobody', { sub: undefined }, 401],
    ['of a client', { sub: undefined, client_id: 'c' }, 200],
    ['of another kind', { token_type: 'DPoP' }, 401],
    ['of this kind', { token_type: 'bearer' }, 200],
    ['bound to a key', { cnf: { 'x5t#S256': 'x' } }, 401],
    ['at its end', { exp: now - 60 }, 401],
    ['within the skew of clocks', { exp: now - 59, nbf: now + 60 }, 200],
    ['before its beginning', { nbf: now + 61 }, 401],
    ['with a strange end', { exp: 'soon' }, 401],
  ])('%s', async (_, claims, status) => {
    const { bearer } = await world(() => claims)
    expect((await bearer('opaque')).status).toBe(status)
  })

  test('of an issuer that is not accepted is refused', async () => {
    const { bearer } = await world(() => ({ iss: 'https://evil.example' }), {
      issuer: 'https://issuer.example',
    })
    expect((await bearer('opaque')).status).toBe(401)
  })

  test('is asked about once a minute, and once for all requests that come together', async () => {
    const answers = deferred()
    const { asked, bearer, time } = await world(() => answers.promise.then(() => ({})))
    const all = Promise.all([bearer('opaque'), bearer('opaque'), bearer('opaque')])
    answers.resolve()
    expect((await all).map(({ status }) => status)).toEqual([200, 200, 200])
    time.pass(59_999)
    await bearer('opaque')
    expect(asked).toHaveLength(1)
    time.pass(1)
    await bearer('opaque')
    expect(asked).toHaveLength(2)
  })

  test('that was taken back counts a minute at most', async () => {
    let active = true
    const { bearer, time } = await world(() => ({ active }))
    expect((await bearer('opaque')).status).toBe(200)
    active = false
    time.pass(60_000)
    expect((await bearer('opaque')).status).toBe(401)
  })

  test('that cannot be asked about is not refused for good', async () => {
    for (const answer of [
      () => Promise.reject(new Error('down')),
      () => new Response('', { status: 500 }),
      () => new Response('{'),
      () => new Response('[]'),
      () => new Response('x'.repeat(600_000)),
    ]) {
      const { bearer, logged } = await world(answer)
      expect((await bearer('opaque-marker')).status).toBe(503)
      expect(logged()).not.toContain('opaque-marker')
    }
  })

  test('of a JWT’s shape but of no known issuer is asked about as well', async () => {
    const { bearer, asked } = await world()
    expect((await bearer('e30.e30.e30')).status).toBe(200)
    expect(asked).toHaveLength(1)
  })

  test('are not asked about without bound', async () => {
    const answers = deferred()
    const { bearer, asked } = await world(() => answers.promise.then(() => ({})))
    const waiting = Array.from({ length: 100 }, (_, n) => bearer(`made-up-${n}`))
    while (asked.length < 100) await new Promise(setImmediate)
    expect((await bearer('one-more')).status).toBe(503)
    answers.resolve()
    await Promise.all(waiting)
    expect((await bearer('one-more')).status).toBe(200)
  })
})
