import { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineWriter } from '../../../src/protocol/lines.ts'
import { runs } from '../../support/runs.ts'

interface Sink {
  stream: Writable
  /** What each system call would have got. */
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

describe('who writes to a slow reader', () => {
  test('waits until it takes more, all with one listener', async () => {
    let release = (): void => {}
    const { stream } = sink(4, (done) => {
      release = done
    })
    const writer = new LineWriter(stream)
    const waits = [1, 2, 3].map(() => writer.write('12345678\n'))
    await turn()
    expect(stream.listenerCount('drain')).toBe(1)
    release()
    await Promise.all(waits)
    expect(stream.listenerCount('drain')).toBe(0)
  })

  test('waits no longer once it is closed', async () => {
    const { stream } = sink(4, () => {})
    const wait = new LineWriter(stream).write('12345678\n')
    await turn()
    stream.destroy()
    await wait
    expect(stream.listenerCount('drain')).toBe(0)
  })
})
