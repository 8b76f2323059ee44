import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FindableTool, Finder } from '../../../src/discovery/finder.ts'
import { openFinder } from '../../../src/discovery/open-finder.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { ProxyError } from '../../../src/protocol/errors.ts'
import { json, loopback } from '../../support/loopback.ts'
import { verifies } from '../../support/verifies.ts'

const tool = (server: string, name: string): FindableTool => ({
  server,
  name: `${server}_${name}`,
  original: name,
  definition: { name, description: `Does ${name}.`, inputSchema: { type: 'object' } },
})

/** A data directory, and an embedder that counts what it is asked for. */
async function world() {
  const dataDir = mkdtempSync(join(tmpdir(), 'finder-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const embedded: string[] = []
  const server = await loopback(({ body }, response) => {
    const texts = body.input as string[]
    embedded.push(...texts)
    const data = texts.map((text, index) => ({ index, embedding: [1, text.length, text.charCodeAt(0)] }))
    json(response, { data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } })
  })
  const open = (part: string, servers: string[], reset = false): Promise<Finder> =>
    openFinder({
      engine: 'openai',
      model: 'm',
      vectorStore: undefined,
      dataDir,
      part,
      reset,
      servers,
      environment: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: server.url },
      logger: silentLogger,
    })
  /** One run of a proxy with these tools; gives how many of their texts were embedded. */
  const run = async (part: string, tools: readonly FindableTool[], reset = false): Promise<number> => {
    embedded.length = 0
    const finder = await open(part, [...new Set(tools.map(({ server: name }) => name))], reset)
    const search = finder.over(tools)
    // Answered by meaning once all tools have their vectors.
    await expect.poll(async () => (await search('xylophone', 50)).length).toBe(tools.length)
    await finder.close()
    return embedded.filter((text) => text !== 'xylophone').length
  }
  return { dataDir, open, run }
}

describe('what is learned of tools', () => {
  verifies('S1.20 S1.24', 'is not learned again at the next start', async () => {
    const { run } = await world()
    const tools = [tool('a', 'one'), tool('a', 'two'), tool('b', 'three')]
    expect(await run('here', tools)).toBe(3)
    expect(await run('here', tools)).toBe(0)
    expect(await run('here', [...tools, tool('b', 'four')])).toBe(1)
  })

  test('is kept when another configuration uses the same directory', async () => {
    const { run } = await world()
    const [ours, theirs] = [[tool('a', 'one')], [tool('b', 'one'), tool('b', 'two')]]
    expect(await run('here', ours)).toBe(1)
    expect(await run('there', theirs)).toBe(2)
    expect(await run('here', ours)).toBe(0)
    expect(await run('there', theirs)).toBe(0)
  })

  verifies('S1.25', 'is forgotten with its server, also while the proxy runs', async () => {
    const { run, open } = await world()
    const tools = [tool('a', 'one'), tool('b', 'two')]
    await run('here', tools)
    const finder = await open('here', ['a', 'b'])
    finder.retain(['a'])
    await finder.close()
    expect(await run('here', tools)).toBe(1)
  })

  verifies('S1.45', 'is learned again where that is asked for', async () => {
    const { run } = await world()
    await run('here', [tool('a', 'one')])
    expect(await run('here', [tool('a', 'one')], true)).toBe(1)
  })

  verifies('S1.22', 'is learned again when its files are broken or gone', async () => {
    const { run, dataDir } = await world()
    const tools = [tool('a', 'one'), tool('b', 'two')]
    await run('here', tools)
    const [part = ''] = readdirSync(join(dataDir, 'tools'))
    const folder = join(dataDir, 'tools', part)
    const [vectors, table] = [join(folder, 'tools.vectors'), join(folder, 'proxy.db')]
    writeFileSync(vectors, 'x')
    expect(await run('here', tools)).toBe(2)
    writeFileSync(table, 'y'.repeat(5_000))
    expect(await run('here', tools)).toBe(0)
    rmSync(vectors)
    expect(await run('here', tools)).toBe(2)
    rmSync(folder, { recursive: true })
    expect(await run('here', tools)).toBe(2)
  })

  test('is removed when no configuration had a use for it in months', async () => {
    const { run, dataDir } = await world()
    await run('here', [tool('a', 'one')])
    const folder = (name: string): string => join(dataDir, 'tools', name)
    mkdirSync(folder('old'))
    mkdirSync(folder('young'))
    const past = new Date(Date.now() - 100 * 24 * 3600_000)
    for (const name of readdirSync(join(dataDir, 'tools')))
      if (name !== 'young') utimesSync(folder(name), past, past)
    expect(await run('here', [tool('a', 'one')])).toBe(0)
    expect(existsSync(folder('old'))).toBe(false)
    expect(existsSync(folder('young'))).toBe(true)
  })
})

describe('a model that cannot be loaded', () => {
  test('leaves the words to find tools, and the log says why', async () => {
    vi.doMock('../../../src/discovery/embed/hf.ts', () => ({
      createHfEmbedder: () =>
        Promise.reject(new ProxyError('EMBEDDING_FAILED', 'The model x could not be loaded', 'Check it.')),
    }))
    onTestFinished(() => vi.doUnmock('../../../src/discovery/embed/hf.ts'))
    const warned: unknown[] = []
    const logger = { ...silentLogger, warn: (...said: unknown[]) => void warned.push(said) }
    const options = { model: 'x', vectorStore: undefined, dataDir: undefined, part: 'p', reset: false }
    for (const engine of ['hf', 'hybrid'] as const) {
      const finder = await openFinder({ ...options, engine, servers: ['a'], environment: {}, logger })
      const search = finder.over([tool('a', 'water_plants'), tool('a', 'other')])
      expect(await search('water plants', 5)).toMatchObject([{ index: 0 }])
      await finder.close()
    }
    expect(JSON.stringify(warned)).toContain('The model x could not be loaded')
  })
})

describe('languages', () => {
  const described = (name: string, description: string): FindableTool => ({
    ...tool('files', name),
    definition: { name, description, inputSchema: { type: 'object' } },
  })
  const tools = [
    described('remove_file', 'Delete a file from a folder.'),
    described('weather_report', 'Tell the weather of a city.'),
    described('send_message', 'Send a message to a person.'),
  ]

  async function firstOf(
    languages: readonly string[] | undefined,
    question: string,
  ): Promise<string | undefined> {
    const finder = await openFinder({
      engine: 'static',
      ...(languages && { languages }),
      model: undefined,
      vectorStore: undefined,
      dataDir: undefined,
      part: 'here',
      reset: false,
      servers: ['files'],
      environment: {},
      logger: silentLogger,
    })
    const [first] = await finder.over(tools)(question, 1)
    await finder.close()
    return first && tools[first.index]?.original
  }

  test.each([
    ['de', 'eine Nachricht verschicken', 'send_message'],
    ['de', 'die Datei löschen', 'remove_file'],
    ['es', 'borrar el archivo', 'remove_file'],
    ['fr', 'envoyer un courrier', 'send_message'],
  ])('of questions may be others than English: %s, %s', async (language, question, name) => {
    expect(await firstOf(['en', language], question)).toBe(name)
    expect(await firstOf(['en'], question)).toBeUndefined()
  })

  test('are English where no language is named', async () => {
    expect(await firstOf(undefined, 'erase a document')).toBe('remove_file')
  })
})
