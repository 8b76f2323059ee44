import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { defineModule, defineObjectModule } from '../../../src/module-runtime/module.ts'
import { LargeResult, plain } from '../../../src/protocol/content.ts'
import type { Handler } from '../../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import { originOf } from '../../../src/protocol/origin.ts'
import { sharedBytes } from '../../../src/text/shared-bytes.ts'
import { deferred } from '../../support/deferred.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

/** Passes a message on when the test says so. */
function late(entry: JsonObject) {
  const gate = deferred()
  const attempts: Promise<string>[] = []
  const definition = defineModule({
    name: 'late',
    options: z.object({}),
    create: () => ({
      wrap: (next) => async (exchange) => {
        await gate.promise
        const passed = next(exchange)
        attempts.push(passed.then(() => 'passed', String))
        return passed
      },
    }),
  })
  const world = moduleWorld([{ use: 'late', timeoutMs: 1, ...entry }], { definitions: [definition] })
  return { world, attempts, go: () => gate.resolve() }
}

describe('a module that passes a message on when it is too late', () => {
  verifies('S2.39', 'and that fails closed: the server never hears of what was refused', async () => {
    const { world: made, attempts, go } = late({})
    const world = await made
    await expect(world.ask('tools/call')).rejects.toThrow('did not answer in time')
    go()
    await expect.poll(() => attempts.length).toBe(1)
    expect(await attempts[0]).toContain('too late')
    expect(world.sent).toEqual([])
  })

  verifies('S2.39', 'and that fails open: the server hears of it once', async () => {
    const { world: made, attempts, go } = late({ failOpen: true })
    const world = await made
    expect(await world.ask('tools/call')).toHaveProperty('content')
    go()
    await expect.poll(() => attempts.length).toBe(1)
    expect(await attempts[0]).toContain('too late')
    expect(world.sent).toHaveLength(1)
  })

  test('in audit mode delays no message', async () => {
    const { world: made, attempts, go } = late({ mode: 'audit' })
    const world = await made
    expect(await world.ask('tools/call')).toHaveProperty('content')
    await expect.poll(() => world.lines.map(({ message }) => message)).toEqual(['audit: the module failed'])
    go()
    await expect.poll(() => attempts.length).toBe(1)
    expect(await attempts[0]).toBe('passed')
    expect(world.sent).toHaveLength(1)
  })
})

// The server of an item, behind modules that return what they read from JSON.

/** A module that reads and writes JSON, as those do that run elsewhere. */
function writes(change: (result: JsonObject) => JsonObject) {
  return defineModule({
    name: 'writes',
    options: z.object({}),
    create: () => ({
      wrap:
        (next: Handler): Handler =>
        async (exchange) =>
          change(JSON.parse(JSON.stringify(plain(await next(exchange))))),
    }),
  })
}

const namesIn = ({ tools }: JsonObject): unknown[] =>
  (Array.isArray(tools) ? tools : []).filter(isObject).map(({ name }) => name)

verifies(
  'S2.23 S2.38',
  'an item blocked by its server stays blocked when a module rewrites the list',
  async () => {
    const same = writes((result) => result)
    const world = await moduleWorld([{ use: 'block', tools: ['a/write'] }, { use: 'writes' }], {
      definitions: [same],
    })
    expect(namesIn(await world.ask('tools/list'))).toEqual(['a_read', 'b_read'])
    await expect(world.ask('tools/call', { name: 'a_write' })).rejects.toThrow('Unknown tool')
  },
)

test('finds the server of an item by name, else by position; an unlisted item has none', async () => {
  const change = ({ tools, ...rest }: JsonObject): JsonObject => {
    const [first, second, third] = tools as [JsonObject, JsonObject, JsonObject]
    return { ...rest, tools: [{ ...first, name: 'other' }, third, second] }
  }
  const origins = async (change: (result: JsonObject) => JsonObject): Promise<unknown[]> => {
    const world = await moduleWorld([{ use: 'writes' }], { definitions: [writes(change)] })
    const { tools } = await world.ask('tools/list')
    return (tools as JsonObject[]).map((item) => originOf(item))
  }
  expect(await origins(change)).toEqual([
    { server: 'a', name: 'read' },
    { server: 'b', name: 'read' },
    { server: 'a', name: 'write' },
  ])
  const added = ({ tools, ...rest }: JsonObject): JsonObject => ({
    ...rest,
    tools: [{ name: 'mine' }, ...(tools as JsonObject[])],
  })
  expect(await origins(added)).toEqual([
    undefined,
    { server: 'a', name: 'read' },
    { server: 'a', name: 'write' },
    { server: 'b', name: 'read' },
  ])
  expect(await origins(() => ({ tools: [{ name: 'a_read' }] }))).toEqual([{ server: 'a', name: 'read' }])
})

