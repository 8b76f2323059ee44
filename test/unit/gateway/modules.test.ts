import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineModule } from '../../../src/module-runtime/module.ts'
import type { Handler } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { deferred } from '../../support/deferred.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

/** Writes its word behind every text, and what happens to it into a list. */
function marking() {
  const happened: string[] = []
  const definition = defineModule({
    name: 'mark',
    options: z.object({ word: z.string() }),
    create({ word }) {
      happened.push(`${word} made`)
      return {
        wrap: (next) => async (exchange) => {
          const result = (await next(exchange)) as JsonObject
          return { ...result, marks: [...((result.marks as string[] | undefined) ?? []), word] }
        },
        close: async () => void happened.push(`${word} closed`),
      }
    },
  })
  return { happened, definitions: [definition] }
}

const mark = (word: string, name = word): JsonObject => ({ use: 'mark', name, word })

/** Calls wait until they are let through. */
function held(): { server: Handler; arrived(): number; open(): void } {
  const gate = deferred()
  let arrived = 0
  return {
    server: async () => {
      arrived++
      await gate.promise
      return { content: [] }
    },
    arrived: () => arrived,
    open: () => gate.resolve(),
  }
}

describe('without modules', () => {
  verifies(
    'S2.12 S2.13',
    'passes lists and results as the same objects, and notifies no client',
    async () => {
      const list = deepFreeze({ tools: [listed('a', 'read')] })
      const result = deepFreeze({ content: [{ type: 'text', text: 'x' }] })
      const world = await moduleWorld([], {
        server: async ({ method }) => (method === 'tools/list' ? list : result),
      })
      const params = deepFreeze({ name: 'a_read' })
      expect(await world.raw('tools/list')).toBe(list)
      expect(await world.raw('tools/call', params)).toBe(result)
      expect(world.sent.at(-1)?.params).toBe(params)
      await world.configure([])
      expect([world.announced(), world.modules.status(), await world.modules.check()]).toEqual([0, [], []])
    },
  )

  verifies('S2.10', 'the first may come later, and the last may go', async () => {
    const { definitions } = marking()
    const world = await moduleWorld([], { definitions })
    await world.configure([mark('one')])
    expect(await world.ask('tools/call')).toMatchObject({ marks: ['one'] })
    await world.configure([])
    expect(await world.ask('tools/call')).not.toHaveProperty('marks')
    expect([world.announced(), world.modules.status()]).toEqual([2, []])
  })
})

describe('a list that changes while calls are under way', () => {
  verifies(
    'S2.10 S2.31',
    'goes on where they began; what is gone is closed after them, what is the same stays, in its new place',
    async () => {
      const { happened, definitions } = marking()
      const { server, arrived, open } = held()
      const world = await moduleWorld([mark('stays'), mark('goes'), mark('old', 'changes')], {
        server,
        definitions,
      })
      const before = world.ask('tools/call')
      await expect.poll(arrived).toBe(1)
      await world.configure([mark('new', 'changes'), mark('comes'), mark('stays')])
      const after = world.ask('tools/call')
      await expect.poll(arrived).toBe(2)
      expect(happened).toEqual(['stays made', 'goes made', 'old made', 'new made', 'comes made'])
      open()
      expect(await before).toMatchObject({ marks: ['old', 'goes', 'stays'] })
      expect(await after).toMatchObject({ marks: ['stays', 'comes', 'new'] })
      await expect.poll(() => happened.slice(5).sort()).toEqual(['goes closed', 'old closed'])
      expect(world.announced()).toBe(1)
      await world.modules.close()
      expect(happened.slice(7).sort()).toEqual(['comes closed', 'new closed', 'stays closed'])
    },
  )

  verifies('S2.31', 'is announced when the order alone is another', async () => {
    const { happened, definitions } = marking()
    const world = await moduleWorld([mark('a'), mark('b')], { definitions })
    await world.configure([mark('b'), mark('a')])
    expect(await world.ask('tools/call')).toMatchObject({ marks: ['a', 'b'] })
    expect([happened, world.announced()]).toEqual([['a made', 'b made'], 1])
    expect(world.lines).toEqual([
      { level: 'info', modules: ['b', 'a'], message: 'the modules are these from now on' },
    ])
    await world.configure([mark('b'), { use: 'shape' }, mark('a')])
    expect(world.stack.names).toEqual({ outer: ['b'], inner: ['a'] })
    expect(world.announced()).toBe(2)
  })

  verifies('S2.19', 'and of which one cannot be made changes nothing, and keeps nothing', async () => {
    const { happened, definitions } = marking()
    const world = await moduleWorld([mark('stays')], { definitions })
    const twice = { use: 'rename', tools: { 'a/read': 'x', 'a/write': 'x' } }
    await expect(world.configure([mark('new'), twice, mark('stays')])).rejects.toThrow(
      'The module `rename` gives the name "x" to two tools: a/read and a/write.',
    )
    expect(happened).toEqual(['stays made', 'new made', 'new closed'])
    expect(await world.ask('tools/call')).toMatchObject({ marks: ['stays'] })
    expect([world.announced(), world.modules.status().map(({ name }) => name)]).toEqual([0, ['stays']])
    // One after the other, and a failure stops no other one.
    const both = [world.configure([mark('new'), twice]), world.configure([mark('stays'), mark('next')])]
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(await world.ask('tools/call')).toMatchObject({ marks: ['next', 'stays'] })
  })

  test('is closed at the end although something is still under way', async () => {
    const { happened, definitions } = marking()
    const { server, arrived, open } = held()
    const world = await moduleWorld([mark('one')], { server, definitions })
    const call = world.ask('tools/call')
    await expect.poll(arrived).toBe(1)
    await world.configure([])
    await world.modules.close()
    expect(happened).toEqual(['one made', 'one closed'])
    open()
    expect(await call).toMatchObject({ marks: ['one'] })
    await world.modules.close()
    expect(happened).toHaveLength(2)
  })
})

verifies(
  'S2.10 S2.29',
  'a file is another module when it was written since, and calls in the one before end there',
  async () => {
    const path = join(temporaryFolder(), 'module.mjs')
    const write = (word: string): void => {
      const hook = `{ events: ['tools/call'], phase: 'response' }`
      writeFileSync(
        `${path}.new`,
        `export const interceptors = [{ name: 'm', type: 'mutation', hook: ${hook}, invoke: ({ payload }) => ({ modified: true, payload: { ...payload, word: '${word}' } }) }]`,
      )
      renameSync(`${path}.new`, path)
    }
    write('first')
    const { server, arrived, open } = held()
    const world = await moduleWorld([{ path, timeoutMs: 120_000 }], { server })
    await world.modules.check()
    const before = world.ask('tools/call')
    await expect.poll(arrived).toBe(1)
    await world.configure([{ path, timeoutMs: 120_000 }])
    expect(world.announced()).toBe(0)
    write('second')
    await world.configure([{ path, timeoutMs: 120_000 }])
    const after = world.ask('tools/call')
    await expect.poll(arrived).toBe(2)
    open()
    expect(await before).toMatchObject({ word: 'first' })
    expect(await after).toMatchObject({ word: 'second' })
    expect(world.announced()).toBe(1)
  },
)
