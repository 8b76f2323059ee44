/** An authorization server on loopback that gives a client its tokens (RFC 6749, 4.4) and signs them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'

export interface Issuer {
  url: string
  /** The requests for tokens, in order. */
  asked: URLSearchParams[]
  /** A token with good claims but for these. */
  token(claims: Record<string, unknown>): Promise<string>
}

export async function startIssuer(): Promise<Issuer> {
  const keys = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }] }
  const asked: URLSearchParams[] = []
  const token: Issuer['token'] = (claims) =>
    new SignJWT({ iss: url, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
      .setIssuedAt()
      .setExpirationTime('10 minutes')
      .sign(keys.privateKey)
  const server = createServer(async (request, response) => {
    const answer = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (request.url === '/.well-known/oauth-authorization-server') {
      answer({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      })
    } else if (request.url === '/keys') answer(jwks)
    else if (request.url === '/token' && request.method === 'POST') {
      let body = ''
      for await (const chunk of request) body += chunk
      const form = new URLSearchParams(body)
      asked.push(form)
      const basic = Buffer.from(
        (request.headers.authorization ?? '').replace('Basic ', ''),
        'base64',
      ).toString()
      const client_id = basic.split(':')[0]
      const scope = form.get('scope') ?? ''
      const access_token = await token({
        sub: client_id,
        client_id,
        aud: form.get('resource') ?? 'nobody',
        scope,
      })
      answer({ access_token, token_type: 'Bearer', expires_in: 600, scope })
    } else answer({}, 404)
  })
  // An idle connection is not closed while a busy machine takes its time to use it.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  return { url, asked, token }
}
