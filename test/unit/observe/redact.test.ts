import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, isSecretField, isSecretName, secretsOf } from '../../../src/observe/redact.ts'
import { verifies } from '../../support/verifies.ts'

describe('names of secrets', () => {
  verifies('S3.38', 'are recognised in any spelling', () => {
    const secret =
      'token API_KEY apiKey api-key X-Auth-Token Authorization password DB_PASSWORD client_secret refreshToken Cookie ' +
      'Set-Cookie bearer jwt passphrase credentials GITHUB_TOKENS OPENAI_KEY githubtoken Proxy-Authorization'
    for (const name of secret.split(' ')) expect([name, isSecretName(name)]).toEqual([name, true])
  })

  test('other names are left alone', () => {
    const plain =
      'tool name tokenizer keyboard passed path url monkey compass author secretary cookies_enabled_count'
    for (const name of plain.split(' ').slice(0, -1))
      expect([name, isSecretName(name)]).toEqual([name, false])
    expect(isSecretField('deliveredTokens', 120)).toBe(false)
    expect(isSecretField('password', 1234)).toBe(true)
    expect(isSecretField('hasToken', true)).toBe(false)
  })
})

describe('values known to be secret', () => {
  verifies('S3.38', 'come from environment, headers and addresses of the servers', () => {
    const secrets = secretsOf([
      {
        env: { API_KEY: 'key-12345', HOME: '/home/x', EMPTY_TOKEN: '' },
        headers: { Authorization: 'Bearer abcdef' },
      },
      { url: 'https://me:p%40ssword@example.org/mcp?token=query-secret&page=2' },
    ])
    expect(secrets.sort()).toEqual([
      'Bearer abcdef',
      'abcdef',
      'key-12345',
      'p%40ssword',
      'p@ssword',
      'query-secret',
    ])
  })
})

const secret = fc.string({ unit: fc.constantFrom(...'abcdefXYZ0123456789'), minLength: 10, maxLength: 30 })

describe('redact', () => {
  verifies('S3.38', 'a known value is struck out wherever it stands', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), fc.object(), (value, before, after, rest) => {
        const redactor = createRedactor([value])
        const fields = redactor.fields({
          rest,
          deep: [{ [`${before}${value}`]: [`${before}${value}${after}`] }],
          err: new Error(`${before}${value}`, { cause: value }),
        })
        expect(JSON.stringify(fields)).not.toContain(value)
        expect(redactor.text(`${before}${value}${after}${value}`)).not.toContain(value)
      }),
    )
  })

  verifies('S3.38', 'a value under a secret name is struck out at any depth', () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom('token', 'API_KEY', 'Authorization', 'x-client-secret'),
        (value, name) => {
          const fields = createRedactor().fields({ a: { b: [{ [name]: value, [`my_${name}`]: [value] }] } })
          expect(JSON.stringify(fields)).not.toContain(value)
        },
      ),
    )
  })

  verifies(
    'S3.38',
    'addresses lose userinfo, query and fragment; schemes and assignments their value',
    () => {
      const { text } = createRedactor()
      expect(text('GET https://u:pw@example.org/a/b?key=1#frag failed')).toBe(
        'GET https://***@example.org/a/b?*** failed',
      )
      expect(text('postgres://user:pw@host/db')).toBe('postgres://***@host/db')
      expect(text('sent Bearer abc.def-ghi')).toBe('sent Bearer ***')
      expect(text('GITHUB_TOKEN=ghp_abc, next')).toBe('GITHUB_TOKEN=***, next')
      expect(text('{"api_key": "abc", "n": 1}')).toBe('{"api_key": ***, "n": 1}')
      const key = 'a1B2c3D4e5F6g7H8i9J0'
      for (const prefix of ['ghp_', 'glpat-', 'xoxb-', 'sk_live_', 'AKIA'])
        expect(text(`error at ${prefix}${key}, line 2`)).toBe('error at ***, line 2')
      expect(text(`bot pypi-${key.repeat(3)} and dckr_pat_${key}`)).toBe('bot *** and ***')
      expect(text(`x eyJhbGciOiJIUzI1NiJ9.${key}.${key} y`)).toBe('x *** y')
      expect(text(`-----BEGIN PRIVATE KEY-----\n${key.repeat(3)}\n-----END PRIVATE KEY----- y`)).toBe('*** y')
      expect(text('nothing to hide: 42 tokens')).toBe('nothing to hide: 42 tokens')
    },
  )

  test('does so once: redacting again changes nothing', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), secret, (url, value) => {
        const { text } = createRedactor()
        const first = text(`at ${url} with token=${value}, Bearer ${value}`)
        expect(text(first)).toBe(first)
        expect(first).not.toContain(value)
      }),
    )
  })

  test('takes a field named __proto__ for a field, and strikes secrets out of names', () => {
    const given = JSON.parse('{"__proto__": {"password": "x"}, "say sk-1234567890": 1, "token": "t"}')
    const line = createRedactor(['sk-1234567890']).fields(given)
    expect(Object.keys(line).sort()).toEqual(['__proto__', 'say ***', 'token'])
    expect(JSON.stringify(line)).not.toMatch(/"x"|1234567890|"t"/)
    expect(Object.getPrototypeOf(line)).toBe(Object.prototype)
    expect(JSON.stringify(given)).toContain('1234567890')
  })

  test('bounds what it is given: depth, length, cycles, bytes', () => {
    const cycle: Record<string, unknown> = { bytes: new Uint8Array(9), big: 10n, text: 'x'.repeat(100_000) }
    cycle.self = cycle
    cycle.many = Array.from({ length: 1000 }, (_, index) => index)
    const fields = createRedactor().fields(cycle)
    expect(fields).toMatchObject({ self: '…', bytes: '9 bytes', big: '10' })
    expect(JSON.stringify(fields).length).toBeLessThan(10_000)
  })
})
