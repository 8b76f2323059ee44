/** The contract of all stores: where kept results lie. `test/contract/store.ts` is their shared suite. */

import type { JsonObject } from '../protocol/json.ts'
import type { Handle } from './handles.ts'

/** Where a kept result came from: enough to make the same call again. */
export interface Origin {
  /** The tool as the client calls it, or the proxy tool that answered. */
  tool: string
  arguments: JsonObject
}

/** The facts of a result from when it was looked at, for lists of results. */
export interface Look {
  /** Its description in a few words: `json: 900 records in $.users`. */
  shape?: string | undefined
  /** Whether it is all of the collection that it is of: `PARTIAL: 30 of 1,214`. */
  standing?: string | undefined
  /** Tokens of its content. */
  tokens?: number | undefined
}

/** The mark of a person on a kept result. */
export interface Mark {
  /** The name that the person gave it. */
  label?: string | undefined
  /** It has no end of life: it goes when a person removes it, or when the store is full of what is pinned. */
  pinned?: boolean | undefined
}

/** A kept result. */
export interface Entry extends Origin, Look, Mark {
  readonly handle: Handle
  /** Id of the agent that owns it. */
  readonly owner: string
  /** SHA-256 of `content`, hex: equal results of one owner share an entry. */
  readonly hash: string
  /** UTF-8 JSON of the CallToolResult, as the server sent it. */
  readonly content: Uint8Array
  /** Bytes of `content`. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly created: number
  lastAccessed: number
  accessCount: number
  /** Milliseconds of life, counted from last use. */
  ttl: number
  /** When the mark was made, in milliseconds since 1970: of two the later one holds. Absent: there is none. */
  marked?: number | undefined
}

/** An entry without its content. */
export type EntryInfo = Omit<Entry, 'content'>

export interface StoreStats {
  entries: number
  bytes: number
}

/**
 * Carries entries, and answers who owns what. Quotas, expiry and eviction are decided by the result store, which calls it. A carrier with
 * caps of its own keeps what is pinned beyond its age, and removes it for its size last. `STORES` in `stores.ts` lists the stores that can be
 * chosen.
 */
export interface Store {
  /**
   * True: other processes write to it as well. The result store then puts each entry at once, and asks `info` before each use of an entry
   * in memory. A store that expires entries may count that as a use. There, `info` rejects where it cannot tell.
   */
  readonly isShared?: boolean
  /** Of a shared store: this entry could be put where no other process finds it. */
  isAlone?(handle: Handle): boolean
  put(entry: Entry): Promise<void>
  /** The content alone. Undefined: not there, or another owner's. */
  get(handle: Handle, owner: string): Promise<Uint8Array | undefined>
  getEntry(handle: Handle, owner: string): Promise<Entry | undefined>
  /** The same without the content. */
  info(handle: Handle, owner: string): Promise<EntryInfo | undefined>
  /** Under which handle this owner keeps content with this hash, last put first. Undefined: it does not. */
  handleOf(owner: string, hash: string): Promise<Handle | undefined>
  /** The entries of this owner. Of equal content, one entry at least. */
  list(owner: string): Promise<EntryInfo[]>
  /** The pinned entries, of every owner: some do not come back. Absent: the carrier cannot tell. */
  pinned?(): Promise<EntryInfo[]>
  /** False: not there, or another owner's, and then it stays. */
  remove(handle: Handle, owner: string): Promise<boolean>
  clear(): Promise<void>
  size(): Promise<number>
  stats(): Promise<StoreStats>
  /** Removes what exceeds the carrier's own caps of size and age, for carriers that have such caps. */
  sweep?(): Promise<void>
  close(): Promise<void>
}
