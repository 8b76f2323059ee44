/** The stores that can be chosen with `proxySettings.store`. A new one is a file beside this one and an entry here. */
import { join } from 'node:path'
import * as z from 'zod'
import { integer, oneOf, text } from '../config/option.ts'
import { messageOf } from '../protocol/errors.ts'
import { createDiskStore } from './disk.ts'
import type { Store } from './store.ts'
import { readStoreAddress } from './valkey/address.ts'
import type { SharedValues } from './valkey/values.ts'

/** The settings of the store, and the clock. */
interface StoreSettings {
  dataDir: string
  /** Bytes. */
  maxBytes: number
  /** Milliseconds. */
  maxAge: number
  now: () => number
}

interface StoreKind {
  /** For the documentation: what happens to results that leave memory. */
  readonly what: string
  /** The backing store; undefined: memory is all there is. */
  open(settings: StoreSettings): Promise<Store | undefined>
}

export const STORES = {
  disk: {
    what: 'the data directory, where they outlive a restart',
    open: async ({ dataDir, maxBytes, maxAge, now }) =>
      maxBytes === 0
        ? undefined
        : createDiskStore({ directory: join(dataDir, 'results'), maxBytes, maxAge, now }),
  },
  memory: { what: 'only memory; a result that leaves it is gone', open: async () => undefined },
} as const satisfies Readonly<Record<string, StoreKind>>

type StoreName = keyof typeof STORES

/** The names, the default first. */
export const STORE_NAMES = Object.keys(STORES) as [StoreName, ...StoreName[]]

/** A store that several proxies share, by its address. */
export const sharedStoreSchema = z.object({
  url: z.string().superRefine(checkUrl).meta({
    description:
      'The address of Valkey or Redis: valkey://user:password@host:6379/0, valkey+sentinel://host:26379,host2:26379/mymaster or valkey+cluster://host:6379,host2:6379. redis is the same as valkey, valkeys and rediss speak TLS. Write a password as ${VARIABLE}.',
    allowed: 'an address valkey://…, valkey+sentinel://… or valkey+cluster://…; also redis, valkeys, rediss',
  }),
  key: z
    .string()
    .min(16)
    .meta({
      description:
        'A secret that all proxies have. With it, the proxy encrypts all values, and names of keys do not show the owner. Not set: a reader of the store can read the results.',
      allowed: 'a text of at least 16 characters',
    })
    .optional(),
  blobs: text(
    'A directory that all proxies see. It holds results of more than 64 MiB, and all results while the store is away. Not set: `dataDir`, where no other proxy finds them.',
  ).optional(),
  maxBytesPerClient: integer(
    'The most that one client may keep there, compressed. Above it, the results that were not used for the longest time leave first.',
    { unit: 'bytes', min: 1024, max: 1024 * 1024 * 1024 * 1024 },
  ).default(256 * 1024 * 1024),
})

function checkUrl(value: string, context: z.RefinementCtx): void {
  try {
    readStoreAddress(value)
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) })
  }
}

/** The setting `store`: a word of the table, or the address of a shared store. */
export const storeSchema = z
  .union([
    oneOf(STORE_NAMES, STORE_NAMES.map((name) => `${name}: ${STORES[name].what}.`).join(' ')),
    sharedStoreSchema,
  ])
  .meta({
    description: `The place of kept results that are not in use. ${STORE_NAMES.map((name) => `${name}: ${STORES[name].what}.`).join(' ')} An object with a url: Valkey or Redis, where other proxies find them (docs/shared-store.md).`,
    allowed: `one of ${STORE_NAMES.join(', ')}, or { "url": "valkey://…" }`,
  })

/** The further facts that a shared store needs. */
interface SharedSettings extends StoreSettings {
  /** See `createValkeyStore`. */
  scope: string
  /** The server can be asked, for the first time or again. */
  onUp: (place: string) => void
  onAway: (reason: string) => void
  /** A result lies here alone, for this reason. */
  onRefused: (reason: string) => void
}

/** The store at an address, with a local one for what it does not take. Rejects where the library is not installed. */
export async function openSharedStore(
  { url, key, blobs, maxBytesPerClient }: z.output<typeof sharedStoreSchema>,
  { dataDir, maxBytes, maxAge, now, scope, onUp, onAway, onRefused }: SharedSettings,
): Promise<Store & { readonly values: SharedValues }> {
  const { createValkeyStore } = await import('./valkey/store.ts')
  const { createFallbackStore } = await import('./valkey/fallback.ts')
  const directory = blobs ?? join(dataDir, 'results')
  const local = maxBytes === 0 ? undefined : await createDiskStore({ directory, maxBytes, maxAge, now })
  let store: Store | undefined
  const shared = await createValkeyStore({
    url,
    key,
    scope,
    maxAge,
    maxBytesPerOwner: maxBytesPerClient,
    now,
    onUp: () => {
      onUp(shared.place)
      void store?.sweep?.().catch((error: unknown) => onRefused(messageOf(error)))
    },
    onAway,
  })
  store = createFallbackStore({ shared, local, isLocalSeen: blobs !== undefined, onRefused })
  return Object.assign(store, { values: shared.values })
}
