/** A call asks for no list: what layers know of a tool comes from the list that was made before. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineModule } from '../../src/module-runtime/module.ts'
import type { Middleware } from '../../src/protocol/exchange.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { type Embedded, embedded, toolServer } from '../support/embedded.ts'

const READS = { readOnlyHint: true }
const LARGE = Array.from({ length: 3000 }, (_, row) => `row ${row}`).join('\n')

/** Modules that have to know the server of a tool, on every call. */
const MODULES: JsonObject[] = [
  { use: 'outermost' },
  { use: 'pin' },
  { use: 'quota', rps: 1000, burst: 1000, per: 'server' },
  { use: 'block', tools: ['shop/hidden', 'shop_secret*'] },
  { use: 'rename', tools: { 'shop/old': 'new_name' } },
  { use: 'quota', name: 'writers', rps: 1000, burst: 1000, per: 'tool', tools: ['shop/write'] },
  { use: 'innermost' },
]

async function world(settings: JsonObject) {
  /** Requests for lists, by who saw them. */
  const seen: string[] = []
  const watching = (name: string): Middleware => ({
    name,
    wrap: (next) => (exchange) => {
      if (exchange.method.endsWith('/list')) seen.push(`${name} ${exchange.method}`)
      return next(exchange)
    },
  })
  const definition = (name: string) =>
    defineModule({ name, options: z.strictObject({}), create: () => ({ wrap: watching(name).wrap }) })
  const shop = toolServer({
    read: { annotations: READS, run: ({ n }) => (n === 'large' ? LARGE : `read ${String(n)}`) },
    write: { run: () => 'written' },
    old: { annotations: READS, run: () => 'renamed' },
    hidden: { run: () => 'hidden' },
  })
  const proxy = await embedded({
    servers: { shop: shop.serve },
    settings: { toolCache: { ttlMs: 1000 }, ...settings },
    modules: MODULES,
    parts: {
      middlewares: [watching('layer')],
      modules: [definition('outermost'), definition('innermost')],
    },
    // Names of this client are shortened.
    clientInfo: { name: 'opencode', version: '1' },
  })
  return { proxy, shop, seen }
}

type Calls = (world: Embedded) => Promise<string[]>
const textOf = async (answer: ReturnType<Embedded['ask']>): Promise<string> => {
  const { content } = await answer
  return content.map(({ text }) => text).join('\n')
}

/** By exposure: settings, and calls of known names with all that such a call may need to know of tools. */
const EXPOSURES: Record<string, { settings: JsonObject; calls: Calls }> = {
  passthrough: {
    settings: { exposure: 'passthrough' },
    calls: async ({ ask }) => [
      await textOf(ask({ n: 1 }, 'shop_read')),
      await textOf(ask({}, 'shop_write')),
      await textOf(ask({}, 'new_name')),
      await textOf(ask({ n: 'large' }, 'shop_read')),
      // A fresh call is held to tools that read.
      await textOf(ask({ tool: 'shop_read', arguments: { n: 'large' }, pattern: 'row 7$' }, 'proxy_search')),
    ],
  },
  retrieve: {
    settings: { exposure: 'retrieve' },
    calls: async ({ ask }) => [
      await textOf(ask({ name: 'shop_read', arguments: { n: 1 } }, 'call_tool')),
      await textOf(ask({ name: 'shop_write' }, 'call_tool')),
      await textOf(ask({ name: 'new_name' }, 'call_tool')),
      await textOf(ask({ name: 'shop_read', arguments: { n: 'large' } }, 'call_tool')),
      await textOf(ask({ tool: 'shop_read', arguments: { n: 'large' }, pattern: 'row 7$' }, 'proxy_search')),
    ],
  },
  dispatch: {
    settings: { exposure: 'dispatch' },
    calls: async ({ ask }) => [
      await textOf(ask({ action: 'call', tool: 'shop_read', arguments: { n: 1 } })),
      await textOf(ask({ action: 'call', tool: 'shop_write' })),
      await textOf(ask({ action: 'call', tool: 'new_name' })),
      await textOf(ask({ action: 'call', tool: 'shop_read', arguments: { n: 'large' } })),
      await textOf(
        ask({ action: 'search_result', tool: 'shop_read', arguments: { n: 'large' }, pattern: 'row 7$' }),
      ),
    ],
  },
}

describe.each(Object.entries(EXPOSURES))('with the exposure %s', (_, { settings, calls }) => {
  test('no list passes a layer or reaches a server while known names are called', async () => {
    const { proxy, shop, seen } = await world(settings)
    await proxy.names()
    // The first calls may find that nothing was listed to them yet.
    const first = await calls(proxy)
    expect(first.slice(0, 3)).toEqual(['read 1', 'written', 'renamed'])
    expect(first.slice(3).join('\n')).toContain('row 7')
    expect(seen).toContain('innermost tools/list')
    const lists = shop.lists
    seen.length = 0
    const again = await calls(proxy)
    expect(again.slice(0, 3)).toEqual(['read 1', 'written', 'renamed'])
    expect(seen).toEqual([])
    expect(shop.lists).toBe(lists)
  })

  test('a call is judged by modules of a new configuration at once', async () => {
    const { proxy, shop } = await world(settings)
    await proxy.names()
    await calls(proxy)
    const before = shop.calls.length
    await proxy.modules([...MODULES.slice(0, 3), { use: 'block', tools: ['shop/*'] }])
    await calls(proxy).catch(() => {})
    expect(shop.calls).toHaveLength(before)
  })
})
