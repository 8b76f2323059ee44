/** How clients authenticate, for doctor. */
import { issuersOf } from '../config/auth-settings.ts'
import { isLoopback } from '../config/loopback.ts'
import type { Config } from '../config/schema.ts'
import { mayExist, readTokens, tokenFile } from '../config/token-file.ts'
import { ProxyError } from '../protocol/errors.ts'

export interface AuthFinding {
  subject: 'authentication'
  state: 'ok' | 'warning' | 'broken'
  message: string
  remedy?: string
}

const subject = 'authentication'

/** `now` in milliseconds since 1970. */
export function authFinding(
  { settings }: Config,
  { cwd, home }: { cwd: string; home: string },
  now: number,
): AuthFinding {
  if (settings.transport === 'stdio')
    return { subject, state: 'ok', message: 'the one local client that starts the proxy' }
  try {
    const { path, named } = tokenFile(settings, cwd, home)
    const tokens = named || mayExist(path) ? readTokens(path) : undefined
    const issuers = issuersOf(settings.auth)
    const { url } = settings.auth.introspection
    const ways = [
      ...(tokens === undefined ? [] : [countOf(tokens, now)]),
      ...(issuers.length === 0 ? [] : [`OAuth tokens of ${issuers.join(', ')}`]),
      ...(url === undefined ? [] : [`OAuth tokens known at ${url}`]),
    ]
    if (ways.length > 0) return { subject, state: 'ok', message: ways.join('; ') }
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error
    return { subject, state: 'broken', message: error.message, remedy: error.next }
  }
  return unasked(settings)
}

function countOf(tokens: readonly { expires?: string }[], now: number): string {
  const expired = tokens.filter(({ expires }) => expires !== undefined && Date.parse(expires) <= now).length
  const past = expired === 0 ? '' : ` (${expired} expired)`
  return `${tokens.length} token${tokens.length === 1 ? '' : 's'}${past}`
}

function unasked({ host, allowUnauthenticated }: Config['settings']): AuthFinding {
  if (isLoopback(host))
    return { subject, state: 'ok', message: `none: everybody on this machine may connect (${host})` }
  const message = `none: everybody who reaches ${host} may connect`
  const remedy = 'Make a token (mcp-rlm-proxy token add <name>), or name an issuer in "auth".'
  return { subject, state: allowUnauthenticated ? 'warning' : 'broken', message, remedy }
}
