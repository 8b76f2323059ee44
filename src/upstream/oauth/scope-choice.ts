/** Which scopes to ask for, and when asking for more is of use (MCP specification, basic/authorization, "Scope Selection Strategy"). */
import type { OAuthSettings } from '../../config/oauth-settings.ts'
import type { Realm, Tokens } from './account.ts'
import type { Challenge } from './challenge.ts'
import { coversScopes, unionOfScopes } from './scopes.ts'
import { grantedScope } from './tokens.ts'

/** Scopes that a person did not grant are not asked for again so soon. */
const ASK_AGAIN_MS = 60_000

/** `more`: the tokens to which something is to be added. Undefined: nothing is asked for by name. */
export function chooseScope(
  { scope, grant }: Pick<OAuthSettings, 'scope' | 'grant'>,
  { metadata, scopes }: Realm,
  challenge: Challenge,
  more: Tokens | undefined,
): string | undefined {
  const wanted =
    more === undefined
      ? (scope ?? challenge.scope ?? scopes)
      : unionOfScopes(scope, grantedScope(more), challenge.scope)
  if (wanted === undefined || grant === 'client_credentials') return wanted
  // Without it some servers give no refresh token (OpenID Connect Core, 11).
  const offline = metadata?.scopes_supported?.includes('offline_access') === true
  return offline ? unionOfScopes(wanted, 'offline_access') : wanted
}

/** False when the server wants scopes that it was given, does not name, or that a person has just not granted. */
export function moreScopesHelp(tokens: Tokens | undefined, wanted: string | undefined, now: number): boolean {
  if (wanted === undefined) return false
  if (tokens === undefined) return true
  if (coversScopes(grantedScope(tokens), wanted)) return false
  return !coversScopes(tokens.asked, wanted) || now - tokens.obtainedAt >= ASK_AGAIN_MS
}
