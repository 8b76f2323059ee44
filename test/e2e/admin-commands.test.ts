/** Commands that ask a running proxy by its admin interface: its servers, and what it keeps for clients of its own. */
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
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
  const cache_id = /[0-9a-z]{25}/.exec(JSON.stringify(kept))?.[0] ?? ''
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
  expect(unknown.stdout).toContain('No kept result has cache_id')
})

test('without a running proxy a list of all results says what is missing', async () => {
  const { directory, child } = await startConsole({ servers: { f: fixture('f') } })
  child.kill('SIGKILL')
  await new Promise((ended) => child.once('exit', ended))
  const all = await run(process.execPath, [MAIN, '--config', join(directory, 'mcp.json'), 'results', '--all'])
  expect([all.code, all.stdout]).toEqual([1, ''])
  expect(all.stderr).toContain('No proxy serves its console')
})
