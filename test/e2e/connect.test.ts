/** Clients that come by `connect` to one gateway in the background, which is killed, stopped and left. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runProxy } from './support/command.ts'
import { type LineClient, startLineClient } from './support/line-client.ts'
import { filesystem, memory } from './support/real-servers.ts'
import {
  fixture,
  handleOf,
  isOnDisk,
  startProxy,
  temporaryDirectory,
  textOf,
  type Until,
} from './support/world.ts'

const servers = { f: fixture('f') }

/** One home for the file, and one client that stays: the gateway that a test leaves is the one that the next finds. */
const ends: (() => void | Promise<void>)[] = []
const until: Until = (end) => void ends.unshift(end)
let directory: string
let env: { HOME: string }
let staying: LineClient
beforeAll(async () => {
  directory = temporaryDirectory(until)
  env = { HOME: directory }
  until(() => {
    for (const pid of gateways()) process.kill(pid, 'SIGKILL')
  })
  staying = startLineClient({ ...options(), until })
  await staying.open()
})
afterAll(async () => {
  for (const end of ends) await end()
})

function options(...args: string[]) {
  return { directory, env, servers, args: ['connect', ...args], settings: { lingerSeconds: 1 } }
}

/** The process of each gateway that says so. */
function gateways(): number[] {
  const folder = join(directory, '.mcpproxy', 'gateways')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).process.pid)
}

test('clients that start at once share one gateway, and what is kept for one is not there for another', async () => {
  const [one, two] = [1, 2].map(() => startLineClient(options())) as [LineClient, LineClient]
  const clients = [one, two, staying]
  await Promise.all([one.open(), two.open()])
  expect(gateways()).toHaveLength(1)
  const cache_id = handleOf(await one.call('f_records', { count: 500 }))
  const question = { cache_id, aggregate: 'count' }
  expect(textOf(await one.call('proxy_filter', question))).toContain('"count":500')
  expect(textOf(await two.call('proxy_filter', question))).toContain(
    `No kept result has cache_id "${cache_id}"`,
  )
  for (const client of clients) expect(client.strays).toEqual([])
  expect((await one.end()).code).toBe(0)
  expect(await two.call('f_text', { size: 3 })).toMatchObject({ content: [{ text: 'aaa' }] })
})

test('a command asks the gateway that runs, and shares what it keeps with clients over standard input', async () => {
  const config = join(directory, 'mcp.json')
  const command = (...words: string[]) => runProxy(['--config', config, ...words], { env })
  const pid = async () => JSON.parse((await command('call', 'f_environment')).stdout).pid
  const first = await pid()
  expect([first, gateways().length]).toEqual([await pid(), 1])
  const kept = await command('call', 'f_records', 'count=400')
  expect(kept.stdout).toContain('cache_id')
  expect((await command('filter', 'last', 'aggregate=count')).stdout).toContain('"count":400')
  expect(textOf(await staying.call('proxy_explore', {}))).not.toContain('f_records')
})

test('when the gateway is killed, calls under way are answered, and the client goes on with what it kept', async () => {
  const client = startLineClient(options('--as', 'tester'))
  await client.open()
  const cache_id = handleOf(await client.call('f_records', { count: 400 }))
  const [pid = 0] = gateways()
  await expect.poll(() => isOnDisk(join(directory, 'data'), cache_id)).toBe(true)
  const slow = client.call('f_slow', { ms: 10, held: true })
  const refused = expect(slow).rejects.toThrow('The gateway ended while this request was under way')
  await expect.poll(async () => textOf(await client.call('f_text', { size: 1 }))).toBe('a')
  process.kill(pid, 'SIGKILL')
  await refused
  const asked = await client.call('proxy_filter', { cache_id, aggregate: 'count' })
  expect(textOf(asked)).toContain('"count":400')
  expect(gateways()).not.toContain(pid)
  expect(client.strays).toEqual([])
  expect(client.unasked).toEqual([])
  await client.end()

  const later = startLineClient(options('--as', 'tester'))
  await later.open()
  expect(textOf(await later.call('proxy_filter', { cache_id, aggregate: 'count' }))).toContain('"count":400')
})

