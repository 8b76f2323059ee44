/**
 * Secrets that a server holds are nowhere behind the module `redact`: neither in anything that a client receives, nor in logs,
 * figures or files. Whole gateways of this process, with a server in it that puts secrets into all it can send.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { expect, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway } from '../../src/gateway.ts'
import type { Logger } from '../../src/observe/log.ts'
import { RpcError } from '../../src/protocol/errors.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { Peer } from '../../src/protocol/peer.ts'
import type { Serve } from '../../src/upstream/in-process.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

/** In parts, so that no scanner takes these for real keys. */
const KEY = `sk_${'live'}_4eC39HqLyjWDarjtT1zdp7dcQ8m`
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
const PASSWORD = 'correct-horse "battery"'
const MAIL = 'ada.lovelace@example.org'
const CARD = '4111 1111 1111 1111'
const LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'
const PEM = `-----BEGIN PRIVATE ${'KEY'}-----\n${LINE}\n${LINE}\n-----END PRIVATE ${'KEY'}-----`
const SECRETS = [KEY, TOKEN, PASSWORD, MAIL, CARD, LINE]

/** As it is, as JSON and JSON of that, in addresses, in hexadecimal, and in base64 wherever it begins in the text. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const encoded = [0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${secret}`)
      .toString('base64')
      .slice(4, -4),
  )
  return [
    ...new Set([
      secret,
      json,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('hex'),
      ...encoded,
    ]),
  ]
}
const FORMS = SECRETS.flatMap(formsOf)

function expectNone(where: string, what: string): void {
  for (const form of FORMS) if (what.includes(form)) expect.fail(`${where} holds ${form}`)
}

const DATA = { user: 'ada', password: PASSWORD, env: [{ name: 'API_KEY', value: KEY }], [MAIL]: [CARD] }
const TEXT = `token ${TOKEN}\nmail ${MAIL}, card ${CARD}\n${PEM}\nAPI_KEY=${KEY}\n${JSON.stringify(DATA)}`
const rows = Array.from({ length: 400 }, (_, n) => ({ n, state: n % 3 ? 'open' : 'shut', note: `line ${n}` }))
const ALL = [...rows, { n: 400, state: 'lost', ...DATA }, { n: 401, note: TEXT }, ...rows]

const TOOLS: Readonly<Record<string, () => JsonObject>> = {
  small: () => ({
    content: [
      { type: 'text', text: TEXT },
      {
        type: 'resource',
        resource: { uri: `x://u:${TOKEN}@h/`, blob: Buffer.from(TEXT).toString('base64') },
      },
      { type: 'resource_link', uri: `https://h/?api_key=${KEY}`, name: TOKEN, description: MAIL },
    ],
    structuredContent: DATA,
    _meta: { 'x/y': TEXT },
  }),
  large: () => ({ content: [{ type: 'text', text: JSON.stringify(ALL) }], structuredContent: { rows: ALL } }),
  prose: () => ({
    content: [{ type: 'text', text: `${'ordinary words. '.repeat(1500)}${TEXT}\n${'more. '.repeat(2500)}` }],
  }),
  broken: () => ({ content: [{ type: 'text', text: `failed: ${TEXT}` }], isError: true }),
  fails: () => {
    throw new RpcError(-32050, `failed with ${TEXT}`, { data: DATA, why: TEXT })
  },
}

const REST: Readonly<Record<string, JsonObject>> = {
  'resources/list': { resources: [{ uri: 'note://1', name: 'one', description: TEXT }] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': {
    contents: [
      { uri: 'note://1', text: TEXT },
      { uri: 'note://1', blob: Buffer.from(TEXT).toString('base64'), mimeType: 'application/octet-stream' },
    ],
  },
  'prompts/list': { prompts: [{ name: 'ask', description: TEXT }] },
  'prompts/get': { description: TEXT, messages: [{ role: 'user', content: { type: 'text', text: TEXT } }] },
  'completion/complete': { completion: { values: [TOKEN, MAIL] } },
}

/** Says all it knows: in answers, and while it works on a call. */
const serve: Serve = async (transport) => {
  const peer = new Peer(transport, {
    async onRequest({ method, params = {} }, incoming) {
      if (method === 'initialize')
        return {
          protocolVersion: String(params.protocolVersion),
          capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
          serverInfo: { name: 'office', version: '1' },
          instructions: `Use ${TEXT}`,
        }
      if (method === 'tools/list')
        return {
          tools: Object.keys(TOOLS).map((name) => ({
            name,
            description: `${name}, asked for by ${MAIL} with ${TOKEN}`,
            inputSchema: { type: 'object', properties: { key: { type: 'string', default: KEY } } },
          })),
        }
      if (method !== 'tools/call') return REST[method] ?? {}
      incoming.notify({
        method: 'notifications/message',
        params: { level: 'error', logger: TOKEN, data: { ...DATA, TEXT } },
      })
      const { _meta } = params
      const token = (_meta as JsonObject | undefined)?.progressToken
      if (token !== undefined)
        incoming.notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress: 1, message: TEXT },
        })
      if (params.name === 'small')
        await incoming
          .request({
            method: 'elicitation/create',
            params: {
              message: TEXT,
              requestedSchema: { type: 'object', properties: { a: { type: 'string', default: KEY } } },
            },
          })
          .catch(() => {})
      return TOOLS[String(params.name)]?.() ?? {}
    },
    onNotification() {},
  })
  await peer.start()
}

