import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EDGE_BYTES, edgeOfEnd, edgeOfStart } from '../../../src/protocol/bytes.ts'
import { type DiscardedLine, LineReader } from '../../../src/protocol/lines.ts'

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  const edges = [0, ...at, bytes.length]
  return edges.slice(1).map((end, i) => bytes.subarray(edges[i], end))
}

function read(
  chunks: readonly Buffer[],
  maxBytes: number,
): { lines: string[]; discarded: DiscardedLine[]; rest: number } {
  const lines: string[] = []
  const discarded: DiscardedLine[] = []
  const reader = new LineReader({
    maxBytes,
    onLine: (parts, length) => {
      const line = Buffer.concat(parts)
      expect(line.length).toBe(length)
      lines.push(line.toString('utf8'))
    },
    onDiscarded: (line) => discarded.push(line),
  })
  for (const chunk of chunks) reader.push(chunk)
  return { lines, discarded, rest: reader.unfinished }
}

const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\n', ' '))

describe('line reader', () => {
  test('any chunking gives the same lines, also through characters of several bytes', () => {
    fc.assert(
      fc.property(fc.array(line), line, fc.array(fc.nat(), { maxLength: 60 }), (lines, rest, places) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join('') + rest)
        const result = read(cut(bytes, places), 1000)
        expect(result.lines).toEqual(
          lines.filter((one) => one !== '').map((one) => Buffer.from(one).toString()),
        )
        expect(result.rest).toBe(Buffer.byteLength(rest))
        expect(result.discarded).toEqual([])
      }),
    )
  })

  test('a line over the ceiling is discarded whatever the chunking, its neighbours are not', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(60), { minLength: 1 }),
        fc.array(fc.nat(), { maxLength: 60 }),
        (lengths, places) => {
          const lines = lengths.map((length, i) => String(i % 10).repeat(length))
          const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''))
          const result = read(cut(bytes, places), 30)
          expect(result.lines).toEqual(lines.filter((one) => one.length > 0 && one.length <= 30))
          expect(result.discarded.map(({ length }) => length)).toEqual(
            lengths.filter((length) => length > 30),
          )
          for (const { head, tail, length } of result.discarded) {
            expect(tail.length).toBe(Math.min(length, EDGE_BYTES))
            expect(head.length).toBeGreaterThan(30)
          }
        },
      ),
    )
  })

  test('bytes that come one at a time are put together', () => {
    const text = 'abcdefghij'.repeat(600)
    const chunks = [...Buffer.from(`${text}\n`)].map((byte) => Buffer.from([byte]))
    expect(read(chunks, 1e6).lines).toEqual([text])
  })

  test('edges are the first and last bytes of any list of chunks', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 2000 }),
        fc.array(fc.nat(), { maxLength: 9 }),
        (array, places) => {
          const bytes = Buffer.from(array)
          const parts = cut(bytes, places)
          expect(edgeOfStart(parts)).toEqual(bytes.subarray(0, EDGE_BYTES))
          expect(edgeOfEnd(parts)).toEqual(bytes.subarray(Math.max(0, bytes.length - EDGE_BYTES)))
        },
      ),
    )
  })
})
