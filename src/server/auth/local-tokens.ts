/** Tokens of `mcp-rlm-proxy token add`. Their file is read again when it changed, so that no restart is needed. */

import { timingSafeEqual } from 'node:crypto'
import { statSync } from 'node:fs'
import { hashToken, readTokens, TOKEN_PREFIX, type TokenEntry } from '../../data/tokens.ts'
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../protocol/errors.ts'
import { TokenRefused, type Verifier } from './grant.ts'

export interface LocalTokensOptions {
  path: string
  /** Milliseconds since 1970. */
  now: () => number
  logger: Logger
}

/** Milliseconds between two looks at the file. */
const LOOK_MS = 1_000

/** Throws a ProxyError (CONFIG_INVALID) when the file cannot be used. A file that breaks later lets no client in. */
export function createLocalTokens({ path, now, logger }: LocalTokensOptions): Verifier {
  let state = stateOf(path)
  let looked = now()
  let byHash = index(readTokens(path))

  function refresh(): void {
    if (now() - looked < LOOK_MS && now() >= looked) return
    looked = now()
    const current = stateOf(path)
    if (current === state) return
    state = current
    try {
      byHash = index(readTokens(path))
      logger.info({ tokens: byHash.size }, 'the tokens of clients changed')
    } catch (error) {
      byHash = new Map()
      logger.error({ reason: messageOf(error) }, 'no client can connect with a token')
    }
  }

  return {
    async verify(token) {
      refresh()
      const hash = hashToken(token)
      const entry = byHash.get(hash)
      if (entry === undefined || !timingSafeEqual(Buffer.from(entry.hash), Buffer.from(hash))) {
        if (token.startsWith(TOKEN_PREFIX)) throw new TokenRefused('the token is unknown')
        return undefined
      }
      const { id, name, profiles, expires } = entry
      const principal = { id, name, ...(profiles && { profiles }) }
      if (expires === undefined) return { principal, scopes: undefined }
      const end = Date.parse(expires)
      if (end <= now()) throw new TokenRefused('the token has expired')
      return { principal: { ...principal, expiresAt: Math.floor(end / 1000) }, scopes: undefined }
    },
  }
}

function index(entries: readonly TokenEntry[]): Map<string, TokenEntry> {
  return new Map(entries.map((entry) => [entry.hash, entry]))
}

/** Differs when the file was written or replaced. */
function stateOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    return `${mtimeMs} ${size} ${ino}`
  } catch (error) {
    return messageOf(error)
  }
}
