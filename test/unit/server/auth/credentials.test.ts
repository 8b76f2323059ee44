import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { challengeText } from '../../../../src/server/auth/authenticator.ts'
import { credentialsOf, parseAuthorization } from '../../../../src/server/auth/credentials.ts'

const token68 = fc.stringMatching(/^[A-Za-z0-9\-._~+/]+=*$/)

/** Every UTF-16 unit, so that controls and quotes are not rare. */
const anyText = fc
  .array(fc.oneof(fc.nat(0x100), fc.nat(0xffff)))
  .map((units) => String.fromCharCode(...units))

describe('the Authorization header', () => {
  test('gives the token, with the scheme in any case', () => {
    const scheme = fc.mixedCase(fc.constant('bearer'))
    const spaces = fc.integer({ min: 1, max: 4 }).map((count) => ' '.repeat(count))
    fc.assert(
      fc.property(scheme, spaces, token68, (word, space, token) => {
        expect(parseAuthorization([`${word}${space}${token}`])).toEqual({ kind: 'token', token })
      }),
    )
  })

  test('gives of any other text no token that is not in it whole', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `Bearer ${text}`),
        ),
        (header) => {
          const found = parseAuthorization([header])
          if (found.kind === 'token') expect(header.slice(6).trim()).toBe(found.token)
          else expect(found).toEqual({ kind: 'malformed', reason: expect.any(String) })
        },
      ),
    )
  })

  test.each([
    'Bearer',
    'Bearer ',
    'Bearer\ttoken',
    'Bearertoken',
    'Bearer a b',
    'Bearer a,b',
    'Bearer "a"',
    'Bearer a=b',
    'Basic YTpi',
    'DPoP token',
    ' Bearer token',
    '',
  ])('%j is malformed', (header) => {
    expect(parseAuthorization([header]).kind).toBe('malformed')
  })

  test('is refused when it is there twice, even with the same token', () => {
    expect(parseAuthorization(['Bearer a', 'Bearer a']).kind).toBe('malformed')
  })

  test('takes time in proportion to its length', () => {
    const long = `Bearer ${'a'.repeat(200_000)}`
    expect(parseAuthorization([`${long} !`]).kind).toBe('malformed')
    expect(parseAuthorization([`Bearer${' '.repeat(200_000)}!`]).kind).toBe('malformed')
  })

  test('no reason repeats what was sent', () => {
    fc.assert(
      fc.property(
        token68.filter((token) => token.length > 12),
        (token) => {
          const found = parseAuthorization([`Bearer ${token} x`])
          expect(JSON.stringify(found)).not.toContain(token)
        },
      ),
    )
  })
})

test.each(['/mcp?access_token=x', '/mcp?a=b&access_token='])(
  'a token in the address is refused: %s',
  (url) => {
    const request = { url, headersDistinct: { authorization: ['Bearer good'] } } as unknown as IncomingMessage
    expect(credentialsOf(request).kind).toBe('malformed')
  },
)

describe('a challenge', () => {
  test('names what there is', () => {
    expect(challengeText({})).toBe('Bearer')
    expect(challengeText({ error: 'invalid_token', scopes: ['a', 'b'], metadata: 'https://x/y' })).toBe(
      'Bearer error="invalid_token", scope="a b", resource_metadata="https://x/y"',
    )
  })

  test('cannot be broken out of', () => {
    fc.assert(
      fc.property(anyText, (description) => {
        expect(challengeText({ description })).toMatch(
          /^Bearer error_description="[\x20\x21\x23-\x5B\x5D-\x7E]*"$/,
        )
      }),
    )
  })
})
