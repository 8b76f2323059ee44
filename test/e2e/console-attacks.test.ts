/** Attacks on the admin interface, a row each: none of them is answered with anything but a refusal, and none changes anything. Then what it does for who may. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { browse } from '../support/oauth/caller.ts'
import { startProtected } from '../support/oauth/protected-server.ts'
import { run } from './support/command.ts'
import { startConsole } from './support/console.ts'
import { fixture, MAIN, PATIENT, startProxy } from './support/world.ts'

interface Attack {
  /** The attempt, for the name of the test. */
  readonly name: string
  readonly method?: string
  /** Default: the list of servers. */
  readonly path?: string
  readonly headers?: Record<string, string | string[]>
  /** `none`: no token is sent. Default: the token of admins. */
  readonly token?: 'none' | 'read' | 'admin'
  readonly body?: string
  /** Statuses that refuse it. */
  readonly refused: readonly number[]
}

const JSON_TYPE = { 'content-type': 'application/json' }
const HANDLE = '0'.repeat(25)
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

/** Each route that tells or changes something, without a token. */
const ROUTES: readonly [method: string, path: string][] = [
  ['GET', '/status'],
  ['GET', '/savings'],
  ['GET', '/calls'],
  ['GET', '/calls/1'],
  ['GET', '/events'],
  ['GET', '/openapi.json'],
  ['GET', '/results'],
  ['POST', `/results/${HANDLE}/ask`],
  ['GET', `/results/${HANDLE}/export`],
  ['PUT', `/results/${HANDLE}`],
  ['DELETE', `/results/${HANDLE}`],
  ['GET', '/servers'],
  ['POST', '/servers/f/restart'],
  ['GET', '/servers/f/log'],
  ['GET', '/log'],
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['POST', '/mcp/work'],
  ['GET', '/tools'],
  ['PUT', '/tools/f/records'],
  ['GET', '/pins'],
  ['POST', '/pins/approve'],
  ['GET', '/modules'],
  ['GET', '/clients'],
  ['POST', '/tokens'],
  ['DELETE', '/tokens/t_1'],
  ['GET', '/configuration'],
  ['GET', '/configuration/schema'],
  ['POST', '/configuration/check'],
  ['PUT', '/configuration'],
  ['POST', '/configuration/rollback'],
  ['GET', '/connect'],
  ['POST', '/connect/codex'],
  ['DELETE', '/connect/codex'],
]
/** The changes that are refused to a token that may only read. */
const CHANGES: readonly [method: string, path: string, body: object][] = [
  ['POST', `/results/${HANDLE}/ask`, { tool: 'proxy_code', arguments: { code: 'return 1' } }],
  ['PUT', `/results/${HANDLE}`, { pinned: true }],
  ['DELETE', `/results/${HANDLE}`, {}],
  ['POST', '/servers/f/restart', {}],
  ['POST', '/servers/f/sign-out', {}],
  ['GET', '/servers/f/log', {}],
  ['GET', '/log', {}],
  ['POST', '/mcp', INITIALIZE],
  ['PUT', '/tools/f/records', { enabled: false }],
  ['POST', '/pins/approve', { tool: 'f/records', hash: '00000000' }],
  ['POST', '/tokens', { name: 'mine' }],
  ['DELETE', '/tokens/t_1', {}],
  ['GET', '/configuration', {}],
  ['POST', '/configuration/check', { text: '{}' }],
  ['PUT', '/configuration', { text: '{}', hash: '' }],
  ['POST', '/configuration/rollback', { name: 'x' }],
  ['POST', '/connect/codex', {}],
  ['DELETE', '/connect/codex', {}],
]

