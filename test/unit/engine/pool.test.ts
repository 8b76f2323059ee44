import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Engine, Query, ReadAheadTask } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import {
  createEngine,
  createIdle,
  createReadAheads,
  createWorkerQueue,
  ENGINE_DEFAULTS,
  type EngineOptions,
  type QueueOptions,
  type WorkerQueue,
} from '../../../src/engine/pool.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createArrivals } from '../../../src/engine/worker.ts'
import { GrowingBytes } from '../../../src/protocol/bytes.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'
import { bytesOf, jsonResult, LIMITS, NEVER, orders, sourceOf, textResult } from './world.ts'

const hostile = new URL('./hostile-worker.js', import.meta.url)

function engine(changes: Partial<EngineOptions> = {}): Engine {
  const made = createEngine({ ...ENGINE_DEFAULTS, workers: 1, queryTimeout: 300_000, ...changes })
  onTestFinished(() => made.close())
  return made
}

/** A query that also carries shared memory for the hostile worker. */
function asking(shared: Record<string, Int32Array> = {}): Query {
  return { kind: 'filter', params: { aggregate: 'count', ...shared } as unknown as JsonObject, budget: 2000 }
}

const flag = (): Int32Array => new Int32Array(new SharedArrayBuffer(4))

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

verifies('S3.7', 'a 12 MB result on a single line is digested while the event loop turns', async () => {
  const one = engine()
  const content = bytesOf(textResult(JSON.stringify(orders(90_000))))
  expect(content.byteLength).toBeGreaterThan(12_000_000)
  let turns = 0
  const digesting = one.digest({ content, tool: 'shop_orders' }, LIMITS, NEVER).finally(() => {
    turns = -turns
  })
  while (turns >= 0) {
    turns++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(-turns).toBeGreaterThan(20)
  const { shaped, characters } = await digesting
  expect(characters).toBeGreaterThan(11_000_000)
  expect(shaped?.text.join('')).toContain('90,000 records')
})

verifies('S3.43', 'digest, query and the answer of a query work over the border', async () => {
  const one = engine()
  const source = sourceOf(jsonResult(orders(300)))
  const { hash } = await one.digest(source, LIMITS, NEVER)
  expect(hash).toBe(source.hash)
  const answer = await one.query(
    [source],
    { kind: 'filter', params: { where: ['id >= 100'], fields: ['id', 'note'], limit: 300 }, budget: 2000 },
    NEVER,
  )
  const whole = {
    handle: 'bbbbbbbbbbbb',
    tool: 'proxy_filter',
    ...answer.whole,
    content: answer.whole?.content ?? new Uint8Array(),
  }
  const second = await one.query([{ hash: '', ...whole }], asking(), NEVER)
  expect(second.text.join('')).toContain('{"count":200}')
  one.forget(hash)
  const third = await one.query([source], asking(), NEVER)
  expect(third.text.join('')).toContain('{"count":300}')
})

test('counts tokens', async () => {
  expect(await engine().countTokens(['hello world', ''])).toEqual([2, 0])
})

test('a query that runs for ever is stopped; the next one works and the kept result is unchanged', async () => {
  // By this clock nothing but the query that runs for ever takes any time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const one = engine({ worker: hostile, queryTimeout: 2000 })
  const source = sourceOf(jsonResult(orders(30)))
  const before = Buffer.from(source.content).toString('hex')
  const forever = flag()
  const stuck = one.query([source], asking({ forever }), NEVER)
  const waiting = one.query([source], asking(), NEVER)
  await until(() => forever[0] === 1)
  vi.advanceTimersByTime(2000)
  await expect(stuck).rejects.toMatchObject({
    code: 'QUERY_TIMEOUT',
    message: expect.stringContaining('longer than 2 s'),
    next: expect.stringContaining('narrower path'),
  })
  expect((await waiting).text.join('')).toContain('{"count":30}')
  expect(Buffer.from(source.content).toString('hex')).toBe(before)
})

test('a cancelled query frees its queue, and those that wait are answered', async () => {
  const one = engine({ worker: hostile })
  const source = sourceOf(jsonResult(orders(30)))
  const cancel = new AbortController()
  const forever = flag()
  const stuck = one.query([source], asking({ forever }), cancel.signal)
  const waiting = one.query([source], asking(), NEVER)
  await until(() => forever[0] === 1)
  cancel.abort()
  await expect(stuck).rejects.toMatchObject({ code: 'CANCELLED' })
  expect((await waiting).text.join('')).toContain('{"count":30}')
})

test('two results are asked about in parallel on two queues', async () => {
  const two = engine({ worker: hostile, workers: 2 })
  const together = flag()
  // Each query ends only when the other has begun.
  const answers = await Promise.all([
    two.query([sourceOf(jsonResult(orders(10)))], asking({ together }), NEVER),
    two.query([sourceOf(jsonResult(orders(20)))], asking({ together }), NEVER),
  ])
  expect(answers.map(({ text }) => /"count":(\d+)/.exec(text.join(''))?.[1])).toEqual(['10', '20'])
})

test('closing ends running queries and refuses new ones', async () => {
  const one = engine({ worker: hostile })
  one.warm()
  const forever = flag()
  const source = sourceOf(jsonResult(orders(3)))
  const stuck = expect(one.query([source], asking({ forever }), NEVER)).rejects.toMatchObject({
    code: 'CANCELLED',
  })
  await until(() => forever[0] === 1)
  await one.close()
  await stuck
  await expect(one.countTokens(['x'])).rejects.toMatchObject({ code: 'CANCELLED' })
})

const worker = new URL('./unruly-worker.js', import.meta.url)

function queue(changes: Partial<QueueOptions> = {}): WorkerQueue {
  const made = createWorkerQueue({ worker, timeLimit: 60_000, ...changes })
  onTestFinished(() => made.close())
  return made
}

test('runs tasks one after the other in the same worker', async () => {
  const one = queue()
  const answers = await Promise.all([1, 2, 3].map((echo) => one.run({ echo })))
  expect(answers).toEqual([1, 2, 3].map((echo) => ({ echo, ran: echo })))
  expect(one.load).toBe(0)
})

test('stops an endless task and runs waiting tasks on a new worker', async () => {
  // By this clock nothing but the task that runs for ever takes any time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const one = queue({ timeLimit: 300 })
  await one.run({ echo: 'first' })
  const started = new SharedArrayBuffer(4)
  const spinning = one.run({ signal: started, spin: true })
  const waiting = one.run({ echo: 'waited' })
  await until(() => new Int32Array(started)[0] === 1)
  vi.advanceTimersByTime(300)
  await expect(spinning).rejects.toMatchObject({
    code: 'QUERY_TIMEOUT',
    message: expect.stringContaining('0.3 s'),
  })
  expect(await waiting).toEqual({ echo: 'waited', ran: 1 })
})

test('runs urgent tasks before waiting ones, in order', async () => {
  const one = queue()
  const [started, gate] = [new SharedArrayBuffer(4), new SharedArrayBuffer(4)]
  const running = one.run({ signal: started, waitFor: gate })
  const order: string[] = []
  const note = (name: string, urgent: boolean): Promise<unknown> =>
    one.run({ echo: name }, undefined, urgent).then(() => order.push(name))
  const waiting = [note('a', false), note('b', true), note('c', false), note('d', true)]
  await until(() => new Int32Array(started)[0] === 1)
  Atomics.store(new Int32Array(gate), 0, 1)
  Atomics.notify(new Int32Array(gate), 0)
  await Promise.all([running, ...waiting])
  expect(order).toEqual(['b', 'd', 'a', 'c'])
  expect(one.load).toBe(0)
})

test('cancelling frees the queue, and fails no other call', async () => {
  const one = queue()
  const cancel = new AbortController()
  const started = new SharedArrayBuffer(4)
  const spinning = one.run({ signal: started, waitFor: new SharedArrayBuffer(4) }, cancel.signal)
  const waiting = one.run({ echo: 'waited' })
  await until(() => new Int32Array(started)[0] === 1)
  cancel.abort()
  await expect(spinning).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(await waiting).toEqual({ echo: 'waited', ran: 1 })
})

test('a call that waits is cancelled at once and never runs', async () => {
  const one = queue()
  const [started, gate] = [new SharedArrayBuffer(4), new SharedArrayBuffer(4)]
  const running = one.run({ signal: started, waitFor: gate })
  const cancel = new AbortController()
  const waiting = one.run({ echo: 'never' }, cancel.signal)
  await until(() => new Int32Array(started)[0] === 1)
  cancel.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  const after = one.run({ echo: 'after' })
  Atomics.store(new Int32Array(gate), 0, 1)
  Atomics.notify(new Int32Array(gate), 0)
  expect(await running).toEqual({ echo: null, ran: 1 })
  expect(await after).toEqual({ echo: 'after', ran: 2 })
})

test('a call cancelled before it came runs nothing', async () => {
  await expect(queue().run({ echo: 1 }, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('an error in a task fails its call with the message', async () => {
  const one = queue()
  await expect(one.run({ fail: 'no such thing' })).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: expect.stringContaining('no such thing'),
  })
  expect(await one.run({ echo: 1 })).toEqual({ echo: 1, ran: 2 })
})

test('a worker that runs out of memory fails that call alone', async () => {
  const one = queue({ maxOldGenerationMb: 32 })
  const hoarding = one.run({ hoard: true })
  const waiting = one.run({ echo: 'waited' })
  await expect(hoarding).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: expect.stringContaining('memory'),
  })
  expect(await waiting).toEqual({ echo: 'waited', ran: 1 })
})

test('a worker that cannot start fails the call and does not hang', async () => {
  const broken = queue({ worker: new URL('./no-such-worker.js', import.meta.url) })
  await expect(broken.run({ echo: 1 })).rejects.toMatchObject({ code: 'QUERY_FAILED' })
  await expect(broken.run({ echo: 2 })).rejects.toMatchObject({ code: 'QUERY_FAILED' })
})

verifies('S1.51', 'closing stops running and waiting tasks', async () => {
  const one = queue()
  const [started, waitFor] = [new SharedArrayBuffer(4), new SharedArrayBuffer(4)]
  const calls = [one.run({ signal: started, waitFor }), one.run({ echo: 2 })]
  const outcomes = Promise.allSettled(calls)
  await until(() => new Int32Array(started)[0] === 1)
  await one.close()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'CANCELLED' } })
  await expect(one.run({ echo: 3 })).rejects.toMatchObject({ code: 'CANCELLED' })
})

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

