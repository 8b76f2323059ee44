/**
 * Session ids that carry what a session is made of, sealed with a key that all replicas have. A replica that never saw a session makes it
 * again from its id (MCP ≤ 2025-11-25, basic/transports, "Session Management"). Only holders of the key can read, change or make one.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { viaCapabilities, viaOfCapabilities } from '../protocol/chain.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'

/** The parts of a session. */
export interface SessionSeed {
  /** Unguessable, and the same at each replica: what the session keeps belongs to this name. */
  readonly name: string
  /** Milliseconds since 1970 when it began. */
  readonly begun: number
  /** The principal that opened it; absent: opened without authentication. */
  readonly owner?: string | undefined
  readonly profile?: string | undefined
  /** Params of its `initialize` request, with the revision that was agreed on. */
  readonly introduction: JsonObject
}

/** Makes session ids and reads them. */
export interface SessionSeal {
  /** A header value of at most `MOST_CHARACTERS`. A client that says more of itself than finds room is known by name and version. */
  seal(seed: SessionSeed): string
  /** Undefined: not sealed with one of the keys, changed, or too old. */
  open(id: string): SessionSeed | undefined
}

interface SealOptions {
  /** The first one seals, each of them opens. */
  keys: readonly string[]
  /** Milliseconds for which an id counts. */
  lifeMs: number
  /** Milliseconds since 1970. */
  now: () => number
}

/** Balancers take headers of 4 KiB and more in all. */
const MOST_CHARACTERS = 1024
/** Tells the form of what follows. Part of what is authenticated. */
const MARK = 's1.'
const IV_BYTES = 12
const TAG_BYTES = 16
/** Decompressed; far beyond what `seal` puts in. */
const MOST_BYTES = 64 * 1024

export function createSessionSeal({ keys, lifeMs, now }: SealOptions): SessionSeal {
  const secrets = keys.map((key) => Buffer.from(hkdfSync('sha256', key, 'mcp-rlm-proxy', 'session ids', 32)))
  const [first] = secrets
  if (first === undefined) throw new RangeError('a seal needs a key')

  function sealed(seed: SessionSeed): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', first as Buffer, iv).setAAD(Buffer.from(MARK))
    const body = [cipher.update(deflateRawSync(JSON.stringify(seed))), cipher.final(), cipher.getAuthTag()]
    return MARK + Buffer.concat([iv, ...body]).toString('base64url')
  }

  function opened(closed: Buffer, secret: Buffer): SessionSeed | undefined {
    try {
      const decipher = createDecipheriv('aes-256-gcm', secret, closed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(MARK))
        .setAuthTag(closed.subarray(-TAG_BYTES))
      const body = [decipher.update(closed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]
      const text = inflateRawSync(Buffer.concat(body), { maxOutputLength: MOST_BYTES })
      return JSON.parse(text.toString()) as SessionSeed
    } catch {
      return undefined
    }
  }

  return {
    seal(seed) {
      const { introduction } = seed
      for (const said of [introduction, shortened(introduction, true), shortened(introduction, false)]) {
        const id = sealed({ ...seed, introduction: said })
        if (id.length <= MOST_CHARACTERS) return id
      }
      return sealed({ ...seed, introduction: { protocolVersion: introduction.protocolVersion ?? '' } })
    },
    open(id) {
      if (!id.startsWith(MARK) || id.length > 4 * MOST_CHARACTERS) return undefined
      const closed = Buffer.from(id.slice(MARK.length), 'base64url')
      // An id that is spelled otherwise is another id.
      if (closed.length <= IV_BYTES + TAG_BYTES || MARK + closed.toString('base64url') !== id)
        return undefined
      for (const secret of secrets) {
        const seed = opened(closed, secret)
        if (seed !== undefined) return now() - seed.begun < lifeMs ? seed : undefined
      }
      return undefined
    },
  }
}

/** Without what only a person looks at, and without extensions. */
function shortened({ protocolVersion, clientInfo, capabilities }: JsonObject, whole: boolean): JsonObject {
  const { name, version } = isObject(clientInfo) ? clientInfo : {}
  const { via, capabilities: plain } = viaOfCapabilities(isObject(capabilities) ? capabilities : {})
  const kept = Object.entries(plain).flatMap(([key, value]) =>
    key === 'experimental' || key === 'extensions' || key.length > 20 ? [] : [[key, whole ? value : {}]],
  )
  return {
    protocolVersion: protocolVersion ?? '',
    clientInfo: { name: String(name).slice(0, 100), version: String(version).slice(0, 40) },
    capabilities:
      whole && via.length > 0 ? viaCapabilities(Object.fromEntries(kept), via) : Object.fromEntries(kept),
  }
}