const ATTACKS: readonly Attack[] = [
  ...ROUTES.map(
    ([method, path]): Attack => ({
      name: `no token: ${method} ${path}`,
      method,
      path,
      token: 'none',
      refused: [401],
    }),
  ),
  ...CHANGES.map(
    ([method, path, body]): Attack => ({
      name: `the token that reads: ${method} ${path}`,
      method,
      path,
      token: 'read',
      ...(method !== 'GET' && { body: JSON.stringify(body), headers: JSON_TYPE }),
      refused: [403],
    }),
  ),
  ...[
    ['another token', 'Bearer mrp_0000000000000000000000000000000000000000000'],
    ['an empty token', 'Bearer '],
    ['basic authentication', 'Basic YWRtaW46YWRtaW4='],
    ['a token of odd characters', 'Bearer <script>'],
    ['the name of a scheme alone', 'Bearer'],
  ].map(
    ([name = '', authorization = '']): Attack => ({
      name,
      token: 'none',
      headers: { authorization },
      refused: [401],
    }),
  ),
  {
    name: 'another page calls a tool',
    method: 'POST',
    path: '/mcp',
    headers: { ...JSON_TYPE, origin: 'https://evil.example' },
    body: JSON.stringify(INITIALIZE),
    refused: [403],
  },
  {
    name: 'a name that was bound to this address calls a tool',
    method: 'POST',
    path: '/mcp',
    headers: { ...JSON_TYPE, host: 'evil.example:{port}' },
    body: JSON.stringify(INITIALIZE),
    refused: [403],
  },
  {
    name: 'a form calls a tool',
    method: 'POST',
    path: '/mcp',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(INITIALIZE),
    refused: [415],
  },
  { name: 'the token in the address', path: '/servers?access_token={admin}', token: 'none', refused: [401] },
  { name: 'the token in a cookie', token: 'none', headers: { cookie: 'token={admin}' }, refused: [401] },
  ...[
    'https://evil.example',
    'http://localhost.evil.example',
    'null',
    'http://127.0.0.1:1',
    'file://',
    'chrome-extension://abc',
    'http://127.0.0.1',
  ].map((origin): Attack => ({ name: `a page of ${origin}`, headers: { origin }, refused: [403] })),
  ...[
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '169.254.169.254',
    '[::ffff:8.8.8.8]',
    '127.0.0.1@evil.example',
    'evil.example:{port}',
  ].map(
    (host): Attack => ({
      name: `a name bound to this address: "${host}"`,
      headers: { host },
      refused: [400, 403],
    }),
  ),
  ...['cross-site', 'same-site'].map(
    (site): Attack => ({
      name: `a ${site} request of a browser`,
      headers: { 'sec-fetch-site': site },
      refused: [403],
    }),
  ),
  ...['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'].map(
    (header): Attack => ({
      name: `passed on with ${header}`,
      headers: { [header]: '203.0.113.9' },
      refused: [403],
    }),
  ),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map(
    (type): Attack => ({
      name: `a form of another page: ${type}`,
      method: 'POST',
      path: '/tokens',
      headers: { 'content-type': type },
      body: '{"name":"mine"}',
      refused: [415],
    }),
  ),
  ...[
    ['/tools/..%2f..%2fetc/passwd', 'PUT'],
    ['/results/..%2f..%2f..%2fetc%2fpasswd/export', 'GET'],
    ['/results/%00/export', 'GET'],
    ['/calls/..%2fstatus', 'GET'],
    ['/calls/%', 'GET'],
    ['/servers/__proto__/restart', 'POST'],
    ['/servers/constructor/restart', 'POST'],
    ['/servers/__proto__/log', 'GET'],
    ['/tokens/..%2f..%2ftokens.json', 'DELETE'],
    ['/../console-token', 'GET'],
    ['//status', 'GET'],
    ['/constructor', 'GET'],
  ].map(
    ([path = '', method = '']): Attack => ({
      name: `a path: ${method} ${path}`,
      path,
      method,
      headers: JSON_TYPE,
      body: method === 'PUT' ? '{"enabled":false}' : method === 'POST' ? '{}' : '',
      refused: [400, 404],
    }),
  ),
  ...['../../../etc/passwd', '/etc/passwd', 'mcp.json.backup-../../x', 'mcp.json'].map(
    (name): Attack => ({
      name: `a backup of another place: ${name}`,
      method: 'POST',
      path: '/configuration/rollback',
      headers: JSON_TYPE,
      body: JSON.stringify({ name }),
      refused: [404],
    }),
  ),
  ...[
    '/console/../../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/main.js',
    '/console/page.js.map',
    '/console/toString',
    '/console/__proto__',
  ].map(
    (path): Attack => ({
      name: `a file beside the page: ${path}`,
      path: `!${path}`,
      token: 'none',
      refused: [401, 403, 404],
    }),
  ),
  { name: 'another method on the page', path: '!/console', method: 'POST', refused: [405] },
  { name: 'another method on a route', path: '/calls', method: 'DELETE', refused: [405] },
  { name: 'TRACE', path: '/status', method: 'TRACE', refused: [405] },
  {
    name: 'a preflight of another page',
    path: '/status',
    method: 'OPTIONS',
    token: 'none',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'PUT' },
    refused: [403],
  },
  {
    name: 'a body of 2 MB',
    method: 'PUT',
    path: '/configuration',
    headers: JSON_TYPE,
    body: JSON.stringify({ text: 'x'.repeat(2_000_000), hash: '' }),
    refused: [413],
  },
  {
    name: 'a body that is no JSON',
    method: 'POST',
    path: '/tokens',
    headers: JSON_TYPE,
    body: '{"name":',
    refused: [400],
  },
  {
    name: 'a body that is a list',
    method: 'POST',
    path: '/tokens',
    headers: JSON_TYPE,
    body: '[]',
    refused: [400],
  },
  {
    name: 'a body that is packed',
    method: 'POST',
    path: '/tokens',
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    body: 'x',
    refused: [415],
  },
  {
    name: 'a member that no route has',
    method: 'POST',
    path: '/tokens',
    headers: JSON_TYPE,
    body: '{"name":"mine","admin":true}',
    refused: [400],
  },
  {
    name: 'a name with a line break',
    method: 'POST',
    path: '/tokens',
    headers: JSON_TYPE,
    body: '{"name":"a\\nb"}',
    refused: [400],
  },
  {
    name: 'a call of a tool by a question',
    method: 'POST',
    path: '/results/{handle}/ask',
    headers: JSON_TYPE,
    body: '{"tool":"proxy_filter","arguments":{"tool":"f_calls"}}',
    refused: [400],
  },
  {
    name: 'a question about another result',
    method: 'POST',
    path: '/results/{handle}/ask',
    headers: JSON_TYPE,
    body: `{"tool":"proxy_filter","arguments":{"cache_id":"${HANDLE}"}}`,
    refused: [400],
  },
  {
    name: 'another tool as a question',
    method: 'POST',
    path: '/results/{handle}/ask',
    headers: JSON_TYPE,
    body: '{"tool":"f_calls","arguments":{}}',
    refused: [400],
  },
  {
    name: 'a name of a result with control characters',
    method: 'PUT',
    path: '/results/{handle}',
    headers: JSON_TYPE,
    body: '{"label":"\\u001b[2J"}',
    refused: [400],
  },
  {
    name: 'another member of a mark',
    method: 'PUT',
    path: '/results/{handle}',
    headers: JSON_TYPE,
    body: '{"owner":"client:me"}',
    refused: [400],
  },
  { name: 'a path for the name of a client', method: 'DELETE', path: '/connect/..%2f..%2fx', refused: [400] },
  { name: 'another format of a file', path: '/results/{handle}/export?format=../../x', refused: [400] },
  { name: 'a number out of bounds', path: '/savings?days=99999999999', refused: [400] },
  { name: 'a question twice in the address', path: '/calls?limit=-1', refused: [400] },
]

