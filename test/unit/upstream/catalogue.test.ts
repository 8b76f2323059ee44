import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { Catalog, type Fetch, wellFormed } from '../../../src/upstream/catalogue.ts'
import { Memory } from '../../../src/upstream/memory.ts'

const place = { server: 's', group: 'g' }

test('keeps a list change that arrives during the last of several fetches', async () => {
  const putOff: (() => void)[] = []
  const told: string[] = []
  const session = {}
  const catalog = new Catalog({
    memory: new Memory(undefined, { s: {} }, silentLogger),
    changed: ({ server }, kind) => void told.push(`${server} ${kind}`),
    now: () => 0,
    later: (_, run) => {
      putOff.push(run)
      return () => {}
    },
    alive: (one) => one === session,
    lasting: () => false,
  })
  let fetches = 0
  let restless = true
  const fetch: Fetch = async () => {
    const items = [{ name: `version ${++fetches}` }]
    await Promise.resolve()
    if (restless) catalog.invalidate(place, 'tools', fetch)
    return { items, session, announced: true }
  }

  const first = await catalog.read(place, 'tools', fetch, false)
  expect(first.items).toEqual([{ name: `version ${fetches}` }])
  expect(putOff).toHaveLength(1)
  const before = fetches
  restless = false
  putOff[0]?.()
  await expect.poll(() => told).toEqual(['s tools'])
  expect(fetches).toBe(before + 1)
  expect(catalog.peek(place, 'tools')).toEqual([{ name: `version ${fetches}` }])
  expect(putOff).toHaveLength(1)
})

test('a list is confirmed only when the current session has fetched it', async () => {
  const memory = new Memory(undefined, { s: {} }, silentLogger)
  memory.saveList('s', 'g', 'tools', [{ name: 'of the last run' }])
  let session = {}
  let alive = true
  const catalog = new Catalog({
    memory,
    changed() {},
    now: () => 0,
    later: () => () => {},
    alive: (one) => alive && one === session,
    lasting: () => true,
  })
  let fetches = 0
  const fetch: Fetch = async () => ({ items: [{ name: `told ${++fetches}` }], session, announced: true })
  const sure = async (): Promise<unknown> => (await catalog.surely(place, 'tools', fetch)).items[0]?.name
  expect(await sure()).toBe('told 1')
  expect(await sure()).toBe('told 1')
  // What it says of changes counts at once, and so does that it is another session.
  catalog.invalidate(place, 'tools', fetch)
  expect(await sure()).toBe('told 2')
  session = {}
  expect(await sure()).toBe('told 3')
  alive = false
  expect(await sure()).toBe('told 4')
  expect(fetches).toBe(4)
})

const tool: JsonObject = {
  name: 't',
  description: 'does',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
  'x-unknown': null,
}

test('returns a valid list as the same object', () => {
  expect(wellFormed('tools', tool)).toBe(tool)
  const prompt = { name: 'p', arguments: [] }
  expect(wellFormed('prompts', prompt)).toBe(prompt)
  const resource = { uri: 'file:///a', name: 'a', size: 3 }
  expect(wellFormed('resources', resource)).toBe(resource)
})

test('drops members of wrong type, fills in missing ones and keeps the rest', () => {
  const bad = { ...tool, description: null, annotations: 'none', outputSchema: {}, inputSchema: null }
  expect(wellFormed('tools', bad)).toEqual({ name: 't', inputSchema: { type: 'object' }, 'x-unknown': null })
  expect(wellFormed('tools', { name: 't', inputSchema: { properties: { a: {} } } })).toEqual({
    name: 't',
    inputSchema: { properties: { a: {} }, type: 'object' },
  })
  expect(wellFormed('resources', { uri: 'file:///a' })).toEqual({ uri: 'file:///a', name: 'file:///a' })
})

test('drops an item without a name', () => {
  expect(wellFormed('tools', { description: 'x' })).toBeUndefined()
  expect(wellFormed('prompts', { name: 7 })).toBeUndefined()
  expect(wellFormed('resources', { name: 'a' })).toBeUndefined()
})

test('the SDK takes every list that was mended', () => {
  const wild = fc.oneof(fc.jsonValue(), fc.constant({ type: 'object' }), fc.string())
  const members = [
    'title',
    'description',
    'inputSchema',
    'outputSchema',
    '_meta',
    'mimeType',
    'size',
    '__proto__',
  ]
  const item = fc
    .dictionary(fc.constantFrom(...members), wild)
    .map((rest) => ({ ...rest, name: 'n', uri: 'u:u' }))
  fc.assert(
    fc.property(item, (value) => {
      const one = value as JsonObject
      // Inside a schema anything may be wrong; that is the server's to mend.
      const plain = { ...one, inputSchema: null, outputSchema: null }
      expect(ListToolsResultSchema.safeParse({ tools: [wellFormed('tools', plain)] }).success).toBe(true)
      expect(ListPromptsResultSchema.safeParse({ prompts: [wellFormed('prompts', one)] }).success).toBe(true)
      const resources = [wellFormed('resources', one)]
      expect(ListResourcesResultSchema.safeParse({ resources }).success).toBe(true)
    }),
  )
})
