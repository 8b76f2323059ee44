import { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DiscardedLine,
  EDGE_BYTES,
  edgeOfEnd,
  edgeOfStart,
  LineReader,
  LineWriter,
} from '../../../src/protocol/stream.ts'
import { readingRuns, runs } from '../../support/runs.ts'

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
      { numRuns: readingRuns },
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

interface Sink {
  stream: Writable
  /** The text that each system call would have got. */
  calls: string[]
}

/** `hold`: what is written stays unread until it is called. */
function sink(highWaterMark = 1024, hold?: (release: () => void) => void): Sink {
  const calls: string[] = []
  const take = (text: string, done: () => void): void => {
    calls.push(text)
    if (hold) hold(done)
    else done()
  }
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => take(String(chunk), done),
    writev: (chunks, done) => take(chunks.map(({ chunk }) => String(chunk)).join(''), done),
  })
  return { stream, calls }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('lines', () => {
  test('of one turn of the event loop go out at once, those of the next by themselves', async () => {
    const { stream, calls } = sink()
    const writer = new LineWriter(stream)
    void writer.write('a\n')
    await Promise.resolve()
    void writer.write('b', Buffer.from('c'), '\n')
    expect(calls).toEqual([])
    await turn()
    void writer.write('d\n')
    await turn()
    expect(calls).toEqual(['a\nbc\n', 'd\n'])
  })

  test('are written in their order, every byte of them, whatever the turns', async () => {
    const lines = fc.array(fc.record({ text: fc.string(), bytes: fc.boolean(), wait: fc.boolean() }))
    await fc.assert(
      fc.asyncProperty(lines, async (all) => {
        const { stream, calls } = sink(16)
        const writer = new LineWriter(stream)
        for (const { text, bytes, wait } of all) {
          void writer.write(bytes ? Buffer.from(text) : text, '\n')
          if (wait) await turn()
        }
        await turn()
        expect(calls.join('')).toBe(all.map(({ text }) => `${text}\n`).join(''))
      }),
      { numRuns: runs(50) },
    )
  })

  test('gathered so far are handed over when somebody cannot wait for the turn to end', () => {
    const { stream, calls } = sink()
    const writer = new LineWriter(stream)
    void writer.write('a\n')
    writer.flush()
    expect(calls).toEqual(['a\n'])
  })
})

describe('a writer with a slow reader', () => {
  test('waits until it takes more, all with one listener', async () => {
    let release = (): void => {}
    const { stream } = sink(4, (done) => {
      release = done
    })
    const writer = new LineWriter(stream)
    void writer.write('12345678\n')
    await turn()
    let waiting = 3
    const waits = [1, 2, 3].map(() => writer.write('12345678\n').then(() => waiting--))
    await turn()
    expect([stream.listenerCount('drain'), waiting]).toEqual([1, 3])
    release()
    await turn()
    release()
    await Promise.all(waits)
    expect(stream.listenerCount('drain')).toBe(0)
  })

  test('waits no longer once it is closed', async () => {
    const { stream } = sink(4, () => {})
    const writer = new LineWriter(stream)
    void writer.write('12345678\n')
    await turn()
    const wait = writer.write('9\n')
    stream.destroy()
    await wait
    expect(stream.listenerCount('drain')).toBe(0)
  })
})
