import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import {
  keepsStructuredOf,
  type Permits,
  permitsOf,
  toolListsOf,
  unmatchedTools,
  withToolFilter,
} from '../../../src/gateway/servers.ts'
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

function config(dispatch: object, a: object = {}) {
  return parseConfig({
    mcpServers: { a: { command: 'x', ...a }, b: { command: 'x' } },
    proxySettings: { dispatch } as never,
  })
}

const permits = (...args: Parameters<typeof config>) => permitsOf(config(...args)) ?? (() => true)

verifies('S4.49', 'a deny rule wins over an allow rule, for one server and for all', () => {
  expect(permitsOf(config({}))).toBeUndefined()
  const all = permits({ allow: ['read_*'], deny: ['read_secret'] })
  expect(all('a', 'read_file')).toBe(true)
  expect(all('a', 'read_secret')).toBe(false)
  expect(all('b', 'write_file')).toBe(false)
  const one = permits({}, { tools: { allow: ['read_*'] } })
  expect([one('a', 'read_file'), one('a', 'write_file'), one('b', 'write_file')]).toEqual([true, false, true])
  const both = permits({ deny: ['*_file'] }, { tools: { allow: ['read_*'] } })
  expect([both('a', 'read_file'), both('a', 'read_dir'), both('b', 'read_dir')]).toEqual([false, true, true])
  expect(permits({ allow: [] })('a', 'read_file')).toBe(false)
})

test('the lists for all take a tool with its server, in both spellings', () => {
  const some = permits({ deny: ['a/read_*', 'b_read_file'] })
  expect([some('a', 'read_file'), some('b', 'read_file'), some('b', 'read_dir')]).toEqual([
    false,
    false,
    true,
  ])
})

test('recognises lists that changed', () => {
  const before = toolListsOf(config({ deny: ['x'] }))
  expect(toolListsOf(config({ deny: ['x'] }))).toBe(before)
  expect(toolListsOf(config({ deny: ['y'] }))).not.toBe(before)
  expect(toolListsOf(config({ deny: ['x'] }, { tools: { deny: ['z'] } }))).not.toBe(before)
  expect(toolListsOf(config({ deny: ['x'] }, { structured: 'keep' }))).not.toBe(before)
  expect(toolListsOf(config({ deny: ['x'] }, { tools: { structured: ['z'] } }))).not.toBe(before)
})

test('structured content is kept for all, for a server, or for single tools of one', () => {
  const kept = (a: object, structured?: string) => {
    const keeps = keepsStructuredOf(
      parseConfig({
        mcpServers: { a: { command: 'x', ...a }, b: { command: 'x' } },
        proxySettings: structured === undefined ? {} : ({ structured } as never),
      }),
    )
    return [
      keeps('a', 'read_file'),
      keeps('a', 'write_file'),
      keeps('b', 'read_file'),
      keeps('', 'read_file'),
    ]
  }
  expect(kept({})).toEqual([false, false, false, false])
  expect(kept({}, 'keep')).toEqual([true, true, true, true])
  expect(kept({ structured: 'keep' })).toEqual([true, true, false, false])
  expect(kept({ structured: 'drop' }, 'keep')).toEqual([false, false, true, true])
  expect(kept({ tools: { structured: ['read_*'] } })).toEqual([true, false, false, false])
})

test('reports a keepStructuredContent pattern that matches no tool', () => {
  const written = config({}, { tools: { structured: ['read_*', 'nothing'] } })
  expect(unmatchedTools(written, new Map([['a', ['read_file']]]))).toEqual([
    { server: 'a', option: 'tools.structured', pattern: 'nothing' },
  ])
})
