/** Maps as replicas share them, of this process, with a store that can be away. */
import { ProxyError } from '../../src/protocol/errors.ts'
import type { OpenSharedMap } from '../../src/protocol/shared-map.ts'
import { deferred } from './deferred.ts'

export interface SharedMaps {
  /** The way in which one more replica opens its maps. */
  replica(): OpenSharedMap
  /** Nothing can be asked or told; `false` tells replicas that it can again. */
  away(isAway: boolean): void
  /** The texts in the maps, by name and key. */
  readonly texts: Map<string, Map<string, string>>
}

export function sharedMaps(): SharedMaps {
  const texts = new Map<string, Map<string, string>>()
  const held = new Map<string, Promise<void>>()
  const watching: { replica: object; name: string; heard: (key?: string) => void }[] = []
  let isAway = false

  const textsOf = (name: string): Map<string, string> => {
    if (isAway) throw new ProxyError('STORE_FAILED', 'The shared store is away', 'Nothing.')
    const there = texts.get(name) ?? new Map()
    texts.set(name, there)
    return there
  }

  return {
    texts,
    away(now) {
      isAway = now
      if (!isAway) for (const { heard } of watching) heard()
    },
    replica() {
      const replica = {}
      return (name) => ({
        get: async (key) => textsOf(name).get(key),
        entries: async () => [...textsOf(name)],
        async set(key, text) {
          if (text === undefined) textsOf(name).delete(key)
          else textsOf(name).set(key, text)
          for (const one of watching) if (one.replica !== replica && one.name === name) one.heard(key)
        },
        async hold(key) {
          textsOf(name)
          const place = `${name} ${key}`
          while (held.has(place)) await held.get(place)
          const end = deferred()
          held.set(place, end.promise)
          return async () => {
            held.delete(place)
            end.resolve()
          }
        },
        watch(heard) {
          const one = { replica, name, heard }
          watching.push(one)
          return () => void watching.splice(watching.indexOf(one), 1)
        },
      })
    },
  }
}
