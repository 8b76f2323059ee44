import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Engine, Query, ReadAheadTask } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import {
  createEngine,
  createIdle,
  createReadAheads,
  ENGINE_DEFAULTS,
  type EngineOptions,
} from '../../../src/engine/pool.ts'
import type { Worker } from '../../../src/engine/process.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createArrivals } from '../../../src/engine/worker.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { GrowingBytes } from '../../../src/protocol/stream.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'
import { bytesOf, jsonResult, LIMITS, NEVER, orders, sourceOf, textResult } from './world.ts'

const hostile = new URL('./hostile-worker.js', import.meta.url)

function engine(changes: Partial<EngineOptions> = {}): Engine {
  const made = createEngine({ ...ENGINE_DEFAULTS, workers: 1, queryTimeout: 300_000, ...changes })
  onTestFinished(() => made.close())
  return made
}

/** A query with orders for the hostile worker. */
function asking(orders: JsonObject = {}): Query {
  return { kind: 'filter', params: { aggregate: 'count', ...orders }, budget: 2000 }
}

/** A file that a worker writes, or waits for. */
const flag = (): string => join(temporaryFolder(), 'flag')

async function raised(file: string): Promise<void> {
  await expect.poll(() => existsSync(file)).toBe(true)
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
  const one = engine({ worker: hostile, queryTimeout: 2000 })
  const source = sourceOf(jsonResult(orders(30)))
  const before = Buffer.from(source.content).toString('hex')
  const stuck = one.query([source], asking({ forever: true }), NEVER)
  const waiting = one.query([source], asking(), NEVER)
  await expect(stuck).rejects.toMatchObject({
    code: 'QUERY_TIMEOUT',
    message: expect.stringContaining('longer than 2 s and was stopped at this step: the filter'),
    next: expect.stringContaining('narrower path'),
  })
  expect((await waiting).text.join('')).toContain('{"count":30}')
  expect(Buffer.from(source.content).toString('hex')).toBe(before)
})

test('a query that takes too much memory fails alone', async () => {
  const one = engine({ worker: hostile, heapMb: 64 })
  const source = sourceOf(jsonResult(orders(30)))
  const greedy = one.query([source], asking({ hoard: true }), NEVER)
  const waiting = one.query([source], asking(), NEVER)
  await expect(greedy).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: expect.stringContaining('more memory than it may have'),
    next: expect.stringContaining('smaller part'),
  })
  expect((await waiting).text.join('')).toContain('{"count":30}')
})

test('a cancelled query frees its worker, and waiting queries are answered', async () => {
  const one = engine({ worker: hostile })
  const source = sourceOf(jsonResult(orders(30)))
  const cancel = new AbortController()
  const begun = flag()
  const stuck = one.query([source], asking({ begun, forever: true }), cancel.signal)
  const waiting = one.query([source], asking(), NEVER)
  await raised(begun)
  cancel.abort()
  await expect(stuck).rejects.toMatchObject({ code: 'CANCELLED' })
  expect((await waiting).text.join('')).toContain('{"count":30}')
})

test('two results are asked about in parallel in two workers', async () => {
  const two = engine({ worker: hostile, workers: 2 })
  const [first, second] = [flag(), flag()]
  // Each query ends only when the other has begun.
  const answers = await Promise.all([
    two.query([sourceOf(jsonResult(orders(10)))], asking({ begun: first, together: second }), NEVER),
    two.query([sourceOf(jsonResult(orders(20)))], asking({ begun: second, together: first }), NEVER),
  ])
  expect(answers.map(({ text }) => /"count":(\d+)/.exec(text.join(''))?.[1])).toEqual(['10', '20'])
})

