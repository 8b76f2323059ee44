/** Opaque tokens, about which their issuer is asked (RFC 7662). */
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../protocol/errors.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import {
  type Fetch,
  fetchJson,
  type Grant,
  grantOf,
  SKEW,
  TokenRefused,
  type Verifier,
  VerifierUnavailable,
} from './grant.ts'

export interface IntrospectionOptions {
  url: string
  clientId: string | undefined
  clientSecret: string | undefined
  /** The issuers of accepted tokens. None: every token that the endpoint knows. */
  issuers: readonly string[]
  fetch: Fetch
  /** Milliseconds since 1970. */
  now: () => number
  logger: Logger
}

/** Questions under way at once: tokens are made up faster than they are asked about. */
const MAX_UNDER_WAY = 100

/** Every token is of this kind. */
export function createIntrospection(options: IntrospectionOptions): Verifier {
  const { url, issuers, fetch, now, logger } = options
  const underWay = new Map<string, Promise<JsonObject>>()
  const authorization = basic(options)

  async function ask(token: string): Promise<JsonObject> {
    if (underWay.size >= MAX_UNDER_WAY) throw new VerifierUnavailable('too many tokens are asked about')
    try {
      return await fetchJson(url, {
        fetch,
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(authorization !== undefined && { authorization }),
        },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      })
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'an authorization server could not be asked about a token')
      throw new VerifierUnavailable('the authorization server cannot be asked')
    }
  }

  /** Once for all requests of a client that come together. */
  function answer(token: string): Promise<JsonObject> {
    const waiting = underWay.get(token)
    if (waiting !== undefined) return waiting
    const asked = ask(token).finally(() => underWay.delete(token))
    underWay.set(token, asked)
    return asked
  }

  return {
    isCostly: true,
    verify: async (token, audiences) =>
      checked(await answer(token), audiences, { url, issuers, now: now() / 1000 }),
  }
}

function checked(
  claims: JsonObject,
  audiences: readonly string[],
  { url, issuers, now }: { url: string; issuers: readonly string[]; now: number },
): Grant {
  if (own(claims, 'active') !== true) throw new TokenRefused('the token is not active')
  const type = own(claims, 'token_type')
  if (typeof type === 'string' && !['bearer', 'access_token'].includes(type.toLowerCase()))
    throw new TokenRefused('the token is no bearer token')
  const { exp, nbf, aud, iss } = {
    exp: own(claims, 'exp'),
    nbf: own(claims, 'nbf'),
    aud: own(claims, 'aud'),
    iss: own(claims, 'iss'),
  }
  if (exp !== undefined && !(typeof exp === 'number' && exp + SKEW > now))
    throw new TokenRefused('the token has expired')
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf - SKEW <= now))
    throw new TokenRefused('the token is not valid yet')
  if (iss !== undefined && issuers.length > 0 && !issuers.includes(String(iss)))
    throw new TokenRefused("the token's claim iss does not fit")
  // A token made for another server must not open this one (MCP basic/authorization, "Token Audience Binding").
  if (!(Array.isArray(aud) ? aud : [aud]).some((one) => typeof one === 'string' && audiences.includes(one)))
    throw new TokenRefused("the token's claim aud does not fit")
  // An answer without `iss` comes from the one issuer there is; with several, who was asked stands for it.
  const [only] = issuers
  return grantOf(
    claims,
    typeof iss === 'string' ? iss : issuers.length === 1 && only !== undefined ? only : url,
  )
}

/** RFC 6749, 2.3.1: both halves are form-encoded first. */
function basic({ clientId, clientSecret }: IntrospectionOptions): string | undefined {
  if (clientId === undefined) return undefined
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret ?? '')}`).toString('base64')}`
}
