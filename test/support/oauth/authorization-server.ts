/** An authorization server on loopback that is strict about what a client has to prove. */
import { createHash, createPublicKey, type KeyObject, randomUUID, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface AuthorizationServerOptions {
  /** Which documents there are (RFC 8414, OpenID Connect Discovery), or none. */
  metadata?: 'oauth' | 'openid' | 'none'
  /** Part of the issuer: `/tenant`. */
  path?: string
  registration?: boolean
  /** Takes the address of a metadata document as client id. */
  documents?: boolean
  authMethods?: string[]
  /** Clients registered by hand, with their secrets. */
  clients?: Record<string, string | undefined>
  /** Public key of a client that signs (PEM). */
  publicKey?: string
  expiresIn?: number | undefined
  scopes?: string[]
  /** `iss` of the answer to the browser (RFC 9207). */
  iss?: 'absent' | 'right' | 'wrong' | 'promised'
  /** Fields of the metadata that differ from they should be. */
  mangled?: Record<string, unknown>
  /** The decision of the person. */
  person?: 'agrees' | 'denies'
  /** Scopes the person leaves out. */
  withheld?: string[]
  /** The resource that tokens are for. */
  resource(): string | undefined
}

export interface Grant {
  client: string
  scope: string
  family: string
}

export interface Seen {
  path: string
  params: Record<string, string>
  authorization: string | undefined
}

interface Code extends Grant {
  challenge: string
  redirectUri: string
  resource: string | undefined
}

export class AuthorizationServer {
  readonly options: AuthorizationServerOptions
  /** Every request except those for metadata, in order. */
  readonly seen: Seen[] = []
  /** Paths of metadata that were asked for. */
  readonly looked: string[] = []
  readonly access = new Map<string, Grant>()
  readonly refresh = new Map<string, Grant>()
  readonly revoked: string[] = []
  /** Faults of the client: empty in a test that expects none. */
  readonly faults: string[] = []
  /** Answers of the token endpoint to be given in place of the real ones, first to last. */
  readonly outages: { status: number; body: object | string }[] = []
  /** Waited for before a token request is answered. */
  gate: Promise<void> | undefined
  origin = ''
  readonly #clients = new Map<string, { secret?: string; redirectUris?: string[] }>()
  readonly #codes = new Map<string, Code>()
  readonly #spent = new Map<string, string>()

  constructor(options: AuthorizationServerOptions) {
    this.options = options
    for (const [id, secret] of Object.entries(options.clients ?? {}))
      this.#clients.set(id, secret === undefined ? {} : { secret })
  }

  get issuer(): string {
    return `${this.origin}${this.options.path ?? ''}`
  }

  /** Requests to one endpoint. */
  at(path: string): Seen[] {
    return this.seen.filter((request) => request.path === path)
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.faults.push(String(error))
        response.writeHead(500).end()
      })
    })
    // An idle connection is not closed while a busy machine takes its time to use it.
    server.keepAliveTimeout = 60_000
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return this
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin)
    const json = (status: number, body: object | string): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (url.pathname.includes('/.well-known/')) {
      this.looked.push(url.pathname)
      const document = this.#documents().get(url.pathname)
      return document === undefined ? json(404, {}) : json(200, document)
    }
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const form = request.headers['content-type']?.includes('json')
      ? (JSON.parse(text) as Record<string, string>)
      : Object.fromEntries(new URLSearchParams(request.method === 'POST' ? text : url.search))
    this.seen.push({ path: url.pathname, params: form, authorization: request.headers.authorization })
    if (url.pathname === '/register') return this.#register(form, json)
    if (url.pathname === '/authorize') return this.#authorize(form, response)
    if (url.pathname === '/revoke') {
      this.revoked.push(form.token ?? '')
      return json(200, {})
    }
    if (url.pathname !== '/token') return json(404, {})
    await this.gate
    const outage = this.outages.shift()
    if (outage) return json(outage.status, outage.body)
    const answer = this.#token(form, request.headers.authorization)
    json('error' in answer ? 400 : 200, answer)
  }

  #documents(): Map<string, object> {
    const { metadata = 'oauth', path = '' } = this.options
    const document = {
      issuer: this.issuer,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      revocation_endpoint: `${this.origin}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: this.options.authMethods ?? ['none', 'client_secret_basic'],
      ...((this.options.registration ?? true) && { registration_endpoint: `${this.origin}/register` }),
      ...(this.options.documents && { client_id_metadata_document_supported: true }),
      ...(this.options.scopes && { scopes_supported: this.options.scopes }),
      ...(['right', 'wrong', 'promised'].includes(this.options.iss ?? '') && {
        authorization_response_iss_parameter_supported: true,
      }),
      ...(metadata === 'openid' && {
        jwks_uri: `${this.origin}/jwks`,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      ...this.options.mangled,
    }
    if (metadata === 'none') return new Map()
    return new Map([
      metadata === 'oauth'
        ? [`/.well-known/oauth-authorization-server${path}`, document]
        : [`${path}/.well-known/openid-configuration`, document],
    ])
  }

  #register(body: Record<string, unknown>, json: (status: number, body: object) => void): void {
    if (this.options.registration === false) return json(403, { error: 'invalid_client_metadata' })
    const id = `client-${randomUUID()}`
    const method = String(body.token_endpoint_auth_method)
    const secret = method === 'none' ? undefined : `secret-${randomUUID()}`
    this.#clients.set(id, {
      redirectUris: body.redirect_uris as string[],
      ...(secret !== undefined && { secret }),
    })
    json(201, { ...body, client_id: id, ...(secret !== undefined && { client_secret: secret }) })
  }

  /** The server forgets every client that registered itself. */
  forgetClients(): void {
    for (const [id, { redirectUris }] of this.#clients) if (redirectUris) this.#clients.delete(id)
  }

  #authorize(query: Record<string, string>, response: ServerResponse): void {
    const {
      client_id: id = '',
      redirect_uri: redirectUri = '',
      state,
      resource,
      code_challenge: challenge = '',
    } = query
    const client =
      this.#clients.get(id) ?? (this.options.documents && id.startsWith('https://') ? {} : undefined)
    const fault = (what: string): void => {
      this.faults.push(what)
      response.writeHead(400).end(what)
    }
    if (client === undefined) return fault('unknown client')
    if (client.redirectUris && !client.redirectUris.includes(redirectUri))
      return fault('redirect address not registered')
    if (query.response_type !== 'code' || query.code_challenge_method !== 'S256' || challenge === '')
      return fault('no PKCE')
    if (resource !== this.options.resource()) return fault(`resource is ${resource}`)
    const back = new URL(redirectUri)
    if (state !== undefined) back.searchParams.set('state', state)
    if (this.options.iss === 'right') back.searchParams.set('iss', this.issuer)
    if (this.options.iss === 'wrong') back.searchParams.set('iss', 'https://evil.example')
    if (this.options.person === 'denies') {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'the person <b>said no</b>')
    } else {
      const code = `code-${randomUUID()}`
      const withheld = new Set(this.options.withheld)
      const scope = (query.scope ?? '').split(' ').filter((word) => !withheld.has(word))
      const grant = { client: id, scope: scope.join(' '), family: randomUUID() }
      this.#codes.set(code, { ...grant, challenge, redirectUri, resource })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  #token(form: Record<string, string>, authorization: string | undefined): object {
    const client = this.#authenticate(form, authorization)
    const refuse = (error: string, what: string): object => {
      this.faults.push(what)
      return { error, error_description: what }
    }
    if (client === undefined) return refuse('invalid_client', 'the client is not authenticated')
    if (form.resource !== this.options.resource())
      return refuse('invalid_target', `resource is ${form.resource}`)
    if (form.grant_type === 'client_credentials')
      return this.#give({ client, scope: form.scope ?? '', family: randomUUID() }, false)
    if (form.grant_type === 'refresh_token') {
      const token = form.refresh_token ?? ''
      const family = this.#spent.get(token)
      if (family !== undefined) {
        // A token that is used twice was stolen, perhaps: everything that came of it ends (RFC 9700, 4.14.2).
        for (const tokens of [this.access, this.refresh])
          for (const [key, grant] of tokens) if (grant.family === family) tokens.delete(key)
        return refuse('invalid_grant', 'a refresh token was used twice')
      }
      const grant = this.refresh.get(token)
      if (grant === undefined || grant.client !== client)
        return refuse('invalid_grant', 'unknown refresh token')
      this.refresh.delete(token)
      this.#spent.set(token, grant.family)
      return this.#give(grant, true)
    }
    const code = this.#codes.get(form.code ?? '')
    this.#codes.delete(form.code ?? '')
    const proof = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url')
    if (code === undefined || code.client !== client) return refuse('invalid_grant', 'unknown code')
    if (code.challenge !== proof) return refuse('invalid_grant', 'PKCE: the verifier is not the one')
    if (code.redirectUri !== form.redirect_uri) return refuse('invalid_grant', 'another redirect address')
    return this.#give(code, true)
  }

  #give({ client, scope, family }: Grant, lasting: boolean): object {
    const { expiresIn = 3600 } = this.options
    const access = `access-${randomUUID()}`
    this.access.set(access, { client, scope, family })
    const refresh = `refresh-${randomUUID()}`
    if (lasting) this.refresh.set(refresh, { client, scope, family })
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope,
      ...(lasting && { refresh_token: refresh }),
    }
  }

  /** By the methods the metadata names, and by no other. */
  #authenticate(form: Record<string, string>, authorization: string | undefined): string | undefined {
    const methods = this.options.authMethods ?? ['none', 'client_secret_basic']
    if (form.client_assertion !== undefined) {
      const { publicKey } = this.options
      return publicKey === undefined
        ? undefined
        : signer(form.client_assertion, createPublicKey(publicKey), this.issuer)
    }
    const [id = '', secret] = authorization?.startsWith('Basic ')
      ? Buffer.from(authorization.slice(6), 'base64').toString().split(':')
      : [form.client_id ?? '', form.client_secret]
    const method =
      authorization === undefined
        ? secret === undefined
          ? 'none'
          : 'client_secret_post'
        : 'client_secret_basic'
    const client = this.#clients.get(id) ?? (this.options.documents ? {} : undefined)
    return client !== undefined && methods.includes(method) && client.secret === secret ? id : undefined
  }
}

/** The signer of a JSON Web Token for this audience with ES256 or RS256 (RFC 7515, RFC 7523). */
function signer(token: string, key: KeyObject, audience: string): string | undefined {
  const [head = '', body = '', signature = ''] = token.split('.')
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string }
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { sub: string; aud: string }
  const right = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key,
    Buffer.from(signature, 'base64url'),
  )
  return right && claims.aud === audience ? claims.sub : undefined
}