function queueWith(load: { now: number }): WorkerQueue {
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
  const queue = queueWith(load)
  const tasks: ReadAheadTask[] = []
  let answer: (read: number) => void = () => {}
  const readAheads = createReadAheads({
    free: () => (load.now === 0 ? queue : undefined),
    look: (at, task) => {
      expect(at).toBe(queue)
      tasks.push(task)
      return new Promise((resolve) => {
        answer = resolve
      })
    },
  })
  const growing = new GrowingBytes(256 * MB)
  const grown = readAheads.arriving(growing, HEAD.length)
  const more = (bytes: number): void => {
    growing.append(new Uint8Array(bytes))
    grown()
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  more(MB - 1)
  expect(tasks).toEqual([])
  expect(readAheads.of(resultIn(growing))).toBeUndefined()
  load.now = 1
  more(1)
  expect(tasks).toEqual([])
  load.now = 0
  more(1)
  const task = { kind: 'read-ahead', id: 1, buffer: growing.buffer, start: HEAD.length }
  expect(tasks).toEqual([task])
  load.now = 1
  more(MB)
  expect(tasks).toHaveLength(1)
  expect(readAheads.of(resultIn(growing))).toEqual({ id: 1, queue })
  expect(readAheads.of(resultIn(growing).subarray(1))).toBeUndefined()
  // Something else waits for the worker as well.
  load.now = 2
  expect(readAheads.of(resultIn(growing))).toBeUndefined()
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
  const queue = queueWith({ now: 0 })
  const readAheads = createReadAheads({
    free: () => queue,
    look: () => {
      looks += 1
      return Promise.reject(new Error('the worker is gone'))
    },
  })
  const growing = new GrowingBytes(256 * MB)
  const grown = readAheads.arriving(growing, 0)
  for (let turn = 0; turn < 3; turn++) {
    growing.append(new Uint8Array(2 * MB))
    grown()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(looks).toBe(1)
})

test('a worker reads the part that has arrived, and the digest continues from there', () => {
  const content = bytesOf(textResult(JSON.stringify(orders(12_000))))
  const { growing, message } = arrivalOf(content)
  const arrivals = createArrivals()
  const task = { kind: 'read-ahead', id: 7, start: HEAD.length } as const
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
  expect(begun).toBeDefined()
  expect(arrivals.take(7)).toBeUndefined()
  const arrival = { content: resultIn(growing), tool: 'shop_orders' }
  const ahead = digest(createViews(), arrival, LIMITS, begun)
  expect(ahead).toEqual(digest(createViews(), { ...arrival, content }, LIMITS))
  expect(ahead.unopened).toBe(true)
})

test('an unreadable part waits for the complete result', () => {
  const { growing, message } = arrivalOf(bytesOf(textResult('word '.repeat(300_000))))
  growing.append(message)
  const arrivals = createArrivals()
  expect(arrivals.read({ kind: 'read-ahead', id: 1, buffer: growing.buffer, start: HEAD.length })).toBe(-1)
  expect(arrivals.take(1)?.finish(bytesOf(textResult('x')))).toBeUndefined()
})

test('of several that arrive at once the last one is read', () => {
  const one = arrivalOf(bytesOf(textResult(JSON.stringify(orders(9000)))))
  const other = arrivalOf(bytesOf(textResult(JSON.stringify(orders(8000)))))
  const arrivals = createArrivals()
  one.growing.append(one.message)
  other.growing.append(other.message)
  for (const [id, { growing }] of [one, other].entries())
    expect(
      arrivals.read({ kind: 'read-ahead', id, buffer: growing.buffer, start: HEAD.length }),
    ).toBeGreaterThan(0)
  expect(arrivals.take(0)).toBeUndefined()
  expect(arrivals.take(1)).toBeDefined()
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

describe('work that waits for a quiet moment', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('work is done once, when nothing was asked for a while', () => {
    const idle = createIdle(100)
    const done: string[] = []
    idle.later('open', () => done.push('first'))
    vi.advanceTimersByTime(99)
    idle.disturb()
    vi.advanceTimersByTime(99)
    expect(done).toEqual([])
    vi.advanceTimersByTime(1)
    expect(done).toEqual(['first'])
    idle.disturb()
    vi.advanceTimersByTime(1000)
    expect(done).toEqual(['first'])
  })

  test('of one place the last work is done, of another its own', () => {
    const idle = createIdle(100)
    const done: string[] = []
    idle.later('open', () => done.push('first'))
    idle.later('rehearse', () => done.push('rehearsed'))
    idle.later('open', () => done.push('second'))
    vi.advanceTimersByTime(100)
    expect(done.sort()).toEqual(['rehearsed', 'second'])
  })

  test('nothing is done after it was closed', () => {
    const idle = createIdle(100)
    const work = vi.fn()
    idle.later('open', work)
    idle.close()
    vi.advanceTimersByTime(1000)
    expect(work).not.toHaveBeenCalled()
  })
})
