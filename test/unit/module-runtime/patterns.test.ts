import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mayStandFor } from '../../../src/module-runtime/patterns.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { moduleWorld, type WorldOptions } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

/** The warnings in the log once the time has come for a look. */
async function telling(modules: JsonObject[], options: WorldOptions = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const world = await moduleWorld(modules, { listsAll: () => true, ...options })
  return {
    ...world,
    look: () => vi.runAllTimersAsync(),
    told: () =>
      world.lines
        .filter(({ message }) => message === 'patterns of a module fit nothing that servers list')
        .map(({ module, patterns }) => [module, patterns]),
  }
}

describe('names in options', () => {
  const TOOLS = ['a_read', 'a_write', 'b_read']
  const called = async (
    modules: JsonObject[],
    isMeant: (result: JsonObject, again: JsonObject) => boolean,
  ): Promise<string[]> => {
    const world = await moduleWorld(modules)
    const meant: string[] = []
    for (const name of TOOLS) {
      const [first, second] = [
        await world.ask('tools/call', { name }),
        await world.ask('tools/call', { name }),
      ]
      if (isMeant(first, second)) meant.push(name)
    }
    return meant
  }
  const namesIn = async (modules: JsonObject[]): Promise<string[]> =>
    ((await (await moduleWorld(modules)).ask('tools/list')).tools as { name: string }[]).map(
      ({ name }) => name,
    )
  /** The tools that a pattern means, by what each module does. */
  const MODULES: Record<string, (pattern: string) => Promise<string[]>> = {
    block: async (pattern) => {
      const left = await namesIn([{ use: 'block', tools: [pattern] }])
      return TOOLS.filter((name) => !left.includes(name))
    },
    package: (pattern) => namesIn([{ use: 'package', tools: [pattern] }]),
    quota: (pattern) =>
      called(
        [{ use: 'quota', rps: 0.001, burst: 1, per: 'tool', tools: [pattern] }],
        (_, again) => again.isError === true,
      ),
    rewrite: (pattern) =>
      called([{ use: 'rewrite', rules: [{ after: '!', only: [pattern] }] }], (result) =>
        JSON.stringify(result).includes('!'),
      ),
    'rewrite of arguments': async (pattern) => {
      const world = await moduleWorld([
        { use: 'rewrite', rules: [{ text: 'x', with: 'y', in: ['arguments'], only: [pattern] }] },
      ])
      for (const name of TOOLS) await world.ask('tools/call', { name, arguments: { q: 'x' } })
      const calls = world.sent.filter(({ method }) => method === 'tools/call')
      return calls
        .filter(({ params }) => JSON.stringify(params).includes('"y"'))
        .map(({ params }) => String(params.name))
    },
    log: async (pattern) => {
      const world = await moduleWorld([{ use: 'log', tools: [pattern], methods: ['tools/call'] }])
      for (const name of TOOLS) await world.ask('tools/call', { name })
      return world.lines.map(({ name }) => String(name))
    },
  }

  verifies('S2.23', 'mean the same items in every module', async () => {
    const cases: [string, string[]][] = [
      ['a/read', ['a_read']],
      ['b_read', ['b_read']],
      ['read', ['a_read', 'b_read']],
      ['a/*', ['a_read', 'a_write']],
      ['a_*', ['a_read', 'a_write']],
      ['re?d', ['a_read', 'b_read']],
      ['read_', []],
    ]
    for (const [pattern, expected] of cases)
      for (const [module, meant] of Object.entries(MODULES))
        expect([module, pattern, await meant(pattern)]).toEqual([module, pattern, expected])
  })

  test('are whole names for rename: the most exact one counts, and the first that has it gets the new one', async () => {
    const renamed = (tools: JsonObject): Promise<string[]> => namesIn([{ use: 'rename', tools }])
    expect(await renamed({ 'a/read': 'x' })).toEqual(['x', 'a_write', 'b_read'])
    expect(await renamed({ b_read: 'x' })).toEqual(['a_read', 'a_write', 'x'])
    expect(await renamed({ write: 'x' })).toEqual(['a_read', 'x', 'b_read'])
    expect(await renamed({ read: 'x' })).toEqual(['x', 'a_write', 'b_read'])
    expect(await renamed({ read: 'x', 'a/read': 'y' })).toEqual(['y', 'a_write', 'x'])
  })

  test('reports patterns that match nothing, for every module', async () => {
    const world = await telling([
      { use: 'block', tools: ['rea'] },
      { use: 'package', servers: ['a', 'c'], prompts: ['helo'], resources: ['nope://x'] },
      { use: 'quota', rps: 1, tools: ['b/rea'] },
      { use: 'log', servers: ['a', 'z'], tools: ['a/read', 'x'] },
      { use: 'rewrite', rules: [{ after: '!', only: ['read', 'wrte'] }] },
    ])
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual([
      ['block', ['tools: rea']],
      ['package', ['servers: c', 'prompts: helo', 'resources: nope://x']],
      ['quota', ['tools: b/rea']],
      ['log', ['servers: z', 'tools: x']],
      ['rewrite', ['rules[0].only: wrte']],
    ])
  })
})

