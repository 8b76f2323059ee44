import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
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
    texts: [] as string[],
    options: {},
    disposed: 0,
  }
  const pipeline = async (...given: unknown[]) => {
    state.loaded.push(given)
    const extractor = async (texts: string[], options: object) => {
      state.options = options
      state.texts.push(...texts)
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
    expect(state.runs).toEqual([8, 8, 8, 8, 8, 8, 8, 8, 6])
    await embedder.close()
    expect(state.disposed).toBe(1)
  })

  test('texts of like length run together, cut, and each gets its own vector', async () => {
    const { state, module } = fakeTransformers()
    const embedder = await createHfEmbedder({ load: async () => module })
    const texts = ['o'.repeat(90_000), 'a', 'uu'.repeat(50), 'i i']
    const vectors = await embedder.embed(texts)
    expect(state.texts.map(({ length }) => length)).toEqual([1, 3, 100, 1_200])
    expect(vectors.map((vector) => 'aeiou'[vector.indexOf(Math.max(...vector))])).toEqual([...'oaui'])
  })

  test.each([
    ['sentence-transformers/all-MiniLM-L6-v2', 'mean', 'x', 'x'],
    ['Xenova/multilingual-e5-small', 'mean', 'query: x', 'passage: x'],
    ['nomic-ai/nomic-embed-text-v1.5', 'mean', 'search_query: x', 'search_document: x'],
    ['Xenova/bge-small-en-v1.5', 'cls', 'Represent this sentence for searching relevant passages: x', 'x'],
    ['Xenova/bge-m3', 'cls', 'x', 'x'],
  ])('%s gets its texts as it was taught', async (model, pooling, question, tool) => {
    const { state, module } = fakeTransformers()
    const embedder = await createHfEmbedder({ model, load: async () => module })
    await embedder.embed(['x'], undefined, 'question')
    await embedder.embed(['x'])
    expect(state.options).toEqual({ pooling, normalize: true })
    expect(state.texts).toEqual([question, tool])
  })

  test('numbers of eight bits where the model has them, of 32 where it has no others', async () => {
    const asked: unknown[] = []
    const pipeline = async (_task: string, _name: string, { dtype }: { dtype: string }) => {
      asked.push(dtype)
      if (dtype === 'q8') throw new Error('model_quantized.onnx was not found')
      return async () => ({ dims: [1, 2], data: Float32Array.of(3, 4) })
    }
    const embedder = await createHfEmbedder({ load: async () => ({ pipeline }) })
    expect(asked).toEqual(['q8', 'fp32'])
    expect([...((await embedder.embed(['a']))[0] ?? [])]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)])
  })

  test('a folder is taken from where the configuration lies, and its vectors belong to the bytes of its model', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'model-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    mkdirSync(join(directory, 'mine', 'onnx'), { recursive: true })
    const write = (bytes: string) => writeFileSync(join(directory, 'mine', 'onnx', 'model.onnx'), bytes)
    const { state, module } = fakeTransformers()
    const env: Record<string, unknown> = {}
    const open = () =>
      createHfEmbedder({ model: './mine', directory, load: async () => ({ ...module, env }) })
    write('one')
    const [first, again] = [await open(), await open()]
    write('two')
    const other = await open()
    expect(again.model).toBe(first.model)
    expect(other.model).not.toBe(first.model)
    expect(env).toMatchObject({ localModelPath: directory, allowLocalModels: true })
    expect(state.loaded[0]).toEqual(['feature-extraction', 'mine', { dtype: 'q8', local_files_only: true }])
  })
})
