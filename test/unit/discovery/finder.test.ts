import { describe, expect, test } from 'vitest'
import { openCatalogue } from '../../../src/discovery/catalogue/catalogue.ts'
import type { Embedder } from '../../../src/discovery/embed/embedder.ts'
import { createFinder, createHybrid, type FindableTool } from '../../../src/discovery/finder.ts'
import { indexTools } from '../../../src/discovery/lexical.ts'
import { createMeaning } from '../../../src/discovery/meaning.ts'
import { openExactIndex } from '../../../src/discovery/vectors/exact.ts'
import type { Near } from '../../../src/discovery/vectors/vector-index.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const tool = (server: string, original: string, description: string): FindableTool => ({
  name: `${server}_${original}`,
  original,
  server,
  definition: { name: `${server}_${original}`, description, inputSchema: { type: 'object' } },
})

const TOOLS = [
  tool('a', 'send_letter', 'Send a letter by post.'),
  tool('a', 'bake', 'Bake bread.'),
  tool('b', 'paint', 'Paint a wall.'),
]

/** Knows of three meanings, by words that neither the tools use nor any table has. */
function embedder(asked: string[][] = []): Embedder {
  const axes = [/letter|zorble/i, /bread|quimble/i, /wall|frabjous/i]
  return {
    model: 'three',
    async embed(texts) {
      asked.push([...texts])
      return texts.map((text) => Float32Array.from(axes.map((axis) => (axis.test(text) ? 1 : 0.01))))
    },
    close: async () => {},
  }
}

async function finderIn(directory: string | undefined, asked?: string[][]) {
  const catalogue = await openCatalogue({
    directory,
    servers: ['a', 'b'],
    model: 'three',
    logger: silentLogger,
  })
  const vectors = await openExactIndex({ directory, logger: silentLogger })
  const meaning = createMeaning({ embedder: embedder(asked), vectors, logger: silentLogger })
  return createFinder({ catalogue, meaning, engine: 'hybrid' })
}

describe('a finder', () => {
  test('without meaning goes by the words', async () => {
    const catalogue = await openCatalogue({ directory: undefined, servers: ['a', 'b'], logger: silentLogger })
    const finder = createFinder({ catalogue })
    const search = finder.over(TOOLS)
    expect((await search('send letter', 5)).map(({ index }) => index)).toEqual([0])
    expect(await search('zorble quimble', 5)).toEqual([])
    expect(catalogue.tools().map(({ server, name }) => [server, name])).toEqual([
      ['a', 'send_letter'],
      ['a', 'bake'],
      ['b', 'paint'],
    ])
    await finder.close()
  })

  verifies('S1.64', 'with meaning finds what the words do not, and what they do', async () => {
    const finder = await finderIn(undefined)
    const search = finder.over(TOOLS)
    await expect.poll(async () => (await search('zorble', 5))[0]?.index).toBe(0)
    expect((await search('quimble', 5))[0]?.index).toBe(1)
    expect((await search('paint', 5))[0]?.index).toBe(2)
    await finder.close()
  })

  verifies(
    'S1.20 S1.24',
    'embeds nothing again at the second start, and one tool when one changed',
    async () => {
      const directory = temporaryFolder()
      const embeddedTools = (asked: string[][]): number =>
        asked.flat().filter((text) => text.includes('(')).length
      const first: string[][] = []
      const one = await finderIn(directory, first)
      const search = one.over(TOOLS)
      await expect.poll(async () => (await search('zorble', 5)).length).toBeGreaterThan(0)
      await one.close()
      expect(embeddedTools(first)).toBe(3)

      const second: string[][] = []
      const two = await finderIn(directory, second)
      const again = two.over(TOOLS)
      await expect.poll(async () => (await again('zorble', 5)).length).toBeGreaterThan(0)
      expect(embeddedTools(second)).toBe(0)
      two.over([...TOOLS.slice(0, 2), tool('b', 'paint', 'Paint a wall in a colour.')])
      await expect.poll(() => embeddedTools(second)).toBe(1)
      await two.close()
    },
  )
})

const order = (found: readonly { index: number }[]) => found.map(({ index }) => index)

describe('hybrid', () => {
  const names = ['bake', 'paint', 'sow', 'dig', 'sew', 'swim', 'climb', 'row']
  const lexical = indexTools(names.map((name) => ({ server: 's', name, definition: { name } })))
  const tools = names.map((_, at) => ({ vectorId: 100 + at }))
  /** The tools that the model finds for a question, and the right ones. */
  const questions: Record<string, { meaning: number[]; right: number[] }> = {
    'bake or paint': { meaning: [0, 2], right: [0] },
    'dig then sew': { meaning: [5, 6], right: [3] },
    'get across a lake': { meaning: [5, 1], right: [5] },
    'climb up': { meaning: [7, 2, 3], right: [6, 7] },
  }
  const near = async (question: string): Promise<Near[]> =>
    (questions[question]?.meaning ?? []).map((index, at) => ({ id: 100 + index, similarity: 0.9 - at / 10 }))
  const recall = async (find: (question: string) => Promise<number[]>) => {
    let hits = 0
    for (const [question, { right }] of Object.entries(questions)) {
      const found = await find(question)
      hits += right.filter((index) => found.includes(index)).length / right.length
    }
    return hits / Object.keys(questions).length
  }

  verifies('S1.64', 'finds what either finds: recall is that of neither alone', async () => {
    const hybrid = createHybrid({ tools, lexical, near, engine: 'hybrid' })
    const meaning = createHybrid({ tools, lexical, near, engine: 'meaning' })
    const both = await recall(async (question) => order(await hybrid(question, 4)))
    expect(both).toBe(1)
    expect(await recall(async (question) => order(lexical.search(question, 4)))).toBeLessThan(both)
    expect(await recall(async (question) => order(await meaning(question, 4)))).toBeLessThan(both)
  })

  verifies('S1.64', 'is the lexical search where the embedder does not work', async () => {
    for (const engine of ['hybrid', 'meaning'] as const) {
      const hybrid = createHybrid({ tools, lexical, near: async () => undefined, engine })
      for (const question of Object.keys(questions))
        expect(await hybrid(question, 2)).toEqual(lexical.search(question, 2))
    }
  })

  verifies('S1.55', 'nothing found by either is nothing', async () => {
    expect(await createHybrid({ tools, lexical, near, engine: 'hybrid' })('qwzxk', 5)).toEqual([])
  })

  test('what was removed meanwhile is left out', async () => {
    const hybrid = createHybrid({ tools: tools.slice(0, 3), lexical, near, engine: 'meaning' })
    expect(order(await hybrid('climb up', 5))).toEqual([2])
  })
})