describe('patterns that fit nothing', () => {
  verifies('S2.23', 'reports them once, after the lists were sent', async () => {
    const world = await telling([
      { use: 'block', tools: ['a/read', 'b_*', 'a/wrte', 'c/*'], prompts: ['hello', 'by'] },
    ])
    await world.look()
    expect(world.told()).toEqual([])
    await world.ask('tools/list')
    expect(world.told()).toEqual([])
    await world.look()
    const all = [['block', ['tools: a/wrte', 'tools: c/*', 'prompts: by']]]
    expect(world.told()).toEqual(all)
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual(all)
  })

  verifies('S2.23', 'does not report them while a server has not listed its items', async () => {
    let isThere = false
    const world = await telling([{ use: 'block', tools: ['z_*'] }], { listsAll: () => isThere })
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual([])
    isThere = true
    await world.look()
    expect(world.told()).toEqual([])
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual([['block', ['tools: z_*']]])
  })

  test('report nothing where they mean no tool, or no server lists it', async () => {
    const world = await telling([
      { use: 'block', resources: ['note://1', 'note://secret/*', 'file:///x/*'], templates: ['note://{id}'] },
      { use: 'rename', tools: { a_write: 'put' }, resources: { 'file:///x': 'file:///y' } },
      { use: 'quota', rps: 1, tools: ['b/*'] },
      { use: 'log', tools: ['hallo', 'hello', 'a_hello', 'note://*', 'note://77', 'file:///x', 'a_re?d'] },
    ])
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual([
      ['block', ['resources: file:///x/*']],
      ['log', ['tools: hallo']],
    ])
  })

  test('are looked for where the module stands: behind a rename names are others', async () => {
    const world = await telling([
      { use: 'block', name: 'outer', tools: ['put', 'a_write'] },
      { use: 'rename', tools: { a_write: 'put' } },
      { use: 'block', name: 'inner', tools: ['put', 'a_read'], mode: 'audit' },
    ])
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual([
      ['outer', ['tools: a_write']],
      ['inner', ['tools: put']],
    ])
  })

  test('are told again for another configuration, and those of the old one no more', async () => {
    const world = await telling([{ use: 'block', tools: ['z_1'] }])
    await world.ask('tools/list')
    await world.configure([{ use: 'block', tools: ['z_2'] }])
    await world.look()
    expect(world.told()).toEqual([])
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual([['block', ['tools: z_2']]])
  })

  test('cost nothing once they are told, and no list where they are about other kinds', async () => {
    const world = await telling([{ use: 'block', tools: ['a_read', 'z'] }])
    for (let round = 0; round < 3; round++) {
      await world.ask('tools/list')
      await world.look()
    }
    expect(world.sent.map(({ method }) => method)).toEqual(Array(4).fill('tools/list'))
  })
})

test('a template may stand for what a pattern of URIs means, or surely not', () => {
  const template = (uriTemplate: string): JsonObject =>
    withOrigin({ uriTemplate }, { server: 'a', name: uriTemplate })
  const cases: [string, string, boolean][] = [
    ['note://{id}', 'note://secret/*', true],
    ['note://{id}', 'a/note://secret', true],
    ['note://{id}', 'b/note://secret', false],
    ['file:///data/{path}', 'file:///*', true],
    ['file:///data/{path}', 'FILE:///Data/x', true],
    ['file:///data/{path}', 'file:///home/*', false],
    ['{+uri}', 'file:///home/*', true],
  ]
  for (const [uri, pattern, expected] of cases)
    expect([uri, pattern, mayStandFor(template(uri), pattern)]).toEqual([uri, pattern, expected])
})
