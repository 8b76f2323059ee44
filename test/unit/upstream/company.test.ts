import { expect, test } from 'vitest'
import type { Client } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { statefulTool } from '../../../src/upstream/company.ts'
import type { Upstreams } from '../../../src/upstream/contract.ts'
import { client, exchange, temporaryFolder, textOf, toolCall, upstreams } from '../../support/upstream.ts'

/**
 * A server that says which process it is, and asks for roots when it starts if its client has any. It asks a person on the tool `ask`,
 * and logs on the tool `log`.
 */
const SCRIPT = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const [tool = 'pid'] = process.argv.slice(1)
let roots = ''
let asked
let can
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  const text = (text) => send({ id, result: { content: [{ type: 'text', text }] } })
  if (id === 'roots') roots = JSON.stringify(result ?? error)
  if (id === 'person') send({ id: asked, result: { content: [{ type: 'text', text: process.pid + ' ' + JSON.stringify(result ?? error) }] } })
  if (method === 'initialize') {
    can = params.capabilities
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'x', version: '1' } } })
  }
  if (method === 'notifications/initialized' && can.roots) send({ id: 'roots', method: 'roots/list' })
  if (method === 'server/discover') send({ id, error: { code: -32601, message: 'no' } })
  if (method === 'tools/list') send({ id, result: { tools: [{ name: tool, inputSchema: { type: 'object' } }] } })
  if (method === 'logging/setLevel') send({ id, result: {} })
  if (method !== 'tools/call') return
  if (params.name === 'pid') text(String(process.pid))
  if (params.name === 'roots') text(roots)
  if (params.name === 'log') {
    setTimeout(() => send({ method: 'notifications/message', params: { level: params.arguments.level, data: 1 } }), 20)
    text('')
  }
  if (params.name === 'ask') {
    asked = id
    send({ id: 'person', method: 'elicitation/create', params: { message: 'sure?', requestedSchema: {} } })
  }
})`
const server = (...args: string[]) => ({
  command: process.execPath,
  args: ['-e', SCRIPT, ...args],
  instance: 'auto' as const,
})

/** A local client that answers with its name. */
const person = (name: string, capabilities: JsonObject = {}): Client => ({
  ...client(capabilities, { said: name }),
  agent: { id: name, kind: 'local' },
})
const call = async (pool: Upstreams, who: Client, name: string, args = {}) =>
  textOf(await pool.request('s', toolCall(name, args), exchange(who)))
const forever = new AbortController().signal

test('clients that can do the same share a process, and others have one of their own', async () => {
  const pool = upstreams({ servers: { s: server() } })
  const all = [person('a'), person('b'), person('c', { sampling: {} })]
  for (const one of all) await pool.open(one)
  const pids = await Promise.all(all.map((one) => call(pool, one, 'pid')))
  expect(pids[1]).toBe(pids[0])
  expect(pids[2]).not.toBe(pids[0])
  // Of clients over HTTP each owner has its own.
  expect(await call(pool, client(), 'pid')).not.toBe(await call(pool, client(), 'pid'))
})

test('a server that asks for roots has a process for each client, which tells it its own, and at once in the next run', async () => {
  const dataDir = temporaryFolder()
  const roots = { roots: {} }
  const [a, b] = [person('a', roots), person('b', roots)]
  const first = upstreams({ servers: { s: server() }, dataDir })
  await first.open(a)
  await expect.poll(() => call(first, a, 'roots')).toBe('{"said":"a"}')
  const pid = await call(first, a, 'pid')
  await first.open(b)
  await expect.poll(() => call(first, b, 'roots')).toBe('{"said":"b"}')
  expect(await call(first, a, 'pid')).toBe(pid)
  expect(await call(first, a, 'roots')).toBe('{"said":"a"}')
  await first.close()

  const next = upstreams({ servers: { s: server() }, dataDir })
  await Promise.all([next.open(a), next.open(b)])
  await expect.poll(() => call(next, a, 'roots')).toBe('{"said":"a"}')
  await expect.poll(() => call(next, b, 'roots')).toBe('{"said":"b"}')
})

test('a question of a server reaches the client that called, and from then on each has a process', async () => {
  const pool = upstreams({ servers: { s: server() } })
  const [a, b] = [person('a', { elicitation: {} }), person('b', { elicitation: {} })]
  for (const one of [a, b]) await pool.open(one)
  const pid = await call(pool, a, 'pid')
  expect(await call(pool, b, 'ask')).toBe(`${pid} {"said":"b"}`)
  // The one that was asked goes on where it was.
  expect(await call(pool, b, 'pid')).toBe(pid)
  expect(await call(pool, a, 'pid')).not.toBe(pid)
  expect(await call(pool, a, 'ask')).toContain('{"said":"a"}')
})

test('a server with a tool that keeps a state has a process for each client', async () => {
  const pool = upstreams({ servers: { s: server('browser_navigate') } })
  const [a, b] = [person('a'), person('b')]
  for (const one of [a, b]) {
    await pool.open(one)
    await pool.list('tools', one, forever)
  }
  expect(await call(pool, a, 'pid')).not.toBe(await call(pool, b, 'pid'))
})

test('log messages reach clients by the level that each has set', async () => {
  const pool = upstreams({ servers: { s: server() } })
  const [a, b, c] = [person('a'), person('b'), person('c')]
  const level = (who: Client, to: string) =>
    pool.everywhere({ method: 'logging/setLevel', params: { level: to } }, 'logging', exchange(who))
  await call(pool, c, 'pid')
  await level(a, 'debug')
  await level(b, 'error')
  const hears = async (said: string) => {
    pool.recorded.notifications.length = 0
    await call(pool, c, 'log', { level: said })
    await expect.poll(() => pool.recorded.notifications.length).toBeGreaterThan(0)
    return pool.recorded.notifications.map((one) => one.client?.agent.id)
  }
  expect(await hears('info')).toEqual(['a'])
  expect(await hears('critical')).toEqual(['a', 'b'])
})

test('the process ends a while after the last of them left', async () => {
  const pool = upstreams({ servers: { s: server() }, defaults: { idleMs: 50 } })
  const [a, b] = [person('a'), person('b')]
  for (const one of [a, b]) await pool.open(one)
  const pid = await call(pool, a, 'pid')
  await pool.release(a)
  expect(await call(pool, b, 'pid')).toBe(pid)
  await pool.release(b)
  await expect.poll(() => pool.status()[0]?.state).toBe('idle')
})

test('a server that is restarted is shared again, and what each client watches is watched there', async () => {
  const pool = upstreams({ servers: { s: server() } })
  const [a, b] = [person('a'), person('b')]
  for (const one of [a, b]) await pool.open(one)
  const pid = await call(pool, a, 'pid')
  pool.restart('s')
  await expect.poll(() => call(pool, a, 'pid')).not.toBe(pid)
  expect(await call(pool, b, 'pid')).toBe(await call(pool, a, 'pid'))
  expect(pool.status()[0]?.restarts).toBe(1)
})

test('names of tools tell of a state', () => {
  const names = (...all: string[]) => statefulTool(all.map((name) => ({ name })))
  for (const name of [
    'browser_click',
    'puppeteer_navigate',
    'new_page',
    'git_set_working_dir',
    'activate_project',
    'sequentialthinking',
    'switchConnection',
    'create-session',
    'use_database',
    'toggle-subscriber-updates',
  ])
    expect(names('read_file', name)).toBe(name)
  expect(
    names(
      'read_file',
      'write_file',
      'list_directory',
      'create_entities',
      'read_graph',
      'search_nodes',
      'git_commit',
      'get_issue',
      'fetch',
      'query',
      'set_labels',
      'close_issue',
      'convert_time',
    ),
  ).toBeUndefined()
})
