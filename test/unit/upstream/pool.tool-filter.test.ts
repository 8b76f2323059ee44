import { expect, test } from 'vitest'
import { RPC } from '../../../src/protocol/errors.ts'
import type { Permits } from '../../../src/upstream/contract.ts'
import { client, exchange, inProcessServer, textOf, toolCall, upstreams } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const forever = new AbortController().signal
const onlyEcho: Permits = (_, tool) => tool === 'echo'

const servers = { docs: await inProcessServer() }
const filtered = (permits: Permits | undefined) => upstreams({ servers, permits })

const names = async (pool: ReturnType<typeof filtered>, me = client()): Promise<unknown[]> =>
  (await pool.list('tools', me, forever)).flatMap(({ items }) => items.map(({ name }) => name))

verifies('S4.49', 'a tool that may not be used is not listed, and not called', async () => {
  const pool = filtered(onlyEcho)
  const me = client()
  expect(await names(pool, me)).toEqual(['echo'])
  expect(pool.status()[0]?.tools).toBe(1)
  const refused = await pool.request('docs', toolCall('env'), exchange(me)).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: RPC.invalidParams, message: 'Unknown tool: env' })
  expect(textOf(await pool.request('docs', toolCall('echo'), exchange(me)))).toBe('{}')
})

test('a list with what is hidden has the tools that may not be used', async () => {
  const pool = filtered(onlyEcho)
  const [whole] = await pool.list('tools', client(), forever, { hidden: true })
  expect(whole?.items.length).toBeGreaterThan(5)
})

test('the same list stays the same object, and other lists stay as they are', async () => {
  const pool = filtered(onlyEcho)
  const me = client()
  const [first] = await pool.list('tools', me, forever)
  const [second] = await pool.list('tools', me, forever)
  expect(second?.items).toBe(first?.items)
  const all = filtered(() => true)
  const [whole] = await all.list('tools', me, forever)
  expect(whole?.items.length).toBeGreaterThan(5)
  expect((await pool.list('prompts', me, forever))[0]?.items).toEqual([])
})

test('other lists of tools hold from then on', async () => {
  const pool = filtered(undefined)
  const me = client()
  expect((await names(pool, me)).length).toBeGreaterThan(5)
  pool.configure(servers, onlyEcho)
  expect(await names(pool, me)).toEqual(['echo'])
  pool.configure(servers)
  expect((await names(pool, me)).length).toBeGreaterThan(5)
})
