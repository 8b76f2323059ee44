/** The common values of all proxies of one store beside results: a few fields under a name, and messages to each other. */

import { randomUUID } from 'node:crypto'
import { ProxyError } from '../../protocol/errors.ts'
import { burstOf, type Rate } from '../../protocol/rate.ts'
import type { Cipher } from './cipher.ts'
import { type Connection, type ConnectionWork, script } from './connection.ts'

/**
 * Rejects with ProxyError where the store refuses, with Unreachable where it is away. Names tell nothing and values are sealed where
 * the store has a key.
 */
export interface SharedValues {
  /** The values under a name, in no order. */
  values(kind: string, name: string): Promise<string[]>
  /** The value of one field. */
  get(kind: string, name: string, field: string): Promise<string | undefined>
  /**
   * Puts a value in a field, or takes it away (undefined). All of the name lives so many milliseconds from now; without a life it stays.
   * Takes `MOST_FIELDS`.
   */
  put(kind: string, name: string, field: string, value: string | undefined, lifeMs?: number): Promise<void>
  /** Adds a value to the end of a list, which has about the last `most` and lives so many milliseconds from now (a stream of Valkey). */
  append(kind: string, name: string, value: string, bounds: { most: number; lifeMs: number }): Promise<void>
  /** The values of a list, in the order in which they were added. */
  appended(kind: string, name: string): Promise<string[]>
  /**
   * Holds a name for so many milliseconds at most. Returns what lets it go, at once or in so many milliseconds; undefined: it is held
   * already.
   */
  hold(kind: string, name: string, lifeMs: number): Promise<((inMs?: number) => Promise<void>) | undefined>
  /** Takes a call from the bucket of a name; the seconds to wait where there is none left. By the clock of the store. */
  take(kind: string, name: string, rate: Rate): Promise<number | undefined>
  /** The requests to the store since the start, for results as well. */
  work(): ConnectionWork
  /** Takes all away that is under a name. */
  forget(kind: string, name: string): Promise<void>
  /** To all that listen, this process too. The word is a list that JSON can hold. */
  tell(channel: string, word: readonly unknown[]): Promise<void>
  /**
   * Words of others come through a store without a key, so check what a list holds. `failed`: the user of the store may not listen, or a
   * word is no list. `begun`: from now on it hears, for the first time or again.
   */
  listen(
    channel: string,
    heard: (word: unknown[]) => void,
    failed: (error: ProxyError) => void,
    begun?: () => void,
  ): void
}

/** Of a value or text, decompressed. */
const MOST_BYTES = 64 * 1024 * 1024
/** A client can ask for any number of subscriptions. */
const MOST_FIELDS = 1000

