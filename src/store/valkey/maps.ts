/**
 * Maps of texts that replicas share, sealed with a key of their own. Their values open other systems, so they are sealed whether or not
 * the store has a key.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProxyError } from '../../protocol/errors.ts'
import { abortSignalOf } from '../../protocol/peer.ts'
import type { OpenSharedMap } from '../../protocol/shared-map.ts'
import { createCipher } from './cipher.ts'
import type { SharedValues } from './values.ts'

interface MapsOptions {
  values: SharedValues
  /** The first one seals, each of them opens. */
  keys: readonly string[]
  /** The user of the store may not listen to what replicas tell each other, or something there is not from a replica. */
  failed: (error: ProxyError) => void
}

const KIND = 'map'
const CHANNEL = 'maps'
/** Of one text. */
const MOST_BYTES = 64 * 1024 * 1024
/** Milliseconds after which a hold is taken for one of a replica that is no more: a request to an authorization server takes less. */
const HELD_MS = 60_000
/** Milliseconds between two attempts to hold a key. */
const RETRY_MS = 100

/** Seals texts with a key, and opens what any of the keys sealed for the same place. */
export function createTextSeal(keys: readonly string[]) {
  const ciphers = keys.map((key) => createCipher(key))
  const [first] = ciphers
  if (first === undefined) throw new RangeError('a seal needs a key')
  return {
    close: async (text: string, place: string): Promise<string> =>
      (await first.close(Buffer.from(text), place)).toString('base64'),
    /** Undefined: it was changed, moved, or sealed with another key. */
    async open(closed: string, place: string): Promise<string | undefined> {
      for (const cipher of ciphers) {
        const text = await cipher
          .open(Buffer.from(closed, 'base64'), place, MOST_BYTES)
          .catch(() => undefined)
        if (text !== undefined) return String(text)
      }
      return undefined
    },
  }
}

export function createSharedMaps({ values, keys, failed }: MapsOptions): OpenSharedMap {
  const seal = createTextSeal(keys)
  const self = randomUUID()
  const listeners = new Map<string, Set<(key?: string) => void>>()
  let isListening = false

  function listen(): void {
    if (isListening) return
    isListening = true
    const hear = ([from, name, key]: unknown[]): void => {
      if (from === self || typeof name !== 'string' || typeof key !== 'string') return
      for (const heard of listeners.get(name) ?? []) heard(key)
    }
    const begun = (): void => {
      for (const heard of [...listeners.values()].flatMap((all) => [...all])) heard()
    }
    values.listen(CHANNEL, hear, failed, begun)
  }

  async function opened(closed: string, place: string): Promise<[key: string, text: string] | undefined> {
    const text = await seal.open(closed, place)
    return text === undefined ? undefined : JSON.parse(text)
  }

  return (name) => {
    const place = `${KIND} ${name}`
    return {
      async get(key) {
        const closed = await values.get(KIND, name, key)
        if (closed === undefined) return undefined
        const [at, text] = (await opened(closed, place)) ?? []
        if (at === key) return text
        throw new ProxyError(
          'STORE_FAILED',
          'What lies in the shared store was sealed with another `sessions.key`',
          'Give all replicas the same `sessions.key`; to change it, write the new one and the old one as a list.',
        )
      },
      async entries() {
        const all = await values.values(KIND, name)
        const found = await Promise.all(all.map((closed) => opened(closed, place)))
        return found.filter((entry) => entry !== undefined)
      },
      async set(key, text) {
        const closed = text === undefined ? undefined : await seal.close(JSON.stringify([key, text]), place)
        await values.put(KIND, name, key, closed)
        // Others that were not told see it when they look.
        await values.tell(CHANNEL, [self, name, key]).catch(() => {})
      },
      async hold(key, signal) {
        for (;;) {
          const letGo = await values.hold(KIND, `${name} ${key}`, HELD_MS)
          if (letGo !== undefined) return letGo
          await sleep(RETRY_MS, undefined, signal && { signal: abortSignalOf(signal) })
        }
      },
      watch(heard) {
        const all = listeners.get(name) ?? new Set()
        listeners.set(name, all.add(heard))
        listen()
        return () => void all.delete(heard)
      },
    }
  }
}
