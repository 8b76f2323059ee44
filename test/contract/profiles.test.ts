/** Profiles over HTTP: one process, the same servers, and a client for each address. A client sees only its own profile. */
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { changeTokens, createToken } from '../../src/data/tokens.ts'
import { createGateway, type Gateway } from '../../src/gateway.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'
import { type WholeServer, wholeServer } from '../support/whole-server.ts'

const NOTES = {
  use: 'package',
  profile: 'notes',
  title: 'Notes and files',
  instructions: 'For notes.',
  tools: ['memory/*', 'files/read'],
  prompts: ['memory/hello'],
  resources: ['memory/note://*'],
  templates: [],
}
const BOOKS = { use: 'package', profile: 'books', servers: ['files'] }

interface World {
  gateway: Gateway
  url: string
  servers: Record<'memory' | 'files' | 'secret', WholeServer>
  configOf(modules: JsonObject[]): ReturnType<typeof parseConfig>
  connect(path?: string): Promise<Connected>
}

interface Connected {
  client: Client
  told: { method: string; params?: unknown }[]
  lists(): Promise<Record<'tools' | 'prompts' | 'resources' | 'templates', string[]>>
  call(name: string, args?: JsonObject): Promise<{ text: string; isError: boolean }>
}

async function world(settings: JsonObject = {}, modules: JsonObject[] = [NOTES, BOOKS]): Promise<World> {
  const servers = {
    memory: wholeServer('memory'),
    files: wholeServer('files'),
    secret: wholeServer('secret'),
  }
  const dataDir = temporaryFolder()
  const configOf: World['configOf'] = (list) =>
    parseConfig({
      mcpServers: {},
      proxySettings: { dataDir, transport: 'streamable-http', port: 0, ...settings },
      modules: list,
    })
  const gateway = await createGateway(configOf(modules), {
    servers: Object.fromEntries(Object.entries(servers).map(([name, { serve }]) => [name, serve])),
  })
  onTestFinished(() => gateway.close())
  const { url = '' } = await gateway.start()
  return { gateway, url, servers, configOf, connect: (path = '') => connect(`${url}${path}`) }
}

async function connect(url: string): Promise<Connected> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } },
  )
  const told: Connected['told'] = []
  client.fallbackNotificationHandler = async (notification) => void told.push(notification)
  client.fallbackRequestHandler = async () => ({ roots: [] })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never)
  onTestFinished(() => client.close())
  return {
    client,
    told,
    async lists() {
      const [tools, prompts, resources, templates] = await Promise.all([
        client.listTools(),
        client.listPrompts(),
        client.listResources(),
        client.listResourceTemplates(),
      ])
      return {
        tools: tools.tools.map(({ name }) => name).filter((name) => !name.startsWith('proxy_')),
        prompts: prompts.prompts.map(({ name }) => name),
        resources: resources.resources.map(({ uri }) => uri),
        templates: templates.resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      }
    },
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args })
      return { text: JSON.stringify(result), isError: result.isError === true }
    },
  }
}

/** As a client of the modern era asks. */
async function ask(url: string, method: string, params: JsonObject = {}): Promise<JsonObject> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  return (await response.json()) as JsonObject
}

