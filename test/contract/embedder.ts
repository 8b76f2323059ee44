/** The shared suite of all embedders. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/discovery/embed/embedder.ts'
import { ProxyError } from '../../src/protocol/errors.ts'
import { verifies } from '../support/verifies.ts'

/** The vector that the models of the tests make of a text: how often each vowel stands in it, not of length 1. */
export function vowels(text: string): number[] {
  return ['a', 'e', 'i', 'o', 'u'].map((vowel) => text.split(vowel).length - 1 + 0.01)
}

export interface OpenedEmbedder {
  embedder: Embedder
  /** From now on the model gives what it must not. */
  spoil(how: 'too few' | 'other length' | 'no numbers' | 'failure'): void
  dispose?: () => Promise<void>
}

export function embedderContract(name: string, open: () => Promise<OpenedEmbedder>): void {
  describe(`embedder contract: ${name}`, () => {
    let opened: OpenedEmbedder
    let embedder: Embedder
    beforeEach(async () => {
      opened = await open()
      embedder = opened.embedder
    })
    afterEach(async () => {
      await embedder.close()
      await opened.dispose?.()
    })

    verifies('S1.4', 'gives one vector of length 1 for each text, in their order', async () => {
      const texts = Array.from(
        { length: 300 },
        (_, at) => `${'aeiou'[at % 5]} ${'o'.repeat(at % 7)} text ${at}`,
      )
      const vectors = await embedder.embed(texts)
      expect(vectors).toHaveLength(texts.length)
      for (const [at, vector] of vectors.entries()) {
        const expected = vowels(texts[at] ?? '')
        const length = Math.hypot(...expected)
        expect([...vector]).toEqual(expected.map((value) => expect.closeTo(value / length, 5)))
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      }
    })

    test('embeds nothing, the empty text, long texts and any character', async () => {
      expect(await embedder.embed([])).toEqual([])
      const vectors = await embedder.embed(['', 'a'.repeat(1_000_000), '\u0000\ud83d', '😀'.repeat(10_000)])
      expect(vectors.map(({ length }) => length)).toEqual([5, 5, 5, 5])
    })

    test('names its model', () => {
      expect(embedder.model).toMatch(/\S/)
    })

    test.each(['too few', 'other length', 'no numbers', 'failure'] as const)(
      'says what is wrong: %s',
      async (how) => {
        await embedder.embed(['one'])
        opened.spoil(how)
        const error = await embedder.embed(['one', 'two']).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(ProxyError)
        expect(error).toMatchObject({ code: 'EMBEDDING_FAILED' })
      },
    )

    test('stops for a signal', async () => {
      await expect(embedder.embed(['one'], AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    })
  })
}
