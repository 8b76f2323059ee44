import { describe, expect, onTestFinished, test } from 'vitest'
import { openCatalogue } from '../../../src/discovery/catalogue/catalogue.ts'
import { createFinder } from '../../../src/discovery/finder.ts'
import { createMeaning } from '../../../src/discovery/meaning.ts'
import { openExactIndex } from '../../../src/discovery/vectors/exact.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import type { Client } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createLists } from '../../../src/protocol/lists.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { createToolIndexes } from '../../../src/proxy/tool-index.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const tool = (name: string, description = `Gives a ${name}.`): JsonObject =>
  withOrigin({ name: `shop_${name}`, description, inputSchema: { type: 'object' } }, { server: 'shop', name })

/** ToolIndexes over what each client is listed, with a catalogue and an embedder that counts. */
async function world() {
  const embedded: string[] = []
  const catalogue = await openCatalogue({
    directory: undefined,
    servers: ['shop'],
    model: 'm',
    logger: silentLogger,
  })
  const embedder = {
    model: 'm',
    async embed(texts: readonly string[]) {
      embedded.push(...texts)
      return texts.map((text) => Float32Array.from([1, text.includes('zorble') ? 1 : 0]))
    },
    close: async () => {},
  }
  const vectors = await openExactIndex({ directory: undefined, logger: silentLogger })
  const meaning = createMeaning({ embedder, vectors, logger: silentLogger })
  const finder = createFinder({ catalogue, meaning, engine: 'meaning' })
  onTestFinished(() => finder.close())
  const lists = new Map<Client, JsonObject[]>()
  let asked = 0
  let change = (): void => {}
  let leave = (_: Client): void => {}
  const indexes = createToolIndexes(
    createLists(async ({ client: who }) => {
      asked++
      return { tools: lists.get(who) ?? [] }
    }),
    new Set(),
    finder,
    {
      left: (heard) => {
        leave = heard
      },
      toolsChanged: (heard) => {
        change = heard
      },
    },
  )
  const list = async (who: Client, tools?: JsonObject[]) => {
    if (tools) lists.set(who, tools)
    return (await indexes.of(exchange(who))).index
  }
  const known = (): string[] => catalogue.tools().map(({ name }) => name)
  const set = (who: Client, tools: JsonObject[]): void => void lists.set(who, tools)
  return {
    list,
    set,
    known,
    embedded,
    change: () => change(),
    leave: (who: Client) => leave(who),
    asked: () => asked,
  }
}

const [APPLE, FIG, PLUM] = [tool('apple'), tool('fig'), tool('plum')]

describe('lists of one server that differ', () => {
  verifies('S1.17 S1.26', 'are kept together for as long as a client sees them', async () => {
    const { list, known, embedded, leave } = await world()
    const [anna, ben] = [client(), client()]
    await list(anna, [APPLE, FIG])
    expect(known()).toEqual(['apple', 'fig'])
    await list(ben, [APPLE, PLUM])
    expect(known().sort()).toEqual(['apple', 'fig', 'plum'])
    await list(anna)
    await list(ben)
    await expect.poll(() => embedded).toHaveLength(3)

    // A list that changed: what no other list has is forgotten.
    await list(anna, [APPLE])
    expect(known().sort()).toEqual(['apple', 'plum'])
    // A client that left: what it had stays until the server's lists change.
    leave(ben)
    expect(known().sort()).toEqual(['apple', 'plum'])
    await list(anna, [APPLE, FIG])
    expect(known().sort()).toEqual(['apple', 'fig'])
  })

  test('a tool that is another for each client is found by both', async () => {
    const { list } = await world()
    const [anna, ben] = [client(), client()]
    const hers = await list(anna, [APPLE, tool('fig', 'A zorble.')])
    const his = await list(ben, [APPLE, tool('fig', 'A zorble, indeed.')])
    for (const index of [hers, his])
      await expect.poll(async () => (await index.search('zorble', 1))[0]?.index).toBe(1)
  })

  test('a client that sees what another saw takes its index, and the one before goes', async () => {
    const { list, known } = await world()
    const [anna, ben] = [client(), client()]
    const first = await list(anna, [APPLE, FIG])
    expect(await list(ben, [APPLE, FIG])).toBe(first)
    const second = await list(anna, [APPLE])
    expect(known()).toEqual(['apple', 'fig'])
    expect(await list(ben, [APPLE])).toBe(second)
    expect(known()).toEqual(['apple'])
  })
})

verifies('S1.24 S1.28', 'a tool that comes is embedded before anybody asks, once', async () => {
  const { list, set, embedded, change, leave, asked } = await world()
  const anna = client()
  change()
  await list(anna, [APPLE])
  await expect.poll(() => embedded).toHaveLength(1)
  set(anna, [APPLE, FIG])
  for (let n = 0; n < 10; n++) change()
  await expect.poll(() => embedded).toHaveLength(2)
  expect(asked()).toBeLessThanOrEqual(3)
  // No client is left to list for.
  leave(anna)
  const before = asked()
  await list(anna)
  change()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(asked()).toBe(before + 1)
})
