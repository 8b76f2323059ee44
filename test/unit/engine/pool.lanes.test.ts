import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Engine, Query } from '../../../src/engine/contract.ts'
import { createEngine, ENGINE_DEFAULTS, type EngineOptions } from '../../../src/engine/pool.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'
import { bytesOf, jsonResult, LIMITS, NEVER, orders, sourceOf, textResult } from './world.ts'

const hostile = new URL('./hostile-worker.js', import.meta.url)

function engine(changes: Partial<EngineOptions> = {}): Engine {
  const made = createEngine({ ...ENGINE_DEFAULTS, lanes: 1, queryTimeout: 300_000, ...changes })
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

test('a cancelled query frees its lane, and those that wait are answered', async () => {
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

test('two results are asked about in parallel on two lanes', async () => {
  const two = engine({ worker: hostile, lanes: 2 })
  const together = flag()
  // Each query ends only when the other has begun.
  const answers = await Promise.all([
    two.query([sourceOf(jsonResult(orders(10)))], asking({ together }), NEVER),
    two.query([sourceOf(jsonResult(orders(20)))], asking({ together }), NEVER),
  ])
  expect(answers.map(({ text }) => /"count":(\d+)/.exec(text.join(''))?.[1])).toEqual(['10', '20'])
})

test('closing ends what runs, and nothing can be asked any more', async () => {
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
