import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { challengeText } from '../../../../src/server/auth/authenticator.ts'
import {
  createFailures,
  credentialsOf,
  networkOf,
  parseAuthorization,
} from '../../../../src/server/auth/credentials.ts'
import { clock } from './support.ts'

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

  test('no reason repeats the header that was sent', () => {
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
  test('names the scheme, the metadata and the scopes', () => {
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

describe('failures of an address', () => {
  test('are free up to the limit, then cost the time one takes to be forgotten', () => {
    const time = clock()
    const failures = createFailures({ perMinute: 20, maxAddresses: 10, now: time.now })
    for (let n = 0; n < 20; n++) {
      expect(failures.wait('192.0.2.1')).toBe(0)
      failures.add('192.0.2.1')
    }
    expect(failures.wait('192.0.2.1')).toBe(3)
    expect(failures.wait('192.0.2.2')).toBe(0)
    time.pass(3000)
    expect(failures.wait('192.0.2.1')).toBe(0)
    failures.add('192.0.2.1')
    expect(failures.wait('192.0.2.1')).toBe(3)
    time.pass(3_600_000)
    for (let n = 0; n < 20; n++) failures.add('192.0.2.1')
    expect(failures.wait('192.0.2.1')).toBe(3)
  })

  test('a clock that goes back gives nothing and takes nothing', () => {
    const time = clock()
    const failures = createFailures({ perMinute: 1, maxAddresses: 10, now: time.now })
    failures.add('192.0.2.1')
    time.pass(-100_000)
    expect(failures.wait('192.0.2.1')).toBe(60)
  })

  test('are remembered for a bounded number of addresses, the most recent ones', () => {
    const failures = createFailures({ perMinute: 1, maxAddresses: 2, now: clock().now })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) failures.add(address)
    expect(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => failures.wait(address))).toEqual([
      0, 60, 60,
    ])
  })
})

describe('the network of an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test('is the same for every spelling of one IPv6 network, and its first half', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.nat(0xffff), (address, last) => {
        if (address.includes('.')) return
        const network = networkOf(address)
        expect(network).toMatch(/^(?:[0-9a-f]{1,4}:){3}[0-9a-f]{1,4}::\/64$/)
        expect(networkOf(`${network.replace('::/64', '')}:1:2:3:${last.toString(16)}`)).toBe(network)
      }),
    )
  })
})
