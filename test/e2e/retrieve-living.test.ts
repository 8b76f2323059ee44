/** A catalogue that lives: tools that come, change and go while clients are connected, in both routings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { catalogue, namesFor, retrieve } from './support/catalogue.ts'
import { startLineClient } from './support/line-client.ts'
import { fixture, startProxy, temporaryDirectory, textOf } from './support/world.ts'

const RAIN = { rain: 'Tells whether it will rain.' }
const TOOLS = Object.fromEntries(
  ['apple', 'banana', 'cherry', 'damson', 'elder', 'fig'].map((fruit) => [fruit, `Gives a ${fruit}.`]),
)

/** The proxy before one such server, its first list known. */
async function living(settings: object = {}, env: Record<string, string> = {}) {
  const directory = temporaryDirectory()
  const shop = catalogue(directory, 'shop', TOOLS)
  const proxy = await startProxy({
    directory,
    servers: { shop: shop.server },
    settings: { exposure: 'retrieve', ...settings },
    env,
  })
  let told = 0
  proxy.client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
  const size = async (): Promise<number> => (await retrieve(proxy, 'qwzx')).total_available_tools
  await expect.poll(size).toBe(6)
  const names = async (): Promise<string[]> => (await proxy.client.listTools()).tools.map(({ name }) => name)
  return { ...proxy, directory, shop, size, names, told: () => told }
}

describe('a server that changes its tools', () => {
  verifies(
    'S1.28 S1.26',
    'a tool that comes is found and run, one that goes is neither, without a restart',
    async () => {
      const proxy = await living()
      expect(await namesFor(proxy, 'rain')).toEqual([])
      proxy.shop.set({ ...TOOLS, ...RAIN })
      await expect.poll(() => namesFor(proxy, 'rain')).toEqual(['shop_rain'])
      const ran = await proxy.call('call_tool', { name: 'shop_rain' })
      // Ten announcements are not ten lists.
      expect(JSON.parse(textOf(ran))).toMatchObject({ ran: 'rain' })
      expect(JSON.parse(textOf(ran)).lists).toBeLessThan(6)

      proxy.shop.set(TOOLS)
      await expect.poll(() => namesFor(proxy, 'rain')).toEqual([])
      const gone = await proxy.call('call_tool', { name: 'shop_rain' })
      expect(gone.isError).toBe(true)
      expect(textOf(gone)).toContain('Tool shop_rain not found')
      expect(textOf(gone)).toContain('retrieve_tools')
      expect(textOf(await proxy.call('call_tool', { name: 'shop_fig' }))).toContain('"ran":"fig"')
    },
  )

  test('a registered tool that its server removed gives an isError result and is not listed', async () => {
    const proxy = await living({ retrieve: { routing: 'dynamic' } })
    await retrieve(proxy, 'fig', 1)
    proxy.shop.set({ apple: 'Gives an apple.' })
    await expect.poll(proxy.size).toBe(1)
    const gone = await proxy.call('shop_fig')
    expect(gone.isError).toBe(true)
    expect(textOf(gone)).toContain('shop_fig not found')
    expect(await proxy.names()).not.toContain('shop_fig')
    expect(await proxy.text('shop_apple')).toContain('"ran":"apple"')
  })
})

