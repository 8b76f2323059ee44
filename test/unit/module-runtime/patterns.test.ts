import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mayStandFor } from '../../../src/module-runtime/patterns.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { moduleWorld, type WorldOptions } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

/** What is told in the log once the time has come for a look. */
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

describe('patterns that fit nothing', () => {
  verifies('S2.23', 'are told once, after lists went out, and not before', async () => {
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

  verifies('S2.23', 'are not told while a server has not listed what it has', async () => {
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

  test('are none where what they mean is no tool, or nobody lists it', async () => {
    const world = await telling([
      { use: 'block', resources: ['note://1', 'note://secret/*', 'file:///x/*'], templates: ['note://{id}'] },
      { use: 'rename', tools: { a_write: 'put' }, resources: { 'file:///x': 'file:///y' } },
      { use: 'quota', rps: 1, tools: ['b/*'] },
      { use: 'log', tools: ['hello', 'a_hello', 'note://*', 'note://77', 'file:///x', 'a_re?d'] },
    ])
    await world.ask('tools/list')
    await world.look()
    expect(world.told()).toEqual([
      ['block', ['resources: file:///x/*']],
      ['log', ['tools: hello']],
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

  test('are told anew for another configuration, and those of the old one no more', async () => {
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
