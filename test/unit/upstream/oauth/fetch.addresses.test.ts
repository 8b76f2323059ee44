import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { boundedFetch, checkFor, isPublic } from '../../../../src/upstream/oauth/fetch.ts'
import { createCaller } from '../../../support/oauth/caller.ts'
import { startProtected } from '../../../support/oauth/protected-server.ts'

const NAMES: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'inside.example': ['10.1.2.3'],
  'both.example': ['93.184.216.34', '127.0.0.1'],
  'cloud.example': ['169.254.169.254'],
}

async function resolve(host: string): Promise<readonly string[]> {
  const found = NAMES[host]
  if (found === undefined) throw new Error('ENOTFOUND')
  return found
}

async function asked(server: string, url: string, issuer?: string): Promise<boolean> {
  return checkFor(
    new URL(server),
    issuer,
    resolve,
  )(new URL(url)).then(
    () => true,
    () => false,
  )
}

const REMOTE = 'https://public.example/mcp'

test.each([
  [REMOTE, 'https://public.example/.well-known/x'],
  [REMOTE, 'https://as.unknown.example/'],
  ['http://127.0.0.1:1/mcp', 'http://127.0.0.1:2/'],
  ['http://localhost:1/mcp', 'http://[::1]:2/'],
  ['http://127.0.0.1:1/mcp', 'https://inside.example/'],
  ['https://10.0.0.1/mcp', 'https://inside.example/'],
  ['https://inside.example/mcp', 'https://public.example/'],
])('a server at %s may name %s', async (server, url) => {
  expect(await asked(server, url)).toBe(true)
})

test.each<[string, string]>([
  [REMOTE, 'http://public.example/'],
  [REMOTE, 'https://inside.example/'],
  [REMOTE, 'https://both.example/'],
  [REMOTE, 'https://cloud.example/'],
  ...[
    'http://127.0.0.1:9/latest/meta-data',
    'https://localhost./',
    'https://x.localhost/',
    'https://2130706433/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a01:203]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://0.0.0.0/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
  ].map((url): [string, string] => [REMOTE, url]),
  ['http://127.0.0.1:1/mcp', 'http://169.254.169.254/latest/meta-data'],
  ['https://10.0.0.1/mcp', 'http://127.0.0.1:2/'],
  ['https://10.0.0.1/mcp', 'http://inside.example/'],
  // The address that a name has today does not tell who gave the name.
  ['https://inside.example/mcp', 'https://10.0.0.1/'],
])('a server at %s may not name %s, unless the configuration does', async (server, url) => {
  expect(await asked(server, url)).toBe(false)
  expect(await asked(server, url, new URL('/tenant', url).href)).toBe(true)
})

test('only https to where everybody reaches is public', async () => {
  expect(await isPublic(new URL('https://public.example/'), resolve)).toBe(true)
  expect(await isPublic(new URL('http://public.example/'), resolve)).toBe(false)
  expect(await isPublic(new URL('https://inside.example/'), resolve)).toBe(false)
})

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a redirect leads nowhere that would not be asked, and a form is sent on nowhere', async () => {
  let reached = 0
  const inner = await listening((_, response) => {
    reached++
    response.end('secret')
  })
  const outer = await listening((request, response) => {
    const location = request.url === '/loop' ? '/loop' : `${inner}/x`
    response.writeHead(request.url === '/end' ? 200 : 307, request.url === '/end' ? {} : { location }).end()
  })
  const { signal } = new AbortController()
  const check = async (url: URL): Promise<void> => {
    if (url.origin === inner) throw new Error('not asked')
  }
  const guarded = boundedFetch(fetch, signal, check)
  await expect(guarded(`${outer}/`)).rejects.toThrow('not asked')
  await expect(guarded(`${outer}/loop`)).rejects.toThrow('leads elsewhere')
  const open = boundedFetch(fetch, signal, async () => {})
  await expect(open(`${outer}/`, { method: 'POST', body: 'secret' })).rejects.toThrow('leads elsewhere')
  expect(reached).toBe(0)
  expect(await (await open(`${outer}/`)).text()).toBe('secret')
  expect((await guarded(`${outer}/end`)).status).toBe(200)
})

test.each([true, false])(
  'metadata that a refusal names elsewhere on this machine is not asked, opens: %s',
  async (opens) => {
    let reached = 0
    const inside = await listening((_, response) => {
      reached++
      response.end('{}')
    })
    const server = await startProtected()
    const caller = createCaller(server, opens ? {} : { open: undefined, waitMs: 0 })
    const challenge = `Bearer resource_metadata="${inside}/latest/meta-data/iam"`
    await caller.authorizer.refused({ status: 401, challenge, sent: undefined }).catch(() => {})
    expect(reached).toBe(0)
  },
)
