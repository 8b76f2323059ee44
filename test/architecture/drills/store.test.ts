/** Adding a store is a file in `src/store/` and one entry in `STORES` of `src/store/stores.ts`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type * as Generate from '../../../src/config/generate.ts'
import type * as Load from '../../../src/config/load-program.ts'
import type { Engine } from '../../../src/engine/contract.ts'
import type * as OpenResultStore from '../../../src/gateway/result-store.ts'
import type { ResultStore } from '../../../src/store/result-store.ts'
import type * as Stores from '../../../src/store/stores.ts'
import { storeContract } from '../../contract/store.ts'
import { plantedCopy } from '../../support/planted.ts'

const copy = plantedCopy('store')
afterAll(() => copy.remove())

copy.write(
  'src/store/common.ts',
  `import { createMemoryStore } from './memory.ts'
import type { Store } from './store.ts'

const common = createMemoryStore()

/** Stands in for a server that several proxies use. */
export async function openCommonStore(): Promise<Store> {
  return { ...common, isShared: true, close: async () => {} }
}
`,
)
copy.insert(
  'src/store/stores.ts',
  "import type { Store } from './store.ts'",
  "import { openCommonStore } from './common.ts'\n",
)
copy.insert(
  'src/store/stores.ts',
  '  memory: {',
  "  common: { what: 'where other proxies find them', open: openCommonStore },\n",
)

/** The new store as the table opens it. */
async function opened(): Promise<import('../../../src/store/store.ts').Store> {
  const { STORES } = await copy.load<typeof Stores>('src/store/stores.ts')
  const kinds: Readonly<Record<string, Pick<(typeof STORES)['disk'], 'open'>>> = STORES
  const store = await kinds.common?.open({ dataDir: '', maxBytes: 1, maxAge: 1, now: Date.now })
  if (store === undefined) throw new Error('the planted store was not opened')
  return store
}

storeContract('planted', async () => {
  const store = await opened()
  return { store, dispose: () => store.clear() }
})

test('a new store is chosen by its name, and two proxies share what lies in it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'planted-store-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { parseConfig } = await copy.load<typeof Load>('src/config/load-program.ts')
  const { openResultStore } = await copy.load<typeof OpenResultStore>('src/gateway/result-store.ts')
  const config = parseConfig({ proxySettings: { store: 'common', dataDir } })
  const engine = { forget: () => {} } as Partial<Engine> as Engine
  const stores: ResultStore[] = []
  for (let nth = 0; nth < 2; nth++) {
    const logger = pino({ level: 'silent' }) as never
    const { resultStore } = await openResultStore(config, engine, logger, Date.now)
    stores.push(resultStore)
  }
  onTestFinished(() => Promise.all(stores.map((resultStore) => resultStore.close())).then(() => {}))
  const [here, there] = stores
  const content = new TextEncoder().encode('{"content":[]}')
  const origin = { tool: 's_tool', arguments: {} }
  const kept = await here?.keep({ id: 'ann' }, { content, hash: 'ab'.repeat(32), origin })
  expect(await there?.get({ id: 'ann' }, kept?.handle ?? '')).toMatchObject({ owner: 'ann', tool: 's_tool' })
  expect(await there?.get({ id: 'ben' }, kept?.handle ?? '')).toBeUndefined()
})

test('it is documented, and editors know its name', async () => {
  const { jsonSchemaText, settingsTable } = await copy.load<typeof Generate>('src/config/generate.ts')
  expect(settingsTable()).toContain('common: where other proxies find them.')
  const { properties } = JSON.parse(jsonSchemaText())
  expect(properties.proxySettings.properties.store.anyOf[0].enum).toEqual(['disk', 'common', 'memory'])
})

test('a name that is in no table is refused with the names that are', async () => {
  const { parseConfig } = await copy.load<typeof Load>('src/config/load-program.ts')
  expect(() => parseConfig({ proxySettings: { store: 'redis' } })).toThrow(/disk, common,? (or )?memory/)
})