verifies(
  'S2.23 S2.38',
  'a list that is longer than what is changed at once keeps what it knows, and is changed once',
  async () => {
    const secret = 'someone@example.org'
    const tools = Array.from({ length: 300 }, (_, n) =>
      listed('a', `t${n}`, { description: `${'word '.repeat(100)}${n === 250 ? secret : ''}` }),
    )
    const world = await moduleWorld([{ use: 'block', tools: ['a/t7'] }, { use: 'redact' }], {
      server: async () => ({ tools, _meta: { by: secret } }),
    })
    const first = (await world.ask('tools/list')) as { tools: JsonObject[]; _meta: JsonObject }
    expect(first.tools).toHaveLength(299)
    expect(JSON.stringify(first)).not.toContain(secret)
    expect(first.tools.every((tool) => originOf(tool)?.server === 'a')).toBe(true)
    const second = (await world.ask('tools/list')) as { tools: JsonObject[] }
    expect(second.tools.every((tool, at) => tool === first.tools[at])).toBe(true)
  },
)

// Modules that ask for lists on the way.

function module(wrap: (next: Handler) => Handler) {
  return defineModule({ name: 'm', options: z.object({}), create: () => ({ wrap }) })
}

const CALLED = { content: [{ type: 'text', text: 'called a_read' }] }

verifies(
  'S2.39',
  'one that fails after it asked for a list fails open to the call, not to the list',
  async () => {
    const definition = module((next) => async (exchange) => {
      await next({ ...exchange, method: 'tools/list', params: {} })
      throw new TypeError('of its own')
    })
    const world = await moduleWorld([{ use: 'm', failOpen: true }], { definitions: [definition] })
    expect(await world.ask('tools/call', { name: 'a_read' })).toEqual(CALLED)
    expect(world.sent.map(({ method }) => method)).toEqual(['tools/list', 'tools/call'])
  },
)

test('the time that a server takes is not the module’s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const held = deferred()
  const world = await moduleWorld([{ use: 'log', timeoutMs: 1000 }], {
    server: async () => {
      await held.promise
      return CALLED
    },
  })
  const answer = world.ask('tools/call', { name: 'a_read' })
  await vi.advanceTimersByTimeAsync(1_000_000)
  held.resolve()
  expect(await answer).toEqual(CALLED)
})

verifies('S2.39', 'in audit mode a module is given the lists that it asks for', async () => {
  const world = await moduleWorld([{ use: 'block', tools: ['a/read'], mode: 'audit' }])
  expect(await world.ask('tools/call', { name: 'a_read' })).toEqual(CALLED)
  await expect
    .poll(() => world.lines)
    .toMatchObject([{ message: 'audit: the module would have refused the message' }])
  expect(world.sent.filter(({ method }) => method === 'tools/call')).toHaveLength(1)
})

test('a module of a program sees a large result as an object, and what it gives back as it came stays bytes', async () => {
  const large = new LargeResult(sharedBytes('{"content":[], "n":1.0}'))
  const module = (name: string, change: (result: JsonObject) => JsonObject) =>
    defineObjectModule({
      name,
      options: z.object({}),
      create: () => ({ wrap: (next) => async (exchange) => change(await next(exchange)) }),
    })
  const seen: JsonObject[] = []
  const definitions = [
    module('look', (result) => {
      seen.push(result)
      return result
    }),
    module('add', (result) => ({ ...result, added: true })),
  ]
  const worldOf = (...names: string[]) =>
    moduleWorld(
      names.map((use) => ({ use })),
      { definitions, server: async () => large },
    )
  expect(await (await worldOf('look')).raw('tools/call')).toBe(large)
  expect(await (await worldOf('look', 'add')).raw('tools/call')).toEqual({ content: [], n: 1, added: true })
  expect(seen).toEqual([
    { content: [], n: 1 },
    { content: [], n: 1, added: true },
  ])
})
