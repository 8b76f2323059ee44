import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

const names = (result: JsonObject, kind: string, key = 'name'): unknown[] =>
  (result[kind] as JsonObject[]).map((item) => item[key])

const LISTS: Readonly<Record<string, JsonObject>> = {
  'tools/list': { tools: [listed('a', 'read'), listed('a', 'write'), listed('b', 'read')] },
  'prompts/list': { prompts: [listed('a', 'hello'), listed('b', 'bye')] },
  'resources/list': {
    resources: [
      withOrigin({ uri: 'note://1', name: 'one' }, { server: 'a', name: 'note://1' }),
      withOrigin({ uri: 'note://2', name: 'two' }, { server: 'b', name: 'note://2' }),
    ],
  },
  'resources/templates/list': {
    resourceTemplates: [
      withOrigin({ uriTemplate: 'file:///{path}', name: 'f' }, { server: 'a', name: 'file:///{path}' }),
    ],
  },
}
const server = async ({ method }: { method: string }): Promise<JsonObject> =>
  LISTS[method] ?? { served: true }

describe('package', () => {
  verifies('S2.22', 'chosen items of two servers are there, and nothing else is', async () => {
    const entry = {
      use: 'package',
      tools: ['a/read', 'b_*'],
      prompts: ['b/bye'],
      resources: ['a/note://*'],
      templates: [],
    }
    const world = await moduleWorld([entry], { server })
    expect(names(await world.ask('tools/list'), 'tools')).toEqual(['a_read', 'b_read'])
    expect(names(await world.ask('prompts/list'), 'prompts')).toEqual(['b_bye'])
    expect(names(await world.ask('resources/list'), 'resources', 'uri')).toEqual(['note://1'])
    expect(names(await world.ask('resources/templates/list'), 'resourceTemplates')).toEqual([])
    const served = { served: true }
    expect(await world.ask('tools/call', { name: 'a_read' })).toEqual(served)
    expect(await world.ask('prompts/get', { name: 'b_bye' })).toEqual(served)
    expect(await world.ask('resources/read', { uri: 'note://1' })).toEqual(served)
    world.sent.length = 0
    for (const name of ['a_write', 'write'])
      await expect(world.ask('tools/call', { name })).rejects.toThrow('Unknown tool')
    await expect(world.ask('prompts/get', { name: 'a_hello' })).rejects.toThrow('Unknown prompt')
    for (const uri of ['note://2', 'file:///etc/passwd'])
      await expect(world.ask('resources/read', { uri })).rejects.toThrow('Resource not found')
    expect(world.sent.filter(({ method }) => !method.endsWith('/list'))).toEqual([])
  })

  verifies('S2.22', 'what a template of it stands for may be read', async () => {
    const world = await moduleWorld([{ use: 'package', resources: [], templates: ['file:///{path}'] }], {
      server,
    })
    expect(await world.ask('resources/read', { uri: 'file:///x' })).toEqual({ served: true })
    await expect(world.ask('resources/read', { uri: 'note://1' })).rejects.toThrow('Resource not found')
  })

  verifies('S2.22', 'it has a title and instructions of its own', async () => {
    const said = {
      serverInfo: { name: 'p', title: 'P', version: '1' },
      instructions: 'of the proxy',
      servers: [{ server: 'a', instructions: 'of a' }],
    }
    const own = await moduleWorld([{ use: 'package', title: 'Notes', instructions: 'For notes.' }])
    expect(own.modules.stack.describe(said)).toEqual({
      serverInfo: { name: 'p', title: 'Notes', version: '1' },
      instructions: 'For notes.',
      servers: [],
    })
    const none = await moduleWorld([{ use: 'package', tools: ['a/*'] }])
    expect(none.modules.stack.describe(said)).toEqual(said)
  })

  test('what it does not name is as it was', async () => {
    const world = await moduleWorld([{ use: 'package', tools: ['a/read'] }], { server })
    expect(names(await world.ask('prompts/list'), 'prompts')).toEqual(['a_hello', 'b_bye'])
    expect(names(await world.ask('resources/list'), 'resources', 'uri')).toEqual(['note://1', 'note://2'])
  })
})
