import { describe, expect, test } from 'vitest'
import { hasAuthorization } from '../../../src/config/auth-options.ts'
import { parseConfig } from '../../../src/config/load-program.ts'
import { secretsOf } from '../../../src/observe/redact.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

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

  test('a key signs with RS256 unless told otherwise', () => {
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

  test('a server that is a command has none', () => {
    expect(() => parseConfig({ mcpServers: { s: { command: 'x', oauth: true } } })).toThrow(
      'servers with a url',
    )
  })

  test('the secret and the key are struck out of what is logged', () => {
    const holder = { oauth: { clientSecret: 'secret-1', privateKey: 'private-key-1' } }
    expect(secretsOf([holder])).toEqual(['secret-1', 'private-key-1'])
  })
})

test('a static Authorization header or a password in the url answers for itself', () => {
  expect(hasAuthorization(url, { authorization: 'Bearer x' })).toBe(true)
  expect(hasAuthorization('https://me:secret@mcp.example/', {})).toBe(true)
  expect(hasAuthorization(url, { 'X-Authorization-Hint': 'x' })).toBe(false)
})