async function world(exposure: string) {
  const dataDir = temporaryFolder()
  const logged: string[] = []
  const log = (fields: object, message: string): void =>
    void logged.push(`${JSON.stringify(fields)} ${message}`)
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  const input = new PassThrough()
  const output = new PassThrough()
  const received: string[] = []
  output.on('data', (chunk) => void received.push(String(chunk)))
  const file = join(dataDir, 'messages.log')
  const config = parseConfig({
    mcpServers: {},
    proxySettings: {
      exposure,
      dataDir,
      log: { level: 'debug' },
      bridge: { enabled: true },
      spill: { threshold: 20_000 },
    },
    modules: [
      { use: 'log', content: 'all', file, maxLength: 2_000 },
      { use: 'log', name: 'again', content: 'all', maxLength: 1_000_000 },
      { use: 'redact' },
    ],
  })
  const gateway = await createGateway(config, { input, output, logger, servers: { office: serve } })
  onTestFinished(() => gateway.close())
  const { bridge = '' } = await gateway.start()
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: {}, sampling: {} } },
  )
  let asked = 0
  client.fallbackRequestHandler = async () => {
    asked++
    return { action: 'decline' }
  }
  await client.connect(new StdioServerTransport(output, input))
  const call = async (name: string, args: JsonObject = {}): Promise<JsonObject> =>
    (await client.callTool({ name, arguments: args }, undefined, { onprogress: () => {} })) as JsonObject
  return { dataDir, logged, received, file, gateway, bridge, client, call, asked: () => asked }
}

type World = Awaited<ReturnType<typeof world>>

const idOf = (reply: JsonObject): string =>
  /cache_id[^\w-]+([\w-]{6,})/.exec(JSON.stringify(reply))?.[1] ?? ''

/** Everything that a client can do with what a server said. */
const SESSIONS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async passthrough({ client, call, asked }) {
    await client.listTools()
    await client.listResources()
    await client.readResource({ uri: 'note://1' })
    await client.listPrompts()
    await client.getPrompt({ name: 'ask' })
    await client.complete({ ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'a', value: 'b' } })
    await call('small')
    expect(asked()).toBe(1)
    await call('broken')
    await expect(call('fails')).rejects.toThrow('redacted')
    for (const tool of ['large', 'prose']) {
      const cache_id = idOf(await call(tool))
      expect(cache_id).not.toBe('')
      await call('proxy_explore', { cache_id })
      for (const pattern of ['redacted', 'ada', 'MII|BEGIN', 'battery|sk_|4111'])
        await call('proxy_search', { cache_id, pattern, context_lines: 3 })
      await call('proxy_filter', { cache_id, where: ['state = lost'] })
      await call('proxy_filter', { cache_id, sort: '-n', limit: 5 })
      await call('proxy_filter', { tool, arguments: {}, fields: ['password', 'env', 'note'], limit: 3000 })
    }
  },
  async dispatch({ client, call }) {
    await client.listTools()
    const ask = (args: JsonObject): Promise<JsonObject> => call('proxy-dispatch', args)
    await ask({ action: 'list' })
    await ask({ action: 'search', query: 'small' })
    await ask({ action: 'call', tool: 'small' })
    await ask({ action: 'call', tool: 'fails' }).catch(() => {})
    for (const tool of ['large', 'prose']) {
      const reply = await ask({ action: 'call', tool, resultToFile: true })
      const { resultFile } = reply
      await ask({ action: 'readresult', resultFile: resultFile ?? '', grep: 'redacted|battery|ada' })
    }
  },
  async retrieve({ client, call, bridge, dataDir }) {
    await client.listTools()
    await call('retrieve_tools', { query: 'asked for by ada' })
    await call('describe_tool', { names: ['small', 'office_small'] })
    for (const tool of ['small', 'large', 'broken']) await call(tool)
    await expect(call('fails')).rejects.toThrow('redacted')
    const token = readFileSync(join(dataDir, 'bridge-token'), 'utf8').trim()
    const headers = { authorization: `Bearer ${token}` }
    const metrics = await (await fetch(`${bridge.replace('/bridge', '')}/metrics`, { headers })).text()
    expect(metrics).toContain('tool_calls_total')
    expectNone('the metrics', metrics)
  },
}

for (const [exposure, session] of Object.entries(SESSIONS))
  verifies('S2.25 S2.38 S2.21', `secrets are nowhere behind redact: ${exposure}`, async () => {
    const at = await world(exposure)
    await session(at)
    const savings = JSON.stringify(await at.gateway.savings())
    const state = JSON.stringify([at.gateway.modules(), at.gateway.layers()])
    // Files that go with the process, too.
    const files = (): void => {
      // Lists of servers are kept from one run to the next as they came, and go through the modules then.
      for (const entry of readdirSync(at.dataDir, { recursive: true, withFileTypes: true }))
        if (entry.isFile() && !entry.parentPath.endsWith('/servers')) {
          const bytes = readFileSync(join(entry.parentPath, entry.name))
          for (const text of [bytes.toString('latin1'), bytes.toString('utf16le')])
            expectNone(`the file ${entry.name}`, text)
        }
    }
    files()
    await at.gateway.close()
    files()
    const received = at.received.join('')
    expect(received).toContain('redacted')
    expectNone('what the client received', received)
    expectNone('the log', at.logged.join('\n'))
    expectNone('what is told of savings', savings)
    expectNone('what is told of the state', state)
    // How many of each kind is there, and the log of messages has what was said.
    expect(at.logged.join('\n')).toMatch(/\{"kind":"secret","times":\d/)
    expect(readFileSync(at.file, 'utf8')).toContain('redacted')
  })
