/** An MCP server on loopback that takes tokens of an authorization server (MCP specification, basic/authorization). */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { AuthorizationServer, type AuthorizationServerOptions } from './authorization-server.ts'

export interface ProtectedOptions extends Omit<AuthorizationServerOptions, 'resource'> {
  /** Where the metadata of the resource lies (RFC 9728): named in the challenge, at its well-known places, or nowhere. */
  resourceMetadata?: 'challenge' | 'well-known' | 'root' | 'none'
  /** The `resource` in the metadata; the address of the server when absent. */
  resource?: string
  scopesSupported?: string[]
  /** The scope that every request needs, named in the challenge. */
  scope?: string
  /** A scope that a tool of that name needs beside. */
  tools?: Record<string, string>
}

export interface Protected {
  url: string
  /** Gives out the tokens. Can be replaced by another one. */
  authorization: AuthorizationServer
  /** `Authorization` headers that came, in order. */
  readonly headers: (string | undefined)[]
}

export async function startProtected(options: ProtectedOptions = {}): Promise<Protected> {
  const { resourceMetadata = 'challenge', scope, tools = {} } = options
  const headers: (string | undefined)[] = []
  let origin = ''
  const resource = (): string => options.resource ?? `${origin}/mcp`
  const named = (): string | undefined => (resourceMetadata === 'none' ? undefined : resource())
  const world: Protected = {
    url: '',
    headers,
    authorization: await new AuthorizationServer({ ...options, resource: named }).start(),
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  // An idle connection is not closed while a busy machine takes its time to use it.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  world.url = `${origin}/mcp`
  const behind = world.authorization.origin
  if (resourceMetadata === 'none') world.authorization.origin = origin

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (status: number, body: object, more: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...more })
      response.end(JSON.stringify(body))
    }
    const path = {
      challenge: '/metadata',
      'well-known': '/.well-known/oauth-protected-resource/mcp',
      root: '/.well-known/oauth-protected-resource',
      none: undefined,
    }[resourceMetadata]
    if (request.url === path) {
      return json(200, {
        resource: resource(),
        authorization_servers: [world.authorization.issuer],
        ...(options.scopesSupported && { scopes_supported: options.scopesSupported }),
      })
    }
    if (request.url !== '/mcp') return await forward(request, response)
    let text = ''
    for await (const chunk of request) text += String(chunk)
    headers.push(request.headers.authorization)
    const message = (text === '' ? {} : JSON.parse(text)) as {
      id?: number
      method?: string
      params?: { name?: string }
    }
    const grant = world.authorization.access.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    const metadata = resourceMetadata === 'challenge' ? [`resource_metadata="${origin}/metadata"`] : []
    const challenge = (error: string, wanted: string | undefined): Record<string, string> => ({
      'www-authenticate': `Basic realm="x", Bearer ${[
        `error="${error}"`,
        ...metadata,
        ...(wanted === undefined ? [] : [`scope="${wanted}"`]),
      ].join(', ')}`,
    })
    if (grant === undefined) return json(401, {}, challenge('invalid_token', scope))
    const needed = [scope, tools[message.params?.name ?? '']].filter((word) => word !== undefined).join(' ')
    const has = new Set(grant.scope.split(' '))
    if (!needed.split(' ').every((word) => word === '' || has.has(word)))
      return json(403, {}, challenge('insufficient_scope', needed))
    if (message.id === undefined) return json(202, {})
    json(200, { jsonrpc: '2.0', id: message.id, result: resultOf(message.method, message.params?.name) })
  }

  /** Without metadata of the resource the server is its own authorization server (MCP 2025-03-26). */
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (resourceMetadata !== 'none') return void response.writeHead(404).end()
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { 'content-type': type = '', authorization } = request.headers
    const answered = await fetch(`${behind}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': type, ...(authorization !== undefined && { authorization }) },
      ...(request.method === 'POST' && { body }),
      redirect: 'manual',
    })
    const location = answered.headers.get('location')
    response.writeHead(answered.status, {
      'content-type': answered.headers.get('content-type') ?? 'text/plain',
      ...(location !== null && { location }),
    })
    response.end(await answered.text())
  }
  return world
}

function resultOf(method: string | undefined, name: string | undefined): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'protected', version: '1.0.0' }
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
  }
  if (method === 'tools/list')
    return { tools: ['read', 'write'].map((tool) => ({ name: tool, inputSchema: { type: 'object' } })) }
  return { content: [{ type: 'text', text: `did ${name}` }] }
}
