/** Commands that ask a running proxy by its admin interface: its servers, and what it keeps for clients of its own. */
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import { run } from './support/command.ts'
import { startConsole } from './support/console.ts'
import { fixture, MAIN, PATIENT } from './support/world.ts'

test('commands show the servers of a running proxy, and ask what it keeps for its clients', async () => {
  const { directory, url, origin } = await startConsole({ servers: { f: fixture('f') } })
  const client = new Client({ name: 'desk', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url), PATIENT)
  onTestFinished(() => client.close())
  const environment = async () =>
    JSON.stringify(await client.callTool({ name: 'f_environment', arguments: {} }, PATIENT))
  expect(await environment()).toContain('pid')
  const kept = await client.callTool({ name: 'f_records', arguments: { count: 300 } }, PATIENT)
  const cache_id = /[0-9a-z]{12}/.exec(JSON.stringify(kept))?.[0] ?? ''
  const command = (...words: string[]) =>
    run(process.execPath, [MAIN, '--config', join(directory, 'mcp.json'), ...words])

  const servers = await command('servers')
  expect(JSON.parse(servers.stdout)).toMatchObject({
    console: `${origin}/console`,
    servers: [{ server: 'f', state: 'ready', transport: 'stdio' }],
  })
  const all = await command('results', '--all')
  expect(JSON.parse(all.stdout)).toMatchObject([{ handle: cache_id, tool: 'f_records', names: ['desk 1'] }])
  const counted = await command('filter', cache_id, 'aggregate=count')
  expect([counted.code, counted.stdout]).toEqual([0, expect.stringContaining('"count":300')])
  const wrong = await command('filter', cache_id, 'no such condition (')
  expect(wrong.code).toBe(1)
  const unknown = await command('filter', '0'.repeat(25), 'aggregate=count')
  expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining('No kept result has cache_id')])
})

test('commands call tools by a running proxy, run programs there and print its log', async () => {
  const { directory, stderr } = await startConsole({
    servers: { f: fixture('f') },
    settings: { code: { enabled: true } },
  })
  const command = (...words: string[]) =>
    run(process.execPath, [MAIN, '--config', join(directory, 'mcp.json'), ...words])
  const environments = [await command('call', 'f_environment'), await command('call', 'f_environment')]
  const pids = environments.map(({ stdout }) => JSON.parse(stdout).pid)
  expect(pids).toEqual([expect.any(Number), pids[0]])
  expect((await command('tools')).stdout).toContain('f_records')

  const kept = await command('call', 'f_records', 'count=300')
  const handle = /[0-9a-z]{12}/.exec(kept.stdout)?.[0]
  const counted = await command('filter', 'last', 'aggregate=count')
  expect([counted.code, counted.stdout]).toEqual([0, expect.stringContaining('"count":300')])
  const ran = await command('code', 'last', 'return (await d.rows({ limit: 7 })).length')
  expect([ran.code, ran.stdout.trim()]).toEqual([0, '=> 7'])
  const named = await command('results', 'rename', 'last', 'all records')
  expect([named.code, named.stdout.trim()]).toEqual([0, handle])
  expect((await command('results', '--all')).stdout).toContain('"label": "all records"')
  const failed = await command('call', 'f_none')
  expect([failed.code, failed.stdout]).toEqual([1, ''])
  expect(failed.stderr).toContain('f_none')
  // A flag may change what the proxy does: the command starts a gateway with it.
  const apart = await run(process.execPath, [
    ...[MAIN, '--config', join(directory, 'mcp.json'), '--exposure', 'dispatch', 'tools'],
  ])
  expect(apart.stdout).toMatch(/^proxy-dispatch {2}/)

  const log = await command('logs', '-n', '500')
  const lines = log.stdout.trim().split('\n')
  expect(log.code).toBe(0)
  expect(lines.map((line) => JSON.parse(line).msg)).toContain('client connected')
  for (const line of lines) expect(stderr()).toContain(JSON.parse(line).msg)
  expect((await command('logs', '-n', '1')).stdout.trim().split('\n')).toHaveLength(1)
})

test('the OpenAPI document describes what the admin interface answers', async () => {
  const { api, url } = await startConsole({ servers: { f: fixture('f') } })
  const client = new Client({ name: 'desk', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url), PATIENT)
  onTestFinished(() => client.close())
  await client.callTool({ name: 'f_records', arguments: { count: 300 } }, PATIENT)
  const { body: document } = await api('GET', '/openapi.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  const checked: string[] = []
  for (const [path, operations] of Object.entries<JsonObject>(document.paths)) {
    const { get } = operations as { get?: { responses: { 200: { content: JsonObject } } } }
    const described = get?.responses[200].content['application/json'] as { schema: object } | undefined
    if (described === undefined) continue
    const asked = path.replace('/calls/{id}', '/calls/1').replace('{name}', 'f')
    const { status, body } = await api('GET', asked)
    const validate = ajv.compile(described.schema)
    expect([path, status, validate(body), validate.errors]).toEqual([path, 200, true, null])
    checked.push(path)
  }
  expect(checked.length).toBeGreaterThanOrEqual(12)
})

test('without a running proxy a list of all results says what is missing', async () => {
  const { directory, child } = await startConsole({ servers: { f: fixture('f') } })
  child.kill('SIGKILL')
  await new Promise((ended) => child.once('exit', ended))
  const all = await run(process.execPath, [MAIN, '--config', join(directory, 'mcp.json'), 'results', '--all'])
  expect([all.code, all.stdout]).toEqual([1, ''])
  expect(all.stderr).toContain('No proxy serves its console')
})
