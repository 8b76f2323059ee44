import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { fixture, MAIN, ROOT, startProxy, temporaryDirectory, writeConfig } from './support/world.ts'

const shared = (name: string) => ({ ...fixture(name), env: { FIXTURE_NAMESPACE: 'shared' } })

test('two servers with the same resources: both are reached, and every mention leads to the right one', async () => {
  const { client, call } = await startProxy({ servers: { a: shared('one'), b: shared('two') } })
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual(['fixture://shared/one', 'fixture+b://shared/one'])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'fixture://shared/items/{id}',
    'fixture+b://shared/items/{id}',
  ])
  const read = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents
  for (const path of ['shared/one', 'shared/items/7']) {
    const uri = `fixture://${path}`
    expect(await read(uri)).toEqual([{ uri, text: `one has ${uri}` }])
    expect(await read(`fixture+b://${path}`)).toEqual([
      { uri: `fixture+b://${path}`, text: `two has ${uri}` },
    ])
  }

  const uri = 'fixture://shared/one'
  const link = { type: 'resource_link', uri, name: 'one' }
  const embedded = { type: 'resource', resource: { uri: 'fixture://shared/items/3', text: 't' } }
  const result = { content: [link, embedded] }
  expect((await call('a_give', { result })).content).toEqual([link, embedded])
  expect((await call('b_give', { result })).content).toEqual([
    { ...link, uri: 'fixture+b://shared/one' },
    { ...embedded, resource: { uri: 'fixture+b://shared/items/3', text: 't' } },
  ])

  const updates: unknown[] = []
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updates.push(params.uri),
  )
  await client.subscribeResource({ uri: 'fixture+b://shared/one' })
  await expect.poll(() => updates).toEqual(['fixture+b://shared/one'])
  await client.subscribeResource({ uri })
  await expect.poll(() => updates).toEqual(['fixture+b://shared/one', uri])
})

test('a resource link gets its unique URI before any list of resources was requested', async () => {
  const { call, client } = await startProxy({ servers: { a: shared('one'), b: shared('two') } })
  const link = { type: 'resource_link', uri: 'fixture://shared/one', name: 'one' }
  const [moved] = (await call('b_give', { result: { content: [link] } })).content
  const { contents } = await client.readResource({ uri: String(moved?.uri) })
  expect(contents).toMatchObject([{ text: 'two has fixture://shared/one' }])
})

verifies('S2.15 S2.24', 'in every mode each tool has one name and the name reaches its server', async () => {
  for (const [prefix, names] of [
    ['always', ['a_calls', 'b_calls']],
    ['onConflict', ['a_calls', 'b_calls']],
    ['never', ['calls', 'b_calls']],
  ] as const) {
    const { client, text } = await startProxy({
      servers: { a: fixture('one'), b: fixture('two') },
      settings: { naming: { prefix } },
    })
    const listed = (await client.listTools()).tools
      .map(({ name }) => name)
      .filter((name) => name.endsWith('calls'))
    expect(listed).toEqual(names)
    for (const [index, server] of ['one', 'two'].entries())
      expect(await text(names[index] ?? '')).toContain(`"name":"${server}"`)
    const prompts = (await client.listPrompts()).prompts.map(({ name }) => name)
    expect(prompts).toEqual(names.map((name) => name.replace('calls', 'greet')))
    const { messages } = await client.getPrompt({ name: prompts[1] ?? '', arguments: { who: 'me' } })
    expect(messages[0]?.content).toEqual({ type: 'text', text: 'two greets me' })
    await client.close()
  }
})

test('a name that several servers use is refused with the names that each goes by', async () => {
  const { client, call } = await startProxy({ servers: { a: fixture('one'), b: fixture('two') } })
  await client.listTools()
  await expect(call('calls')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('call one of a_calls, b_calls'),
  })
})

test('a server that comes later does not take a name that was given out', async () => {
  const directory = temporaryDirectory()
  const gate = join(directory, 'gate')
  const { command, args } = fixture('late')
  const wait = `until test -e ${gate}; do sleep 0.05; done; exec "$0" "$@"`
  const { client, text } = await startProxy({
    directory,
    servers: { a: { command: 'sh', args: ['-c', wait, command, ...args] }, b: fixture('prompt') },
    settings: { naming: { prefix: 'onConflict' }, connect: { listWaitMs: 3000 } },
  })
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)
  await expect.poll(names).toContain('calls')
  expect(await text('calls')).toContain('"name":"prompt"')
  writeFileSync(gate, '')
  await expect.poll(names).toContain('a_calls')
  const all = await names()
  expect(all).toContain('calls')
  expect(all).not.toContain('b_calls')
  expect(await text('calls')).toContain('"name":"prompt"')
  expect(await text('a_calls')).toContain('"name":"late"')
})

test('a task of one of several servers runs to its end', async () => {
  const everything = {
    command: process.execPath,
    args: [`${ROOT}node_modules/@modelcontextprotocol/server-everything/dist/index.js`, 'stdio'],
  }
  const directory = temporaryDirectory()
  const servers = { a: fixture('one'), x: everything, y: everything }
  // The capabilities of servers are remembered; a client gets them at once.
  const first = await startProxy({ servers, directory })
  await first.client.listTools()
  await first.close()
  const client = new LegacyClient({ name: 'test', version: '1.0.0' })
  onTestFinished(() => client.close())
  const args = [MAIN, '--config', writeConfig(directory, { servers })]
  await client.connect(new LegacyTransport({ command: process.execPath, args, stderr: 'ignore' }))
  expect(client.getServerCapabilities()?.tasks).toMatchObject({ requests: { tools: { call: {} } } })
  await client.listTools()
  const stream = client.experimental.tasks.callToolStream(
    { name: 'y_simulate-research-query', arguments: { topic: 'proxies' } },
    CallToolResultSchema,
  )
  const seen: string[] = []
  let text = ''
  for await (const message of stream) {
    seen.push(message.type)
    if (message.type === 'error') throw message.error
    if (message.type === 'result') text = JSON.stringify(message.result.content)
  }
  expect(seen[0]).toBe('taskCreated')
  expect(seen.at(-1)).toBe('result')
  expect(text).toContain('proxies')
  const { tasks } = await client.experimental.tasks.listTasks()
  expect(tasks).toHaveLength(1)
})