test('what a worker has open is not sent again, and is sent when it is not open any more', async () => {
  const one = engine()
  const source = sourceOf(jsonResult(orders(300)))
  const count = async (): Promise<string> => (await one.query([source], asking(), NEVER)).text.join('')
  expect(await count()).toContain('{"count":300}')
  const sent = { ...source, content: new Uint8Array(source.content) }
  source.content = new Uint8Array()
  // Only because it is open there.
  expect(await count()).toContain('{"count":300}')
  // Pushes the first one out.
  const room = 5
  for (let n = 0; n < room; n++)
    await one.query([sourceOf(textResult(`${n}`.repeat(8_000_000)))], asking(), NEVER)
  source.content = sent.content
  expect(await count()).toContain('{"count":300}')
})

test('closing ends running queries and refuses new ones', async () => {
  const one = engine({ worker: hostile })
  one.warm()
  const begun = flag()
  const source = sourceOf(jsonResult(orders(3)))
  const stuck = expect(one.query([source], asking({ begun, forever: true }), NEVER)).rejects.toMatchObject({
    code: 'CANCELLED',
  })
  await raised(begun)
  await one.close()
  await stuck
  await expect(one.countTokens(['x'])).rejects.toMatchObject({ code: 'CANCELLED' })
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

const idleWorker = { isGone: false } as Worker

test('a result is looked at while it arrives, by one task at a time', async () => {
  const load = { now: 0 }
  const tasks: ReadAheadTask[] = []
  let answer: (read: number) => void = () => {}
  const readAheads = createReadAheads({
    free: () => (load.now === 0 ? idleWorker : undefined),
    load: () => load.now,
    look: (at, task) => {
      expect(at).toBe(idleWorker)
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
  const sent = (): number[] => tasks.map(({ bytes }) => bytes.byteLength)
  more(MB - 1)
  expect(tasks).toEqual([])
  expect(readAheads.of(resultIn(growing))).toBeUndefined()
  load.now = 1
  more(1)
  expect(tasks).toEqual([])
  load.now = 0
  more(1)
  expect(tasks).toMatchObject([{ kind: 'read-ahead', id: 1, start: HEAD.length }])
  expect(sent()).toEqual([MB + 1])
  load.now = 1
  more(MB)
  expect(tasks).toHaveLength(1)
  const result = resultIn(growing)
  expect(readAheads.of(result)).toMatchObject({ id: 1, worker: idleWorker })
  // The rest has the bytes that were not sent yet.
  expect(readAheads.of(result)?.rest.byteLength).toBe(result.byteLength - (MB + 1 - HEAD.length))
  expect(readAheads.of(result.subarray(1))).toBeUndefined()
  // Something else runs in the worker as well.
  load.now = 2
  expect(readAheads.of(resultIn(growing))).toBeUndefined()
  load.now = 0
  answer(2 * MB)
  await settled()
  more(1)
  expect(tasks).toHaveLength(1)
  more(MB)
  expect(sent()).toEqual([MB + 1, 2 * MB + 1])
  answer(-1)
  await settled()
  more(9 * MB)
  expect(tasks).toHaveLength(2)
})

test('a look that failed is not taken again', async () => {
  let looks = 0
  const readAheads = createReadAheads({
    free: () => idleWorker,
    load: () => 0,
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
  const task = { id: 7, start: HEAD.length }
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

test('an unreadable part is received, and waits for the complete result', () => {
  const { growing, message } = arrivalOf(bytesOf(textResult('word '.repeat(300_000))))
  growing.append(message)
  const arrivals = createArrivals()
  expect(arrivals.read({ id: 1, buffer: growing.buffer, start: HEAD.length })).toBe(message.length)
  expect(arrivals.take(1)?.finish(bytesOf(textResult('x')))).toBeUndefined()
})

test('of several that arrive at once the last one is read', () => {
  const one = arrivalOf(bytesOf(textResult(JSON.stringify(orders(9000)))))
  const other = arrivalOf(bytesOf(textResult(JSON.stringify(orders(8000)))))
  const arrivals = createArrivals()
  one.growing.append(one.message)
  other.growing.append(other.message)
  for (const [id, { growing }] of [one, other].entries())
    expect(arrivals.read({ id, buffer: growing.buffer, start: HEAD.length })).toBeGreaterThan(0)
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
