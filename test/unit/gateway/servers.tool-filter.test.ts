import { expect, test } from 'vitest'
import { type Permits, withToolFilter } from '../../../src/gateway/servers.ts'
import { RPC } from '../../../src/protocol/errors.ts'
import { client, exchange, inProcessServer, textOf, toolCall, upstreams } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const forever = new AbortController().signal
const onlyEcho: Permits = (_, tool) => tool === 'echo'

async function filtered(permits: Permits | undefined) {
  return withToolFilter(upstreams({ servers: { docs: await inProcessServer() } }), permits)
}

const names = async (pool: Awaited<ReturnType<typeof filtered>>, me = client()): Promise<unknown[]> =>
  (await pool.list('tools', me, forever)).flatMap(({ items }) => items.map(({ name }) => name))

verifies('S4.49', 'a tool that may not be used is not listed, and not called', async () => {
  const pool = await filtered(onlyEcho)
  const me = client()
  expect(await names(pool, me)).toEqual(['echo'])
  expect(pool.status()[0]?.tools).toBe(1)
  const refused = await pool.request('docs', toolCall('env'), exchange(me)).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: RPC.invalidParams, message: 'Unknown tool: env' })
  expect(textOf(await pool.request('docs', toolCall('echo'), exchange(me)))).toBe('{}')
})

test('the same list stays the same object, and other lists stay as they are', async () => {
  const pool = await filtered(onlyEcho)
  const me = client()
  const [first] = await pool.list('tools', me, forever)
  const [second] = await pool.list('tools', me, forever)
  expect(second?.items).toBe(first?.items)
  const all = await filtered(() => true)
  const [whole] = await all.list('tools', me, forever)
  expect(whole?.items.length).toBeGreaterThan(5)
  expect((await pool.list('prompts', me, forever))[0]?.items).toEqual([])
})

test('other lists of tools hold from then on', async () => {
  const pool = await filtered(undefined)
  const me = client()
  expect((await names(pool, me)).length).toBeGreaterThan(5)
  pool.permit(onlyEcho)
  expect(await names(pool, me)).toEqual(['echo'])
  pool.permit(undefined)
  expect((await names(pool, me)).length).toBeGreaterThan(5)
})
