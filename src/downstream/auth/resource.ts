/** What this proxy is called as a protected resource (RFC 8707, RFC 9728), and the document about it. */
import type { IncomingMessage } from 'node:http'
import { LOOPBACK, nameOfHost } from '../../config/loopback.ts'

export const WELL_KNOWN = '/.well-known/oauth-protected-resource'

export interface ResourceOptions {
  /** As configured. Undefined: clients come over loopback. */
  publicUrl: string | undefined
  /** The address that is listened on. */
  host: string
  /** Where MCP is served: `/mcp`. */
  path: string
  /** `aud` that tokens must have in place of the resource's own address. */
  audience: string | undefined
  issuers: readonly string[]
  scopes: readonly string[]
}

export interface Resource {
  /** `aud` that a token sent with this request may have. */
  audiences(request: IncomingMessage): string[]
  /** Where the metadata lies. */
  metadataUrl(request: IncomingMessage): string
  /** Protected resource metadata (RFC 9728, 2). */
  metadata(request: IncomingMessage): object
  /** True for paths under which the metadata is asked for. */
  isMetadataPath(path: string): boolean
}

export function createResource(options: ResourceOptions): Resource {
  const { publicUrl, path, audience, issuers, scopes } = options
  const names = [...new Set([...LOOPBACK, nameOfHost(options.host)])]
  const at = (name: string, request: IncomingMessage): string =>
    `http://${name}:${request.socket.localPort ?? 0}${path}`

  /**
   * Clients compare it with the address they use, so on loopback it has the name they call. Any other name in `Host` is not
   * believed.
   */
  function identifier(request: IncomingMessage): string {
    if (publicUrl !== undefined) return publicUrl
    const called = nameOfHost((request.headers.host ?? '').replace(/:\d*$/, ''))
    return at(names.includes(called) ? called : nameOfHost(options.host), request)
  }

  const publicPath = publicUrl === undefined ? path : new URL(publicUrl).pathname
  const paths = new Set([path, publicPath].map((inner) => `${WELL_KNOWN}${inner}`.replace(/\/$/, '')))

  return {
    audiences(request) {
      if (audience !== undefined) return [audience]
      const all = publicUrl === undefined ? names.map((name) => at(name, request)) : [publicUrl]
      // Both spellings are in use (MCP basic/authorization, "Canonical Server URI").
      return all.flatMap((url) => [url.replace(/\/$/, ''), url.replace(/\/?$/, '/')])
    },
    metadataUrl(request) {
      const { origin, pathname } = new URL(identifier(request))
      return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`
    },
    metadata: (request) => ({
      resource: identifier(request),
      ...(issuers.length > 0 && { authorization_servers: issuers }),
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
      resource_name: 'mcp-rlm-proxy',
    }),
    isMetadataPath: (asked) => asked === WELL_KNOWN || paths.has(asked),
  }
}
