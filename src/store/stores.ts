/** The stores that can be chosen with `proxySettings.store`. A new one is a file beside this one and an entry here. */
import { join } from 'node:path'
import { createDiskStore } from './disk.ts'
import type { Store } from './store.ts'

/** What the settings say of the store, and the clock. */
interface StoreSettings {
  dataDir: string
  /** Bytes. */
  maxBytes: number
  /** Milliseconds. */
  maxAge: number
  now: () => number
}

interface StoreKind {
  /** For the documentation: what becomes of results that leave memory. */
  readonly what: string
  /** The backing store; undefined: memory is all there is. */
  open(settings: StoreSettings): Promise<Store | undefined>
}

export const STORES = {
  disk: {
    what: 'in the data directory, where they outlive a restart',
    open: async ({ dataDir, maxBytes, maxAge, now }) =>
      maxBytes === 0
        ? undefined
        : createDiskStore({ directory: join(dataDir, 'results'), maxBytes, maxAge, now }),
  },
  memory: { what: 'in memory alone, and gone once they leave it', open: async () => undefined },
} as const satisfies Readonly<Record<string, StoreKind>>

type StoreName = keyof typeof STORES

/** The names, the default first. */
export const STORE_NAMES = Object.keys(STORES) as [StoreName, ...StoreName[]]
