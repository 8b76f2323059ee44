import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/load-program.ts'
import { ProxyError } from '../../../src/protocol/errors.ts'

const publicUrl = 'https://tools.example/mcp'

function failure(auth: object, more: object = {}, request: object = {}): string {
  const proxySettings = { transport: 'streamable-http', auth, ...more }
  try {
    loadConfig({
      value: { mcpServers: {}, proxySettings } as never,
      env: {},
      cwd: '/',
      home: '/',
      ...request,
    })
    return ''
  } catch (error) {
    if (error instanceof ProxyError) return error.text
    throw error
  }
}

describe('what would let in somebody else is refused', () => {
  test.each([
    ['issuer', { issuer: 'http://issuer.example' }],
    ['issuer', { issuer: 'issuer.example' }],
    ['issuer', { issuer: 'https://user:pass@issuer.example' }],
    ['issuer', { issuer: 'https://issuer.example#x' }],
    ['issuers[1]', { issuers: ['https://issuer.example', 'ftp://issuer.example'] }],
    ['jwksUri', { issuer: 'https://issuer.example', jwksUri: 'http://issuer.example/keys' }],
    ['introspection.url', { introspection: { url: 'http://issuer.example/introspect' } }],
  ])('%s: %j', (path, auth) => {
    expect(failure(auth)).toContain(`proxySettings.auth.${path} is no https address`)
  })

  test.each([
    { issuer: 'https://issuer.example/tenant/' },
    { issuer: 'http://localhost:8080/realms/x' },
    { issuers: ['http://127.0.0.1:1', 'http://[::1]:1'] },
  ])('but not %j', (auth) => {
    expect(failure(auth)).toBe('')
  })
})

test.each([
  [
    { issuers: ['https://a.example', 'https://b.example'], jwksUri: 'https://a.example/k' },
    'jwksUri needs exactly one issuer',
  ],
  [{ introspection: { clientSecret: 'sesame' } }, 'introspection.url is missing'],
  [{ publicUrl: 'tools.example' }, 'publicUrl is no address of the web'],
  [{ publicUrl: 'https://tools.example/mcp#x' }, 'publicUrl is no address of the web'],
  [{ publicUrl: 'https://tools.example/mcp?x=1' }, 'publicUrl is no address of the web'],
  [{ requiredScopes: ['two words'] }, 'requiredScopes'],
])('%j: %s', (auth, message) => {
  expect(failure(auth)).toContain(message)
})

test('other machines need an address that tokens can be for', () => {
  const auth = { issuer: 'https://issuer.example' }
  expect(failure(auth, { host: '0.0.0.0' })).toContain('proxySettings.auth.publicUrl is missing: on 0.0.0.0')
  expect(failure({ ...auth, publicUrl }, { host: '0.0.0.0' })).toBe('')
  expect(failure({ tokens: 'x' }, { host: '0.0.0.0' })).toBe('')
  expect(failure(auth, { host: '0.0.0.0', transport: 'stdio' })).toBe('')
})

test('a secret is not told', () => {
  const text = failure({ introspection: { url: 'https://x.example', clientSecret: 123456789 } })
  expect(text).toContain('clientSecret is a number, but must be')
  expect(text).not.toContain('123456789')
})

test('the command line and the environment set what takes one value', () => {
  const { config } = loadConfig({
    value: { mcpServers: {} },
    env: { MCPPROXY_AUTH_ISSUER: 'https://issuer.example', MCPPROXY_ALLOW_UNAUTHENTICATED: 'true' },
    flags: { 'public-url': publicUrl },
    cwd: '/',
    home: '/',
  })
  expect(config.settings).toMatchObject({
    allowUnauthenticated: true,
    auth: { issuer: 'https://issuer.example', publicUrl },
  })
})