describe('profiles', () => {
  verifies(
    'S2.22 S2.38',
    'clients at different addresses of one process see different packages, and nothing beyond them',
    async () => {
      const { connect, servers } = await world()
      const [notes, books, all] = await Promise.all([connect('/notes'), connect('/books'), connect()])

      expect(notes.client.getServerVersion()).toMatchObject({ title: 'Notes and files' })
      expect(notes.client.getInstructions()).toMatch(/^For notes\.\n\n.*cache_id/s)
      expect(books.client.getServerVersion()).toMatchObject({ title: 'MCP RLM Proxy' })
      expect(await notes.lists()).toEqual({
        tools: ['memory_read', 'memory_many', 'files_read'],
        prompts: ['memory_hello'],
        resources: ['note://memory/1'],
        templates: [],
      })
      expect(await books.lists()).toEqual({
        tools: ['files_read', 'files_many'],
        prompts: ['files_hello'],
        resources: ['note://files/1'],
        templates: ['memo://files/{id}'],
      })
      expect((await all.lists()).tools).toHaveLength(6)

      expect((await notes.call('memory_read')).text).toContain('the memory')
      expect((await books.call('files_many')).text).toContain('cache_id')
      const before = Object.values(servers).map(({ asked }) => asked.length)
      for (const name of ['files_many', 'secret_read', 'secret_many', 'nobody'])
        await expect(notes.call(name)).rejects.toThrow(`Unknown tool: ${name}`)
      const { client } = notes
      await expect(client.getPrompt({ name: 'files_hello' })).rejects.toThrow('Unknown prompt: files_hello')
      for (const uri of ['note://files/1', 'memo://files/7', 'memo://memory/7', 'note://secret/1']) {
        await expect(client.readResource({ uri })).rejects.toThrow('not found')
        await expect(client.subscribeResource({ uri })).rejects.toThrow('not found')
      }
      for (const ref of [
        { type: 'ref/prompt', name: 'secret_hello' } as const,
        { type: 'ref/resource', uri: 'memo://secret/{id}' } as const,
      ])
        await expect(client.complete({ ref, argument: { name: 'id', value: '' } })).rejects.toThrow()
      // A call that a tool of the proxy makes is a call like any other.
      for (const tool of ['files_many', 'secret_many']) {
        const fresh = await notes.call('proxy_filter', { tool, arguments: {}, limit: 1 })
        expect(fresh.text).toContain(`Unknown tool: ${tool}`)
        expect(fresh.text).not.toContain('Did you mean')
      }
      const used = Object.values(servers).map(({ asked }) => asked.filter((one) => !one.includes('/list')))
      expect(Object.values(servers).map(({ asked }) => asked.length)).toEqual(before)
      expect(used.flat().filter((one) => /secret|nobody/.test(one))).toEqual([])
      // The servers of the profile work in full.
      expect(JSON.stringify(await client.readResource({ uri: 'note://memory/1' }))).toContain('of memory')
      await client.subscribeResource({ uri: 'note://memory/1' })
      const kept = await notes.call('proxy_filter', {
        tool: 'memory_many',
        arguments: {},
        aggregate: 'count',
      })
      expect(kept.text).toContain('900')
    },
  )

  verifies(
    'S2.22 S2.11 S2.38',
    'servers that are not in a profile are not connected for it, tell it nothing and ask it nothing',
    async () => {
      const { connect, servers } = await world()
      const notes = await connect('/notes')
      await notes.lists()
      expect([servers.memory, servers.files, servers.secret].map(({ peers }) => peers.size)).toEqual([
        1, 1, 0,
      ])
      const all = await connect()
      await all.lists()
      expect(servers.secret.peers.size).toBe(1)
      await notes.client.setLoggingLevel('debug')
      expect(servers.memory.asked).toContain('logging/setLevel')

      const update = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } })
      const say = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } })
      for (const server of [servers.secret, servers.files, servers.memory]) {
        server.tell(say(server === servers.secret ? 'hidden' : 'open'))
        server.tell({ method: 'notifications/tools/list_changed' })
      }
      servers.files.tell(update('note://files/1'))
      servers.memory.tell(update('note://memory/1'))
      await expect
        .poll(() => notes.told.map(({ params }) => JSON.stringify(params)), { timeout: 30_000 })
        .toContain('{"uri":"note://memory/1"}')
      await expect.poll(() => all.told.map(({ params }) => JSON.stringify(params)).join()).toContain('hidden')
      const heard = JSON.stringify(notes.told)
      expect(heard).toContain('"open"')
      expect(heard).not.toMatch(/hidden|note:\/\/files/)

      // Only the client that sees all has a connection of this server, and it alone is asked.
      const asked = await servers.secret.ask('roots/list')
      expect([asked.answered.length, asked.refused.length]).toEqual([1, 0])
      expect((await servers.memory.ask('roots/list')).answered).toHaveLength(2)
      await (all.client.transport as StreamableHTTPClientTransport).terminateSession()
      await expect.poll(() => servers.secret.peers.size, { timeout: 30_000 }).toBe(0)
    },
  )

  verifies('S2.22 S1.11 S4.12', 'tool search finds only tools of the profile', async () => {
    const retrieve = await world({ exposure: 'retrieve' })
    const found = await retrieve.connect('/notes')
    const all = await retrieve.connect()
    const search = (one: Connected) =>
      one.call('retrieve_tools', { query: ['reads the secret', 'lists the files'] })
    expect((await search(all)).text).toContain('secret_read')
    const answer = await search(found)
    expect(answer.text).not.toMatch(/secret_|files_many/)
    expect((await found.call('retrieve_tools', { query: 'read memory' })).text).toContain('memory_read')
    expect((await found.call('call_tool', { name: 'memory_read', arguments: {} })).text).toContain(
      'the memory',
    )
    for (const [tool, args] of [
      ['describe_tool', { name: 'secret_read' }],
      ['call_tool', { name: 'secret_read', arguments: {} }],
      ['call_tool', { name: 'files_many', arguments: {} }],
    ] as const) {
      const refused = await found.call(tool, args)
      expect([tool, refused.isError]).toEqual([tool, true])
      expect(refused.text.replaceAll(args.name, '')).not.toMatch(/secret|files_many/)
    }
    await expect(found.call('secret_read')).resolves.toMatchObject({ isError: true })
    expect(retrieve.servers.secret.asked.filter((one) => one.startsWith('tools/call'))).toEqual([])

    const dispatch = await world({ exposure: 'dispatch', dispatch: { deny: ['secret/nothing'] } })
    const one = await dispatch.connect('/notes')
    // Another client has everything connected: what is known of it is not for this one.
    await (await dispatch.connect()).call('proxy-dispatch', { action: 'list' })
    for (const action of ['list', 'status', 'search'] as const) {
      const { text, isError } = await one.call('proxy-dispatch', {
        action,
        format: 'detail',
        ...(action === 'search' && { query: 'read secret many files' }),
      })
      expect([action, isError]).toEqual([action, false])
      expect(text).toContain('memory')
      expect(text).not.toMatch(/the secret|"secret|secret\/|secret_/)
    }
    const call = (more: JsonObject) => one.call('proxy-dispatch', { action: 'call', ...more })
    expect((await call({ tool: 'read', connection: 'memory' })).text).toContain('the memory')
    for (const more of [
      { tool: 'read', connection: 'secret' },
      { tool: 'secret_read' },
      { tool: 'many', connection: 'files' },
      { tool: 'read', connection: 'c3' },
    ])
      expect((await call(more)).isError).toBe(true)
    const fresh = await one.call('proxy-dispatch', { action: 'filter', tool: 'secret_many', limit: 1 })
    expect(fresh.isError).toBe(true)
    expect(dispatch.servers.secret.asked.filter((entry) => entry.startsWith('tools/call'))).toEqual([])
  })

  verifies('S2.22', 'clients without sessions choose with each request', async () => {
    const { url } = await world()
    const discovered = await ask(`${url}/notes`, 'server/discover')
    const { result } = discovered as { result: JsonObject }
    expect(result.instructions).toMatch(/^For notes\./)
    expect(JSON.stringify(result._meta)).toContain('Notes and files')
    expect(JSON.stringify(await ask(url, 'server/discover'))).not.toContain('For notes.')
    const listed = async (at: string): Promise<string> => JSON.stringify(await ask(at, 'tools/list'))
    expect(await listed(`${url}/notes`)).not.toMatch(/secret|files_many/)
    expect(await listed(url)).toContain('secret_read')
    expect(await listed(`${url}/books`)).not.toMatch(/secret|memory_read/)
    expect(
      JSON.stringify(await ask(`${url}/notes`, 'tools/call', { name: 'memory_read', arguments: {} })),
    ).toContain('the memory')
    expect(await ask(`${url}/notes`, 'tools/call', { name: 'secret_read', arguments: {} })).toMatchObject({
      error: { message: 'Unknown tool: secret_read.' },
    })
  })

  verifies(
    'S2.22',
    'an address that names no profile is answered with 404 and the names of all profiles',
    async () => {
      const { url, connect } = await world()
      /** The path as it is: fetch would put it right. */
      const send = (path: string): Promise<{ status: number | undefined; body: string }> =>
        new Promise((resolve, reject) => {
          const { hostname, port } = new URL(url)
          const headers = {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          }
          const sent = httpRequest({ hostname, port, path, method: 'POST', headers }, (response) => {
            let body = ''
            response.on('data', (chunk) => {
              body += String(chunk)
            })
            response.on('end', () => resolve({ status: response.statusCode, body }))
          })
          sent.once('error', reject)
          sent.end('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
        })
      const answered = await send('/mcp/note')
      expect([answered.status, JSON.parse(answered.body)]).toEqual([
        404,
        {
          jsonrpc: '2.0',
          id: null,
          error: {
            code: -32000,
            message: 'There is no profile "note". Did you mean notes? There are: notes, books.',
          },
        },
      ])
      for (const path of [
        '/mcp/',
        '/mcp/../mcp/notes',
        '/mcp/notes/../../mcp',
        '/mcp/%6eotes',
        '/mcp/NOTES',
        '/mcp/__proto__',
        `/mcp/${'x'.repeat(8000)}`,
      ])
        expect([path, (await send(path)).status]).toEqual([path, 404])

      // A session belongs to the address at which it began.
      const { client } = await connect('/notes')
      const id = (client.transport as StreamableHTTPClientTransport).sessionId ?? ''
      const look = (at: string): Promise<number> =>
        fetch(at, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': id,
          },
          body: '{"jsonrpc":"2.0","id":2,"method":"ping"}',
        }).then(async (response) => {
          await response.text()
          return response.status
        })
      expect(await Promise.all([look(url), look(`${url}/books`), look(`${url}/notes`)])).toEqual([
        404, 404, 200,
      ])
    },
  )

  verifies('S2.22 S1.38', 'clients that know HTTP+SSE alone choose by the path as well', async () => {
    const { url } = await world({ transport: 'sse' })
    const client = new Client({ name: 'test', version: '1' })
    onTestFinished(() => client.close())
    await client.connect(new SSEClientTransport(new URL(`${url}/books`)))
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name).filter((name) => !name.startsWith('proxy_'))
    expect(names).toEqual(['files_read', 'files_many'])
    await expect(client.callTool({ name: 'secret_read', arguments: {} })).rejects.toThrow('Unknown tool')
    const absent = await fetch(`${url}/book`)
    expect([absent.status, await absent.text()]).toEqual([
      404,
      expect.stringContaining('Did you mean books?'),
    ])
  })

  verifies('S2.22', 'a token may open single profiles alone', async () => {
    const tokens = join(temporaryFolder(), 'tokens.json')
    const made = (name: string, profiles?: string[]) => createToken(name, { now: Date.now(), profiles })
    const [bound, whole] = [made('bound', ['notes']), made('whole')]
    changeTokens(tokens, () => [bound.entry, whole.entry])
    const { url } = await world({ auth: { tokens } })
    const look = async (token: string, path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
      const response = await fetch(new URL(path, url), { headers })
      await response.text()
      return response.status
    }
    const places = ['/mcp/notes', '/mcp/books', '/mcp', '/metrics']
    // 400: let in, and no session was named.
    expect(await Promise.all(places.map((path) => look(bound.token, path)))).toEqual([400, 404, 403, 403])
    expect(await Promise.all(places.map((path) => look(whole.token, path)))).toEqual([400, 400, 400, 200])
  })

  verifies(
    'S2.22 S2.5',
    'a profile of the process is the only one; otherwise the default applies',
    async () => {
      const alone = await world({
        profile: 'notes',
        bridge: { enabled: true, token: 't'.repeat(40), tools: ['*'] },
      })
      const here = await alone.connect()
      expect((await here.lists()).tools).toEqual(['memory_read', 'memory_many', 'files_read'])
      expect(await (await alone.connect('/notes')).lists()).toEqual(await here.lists())
      await expect(alone.connect('/books')).rejects.toThrow('There is no profile')
      // Scripts are bound by it as well.
      const script = async (path: string, body: JsonObject): Promise<string> => {
        const headers = { authorization: `Bearer ${'t'.repeat(40)}`, 'content-type': 'application/json' }
        const response = await fetch(new URL(`/bridge${path}`, alone.url), {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        })
        return response.text()
      }
      expect(await script('/call', { tool: 'memory_read' })).toContain('the memory')
      for (const told of [
        await script('/list', { includeTools: true }),
        await script('/search', { query: 'read the secret' }),
        await script('/call', { tool: 'read', connection: 'files' }),
      ])
        expect(told).not.toMatch(/secret_|"secret"|files_many|Lists the files/)
      expect(await script('/call', { tool: 'files_many' })).toContain('There is no tool')
      expect(await script('/call', { tool: 'secret_read' })).toContain('There is no tool')
      expect(alone.servers.secret.asked).toEqual([])

      const open = await world({}, [{ ...NOTES, default: true }, BOOKS])
      expect((await (await open.connect()).lists()).tools).toEqual([
        'memory_read',
        'memory_many',
        'files_read',
      ])
      expect((await (await open.connect('/books')).lists()).tools).toEqual(['files_read', 'files_many'])
      expect(await open.gateway.profiles()).toEqual([
        { name: 'notes', title: 'Notes and files', isDefault: true, servers: ['memory', 'files'], tools: 3 },
        { name: 'books', title: undefined, isDefault: false, servers: ['files'], tools: 2 },
      ])
    },
  )

  verifies(
    'S2.22 S2.39',
    'a new configuration changes profiles and notifies clients; a removed profile has no items',
    async () => {
      const { gateway, connect, configOf, url } = await world()
      const notes = await connect('/notes')
      const books = await connect('/books')
      await Promise.all([notes.lists(), books.lists()])
      await gateway.reconfigure(configOf([{ ...NOTES, tools: ['secret/read'], title: 'Secrets' }]))
      await expect
        .poll(() => notes.told.map(({ method }) => method), { timeout: 30_000 })
        .toContain('notifications/tools/list_changed')
      expect((await notes.lists()).tools).toEqual(['secret_read'])
      expect((await notes.call('secret_read')).text).toContain('the secret')
      await expect(notes.call('memory_read')).rejects.toThrow('Unknown tool')
      await expect(books.lists()).rejects.toThrow()
      await expect(connect('/books')).rejects.toThrow('There is no profile')
      expect(JSON.stringify(await ask(`${url}/notes`, 'tools/list'))).toContain('"title":"Secrets"')
      await gateway.reconfigure(configOf([]))
      await expect(notes.call('secret_read')).rejects.toThrow('MCP is served at /mcp')
      expect((await (await connect()).lists()).tools).toHaveLength(6)
    },
  )
})

test('a profile that names nothing is seen in its count', async () => {
  const { gateway } = await world({}, [{ use: 'package', profile: 'empty', tools: ['file/*'] }])
  expect(await gateway.profiles()).toEqual([
    { name: 'empty', title: undefined, isDefault: false, servers: [], tools: 0 },
  ])
})
