/** One authorizer for each server that may need one, made when a connection first asks for it. */
import { hasAuthorization, type OAuthSettings } from '../../config/auth-options.ts'
import { type Logger, withFields } from '../../observe/log.ts'
import { ProxyError } from '../../protocol/errors.ts'
import { sameJson } from '../memory.ts'
import type { Authorizer } from '../transport.ts'
import {
  type AuthorizerOptions,
  createAuthorizer,
  type OAuthAuthorizer,
  type SignedOut,
} from './authorizer.ts'
import { openBrowser } from './browser.ts'
import { environmentFetch } from './fetch.ts'

/** What is known of a server over HTTP. */
export interface ProtectedServer {
  name: string
  url: string
  headers: Readonly<Record<string, string>>
  oauth: OAuthSettings | undefined
}

export interface AuthorizersOptions
  extends Pick<AuthorizerOptions, 'dataDir' | 'now' | 'interactive' | 'fetch' | 'later'> {
  servers: readonly ProtectedServer[]
  logger: Logger
  /** Milliseconds in which a server has to be connected: a refused call waits for a person a little less. */
  connectTimeoutMs: number
  /** `never`: no browser is opened. */
  open: 'auto' | 'never'
  environment: Readonly<Record<string, string | undefined>>
  /** As `process.platform` tells it. */
  platform: string
  /** Told the address of every sign-in that begins. */
  tell?: ((server: string, link: string) => void) | undefined
}

export interface Authorizers {
  /** Undefined: the server answers for itself with a header, has no address, or is not to be signed in to. */
  for(server: string): Authorizer | undefined
  /** Throws a ProxyError when the server is not one to be signed in to. */
  signOut(server: string): Promise<SignedOut>
  /** There are other servers from now on. Those that are the same go on with what they have. */
  configure(servers: readonly ProtectedServer[]): void
  close(): Promise<void>
}

/** So much of the time to connect is left for telling where to sign in. */
const REST = 0.2

export function createAuthorizers(options: AuthorizersOptions): Authorizers {
  const { logger, connectTimeoutMs, open, environment, platform, tell, ...rest } = options
  let { servers } = options
  const made = new Map<string, OAuthAuthorizer | undefined>()
  /** Of servers that are others now: connections that end still have them. */
  const replaced: OAuthAuthorizer[] = []

  function make({ name, url, headers, oauth }: ProtectedServer): OAuthAuthorizer | undefined {
    if (oauth?.enabled === false || hasAuthorization(url, headers) || !URL.canParse(url)) return undefined
    const log = withFields(logger, { server: name })
    const failed = (error: Error): void => log.warn({ error: error.message }, 'no browser could be opened')
    return createAuthorizer({
      fetch: environmentFetch(environment),
      ...rest,
      server: name,
      url,
      settings: oauth,
      logger: log,
      waitMs: connectTimeoutMs * (1 - REST),
      open:
        open === 'never' ? undefined : (address) => openBrowser(address, { environment, platform, failed }),
      tell: tell && ((link) => tell(name, link)),
    })
  }

  function authorizerOf(name: string): OAuthAuthorizer | undefined {
    if (!made.has(name)) {
      const server = find(servers, name)
      made.set(name, server && make(server))
    }
    return made.get(name)
  }

  return {
    for: authorizerOf,
    configure(now) {
      for (const [name, authorizer] of made) {
        if (sameJson(find(servers, name), find(now, name))) continue
        made.delete(name)
        if (authorizer) replaced.push(authorizer)
      }
      servers = now
    },
    async signOut(name) {
      const authorizer = authorizerOf(name)
      if (authorizer === undefined) {
        const message = `server \`${name}\` is not one that the proxy signs in to`
        throw new ProxyError(
          'CONFIG_INVALID',
          message,
          'Name a server with a "url" and no Authorization header.',
        )
      }
      return await authorizer.signOut()
    },
    async close() {
      await Promise.all([...made.values(), ...replaced].map((authorizer) => authorizer?.close()))
    },
  }
}

function find(servers: readonly ProtectedServer[], name: string): ProtectedServer | undefined {
  return servers.find((server) => server.name === name)
}