describe('the routing dynamic', () => {
  const dynamic = { retrieve: { routing: 'dynamic', poolLimit: 2 } }

  verifies(
    'S1.5 S1.7 S1.10 S1.11 S1.14 S1.15',
    'notifies once for each answer that changed the list, and never lists more than the limit',
    async () => {
      const proxy = await living(dynamic)
      const { names, told } = proxy
      const [control, ...others] = await names()
      expect([control, others.filter((name) => !name.startsWith('proxy_'))]).toEqual(['retrieve_tools', []])
      expect(proxy.client.getServerCapabilities()?.tools).toMatchObject({ listChanged: true })
      expect(told()).toBe(0)
      expect(await retrieve(proxy, 'apple', 1)).toMatchObject({
        newly_registered: ['shop_apple'],
        pool_size: 1,
      })
      await expect.poll(told).toBe(1)
      expect((await names()).slice(5)).toEqual(['shop_apple'])
      expect(await retrieve(proxy, 'apple', 1)).toMatchObject({ newly_registered: [], evicted_tools: [] })
      expect(await retrieve(proxy, 'qwzx')).toMatchObject({ tools: [], newly_registered: [] })
      expect(await retrieve(proxy, 'banana', 1)).toMatchObject({
        newly_registered: ['shop_banana'],
        pool_size: 2,
      })
      await expect.poll(told).toBe(2)
      expect(await proxy.text('shop_apple')).toContain('"ran":"apple"')
      const third = await retrieve(proxy, 'cherry', 1)
      expect(third).toMatchObject({ newly_registered: ['shop_cherry'], pool_size: 2, pool_limit: 2 })
      expect(third.evicted_tools).toHaveLength(1)
      await expect.poll(told).toBe(3)
      expect((await names()).slice(5)).toHaveLength(2)
    },
  )

  verifies('S1.27', 'changes the list before the notification, which follows the answer', async () => {
    const directory = temporaryDirectory()
    const shop = catalogue(directory, 'shop', TOOLS)
    const client = startLineClient({
      directory,
      servers: { shop: shop.server },
      settings: { exposure: 'retrieve', ...dynamic },
    })
    await client.open()
    const happened: string[] = []
    const ask = async (query: string): Promise<void> => {
      await client.call('retrieve_tools', { query, top_k: 1 })
      happened.push(`answered ${query}, told ${client.notifications.length}`)
    }
    await expect
      .poll(async () => textOf(await client.call('retrieve_tools', { query: 'qwzx' })))
      .toContain('"total_available_tools":6')
    for (const [at, fruit] of ['apple', 'banana', 'cherry'].entries()) {
      await ask(fruit)
      await expect.poll(() => client.notifications.length).toBe(at + 1)
      const { tools } = await client.request('tools/list')
      const listed = (tools as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => name.startsWith('shop_'))
      expect(listed).toContain(`shop_${fruit}`)
      expect(listed.length).toBe(Math.min(2, at + 1))
    }
    expect(happened).toEqual(['answered apple, told 0', 'answered banana, told 1', 'answered cherry, told 2'])
    expect(new Set(client.notifications)).toEqual(new Set(['notifications/tools/list_changed']))
  })

  verifies('S1.46', 'a command runs after the list changed, and delays nothing while it does', async () => {
    const directory = temporaryDirectory()
    const [begun, ended] = [join(directory, 'begun'), join(directory, 'ended')]
    const command = `touch '${begun}'; until [ -e '${directory}/never' ]; do sleep 1; done; touch '${ended}'`
    const proxy = await living(dynamic, { MCPPROXY_LIST_CHANGED_EXEC: command })
    await retrieve(proxy, 'apple', 1)
    await expect.poll(() => existsSync(begun)).toBe(true)
    expect(await proxy.text('shop_apple')).toContain('"ran":"apple"')
    expect(existsSync(ended)).toBe(false)
  })
})

verifies('S1.59', 'a server that has had its calls answers no more for a while; the others do', async () => {
  const directory = temporaryDirectory()
  const limited = catalogue(directory, 'limited', TOOLS)
  const free = catalogue(directory, 'free', TOOLS)
  const proxy = await startProxy({
    directory,
    servers: { limited: { ...limited.server, quota: { rps: 0.01, burst: 2 } }, free: free.server },
    settings: { exposure: 'retrieve' },
  })
  const run = (name: string) => proxy.call('call_tool', { name })
  await expect.poll(async () => (await retrieve(proxy, 'qwzx')).total_available_tools).toBe(12)
  for (let n = 0; n < 2; n++) expect((await run('limited_fig')).isError).toBeFalsy()
  const refused = await run('limited_fig')
  expect(refused.isError).toBe(true)
  expect(textOf(refused)).toMatch(/`limited` .*try again in \d+ s/)
  for (let n = 0; n < 4; n++) expect((await run('free_fig')).isError).toBeFalsy()
})

verifies(
  'S1.34 S1.37 S1.56 S1.57',
  'texts are cut to the limit in both routings, whatever their length; a question gives as many tools as is set',
  async () => {
    for (const routing of ['CALL_TOOL', 'DYNAMIC']) {
      const proxy = await startProxy({
        servers: { one: fixture('one') },
        env: { MCPPROXY_ROUTING_TYPE: routing, MCPPROXY_TRUNCATE_OUTPUT_LEN: '500', MCPPROXY_TOP_K: '2' },
      })
      await expect.poll(() => namesFor(proxy, 'quick brown text of bytes')).toContain('one_big')
      const some = JSON.parse(await proxy.text('retrieve_tools', { query: 'records of an array' }))
      expect(some.tools).toHaveLength(2)
      const run = async (bytes: number): Promise<string> =>
        routing === 'DYNAMIC'
          ? proxy.text('one_big', { bytes })
          : proxy.text('call_tool', { name: 'one_big', arguments: { bytes } })
      expect(await run(500)).toHaveLength(500)
      for (const bytes of [501, 50_000]) {
        const [start = '', end = '', ...more] = (await run(bytes)).split(' <truncated by smart mcp proxy> ')
        expect([start.length, end.length, more]).toEqual([418, 50, []])
        expect(start).toMatch(/^The quick brown fox/)
      }
      await proxy.close()
    }
  },
)
