import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openTable, type WordVectors, wordVectors } from '../../../src/discovery/word-vectors.ts'

/** A file as `scripts/static-vectors/make.py` writes it; two dimensions. */
function table(rows: Record<string, readonly [number, number]>, scale = 0.5): Buffer {
  const words = Buffer.from(Object.keys(rows).join('\n'))
  const padded = Buffer.concat([words, Buffer.alloc((4 - (words.length % 4)) % 4, '\n')])
  const head = Buffer.alloc(12)
  head.writeUInt32LE(Object.keys(rows).length, 0)
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(padded.length, 8)
  const scales = Buffer.alloc(4 * Object.keys(rows).length)
  for (const at of Object.keys(rows).keys()) scales.writeFloatLE(scale, 4 * at)
  const numbers = Buffer.from(Object.values(rows).map(([one, other]) => (one + 7) | ((other + 7) << 4)))
  return Buffer.concat([head, padded, scales, numbers])
}

function vectorOf({ dimensions, add }: WordVectors, word: string, weight = 1): number[] {
  const sum = new Float32Array(dimensions)
  add(word, weight, sum)
  return [...sum]
}

describe('a table of vectors', () => {
  const small = openTable(table({ cat: [2, -7], '##s': [1, 1], ca: [5, 5], '##': [3, 3], '#': [4, 4] }))

  test('gives the sum of the longest pieces of a word, times its weight', () => {
    expect(vectorOf(small, 'cat')).toEqual([1, -3.5])
    expect(vectorOf(small, 'cats')).toEqual([1.5, -3])
    expect(vectorOf(small, 'cats', 2)).toEqual([3, -6])
  })

  test('knows nothing of a word with a rest that is no piece, nor of a long one', () => {
    for (const word of ['dog', 'cab', 'catx', '', 'cat'.repeat(1000)])
      expect(vectorOf(small, word)).toEqual([0, 0])
  })

  test('lies over another: a piece that both have is that of the second, and words may have pieces of both', () => {
    const both = openTable(table({ cat: [2, -7], '##s': [1, 1] }), table({ cat: [1, 1], größe: [3, 3] }, 1))
    expect(vectorOf(both, 'cat')).toEqual([1, 1])
    expect(vectorOf(both, 'cats')).toEqual([1.5, 1.5])
    expect(vectorOf(both, 'größe')).toEqual([3, 3])
    expect(vectorOf(small, 'größe')).toEqual([0, 0])
  })

  test('is refused when it is damaged', () => {
    const file = table({ cat: [1, 1] })
    expect(() => openTable(file.subarray(0, file.length - 1))).toThrow('damaged')
    expect(() => openTable(Buffer.alloc(5))).toThrow()
    expect(() => openTable(file, file.subarray(1))).toThrow()
  })
})

const cosineIn = (all: WordVectors) => (one: string, other: string) => {
  const [a, b] = [vectorOf(all, one), vectorOf(all, other)]
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

test.each(['static-vectors.bin', 'static-vectors-languages.bin'])(
  '%s is the one that its README describes, and small',
  (name) => {
    const sum = createHash('sha256')
      .update(readFileSync(`data/${name}`))
      .digest('hex')
    expect(readFileSync('scripts/static-vectors/README.md', 'utf8')).toContain(sum)
    expect(statSync(`data/${name}`).size).toBeLessThanOrEqual(2_200_000)
  },
)

describe('the table of the package', () => {
  const all = wordVectors()
  const cosine = cosineIn(all)

  test('has words that mean nearly the same nearer than others', () => {
    for (const [word, near, far] of [
      ['delete', 'remove', 'weather'],
      ['message', 'letter', 'volcano'],
      ['photo', 'picture', 'database'],
    ] as const)
      expect(cosine(word, near), word).toBeGreaterThan(cosine(word, far) + 0.2)
  })

  test('reads any word, and changes nothing beside its place', () => {
    fc.assert(
      fc.property(fc.string(), (word) => {
        const sum = new Float32Array(3 * all.dimensions).fill(1)
        all.add(word, 1, sum, all.dimensions)
        expect(sum.every(Number.isFinite)).toBe(true)
        expect(sum.subarray(0, all.dimensions).every((value) => value === 1)).toBe(true)
        expect(sum.subarray(2 * all.dimensions).every((value) => value === 1)).toBe(true)
      }),
    )
  })
})

describe('the table of several languages', () => {
  const several = wordVectors('several')
  const cosine = cosineIn(several)

  test.each([
    ['datei', 'file', 'weather'],
    ['loschen', 'delete', 'invoice'],
    ['nachricht', 'message', 'volcano'],
    ['archivo', 'file', 'weather'],
    ['correo', 'mail', 'photo'],
    ['fichier', 'file', 'weather'],
    ['supprimer', 'delete', 'invoice'],
    ['messaggio', 'message', 'volcano'],
    ['arquivo', 'file', 'weather'],
  ])('has %s nearer to %s than to %s', (word, near, far) => {
    expect(cosine(word, near)).toBeGreaterThan(cosine(word, far) + 0.4)
  })

  test('is read when it is asked for, once', () => {
    expect(wordVectors('several')).toBe(several)
    expect(vectorOf(wordVectors(), 'nachricht')).not.toEqual(vectorOf(several, 'nachricht'))
  })
})
