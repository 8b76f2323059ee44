import { describe, expect, test } from 'vitest'
import { hasAuthorization } from '../../../src/config/auth-options.ts'
import { loadConfig, parseConfig } from '../../../src/config/load-program.ts'
import { secretsOf } from '../../../src/observe/redact.ts'
import { ProxyError } from '../../../src/protocol/errors.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

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

describe('insecure settings are refused', () => {
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

test('does not repeat a secret', () => {
  const text = failure({ introspection: { url: 'https://x.example', clientSecret: 123456789 } })
  expect(text).toContain('clientSecret is a number, but must be')
  expect(text).not.toContain('123456789')
})

test('the command line and the environment set single-value options', () => {
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

const url = 'https://mcp.example/mcp'

function oauthOf(oauth: JsonValue) {
  const [server] = parseConfig({ mcpServers: { s: { url, oauth } } }).servers
  return server && 'url' in server ? server.oauth : undefined
}

describe('oauth of a server', () => {
  test('true and false are short for enabled, and absent is neither', () => {
    expect(oauthOf(true)).toMatchObject({ enabled: true, grant: 'authorization_code', redirectPort: 0 })
    expect(oauthOf(false)).toMatchObject({ enabled: false })
    const [server] = parseConfig({ mcpServers: { s: { url } } }).servers
    expect(server).toMatchObject({ oauth: undefined })
  })

  test('a key signs with RS256 by default', () => {
    const written = { clientId: 'me', privateKey: 'PEM', grant: 'client_credentials' }
    expect(oauthOf(written)).toMatchObject({ privateKey: 'PEM', algorithm: 'RS256' })
  })

  test('the names that Claude Code uses are understood', () => {
    expect(oauthOf({ clientId: 'me', callbackPort: 8080 })).toMatchObject({ redirectPort: 8080 })
  })

  test.each<[string, JsonValue, string]>([
    ['a secret without an id', { clientSecret: 'x' }, 'oauth.clientSecret has no clientId'],
    ['a grant without a secret', { clientId: 'x', grant: 'client_credentials' }, 'without a secret'],
    ['a grant without an id', { grant: 'client_credentials' }, 'without a clientId'],
    ['a document without TLS', { clientMetadataUrl: 'http://x.example/a' }, 'not an https address'],
    ['an issuer that is none', { issuer: 'javascript:alert(1)' }, 'oauth.issuer is not an address'],
    ['a port out of range', { redirectPort: 70_000 }, 'must be a whole number from 0 to 65535'],
    ['another type', 'yes', 'true, false or an object'],
  ])('%s is refused', (_, oauth, message) => {
    expect(() => oauthOf(oauth)).toThrow(message)
  })

  test('a command server takes no auth settings', () => {
    expect(() => parseConfig({ mcpServers: { s: { command: 'x', oauth: true } } })).toThrow(
      'servers with a url',
    )
  })

  test('strikes the secret and the key out of the log', () => {
    const holder = { oauth: { clientSecret: 'secret-1', privateKey: 'private-key-1' } }
    expect(secretsOf([holder])).toEqual(['secret-1', 'private-key-1'])
  })
})

test('a static Authorization header or a password in the url answers for itself', () => {
  expect(hasAuthorization(url, { authorization: 'Bearer x' })).toBe(true)
  expect(hasAuthorization('https://me:secret@mcp.example/', {})).toBe(true)
  expect(hasAuthorization(url, { 'X-Authorization-Hint': 'x' })).toBe(false)
})