/** One proxy for the file. The guesses come last, because a client that guesses has to wait. */
const ends: (() => void | Promise<void>)[] = []
let world: Awaited<ReturnType<typeof startConsole>>
beforeAll(async () => {
  world = await startConsole({ servers: { f: fixture('f') }, until: (end) => void ends.unshift(end) })
})
afterAll(async () => {
  for (const end of ends) await end()
})

test('nothing passes of an attack on the admin interface', async () => {
  const { origin, port, admin, read, directory, api } = world
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(world.url), PATIENT)
  await client.callTool({ name: 'f_records', arguments: { count: 300 } }, PATIENT)
  await client.close().catch(() => {})
  const kept = await api('GET', '/results')
  const handle = kept.body.results[0]?.handle ?? HANDLE
  const fill = (text: string) =>
    text.replace('{admin}', admin).replace('{port}', String(port)).replace('{handle}', handle)
  const before = readFileSync(join(directory, 'mcp.json'), 'utf8')

  expect(ATTACKS.length).toBeGreaterThanOrEqual(50)
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length)
  for (const {
    name,
    method = 'GET',
    path = '/servers',
    headers = {},
    token = 'admin',
    body = '',
    refused,
  } of ATTACKS) {
    const sent = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, fill(String(value))]))
    const answer = await new Promise<{
      status: number
      text: string
      headers: NodeJS.Dict<string | string[]>
    }>((resolve, reject) => {
      const asking = request(
        {
          host: '127.0.0.1',
          port,
          method,
          path: path.startsWith('!') ? path.slice(1) : `/admin/api${fill(path)}`,
          headers: {
            ...(token !== 'none' && { authorization: `Bearer ${token === 'admin' ? admin : read}` }),
            'content-length': String(Buffer.byteLength(body)),
            ...sent,
          },
        },
        (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += String(chunk)
          })
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
          )
        },
      )
      asking.on('error', reject)
      asking.end(body)
    })
    expect([name, answer.status, refused.includes(answer.status)]).toEqual([name, answer.status, true])
    expect([name, answer.text.includes(admin) || answer.text.includes(read)]).toEqual([name, false])
    expect([name, answer.headers['access-control-allow-origin'], answer.headers['set-cookie']]).toEqual([
      name,
      undefined,
      undefined,
    ])
  }
  // Nothing was changed, and who has the token is answered.
  expect(readFileSync(join(directory, 'mcp.json'), 'utf8')).toBe(before)
  expect(readdirSync(directory).filter((name) => name.includes('backup'))).toEqual([])
  expect(existsSync(join(directory, 'data', 'tokens.json'))).toBe(false)
  expect((await api('GET', '/results')).body.results.map((one: { handle: string }) => one.handle)).toContain(
    handle,
  )
  expect((await api('GET', '/servers')).status).toBe(200)
  expect((await api('GET', '/servers', undefined, read)).status).toBe(200)
  if (process.platform !== 'win32')
    for (const file of ['console-token', 'console-read-token'])
      expect(statSync(join(directory, 'data', file)).mode & 0o077).toBe(0)
  expect(world.stderr()).not.toContain(admin)
  const page = await fetch(`${origin}/console`)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|\*/)
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await page.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=/)
})