/** Both at once: without its end of life a name would stay for ever. KEYS: name. ARGV: field, value, life in milliseconds or nothing, most fields. */
const PUT = script(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  return redis.error_reply('FULL more than ' .. ARGV[4] .. ' fields')
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[3] == '' or redis.call('PEXPIRE', KEYS[1], ARGV[3])
`)

/** Both at once, as above. KEYS: stream. ARGV: value, most entries, life in milliseconds. */
const APPEND = script(`
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'v', ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
`)

/** A name that another process holds by now stays held. KEYS: name. ARGV: the word of the process that held it, milliseconds until then. */
const LET_GO = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

/**
 * As `TokenBucket`. It lives until it is full again. KEYS: bucket. ARGV: tokens that come back in a second, tokens that can be saved. The
 * answer: 0, or the milliseconds to wait.
 */
const TAKE = script(`
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = burst
if known[1] and known[2] then
  tokens = math.min(burst, tonumber(known[1]) + math.max(0, now - tonumber(known[2])) / 1000 * rate)
end
local wait = 0
if tokens >= 1 - 1e-9 then tokens = math.max(0, tokens - 1) else wait = math.ceil((1 - 1e-9 - tokens) / rate * 1000) end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(1e12, math.ceil(burst / rate * 1000) + 1000)))
return wait
`)

/** Not from a proxy. */
const STRANGE = Symbol('strange')

function wordOf(text: string): unknown[] | typeof STRANGE {
  try {
    const word: unknown = JSON.parse(text)
    return Array.isArray(word) ? word : STRANGE
  } catch {
    return STRANGE
  }
}

const strange = (place: string): ProxyError =>
  new ProxyError(
    'STORE_FAILED',
    `What was published on ${place} in the shared store is not from a proxy`,
    'Let no other program publish there (ACL of the store), or give the store a `key`, so that only what proxies seal is read.',
  )

export function createSharedValues(connection: Connection, cipher: Cipher): SharedValues {
  const keyOf = (kind: string, name: string): string => `mcp-rlm-proxy:{${cipher.name(kind, name)}}:v`
  const streamOf = (kind: string, name: string): string => `${keyOf(kind, name)}:s`
  const fieldOf = (name: string, field: string): string => cipher.name('field', name, field)
  const placeOf = (channel: string): string => `mcp-rlm-proxy:${channel}`

  /** Undefined: it was changed, moved or sealed with another key. */
  const opened = (closed: unknown, place: string): Promise<string | undefined> =>
    Buffer.isBuffer(closed)
      ? cipher.open(closed, place, MOST_BYTES).then(String, () => undefined)
      : Promise.resolve(undefined)

  return {
    work: () => connection.work(),
    async values(kind, name) {
      const key = keyOf(kind, name)
      const answer = await connection.send(['HVALS', key])
      const found = await Promise.all((Array.isArray(answer) ? answer : []).map((one) => opened(one, key)))
      return found.filter((value) => value !== undefined)
    },
    async get(kind, name, field) {
      const key = keyOf(kind, name)
      return opened(await connection.send(['HGET', key, fieldOf(name, field)]), key)
    },
    async put(kind, name, field, value, lifeMs) {
      const key = keyOf(kind, name)
      const hidden = fieldOf(name, field)
      if (value === undefined) await connection.send(['HDEL', key, hidden])
      else {
        const closed = await cipher.close(Buffer.from(value), key)
        await connection.run(PUT, [key], [hidden, closed, String(lifeMs ?? ''), String(MOST_FIELDS)])
      }
    },
    async append(kind, name, value, { most, lifeMs }) {
      const key = streamOf(kind, name)
      const closed = await cipher.close(Buffer.from(value), key)
      await connection.run(APPEND, [key], [closed, String(most), String(lifeMs)])
    },
    async appended(kind, name) {
      const key = streamOf(kind, name)
      const entries = await connection.send(['XRANGE', key, '-', '+'])
      // An entry is its id and its fields: names and values in turn.
      const closed = (Array.isArray(entries) ? entries : []).map((entry) =>
        Array.isArray(entry) && Array.isArray(entry[1]) ? entry[1][1] : undefined,
      )
      const found = await Promise.all(closed.map((one) => opened(one, key)))
      return found.filter((value) => value !== undefined)
    },
    async hold(kind, name, lifeMs) {
      const key = `${keyOf(kind, name)}:held`
      const word = randomUUID()
      const answer = await connection.send(['SET', key, word, 'NX', 'PX', String(lifeMs)])
      if (answer === null) return undefined
      return async (inMs = 0) => {
        // It ends by itself where the store is away.
        await connection.run(LET_GO, [key], [word, String(inMs)]).catch(() => {})
      }
    },
    async take(kind, name, rate) {
      const args = [String(rate.rps), String(burstOf(rate))]
      const wait = Number(await connection.run(TAKE, [keyOf(kind, name)], args))
      return wait === 0 ? undefined : Math.ceil(wait / 1000)
    },
    async forget(kind, name) {
      await connection.send(['UNLINK', keyOf(kind, name)])
    },
    async tell(channel, word) {
      const place = placeOf(channel)
      await connection.send(['PUBLISH', place, await cipher.close(Buffer.from(JSON.stringify(word)), place)])
    },
    listen(channel, heard, failed, begun) {
      const place = placeOf(channel)
      /** In the order in which it was told: what is compressed takes longer to open. */
      let hearing = Promise.resolve()
      const hear = (message: Buffer): void => {
        const word = opened(message, place).then((text) => (text === undefined ? undefined : wordOf(text)))
        hearing = hearing.then(async () => {
          const said = await word
          if (said === STRANGE) failed(strange(place))
          else if (said !== undefined) heard(said)
        })
      }
      connection.listen(place, hear, failed, begun)
    },
  }
}
