import { expect, onTestFinished, test, vi } from 'vitest'
import type { AheadTask } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import { createAheads, createEngine, ENGINE_DEFAULTS, type Lane } from '../../../src/engine/pool.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createArrivals } from '../../../src/engine/worker.ts'
import { GrowingBytes } from '../../../src/protocol/bytes.ts'
import { bytesOf, LIMITS, NEVER, orders, textResult } from './world.ts'

// Workers start, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 })

const MB = 1024 * 1024
const HEAD = Buffer.from('{"jsonrpc":"2.0","id":1,"result":')

/** The bytes of a message that holds the result, as they arrive. */
function arrivalOf(content: Uint8Array): { growing: GrowingBytes; message: Buffer } {
  return { growing: new GrowingBytes(256 * MB), message: Buffer.concat([HEAD, content, Buffer.from('}')]) }
}

/** The result on the memory on which it arrived. */
function resultIn(growing: GrowingBytes): Uint8Array {
  return new Uint8Array(growing.buffer, 8 + HEAD.length, growing.length - HEAD.length - 1)
}

function laneWith(load: { now: number }): Lane {
  const nothing = () => expect.unreachable('the engine runs tasks')
  return {
    run: nothing,
    get load() {
      return load.now
    },
    warm: nothing,
    close: nothing,
  }
}

test('a result is looked at while it arrives, by one task at a time', async () => {
  const load = { now: 0 }
  const lane = laneWith(load)
  const tasks: AheadTask[] = []
  let answer: (read: number) => void = () => {}
  const aheads = createAheads({
    idle: () => (load.now === 0 ? lane : undefined),
    look: (at, task) => {
      expect(at).toBe(lane)
      tasks.push(task)
      return new Promise((resolve) => {
        answer = resolve
      })
    },
  })
  const growing = new GrowingBytes(256 * MB)
  const grown = aheads.arriving(growing, HEAD.length)
  const more = (bytes: number): void => {
    growing.append(new Uint8Array(bytes))
    grown()
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  more(MB - 1)
  expect(tasks).toEqual([])
  expect(aheads.of(resultIn(growing))).toBeUndefined()
  load.now = 1
  more(1)
  expect(tasks).toEqual([])
  load.now = 0
  more(1)
  const task = { kind: 'ahead', id: 1, buffer: growing.buffer, start: HEAD.length }
  expect(tasks).toEqual([task])
  load.now = 1
  more(MB)
  expect(tasks).toHaveLength(1)
  expect(aheads.of(resultIn(growing))).toEqual({ id: 1, lane })
  expect(aheads.of(resultIn(growing).subarray(1))).toBeUndefined()
  // Something else waits for the worker as well.
  load.now = 2
  expect(aheads.of(resultIn(growing))).toBeUndefined()
  load.now = 0
  answer(2 * MB)
  await settled()
  more(1)
  expect(tasks).toHaveLength(1)
  more(MB)
  expect(tasks).toEqual([task, task])
  answer(-1)
  await settled()
  more(9 * MB)
  expect(tasks).toHaveLength(2)
})

test('a look that failed is not taken again', async () => {
  let looks = 0
  const lane = laneWith({ now: 0 })
  const aheads = createAheads({
    idle: () => lane,
    look: () => {
      looks += 1
      return Promise.reject(new Error('the worker is gone'))
    },
  })
  const growing = new GrowingBytes(256 * MB)
  const grown = aheads.arriving(growing, 0)
  for (let turn = 0; turn < 3; turn++) {
    growing.append(new Uint8Array(2 * MB))
    grown()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(looks).toBe(1)
})

test('a worker reads what has arrived, and a digest goes on from there', () => {
  const content = bytesOf(textResult(JSON.stringify(orders(12_000))))
  const { growing, message } = arrivalOf(content)
  const arrivals = createArrivals()
  const task = { kind: 'ahead', id: 7, start: HEAD.length } as const
  let read = 0
  for (let from = 0; from < message.length; from += 65_536) {
    growing.append(message.subarray(from, from + 65_536))
    const now = arrivals.read({ ...task, buffer: growing.buffer })
    expect(now).toBeGreaterThanOrEqual(read)
    expect(now).toBeLessThanOrEqual(growing.length)
    read = now
  }
  expect(read).toBeGreaterThan(message.length / 2)
  expect(arrivals.take(6)).toBeUndefined()
  const begun = arrivals.take(7)
  expect(begun?.scan).toBeDefined()
  expect(arrivals.take(7)).toBeUndefined()
  const arrival = { content: resultIn(growing), tool: 'shop_orders' }
  const ahead = digest(createViews(), arrival, LIMITS, begun)
  expect(ahead).toEqual(digest(createViews(), { ...arrival, content }, LIMITS))
  expect(ahead.unopened).toBe(true)
})

test('what cannot be read so waits until all is there', () => {
  const { growing, message } = arrivalOf(bytesOf(textResult('word '.repeat(300_000))))
  growing.append(message)
  const arrivals = createArrivals()
  expect(arrivals.read({ kind: 'ahead', id: 1, buffer: growing.buffer, start: HEAD.length })).toBe(-1)
  expect(arrivals.take(1)?.scan).toBeUndefined()
})

test('of several that arrive at once the last one is read', () => {
  const one = arrivalOf(bytesOf(textResult(JSON.stringify(orders(9000)))))
  const other = arrivalOf(bytesOf(textResult(JSON.stringify(orders(8000)))))
  const arrivals = createArrivals()
  one.growing.append(one.message)
  other.growing.append(other.message)
  for (const [id, { growing }] of [one, other].entries())
    expect(arrivals.read({ kind: 'ahead', id, buffer: growing.buffer, start: HEAD.length })).toBeGreaterThan(
      0,
    )
  expect(arrivals.take(0)).toBeUndefined()
  expect(arrivals.take(1)?.scan).toBeDefined()
})

test('a digest is the same whether the result was seen to arrive or not', async () => {
  const engine = createEngine({ ...ENGINE_DEFAULTS, queryTimeout: 300_000 })
  onTestFinished(() => engine.close())
  const content = bytesOf(textResult(JSON.stringify(orders(60_000))))
  const { growing, message } = arrivalOf(content)
  const grown = engine.arriving(growing, HEAD.length)
  for (let from = 0; from < message.length; from += 65_536) {
    growing.append(message.subarray(from, from + 65_536))
    grown()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const seen = await engine.digest({ content: resultIn(growing), tool: 'shop_orders' }, LIMITS, NEVER)
  expect(seen).toEqual(await engine.digest({ content, tool: 'shop_orders' }, LIMITS, NEVER))
  expect(seen.shaped?.text.join('')).toContain('60,000 records')
})