test('who guesses tokens has to wait, and streams of events have a limit', async () => {
  const { origin, port, admin } = world
  const streams: AbortController[] = []
  // A response that is held nowhere is closed when garbage is collected.
  const held: Response[] = []
  const follow = async () => {
    const ended = new AbortController()
    streams.push(ended)
    const response = await fetch(`${origin}/admin/api/events`, {
      headers: { authorization: `Bearer ${admin}` },
      signal: ended.signal,
    })
    held.push(response)
    return response.status
  }
  const statuses = []
  for (let nth = 0; nth < 20; nth++) statuses.push(await follow())
  expect(statuses.filter((status) => status === 200)).toHaveLength(16)
  expect(statuses.slice(16)).toEqual([429, 429, 429, 429])
  for (const ended of streams) ended.abort()
  await expect.poll(follow).toBe(200)
  for (const ended of streams) ended.abort()
  // A stream of which nothing is read is no burden.
  const silent = connect(port, '127.0.0.1')
  silent.write(
    `GET /admin/api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${admin}\r\n\r\n`,
  )
  // Twenty a minute are answered, with the wrong tokens of the table.
  const guess = async (token: string) =>
    (await fetch(`${origin}/admin/api/status`, { headers: { authorization: `Bearer ${token}` } })).status
  const guesses = [await guess('x'.repeat(40))]
  while (guesses.at(-1) === 401 && guesses.length < 100)
    guesses.push(await guess(`${'x'.repeat(40)}${guesses.length}`))
  expect(guesses[0]).toBe(401)
  expect(guesses.at(-1)).toBe(429)
  silent.destroy()
})

test('a person signs in to a server by the console, sees which layers its calls passed, and signs out', async () => {
  const server = await startProtected()
  const { api, url } = await startConsole({
    servers: { docs: { url: server.url } },
    settings: { connect: { timeoutMs: 2_500 }, oauth: { open: 'never' } },
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url), PATIENT)
  onTestFinished(() => client.close())
  void client.listTools().catch(() => {})
  const shown = async () => (await api('GET', '/servers')).body.servers[0]
  await expect.poll(async () => (await shown()).signInAt, PATIENT).toMatch(/^http:/)
  await browse((await shown()).signInAt)
  const read = () => client.callTool({ name: 'docs_read', arguments: {} }, PATIENT).catch(() => undefined)
  await expect.poll(async () => JSON.stringify(await read()), PATIENT).toContain('did read')
  expect(await shown()).toMatchObject({ state: 'ready', signsIn: true, restarts: expect.any(Number) })
  expect((await shown()).upMs).toBeGreaterThanOrEqual(0)
  const { layers } = (await api('GET', '/modules')).body
  for (const { name, calls } of layers.filter((one: { name: string }) =>
    ['shape', 'router'].includes(one.name),
  ))
    expect([name, calls > 0]).toEqual([name, true])
  expect((await api('POST', '/servers/docs/sign-out', {})).status).toBe(200)
})

test('over stdio the console is on a port of its own, and the command finds it', async () => {
  const proxy = await startProxy({ servers: { f: fixture('f') }, settings: { console: { enabled: true } } })
  const notes = join(proxy.directory, 'data', 'consoles')
  await expect.poll(() => existsSync(notes) && readdirSync(notes).length).toBe(1)
  const { url } = JSON.parse(readFileSync(join(notes, readdirSync(notes)[0] ?? ''), 'utf8'))
  expect((await fetch(url)).status).toBe(200)
  const printed = await run(process.execPath, [
    MAIN,
    '--config',
    join(proxy.directory, 'mcp.json'),
    'console',
    '--print',
  ])
  expect(printed.stdout.trim()).toMatch(new RegExp(`^${url}#token=mrp_`))
  await proxy.close()
  await expect.poll(() => readdirSync(notes)).toEqual([])
})