test.each(['legacy', 'modern'] as const)(
  'a client of the %s era has progress and answers questions of servers',
  async (era) => {
    const { client, call } = await startProxy({
      ...options(),
      client: {
        capabilities: { sampling: {} },
        ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
      },
    })
    const steps: number[] = []
    const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress)
    const slow = client.callTool({ name: 'f_slow', arguments: { ms: 40, held: true } }, { onprogress })
    await expect.poll(() => steps).toEqual([1, 2, 3, 4])
    await call('f_calls')
    await slow
    if (era === 'modern') return
    client.setRequestHandler('sampling/createMessage', async () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'sampled' },
    }))
    expect(textOf(await call('f_sample'))).toContain('sampled')
  },
)

test('clients share the process of a real server, and one that asks for roots serves each its own', async () => {
  const home = temporaryDirectory()
  const common = {
    directory: home,
    env: { HOME: home },
    servers: { f: fixture('f'), memory: memory(join(home, 'memory.json')), files: filesystem(home) },
    settings: { lingerSeconds: 1 },
    args: ['connect'],
    client: { capabilities: { roots: { listChanged: true } } },
  }
  const opened = async (name: string) => {
    const folder = join(home, name)
    mkdirSync(folder)
    const proxy = await startProxy(common)
    proxy.client.setRequestHandler('roots/list', async () => ({
      roots: [{ uri: pathToFileURL(folder).href, name }],
    }))
    const say = async (tool: string, args = {}) => textOf(await proxy.call(tool, args))
    await expect.poll(() => say('files_list_allowed_directories'), { timeout: 30_000 }).toContain(folder)
    return { say, folder }
  }
  const [one, two] = [await opened('one'), await opened('two')]
  onTestFinished(async () => void (await runProxy(['stop'], { env: common.env })))
  const pidOf = async ({ say }: typeof one) => JSON.parse(await say('f_environment')).pid
  expect(await pidOf(one)).toBe(await pidOf(two))
  const entities = [{ name: 'moon', entityType: 'body', observations: [] }]
  await one.say('memory_create_entities', { entities })
  expect(await two.say('memory_read_graph')).toContain('moon')
  expect(await one.say('files_list_allowed_directories')).toContain(one.folder)
  expect(await one.say('files_list_allowed_directories')).not.toContain(two.folder)
  expect(await two.say('files_list_allowed_directories')).not.toContain(one.folder)
})

test('a configuration that is wrong is told by the client that starts the gateway', async () => {
  const wrong = startLineClient({
    ...options(),
    directory: temporaryDirectory(),
    settings: { maxTotalAgents: 'many' },
  })
  await expect(wrong.open()).rejects.toThrow('maxTotalAgents')
})

test('a gateway that is stopped starts again with the next message, and one that no client joins ends', async () => {
  const [pid = 0] = gateways()
  const file = join(directory, 'mcp.json')
  // Without `console.enabled` there is no console, and no token for it.
  expect(readdirSync(join(directory, 'data')).filter((name) => name.includes('console'))).toEqual([])
  const [servers, logs] = await Promise.all([
    runProxy(['--config', file, 'servers'], { env }),
    runProxy(['--config', file, 'logs', '-n', '500'], { env }),
  ])
  expect(JSON.parse(servers.stdout)).toMatchObject({ gateway: pid, servers: [{ server: 'f' }] })
  expect(logs.stdout).toContain('"client connected"')
  const stopped = await runProxy(['stop'], { env })
  expect(stopped.stdout).toContain(`Ended: process ${pid}`)
  expect(gateways()).toEqual([])
  expect(textOf(await staying.call('f_text', { size: 2 }))).toBe('aa')
  expect(gateways()).toHaveLength(1)
  await staying.end()
  await expect.poll(gateways, { timeout: 60_000 }).toEqual([])
})
