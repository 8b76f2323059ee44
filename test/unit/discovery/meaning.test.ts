import { describe, expect, test } from 'vitest'
import { type KnownTool, vectorIdOf } from '../../../src/discovery/catalogue/known-tool.ts'
import type { Embedder } from '../../../src/discovery/embed/embedder.ts'
import { createMeaning, textOf } from '../../../src/discovery/meaning.ts'
import { openExactIndex } from '../../../src/discovery/vectors/exact.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { vowels } from '../../contract/embedder.ts'
import { verifies } from '../../support/verifies.ts'

const known = (name: string, hash = '1'): KnownTool => ({
  server: 's',
  name,
  hash,
  definition: { name },
  vectorId: vectorIdOf('m', { server: 's', name, hash }),
})

async function world(more: { leastSimilarity?: number } = {}) {
  const log: string[] = []
  const state = { asked: [] as string[], failure: undefined as Error | undefined, now: 0, log, closed: 0 }
  const embedder: Embedder = {
    model: 'm',
    async embed(texts, signal) {
      signal?.throwIfAborted()
      state.asked.push(...texts)
      if (state.failure) throw state.failure
      return texts.map((text) => Float32Array.from(vowels(text)))
    },
    close: async () => void state.closed++,
  }
  const logger = {
    ...silentLogger,
    warn: (_: object, message: string) => log.push(message),
    info: (_: object, message: string) => log.push(message),
  }
  const vectors = await openExactIndex({ directory: undefined, logger })
  const meaning = createMeaning({ embedder, vectors, logger, now: () => state.now, ...more })
  return { state, meaning, vectors }
}

describe('meaning', () => {
  verifies('S1.24', 'embeds what is new or changed, and nothing else', async () => {
    const { meaning, state } = await world()
    expect(await meaning.refresh([known('aaa'), known('eee')])).toBe(2)
    expect(await meaning.refresh([known('aaa'), known('eee')])).toBe(0)
    expect(state.asked).toHaveLength(2)
    expect(await meaning.refresh([known('eee'), known('aaa', '2'), known('iii')])).toBe(2)
    expect(await meaning.refresh([known('eee'), known('aaa', '2')])).toBe(0)
    expect(state.asked).toHaveLength(4)
  })

  verifies('S1.20', 'a second run over the same vectors embeds nothing', async () => {
    const { meaning, vectors, state } = await world()
    await meaning.refresh([known('aaa')])
    state.asked.length = 0
    const embedder = { model: 'm', embed: () => Promise.reject(new Error('asked')), close: async () => {} }
    const second = createMeaning({ embedder, vectors, logger: silentLogger })
    expect(await second.refresh([known('aaa')])).toBe(0)
  })

  verifies('S1.26', 'removed tools are not found', async () => {
    const { meaning } = await world()
    await meaning.refresh([known('aaa'), known('eee')])
    await meaning.refresh([known('eee')])
    expect(await meaning.near('aaa', 5)).toEqual([])
    expect(await meaning.near('eee', 5)).toEqual([
      { id: known('eee').vectorId, similarity: expect.any(Number) },
    ])
  })

  test('finds the nearest first, and none below the least similarity', async () => {
    const { meaning } = await world()
    await meaning.refresh([known('aaa'), known('aaae'), known('uuu')])
    const found = await meaning.near('aa', 5)
    expect(found?.map(({ id }) => id)).toEqual([known('aaa').vectorId, known('aaae').vectorId])
    const strict = await world({ leastSimilarity: 0.999 })
    await strict.meaning.refresh([known('aaae')])
    expect(await strict.meaning.near('aa', 5)).toEqual([])
  })

  verifies(
    'S1.64',
    'an embedder that fails costs one line in the log, and is asked again after a while',
    async () => {
      const { meaning, state } = await world()
      await meaning.refresh([known('aaa')])
      state.failure = new Error('down')
      for (let asked = 0; asked < 3; asked++) expect(await meaning.near('aaa', 5)).toBeUndefined()
      expect(state.log).toEqual(['tools are found by their words alone'])
      expect(state.asked).toHaveLength(2)
      state.now += 30_000
      expect(await meaning.near('aaa', 5)).toBeUndefined()
      expect(state.log).toHaveLength(1)
      state.failure = undefined
      expect(await meaning.near('aaa', 5)).toBeUndefined()
      state.now += 30_000
      expect(await meaning.near('aaa', 5)).toHaveLength(1)
      expect(state.log).toEqual(['tools are found by their words alone', 'tools are found by meaning again'])
    },
  )

  test('what could not be embedded is, with the next refresh', async () => {
    const { meaning, state } = await world()
    state.failure = new Error('down')
    expect(await meaning.refresh([known('aaa')])).toBe(0)
    expect(await meaning.near('aaa', 5)).toBeUndefined()
    state.failure = undefined
    expect(await meaning.refresh([known('aaa')])).toBe(1)
    expect(await meaning.near('aaa', 5)).toHaveLength(1)
  })

  verifies('S1.64', 'an embedder that was away at the start is asked again when somebody asks', async () => {
    const { meaning, state } = await world()
    state.failure = new Error('down')
    await meaning.refresh([known('aaa')])
    state.failure = undefined
    expect(await meaning.near('aaa', 5)).toBeUndefined()
    expect(state.asked).toHaveLength(1)
    state.now += 30_000
    expect(await meaning.near('aaa', 5)).toBeUndefined()
    await expect.poll(() => meaning.near('aaa', 5)).toHaveLength(1)
    expect(state.log).toEqual(['tools are found by their words alone', 'tools are found by meaning again'])
  })

  verifies('S1.22', 'vectors of a model that had the same name are made again', async () => {
    for (const tools of [[known('aaa'), known('eee')], [known('aaa')]]) {
      const { meaning, vectors } = await world()
      await vectors.put([{ id: known('aaa').vectorId ?? 0, vector: Float32Array.of(1, 0, 0) }])
      await meaning.refresh(tools)
      await expect.poll(() => meaning.near('aaa', 5)).toHaveLength(1)
      expect(await vectors.has(tools.map(({ vectorId }) => vectorId ?? 0))).toHaveProperty(
        'size',
        tools.length,
      )
      await meaning.close()
    }
  })

  test('a client that leaves is no failure of the embedder', async () => {
    const { meaning, state } = await world()
    await meaning.refresh([known('aaa')])
    await expect(meaning.near('aaa', 5, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
    expect(state.log).toEqual([])
  })

  test('closing ends what is under way', async () => {
    const { meaning, state } = await world()
    await meaning.refresh([known('aaa')])
    await meaning.close()
    expect(await meaning.refresh([known('eee')])).toBe(0)
    expect(state).toMatchObject({ closed: 1, log: [] })
  })
})

test('the text of a tool has its words, its server, what it is for and its parameters', () => {
  const definition = {
    name: 'createPullRequest_v2',
    title: 'New PR',
    description: ' Opens a pull request. ',
    inputSchema: { type: 'object', properties: { base_branch: {}, headRef: {} } },
  }
  expect(textOf({ server: 'git-hub', name: 'createPullRequest_v2', definition })).toBe(
    'New PR, create Pull Request v2 (git hub)\nOpens a pull request.\nbase branch, head Ref',
  )
  expect(textOf({ server: 's', name: 'x', definition: { name: 'x', description: 7, inputSchema: [] } })).toBe(
    'x (s)',
  )
})
