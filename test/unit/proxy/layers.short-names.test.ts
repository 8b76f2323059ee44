import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientRule } from '../../../src/protocol/client-rules.ts'
import { plain } from '../../../src/protocol/content.ts'
import type { Handler } from '../../../src/protocol/exchange.ts'
import { createShortNames } from '../../../src/proxy/layers.ts'
import { type Embedded, embedded, toolServer } from '../../support/embedded.ts'
import { around } from '../../support/onion.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

function world(names: readonly string[], clientName: string) {
  const called: unknown[] = []
  const inner: Handler = async ({ method, params }) => {
    called.push(method === 'tools/list' ? method : params.name)
    return method === 'tools/list' ? { tools: names.map((name) => ({ name, title: name })) } : { content: [] }
  }
  const handler = around(createShortNames(), inner)
  const on = { ...client(), rule: clientRule({ name: clientName, version: '1' }) }
  const ask = (method: string, params = {}) => handler({ ...exchange(on), method, params })
  const list = async (): Promise<string[]> =>
    (plain(await ask('tools/list')).tools as { name: string }[]).map(({ name }) => name)
  return { called, list, call: (name: string) => ask('tools/call', { name }) }
}

verifies(
  'S1.36',
  'with the prefix of opencode every name has at most 64 characters and reaches its tool',
  async () => {
    const long = `server_${'very_long_'.repeat(5)}name`.slice(0, 60)
    const names = [long, `${long.slice(0, 59)}x`, 'server_short']
    const { list, call, called } = world(names, 'opencode')
    const told = await list()
    expect(told.map((name) => `proxy_${name}`.length)).toEqual([64, 64, 18])
    expect(new Set(told).size).toBe(3)
    for (const name of [...told, long]) await call(name)
    expect(called.slice(1)).toEqual([...names, long])
    const later = world(names, 'opencode')
    await later.call(String(told[0]))
    expect(later.called).toEqual(['tools/list', long])
  },
)

test('a client that is not in the table sees names as they are', async () => {
  const names = ['x'.repeat(60)]
  const { list, call, called } = world(names, 'somebody')
  expect(await list()).toEqual(names)
  await call(String(names[0]))
  expect(called).toEqual(['tools/list', names[0]])
})

test('for any list, every name is short, unique and reaches its tool', async () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 40, maxLength: 62 })
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { maxLength: 8 }), async (names) => {
      const { list, call, called } = world(names, 'codex-mcp-client')
      const told = await list()
      expect(new Set(told).size).toBe(names.length)
      for (const one of told) {
        expect(`mcp__proxy__${one}`.length).toBeLessThanOrEqual(64)
        await call(one)
      }
      expect(called.slice(1)).toEqual(names)
    }),
  )
})

test('what a client says of itself when it connects decides how long its names are', async () => {
  const name = `list_${'very_long_'.repeat(5)}name`.slice(0, 50)
  const server = toolServer({ [name]: {} })
  const of = (clientName: string): Promise<Embedded> =>
    embedded({
      servers: { server: server.serve },
      settings: { exposure: 'passthrough' },
      clientInfo: { name: clientName, version: '1' },
    })
  const plainly = await of('somebody')
  expect(await plainly.names()).toContain(`server_${name}`)
  const { names, ask } = await of('codex-mcp-client')
  const short = (await names()).find((one) => one.startsWith('server_')) ?? ''
  expect(`mcp__proxy__${short}`.length).toBe(64)
  await ask({}, short)
  expect(server.calls.map((call) => call.name)).toEqual([name])
})
