import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { moduleWorld } from '../../support/module-world.ts'
import { routedWorld } from '../../support/routed-world.ts'
import { client } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const texts = (result: JsonObject): string[] => (result.content as { text: string }[]).map(({ text }) => text)

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name, inputSchema: {} }))
const textOf = ({ content }: JsonObject): string => String((content as JsonObject[])[0]?.text)

describe('quota, before the router', () => {
  const servers = () => ({ a: { tools: named('x', 'y') }, b: { tools: named('x') } })
  const run = (options: JsonObject, now: () => number = () => 0) =>
    routedWorld([{ use: 'quota', rps: 0.5, burst: 1, ...options }], servers(), { now })

  verifies('S2.12', 'each has its own: an agent, a server, a tool, or all of them together', async () => {
    const refusals = async (per: string, ...calls: string[]): Promise<boolean[]> => {
      const world = await run({ per })
      const answers = []
      for (const name of calls) answers.push((await world.ask('tools/call', { name })).isError === true)
      expect(world.reached).toHaveLength(answers.filter((isRefused) => !isRefused).length)
      return answers
    }
    expect(await refusals('tool', 'a_x', 'a_y', 'b_x', 'a_x')).toEqual([false, false, false, true])
    expect(await refusals('server', 'a_x', 'a_y', 'b_x')).toEqual([false, true, false])
    expect(await refusals('all', 'a_x', 'b_x')).toEqual([false, true])
    expect(await refusals('agent', 'a_x', 'b_x')).toEqual([false, true])
    // Another agent has as many.
    const world = await run({})
    const other = client()
    const asOther = { client: other, agent: { id: 'another', kind: 'session' as const } }
    await world.ask('tools/call', { name: 'a_x' })
    expect(await world.raw('tools/call', { name: 'a_x' }, asOther)).not.toHaveProperty('isError')
    expect(await world.raw('tools/call', { name: 'a_x' }, asOther)).toHaveProperty('isError', true)
  })

  verifies('S2.12', 'the refusal says when to come again, and then there is one more', async () => {
    let now = 0
    const world = await run({ per: 'tool' }, () => now)
    const call = async (): Promise<JsonObject> => world.ask('tools/call', { name: 'a_x' })
    expect((await call()).isError).toBeUndefined()
    expect(textOf(await call())).toBe(
      'This tool has had as many calls as allowed. Nothing was called; try again in 2 s.',
    )
    now = 1500
    expect(textOf(await call())).toContain('try again in 1 s')
    now = 2000
    expect((await call()).isError).toBeUndefined()
    expect((await call()).isError).toBe(true)
    // However long nothing is called, no more than `burst` are saved.
    now = 1_000_000
    expect([(await call()).isError, (await call()).isError]).toEqual([undefined, true])
  })

  test('lists, prompts and resources are not counted; calls that are cancelled are, for they were made', async () => {
    const world = await run({})
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) await world.ask(method)
    const leaves = new AbortController()
    leaves.abort()
    await world.raw('tools/call', { name: 'a_x' }, { signal: leaves.signal })
    expect((await world.ask('tools/call', { name: 'a_x' })).isError).toBe(true)
  })

  test('clients that come and go are not kept for ever', async () => {
    const world = await moduleWorld([{ use: 'quota', rps: 0.001 }])
    const call = async (id: string): Promise<unknown> =>
      ((await world.raw('tools/call', { name: 'a_x' }, { agent: { id, kind: 'session' } })) as JsonObject)
        .isError
    expect([await call('first'), await call('first')]).toEqual([undefined, true])
    for (let other = 0; other < 10_000; other++) await call(`other ${other}`)
    // It was forgotten, and begins again.
    expect(await call('first')).toBeUndefined()
    expect(await call('other 9999')).toBe(true)
  })
})

describe('quota, in a list of modules', () => {
  verifies('S2.12', 'an agent has so many calls, and gets more as time passes', async () => {
    let now = 0
    const world = await moduleWorld([{ use: 'quota', rps: 1, burst: 2 }], { now: () => now })
    const call = async (): Promise<unknown> => (await world.ask('tools/call', { name: 'a_read' })).isError
    expect([await call(), await call(), await call()]).toEqual([undefined, undefined, true])
    expect(world.sent).toHaveLength(2)
    expect(texts(await world.ask('tools/call', { name: 'a_read' }))[0]).toMatch(
      /Nothing was called; try again in 1 s/,
    )
    now = 1000
    expect(await call()).toBeUndefined()
    expect(await world.ask('tools/list')).toHaveProperty('tools')
  })

  test('per server, and for chosen tools alone', async () => {
    const world = await moduleWorld([{ use: 'quota', rps: 0.001, per: 'server', tools: ['*/read'] }])
    const call = async (name: string): Promise<unknown> => (await world.ask('tools/call', { name })).isError
    expect([await call('a_read'), await call('b_read'), await call('a_read')]).toEqual([
      undefined,
      undefined,
      true,
    ])
    expect([await call('a_write'), await call('a_write')]).toEqual([undefined, undefined])
  })
})
