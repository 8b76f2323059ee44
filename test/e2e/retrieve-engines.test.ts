/** The engines that find tools, and the data that outlives a run: each engine as it is configured, over a server with changing tools. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { catalogue, embeddingServer, namesFor, retrieve } from './support/catalogue.ts'
import { runProxy } from './support/command.ts'
import { fixture, type RunningProxy, startProxy, temporaryDirectory, writeConfig } from './support/world.ts'

const KEY = 'sk-of-a-test-0123456789'
const TOOLS = {
  book_table: 'Reserves seats at a restaurant.',
  weather: 'Tells whether it will rain.',
  convert: 'Exchanges one currency for another.',
}
/** Words that mean the same, to the model of these tests alone. */
const SUBJECTS = [
  ['restaurant', 'supper'],
  ['rain', 'qorvex'],
  ['currency', 'dollars'],
]

async function start(
  directory: string,
  { server }: ReturnType<typeof catalogue>,
  engine: string,
  url: string,
  env: Record<string, string> = {},
): Promise<RunningProxy> {
  return startProxy({
    directory,
    servers: { shop: server },
    settings: { exposure: 'retrieve' },
    env: { MCPPROXY_EMBEDDER: engine, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url, ...env },
  })
}

verifies('S1.4 S1.32 S1.64', 'the engine that is set finds: by words, by meaning, by both', async () => {
  const directory = temporaryDirectory()
  const shop = catalogue(directory, 'shop', TOOLS)
  const model = await embeddingServer(SUBJECTS)

  const words = await start(directory, shop, 'BM25', model.url)
  await expect.poll(() => namesFor(words, 'reserve restaurant seats', 1)).toEqual(['shop_book_table'])
  expect(await namesFor(words, 'qorvex')).toEqual([])
  await words.close()
  expect(model.texts).toEqual([])

  const meaning = await start(directory, shop, 'OPENAI', model.url)
  await expect.poll(() => namesFor(meaning, 'qorvex', 1)).toEqual(['shop_weather'])
  await meaning.close()
  expect(new Set(model.keys)).toEqual(new Set([`Bearer ${KEY}`]))

  const both = await start(directory, shop, 'hybrid', model.url, { MCPPROXY_LOG_LEVEL: 'DEBUG' })
  await expect.poll(() => namesFor(both, 'qorvex', 1)).toEqual(['shop_weather'])
  expect(await namesFor(both, 'convert', 1)).toEqual(['shop_convert'])
  model.fail = true
  expect(await namesFor(both, 'reserve restaurant seats', 1)).toEqual(['shop_book_table'])
  expect(both.stderr()).toContain('tools are found by their words alone')
  for (const proxy of [words, meaning, both]) expect(proxy.stderr()).not.toContain(KEY)
})

verifies(
  'S1.20 S1.22 S1.24 S1.26 S1.45',
  'the next start embeds only changed tools, finds before the server answers, and drops removed tools',
  async () => {
    const directory = temporaryDirectory()
    const shop = catalogue(directory, 'shop', TOOLS)
    const model = await embeddingServer(SUBJECTS)
    const run = (env?: Record<string, string>) => start(directory, shop, 'OPENAI', model.url, env)
    /** The texts of tools that were embedded since the last look. */
    const embedded = (): string[] => model.texts.splice(0).filter((text) => text.includes('(shop)'))
    const found = async (proxy: RunningProxy, name = 'shop_weather'): Promise<void> => {
      await expect.poll(() => namesFor(proxy, 'qorvex', 1)).toEqual([name])
      await proxy.close()
    }
    await found(await run())
    expect(embedded()).toHaveLength(3)

    shop.set(TOOLS, true)
    const second = await run()
    await found(second)
    expect(embedded()).toEqual([])

    shop.set({ ...TOOLS, convert: 'Exchanges dollars.' })
    const third = await run()
    await expect
      .poll(async () => (await retrieve(third, 'dollars', 1)).tools[0]?.description)
      .toBe('Exchanges dollars.')
    await expect.poll(() => model.texts.some((text) => text.includes('Exchanges dollars.'))).toBe(true)
    await third.close()
    expect(embedded()).toEqual([expect.stringContaining('Exchanges dollars.')])

    const { weather: _, ...left } = { ...TOOLS, convert: 'Exchanges dollars.' }
    shop.set(left)
    const fourth = await run()
    await expect.poll(async () => (await retrieve(fourth, 'qorvex')).total_available_tools).toBe(2)
    expect(await namesFor(fourth, 'qorvex')).not.toContain('shop_weather')
    await fourth.close()

    expect(embedded()).toEqual([])

    // A table without its vectors, neither of them whole, and nothing at all.
    shop.set({ ...TOOLS, convert: 'Exchanges dollars.' })
    const files = (): string[] =>
      readdirSync(join(directory, 'data', 'tools'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    const besides = files().filter((path) => basename(path) !== 'proxy.db')
    expect(besides).toHaveLength(1)
    for (const path of besides) rmSync(path)
    await found(await run())
    expect(embedded()).toHaveLength(3)
    for (const path of files()) writeFileSync(path, 'this is no database')
    await found(await run())
    expect(embedded()).toHaveLength(3)
    await found(await run({ MCPPROXY_RESET_DATA: 'true' }))
    expect(embedded()).toHaveLength(3)
  },
)

verifies('S1.50 S1.48', 'an engine that cannot run ends the start with the remedy', async () => {
  const directory = temporaryDirectory()
  const settings = { exposure: 'retrieve' }
  const file = writeConfig(directory, { servers: { f: fixture('f') }, settings })
  const fails = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await runProxy(['--config', file], {
      env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: undefined, ...env },
    })
    expect([code === 0, stdout]).toEqual([false, ''])
    expect(stderr).not.toMatch(/\n +at .*:\d+/)
    return stderr
  }
  expect(await fails({ MCPPROXY_EMBEDDER: 'HF' })).toContain('npm install @huggingface/transformers')
  expect(await fails({ MCPPROXY_EMBEDDER: 'hybrid' })).toContain('npm install @huggingface/transformers')
  expect(await fails({ MCPPROXY_EMBEDDER: 'OPENAI' })).toContain('Set OPENAI_API_KEY')
  const store = { MCPPROXY_VECTOR_STORE: 'postgres://localhost/tools', OPENAI_API_KEY: KEY }
  expect(await fails({ MCPPROXY_EMBEDDER: 'OPENAI', ...store })).toContain('npm install pg')
  expect(
    await fails({ MCPPROXY_EMBEDDER: 'OPENAI', OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'nowhere' }),
  ).toContain('OPENAI_BASE_URL is "nowhere"')
})
