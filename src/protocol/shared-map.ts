/** The common state of replicas of the proxy beside kept results: texts by key, in a store that outlives each of them. */

import type { Signal } from './message.ts'

/** One map of texts. Its methods reject with ProxyError where the store refuses or is away; each replica then goes on by itself. */
export interface SharedMap {
  /** Undefined: there is none. Also rejects where it was sealed with a key that this replica does not have. */
  get(key: string): Promise<string | undefined>
  /** All texts that this replica can open, with their keys, in no order. */
  entries(): Promise<[key: string, text: string][]>
  /** Puts a text in the place of the one before, or takes it away (undefined), and tells the other replicas. */
  set(key: string, text: string | undefined): Promise<void>
  /** Waits until no other replica holds this key, and holds it for a minute at most. Returns what lets it go. */
  hold(key: string, signal?: Signal): Promise<() => Promise<void>>
  /**
   * Hears the key of each text that another replica put, and nothing whenever the store can be asked again: this replica may have
   * missed something. Returns what ends it.
   */
  watch(heard: (key?: string) => void): () => void
}

/** The map of this name, the same at each replica. */
export type OpenSharedMap = (name: string) => SharedMap
