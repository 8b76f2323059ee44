import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLane, type Lane, type LaneOptions } from '../../../src/engine/pool.ts'
import { verifies } from '../../support/verifies.ts'

const worker = new URL('./unruly-worker.js', import.meta.url)

function lane(changes: Partial<LaneOptions> = {}): Lane {
  const made = createLane({ worker, timeLimit: 60_000, ...changes })
  onTestFinished(() => made.close())
  return made
}

test('runs tasks one after the other in the same worker', async () => {
  const one = lane()
  const answers = await Promise.all([1, 2, 3].map((echo) => one.run({ echo })))
  expect(answers).toEqual([1, 2, 3].map((echo) => ({ echo, ran: echo })))
  expect(one.load).toBe(0)
})

test('a task that runs for ever is stopped; what waited runs on a fresh worker', async () => {
  // By this clock nothing but the task that runs for ever takes any time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const one = lane({ timeLimit: 300 })
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

test('what is urgent goes before what waits, in its own order', async () => {
  const one = lane()
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

test('cancelling frees the lane, and fails no other call', async () => {
  const one = lane()
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
  const one = lane()
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
  await expect(lane().run({ echo: 1 }, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('what a task throws fails that call with its words', async () => {
  const one = lane()
  await expect(one.run({ fail: 'no such thing' })).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: expect.stringContaining('no such thing'),
  })
  expect(await one.run({ echo: 1 })).toEqual({ echo: 1, ran: 2 })
})

test('a worker that runs out of memory fails that call alone', async () => {
  const one = lane({ maxOldGenerationMb: 32 })
  const hoarding = one.run({ hoard: true })
  const waiting = one.run({ echo: 'waited' })
  await expect(hoarding).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: expect.stringContaining('memory'),
  })
  expect(await waiting).toEqual({ echo: 'waited', ran: 1 })
})

test('a worker that cannot start fails the call and does not hang', async () => {
  const broken = lane({ worker: new URL('./no-such-worker.js', import.meta.url) })
  await expect(broken.run({ echo: 1 })).rejects.toMatchObject({ code: 'QUERY_FAILED' })
  await expect(broken.run({ echo: 2 })).rejects.toMatchObject({ code: 'QUERY_FAILED' })
})

verifies('S1.51', 'closing stops what runs and what waits', async () => {
  const one = lane()
  const [started, waitFor] = [new SharedArrayBuffer(4), new SharedArrayBuffer(4)]
  const calls = [one.run({ signal: started, waitFor }), one.run({ echo: 2 })]
  const outcomes = Promise.allSettled(calls)
  await until(() => new Int32Array(started)[0] === 1)
  await one.close()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'CANCELLED' } })
  await expect(one.run({ echo: 3 })).rejects.toMatchObject({ code: 'CANCELLED' })
})

/** Lets the event loop turn until the worker has done something that it tells through shared memory. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}
