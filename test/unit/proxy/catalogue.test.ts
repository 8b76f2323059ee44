import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { originOf } from '../../../src/protocol/origin.ts'
import { createDirectory, type Directory } from '../../../src/proxy/catalogue.ts'
import type { NamingOptions } from '../../../src/proxy/names.ts'
import type { ServerList, Upstreams } from '../../../src/upstream/contract.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const NAMING: NamingOptions = {
  prefix: 'always',
  separator: '_',
  maxLength: 60,
  charset: 'default',
  rename: {},
}

/** A directory over lists that a test may change; `asked` counts how often they were. */
function world(lists: Record<string, JsonObject[]>, prefix: NamingOptions['prefix'] = 'always') {
  const state = { lists, asked: 0, errors: {} as Record<string, string> }
  const upstreams = {
    servers: Object.keys(lists),
    serversFor: () => Object.keys(lists),
    status: () => Object.keys(lists).map((server) => ({ server, lastError: state.errors[server] })),
    list: async () => {
      state.asked++
      return Object.entries(state.lists).map(([server, items]): ServerList => ({ server, items }))
    },
  } as unknown as Upstreams
  const directory = createDirectory({ upstreams, naming: { ...NAMING, prefix }, reserved: [] })
  return { state, directory }
}

const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...more })
const items = async (directory: Directory, on = exchange()): Promise<JsonObject[]> =>
  (await directory.list('tools', on)).listed.map(({ item }) => item)
/** As a client gets them. */
const sent = async (directory: Directory, on = exchange()): Promise<JsonObject[]> =>
  JSON.parse(JSON.stringify(await items(directory, on)))

test('a name that a server lists twice is listed once', async () => {
  const list = [
    tool('a', { title: 'first' }),
    tool('b'),
    tool('a', { title: 'second' }),
    { title: 'no name' },
  ]
  const { directory } = world({ s: list })
  expect(await sent(directory)).toEqual([{ name: 's_a', title: 'first' }, { name: 's_b' }])
})

test('passes items unchanged except for the name, in order, without the internal owner', async () => {
  const a = JSON.parse(
    '{"title":"A","name":"a","__proto__":{"x":1},"inputSchema":{"type":"object"},"more":[1]}',
  )
  const before = JSON.stringify(a)
  const [plain] = await items(world({ s: [a] }, 'never').directory)
  expect(JSON.stringify(plain)).toBe(before)
  expect(plain?.inputSchema).toBe(a.inputSchema)
  expect(originOf(plain ?? {})).toEqual({ server: 's', name: 'a', listed: 'a', said: a })
  const [prefixed] = await items(world({ s: [a] }).directory)
  expect(JSON.stringify(prefixed)).toBe(before.replace('"a"', '"s_a"'))
  expect(originOf({ ...prefixed })).toEqual({ server: 's', name: 'a', listed: 's_a', said: a })
  expect(Reflect.ownKeys(a)).toEqual(['title', 'name', '__proto__', 'inputSchema', 'more'])
})

test('a name that was seen is found at once, without asking a server', async () => {
  const { state, directory } = world({ x: [tool('a')], y: [tool('a')] })
  const on = exchange()
  const first = directory.find('tools', 'x_a', on)
  expect(first).toBeInstanceOf(Promise)
  expect(await first).toMatchObject({ server: 'x', original: 'a' })
  expect(directory.find('tools', 'y_a', on)).toEqual({ exposed: 'y_a', server: 'y', original: 'a' })
  expect(state.asked).toBe(1)
})

test('an unknown name is refused with the unavailable servers and why', async () => {
  const { state, directory } = world({ x: [tool('search')], y: [], z: [] })
  state.lists = { x: [tool('search')] }
  state.errors = { y: 'server `y`: did not connect within 2 s' }
  await expect(directory.find('tools', 'read', exchange())).rejects.toMatchObject({
    code: -32602,
    message:
      'Unknown tool: read. Not every server could be asked: server `y`: did not connect within 2 s; ' +
      'server `z` has not answered yet.',
  })
})

verifies('S3.34', 'a name that begins with that of a server that gave no list is not unknown', async () => {
  const { state, directory } = world({ x: [tool('search')], y: [], z: [] })
  state.lists = { x: [tool('search')] }
  state.errors = { y: 'server `y`: exited with code 1: no licence' }
  await expect(directory.find('tools', 'y_read', exchange())).rejects.toMatchObject({
    code: 'UPSTREAM_CONNECT',
    message: 'server `y` is not available: exited with code 1: no licence',
    text: expect.stringContaining('y_read was not called'),
  })
  await expect(directory.find('tools', 'z_read', exchange())).rejects.toMatchObject({
    message: expect.stringContaining('server `z` has not answered yet'),
  })
  await expect(directory.find('tools', 'yread', exchange())).rejects.toThrow('Unknown tool: yread.')
})

test('an unknown name is refused with similar names', async () => {
  const { directory } = world({ x: [tool('search')] })
  await expect(directory.find('tools', 'x_serch', exchange())).rejects.toMatchObject({
    code: -32602,
    message: 'Unknown tool: x_serch. Did you mean x_search?',
  })
  expect(() => directory.find('tools', 5, exchange())).toThrow('params.name must be a string')
})

test('a later client may get other names than an earlier one', async () => {
  const { state, directory } = world({ x: [], y: [tool('search')] }, 'onConflict')
  const early = exchange(client())
  expect(await sent(directory, early)).toEqual([tool('search')])
  state.lists = { x: [tool('search')], y: [tool('search')] }
  expect(await sent(directory, early)).toEqual([tool('x_search'), tool('search')])
  expect(directory.find('tools', 'search', early)).toMatchObject({ server: 'y' })
  const late = exchange(client())
  expect(await sent(directory, late)).toEqual([tool('x_search'), tool('y_search')])
})

test('a name that is listed no more still reaches its server, which has its own words for that', async () => {
  const { state, directory } = world({ x: [tool('a')], y: [] })
  const on = exchange()
  await items(directory, on)
  state.lists = { x: [], y: [tool('a')] }
  await items(directory, on)
  expect(directory.find('tools', 'x_a', on)).toMatchObject({ server: 'x', original: 'a' })
})

test('a client that has seen no list calls by the names another was told, and waits for no server', async () => {
  const { directory, state } = world({ s: [tool('a')], t: [tool('b')] })
  await items(directory)
  expect(state.asked).toBe(1)
  expect(directory.find('tools', 's_a', exchange(client()))).toMatchObject({ server: 's', original: 'a' })
  expect(state.asked).toBe(1)
  await expect(directory.find('tools', 'nothing', exchange(client()))).rejects.toMatchObject({ code: -32602 })
  expect(state.asked).toBe(2)
})
