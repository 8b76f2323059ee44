import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openCatalogue } from '../../../src/discovery/catalogue/catalogue.ts'
import type { Embedder } from '../../../src/discovery/embed/embedder.ts'
import { createFinder, createHybrid, type FindableTool, fuse } from '../../../src/discovery/finder.ts'
import { createMeaning } from '../../../src/discovery/meaning.ts'
import type { ToolSearch } from '../../../src/discovery/search.ts'
import { openExactIndex } from '../../../src/discovery/vectors/exact.ts'
import type { Near } from '../../../src/discovery/vectors/vector-index.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { runs } from '../../support/runs.ts'
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

/** Knows of three meanings, by words that neither the tools use nor any thesaurus has. */
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

const ranking = (...places: number[]) => places.map((index, at) => ({ index, score: 10 - at }))
const order = (found: readonly { index: number }[]) => found.map(({ index }) => index)

describe('fusion', () => {
  verifies('S1.64', 'goes by the ranks: 1 / (60 + rank), summed', () => {
    const fused = fuse([ranking(1, 2, 3), ranking(3, 1, 4)])
    expect(order(fused)).toEqual([1, 3, 2, 4])
    const score = (...ranks: number[]) => ranks.reduce((sum, rank) => sum + 1 / (60 + rank), 0) / (2 / 61)
    expect(fused.map((each) => each.score)).toEqual(
      [score(1, 2), score(3, 1), score(2), score(3)].map((s) => expect.closeTo(s, 10)),
    )
  })

  test('first in all rankings is 1; equals come in their order; nothing gives nothing', () => {
    expect(fuse([ranking(5), ranking(5)])).toEqual([{ index: 5, score: 1 }])
    expect(order(fuse([ranking(9), ranking(2)]))).toEqual([2, 9])
    expect(fuse([[], []])).toEqual([])
    expect(fuse([])).toEqual([])
  })

  test('weights tell how much a ranking counts', () => {
    expect(order(fuse([ranking(1), ranking(2)], [1, 2]))).toEqual([2, 1])
    expect(order(fuse([ranking(1), ranking(2)], [1, 0]))).toEqual([1])
  })

  test('has all of both, each once, scores in falling order between 0 and 1', () => {
    const places = fc.uniqueArray(fc.nat(20), { maxLength: 15 })
    fc.assert(
      fc.property(places, places, (a, b) => {
        const fused = fuse([ranking(...a), ranking(...b)])
        expect(new Set(order(fused))).toEqual(new Set([...a, ...b]))
        expect(fused).toHaveLength(new Set([...a, ...b]).size)
        for (const [at, { score }] of fused.entries()) {
          expect(score).toBeGreaterThan(0)
          expect(score).toBeLessThanOrEqual(fused[at - 1]?.score ?? 1)
        }
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('hybrid', () => {
  const tools = Array.from({ length: 8 }, (_, at) => ({ vectorId: 100 + at }))
  /** What each search finds to a question, and what is right. */
  const questions: Record<string, { words: number[]; meaning: number[]; right: number[] }> = {
    'both know': { words: [0, 1], meaning: [0, 2], right: [0] },
    'words alone know': { words: [3, 4], meaning: [5, 6], right: [3] },
    'meaning alone knows': { words: [], meaning: [5, 1], right: [5] },
    'each knows one': { words: [6, 0, 1], meaning: [7, 2, 3], right: [6, 7] },
  }
  const lexical: ToolSearch = {
    search: (question, limit) => ranking(...(questions[question]?.words ?? [])).slice(0, limit),
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
    const both = await recall(async (question) => order(await hybrid(question, 2)))
    expect(both).toBe(1)
    expect(await recall(async (question) => order(lexical.search(question, 2)))).toBeLessThan(both)
    expect(await recall(async (question) => order(await meaning(question, 2)))).toBeLessThan(both)
  })

  verifies('S1.64', 'is the lexical search where the embedder does not work', async () => {
    for (const engine of ['hybrid', 'meaning'] as const) {
      const hybrid = createHybrid({ tools, lexical, near: async () => undefined, engine })
      for (const question of Object.keys(questions))
        expect(await hybrid(question, 2)).toEqual(lexical.search(question, 2))
    }
  })

  verifies('S1.55', 'nothing found by either is nothing', async () => {
    expect(await createHybrid({ tools, lexical, near, engine: 'hybrid' })('qwzx', 5)).toEqual([])
  })

  test('what was removed meanwhile is left out', async () => {
    const hybrid = createHybrid({ tools: tools.slice(0, 3), lexical, near, engine: 'meaning' })
    expect(order(await hybrid('each knows one', 5))).toEqual([2])
  })
})
