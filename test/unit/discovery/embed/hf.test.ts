import { describe, expect, test } from 'vitest'
import { createHfEmbedder, fullName } from '../../../../src/discovery/embed/hf.ts'
import { importOptional } from '../../../../src/discovery/import-optional.ts'
import { ProxyError } from '../../../../src/protocol/errors.ts'
import { embedderContract, type OpenedEmbedder, vowels } from '../../../contract/embedder.ts'
import { verifies } from '../../../support/verifies.ts'

type Spoilt = Parameters<OpenedEmbedder['spoil']>[0]

/** As much of @huggingface/transformers as the proxy uses. */
function fakeTransformers() {
  const state = {
    how: undefined as Spoilt | undefined,
    loaded: [] as unknown[][],
    runs: [] as number[],
    disposed: 0,
  }
  const pipeline = async (...given: unknown[]) => {
    state.loaded.push(given)
    const extractor = async (texts: string[], options: object) => {
      expect(options).toEqual({ pooling: 'mean', normalize: true })
      state.runs.push(texts.length)
      if (state.how === 'failure') throw new Error('out of memory')
      const rows = state.how === 'too few' ? texts.slice(1) : texts
      const vectors = rows.map((text) => (state.how === 'other length' ? [1, 2] : vowels(text)))
      if (state.how === 'no numbers') vectors[0] = [Number.NaN, 1, 2, 3, 4]
      return { dims: [vectors.length, vectors[0]?.length ?? 0], data: Float32Array.from(vectors.flat()) }
    }
    return Object.assign(extractor, { dispose: async () => void state.disposed++ })
  }
  return { state, module: { pipeline } }
}

embedderContract('hf', async () => {
  const { state, module } = fakeTransformers()
  return {
    embedder: await createHfEmbedder({ load: async () => module }),
    spoil: (how) => {
      state.how = how
    },
  }
})

describe('hf', () => {
  verifies('S1.33', 'takes the model in both spellings, and another one', async () => {
    const { state, module } = fakeTransformers()
    const names = [
      undefined,
      '',
      'all-MiniLM-L6-v2',
      'sentence-transformers/all-MiniLM-L6-v2',
      'Xenova/bge-small-en-v1.5',
    ]
    for (const model of names) await createHfEmbedder({ model, load: async () => module })
    const standard = 'sentence-transformers/all-MiniLM-L6-v2'
    expect(state.loaded.map(([task, name]) => [task, name])).toEqual(
      [standard, standard, standard, standard, 'Xenova/bge-small-en-v1.5'].map((name) => [
        'feature-extraction',
        name,
      ]),
    )
    expect(fullName('all-MiniLM-L6-v2')).toBe(standard)
  })

  verifies('S1.50', 'without the package says how to install it', async () => {
    const missing = importOptional('@nobody/does-not-exist', 'The embedder hf')
    await expect(missing).rejects.toMatchObject({
      code: 'PACKAGE_MISSING',
      message: 'The embedder hf needs the package @nobody/does-not-exist, which is not installed',
      next: 'Install it where mcp-rlm-proxy is installed: npm install @nobody/does-not-exist (with -g for a global installation)',
    })
    const asked: string[] = []
    const load = async (name: string) => {
      asked.push(name)
      throw new ProxyError('PACKAGE_MISSING', '', '')
    }
    await expect(createHfEmbedder({ load })).rejects.toBeInstanceOf(ProxyError)
    expect(asked).toEqual(['@huggingface/transformers'])
  })

  test('a model that cannot be loaded, or another package of the name, is told', async () => {
    const offline = async () => ({ pipeline: () => Promise.reject(new Error('could not locate the file')) })
    await expect(createHfEmbedder({ model: 'x', load: offline })).rejects.toMatchObject({
      message: 'The model sentence-transformers/x could not be loaded: could not locate the file',
      next: expect.stringContaining('MCPPROXY_HF_MODEL'),
    })
    await expect(createHfEmbedder({ load: async () => ({}) })).rejects.toThrow(
      'does not work with this proxy',
    )
    for (const tensor of [
      null,
      7,
      {},
      { dims: [2, 3], data: new Float32Array(5) },
      { dims: [1], data: [1] },
    ]) {
      const embedder = await createHfEmbedder({
        load: async () => ({ pipeline: async () => async () => tensor }),
      })
      await expect(embedder.embed(['a'])).rejects.toThrow('does not work with this proxy')
    }
  })

  test('runs the model on so many texts at once, and lets go of it', async () => {
    const { state, module } = fakeTransformers()
    const embedder = await createHfEmbedder({ load: async () => module })
    await embedder.embed(Array.from({ length: 70 }, () => 'text'))
    expect(state.runs).toEqual([32, 32, 6])
    await embedder.close()
    expect(state.disposed).toBe(1)
  })
})
