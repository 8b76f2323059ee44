/** How names and values look in a store that others may look into. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** A name is this many characters of base64url: 132 bits. */
const NAME_LENGTH = 22

const DEFLATED = 1
const SEALED = 2
const IV_BYTES = 12
const TAG_BYTES = 16

/** Shorter ones hardly become smaller. */
const DEFLATE_FROM = 1024
/** Where less is saved, reading it costs more than sending it. */
const WORTH = 0.9

export interface Cipher {
  /** The same texts give the same name, which tells nothing of them to who has no key. */
  name(...texts: readonly string[]): string
  /** Compressed where that helps; sealed with the key, when there is one. `place`: where it is put, and the only place where it opens. */
  close(plain: Uint8Array, place: string): Promise<Buffer>
  /** Rejects when it was changed, moved, sealed with another key, not sealed although there is a key, or larger than `mostBytes`. */
  open(closed: Buffer, place: string, mostBytes: number): Promise<Buffer>
}

/** Without a key, names are no secret to who can guess an owner, and values are not sealed. */
export function createCipher(key: string | undefined): Cipher {
  const derived = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key ?? '', 'mcp-rlm-proxy shared store', purpose, 32))
  const naming = derived('names')
  const sealing = key === undefined ? undefined : derived('values')

  function seal(plain: Buffer, flags: number, place: string, secret: Buffer): Buffer {
    const head = Buffer.from([flags])
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(Buffer.from(`${flags} ${place}`))
    return Buffer.concat([head, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  function unseal(closed: Buffer, place: string, secret: Buffer): Buffer {
    const iv = closed.subarray(1, 1 + IV_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', secret, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(`${closed[0]} ${place}`))
      .setAuthTag(closed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(closed.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()])
  }

  return {
    name(...texts) {
      const mac = createHmac('sha256', naming)
      for (const text of texts) mac.update(`${Buffer.byteLength(text)}:${text}`)
      return mac.digest('base64url').slice(0, NAME_LENGTH)
    },
    async close(plain, place) {
      // Bytes on a SharedArrayBuffer are copied: zlib works on them from another thread.
      const whole = Buffer.from(plain)
      const small =
        whole.length < DEFLATE_FROM ? undefined : await deflate(whole, { level: constants.Z_BEST_SPEED })
      const isSmaller = small !== undefined && small.length < whole.length * WORTH
      const body = isSmaller ? small : whole
      const flags = (isSmaller ? DEFLATED : 0) | (sealing ? SEALED : 0)
      return sealing ? seal(body, flags, place, sealing) : Buffer.concat([Buffer.from([flags]), body])
    },
    async open(closed, place, mostBytes) {
      const flags = closed[0] ?? 0
      const isSealed = (flags & SEALED) !== 0
      if (isSealed !== (sealing !== undefined)) throw new Error('sealed with another key, or with none')
      const body = sealing ? unseal(closed, place, sealing) : closed.subarray(1)
      if ((flags & DEFLATED) === 0) {
        if (body.length > mostBytes) throw new Error('larger than what was put')
        return body
      }
      return inflate(body, { maxOutputLength: Math.max(1, mostBytes) })
    },
  }
}
