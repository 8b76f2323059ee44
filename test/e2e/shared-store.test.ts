/**
 * Two proxies over one store in Valkey. A client keeps a result at one of them and reads it at the other. Other tests show what happens
 * when the store is away.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { ownPort } from '../support/own-port.ts'
import { describeWithValkey, startValkey, type ValkeyServer } from '../support/valkey-server.ts'
import { verifies } from '../support/verifies.ts'
import type { AnyClient } from './support/clients.ts'
import { runProxy } from './support/command.ts'
import { type HttpProxy, startHttpProxy } from './support/http-proxy.ts'
import { fixture, handleOf, startProxy, temporaryDirectory, textOf, writeConfig } from './support/world.ts'

const servers = { f: fixture('f') }
const WAYS = ['1.x', '2.x modern'] as const
type Way = (typeof WAYS)[number]
const PASSWORD = 'not-to-be-logged'
const KEY = 'a key that both proxies have'
const WAIT = { timeout: 60_000, interval: 100 }

async function connect(way: Way, { url }: HttpProxy, token?: string): Promise<AnyClient> {
  const info = { name: `test ${way}`, version: '1.0.0' }
  const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const
  const client = way === '1.x' ? new LegacyClient(info) : new Client(info, modern)
  onTestFinished(() => client.close())
  const options =
    token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }
  const transport =
    way === '1.x' ? new LegacyTransport(url, options) : new StreamableHTTPClientTransport(url, options)
  await client.connect(transport as never)
  return client as unknown as AnyClient
}

async function started(settings: readonly string[] = []): Promise<ValkeyServer> {
  const server = await startValkey(['--requirepass', PASSWORD, '--appendonly', 'yes', ...settings])
  onTestFinished(() => server.stop())
  return server
}

/** Two proxies, each with a data directory of its own, over the store. */
async function replicas(server: ValkeyServer, settings: object = {}): Promise<[HttpProxy, HttpProxy]> {
  const store = { url: `valkey://:${PASSWORD}@127.0.0.1:${server.port}`, key: KEY }
  const options = { servers, settings: { store, ...settings } }
  return [await startHttpProxy(options), await startHttpProxy(options)]
}

/** A file of tokens that both proxies read. */
async function tokens(): Promise<{ file: string; anna: string; ben: string }> {
  const directory = temporaryDirectory()
  const config = writeConfig(directory, { servers })
  const add = async (name: string): Promise<string> =>
    (await runProxy(['--config', config, 'token', 'add', name])).stdout.trim()
  return { anna: await add('anna'), ben: await add('ben'), file: join(directory, 'data/tokens.json') }
}

/** Makes a certificate of this machine: its authority, and the settings by which the store reads it. Undefined: openssl is missing. */
const certificates = ((): (() => { authority: string; files: string[] }) | undefined => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
  } catch {
    process.stderr.write('\nSKIPPED: the test of TLS needs openssl: apt-get install -y openssl\n\n')
    return undefined
  }
  return () => {
    const directory = temporaryDirectory()
    const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const about = ['-days', '2', '-subj', '/CN=store', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync('openssl', [...request, ...about, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate]
    return { authority: certificate, files }
  }
})()

const records = (count: number) => ({ name: 'f_records', arguments: { count } })
const question = (cache_id: string) => ({ name: 'proxy_filter', arguments: { cache_id, aggregate: 'count' } })

describeWithValkey('two proxies over one store', () => {
  verifies(
    'S3.31 S3.33',
    'a client reads at one what it kept at the other, and another client does not',
    async () => {
      const { file, anna, ben } = await tokens()
      const [here, there] = await replicas(await started(), { auth: { tokens: file } })
      for (const [nth, way] of WAYS.entries()) {
        const [annas, annasThere] = [await connect(way, here, anna), await connect(way, there, anna)]
        const bens = await connect(way, there, ben)
        const count = 300 + nth
        const handle = handleOf(await annas.callTool(records(count)))
        expect(textOf(await annasThere.callTool(question(handle)))).toContain(String(count))
        const last = textOf(await annasThere.callTool(question('last')))
        expect(last).toContain(`cache_id ${handle}`)
        expect(textOf(await annasThere.callTool(question('*')))).not.toContain('No result')
        const listed = textOf(await annasThere.callTool({ name: 'proxy_explore', arguments: {} }))
        expect(listed).toContain(handle)
        expect(listed).not.toContain('earlier run')
        const foreign = textOf(await bens.callTool(question(handle)))
        expect(foreign).toContain('No kept result has cache_id')
        const unknown = textOf(await bens.callTool(question('0123456789ab')))
        expect(foreign).toBe(unknown.replaceAll('0123456789ab', handle))
        expect(textOf(await bens.callTool({ name: 'proxy_explore', arguments: {} }))).not.toContain(handle)
      }
    },
  )

  test.skipIf(certificates === undefined)(
    'speaks TLS, and trusts no certificate but one of an authority that it was given',
    async () => {
      const { authority, files } = certificates?.() ?? { authority: '', files: [] }
      const port = await ownPort()
      await started(['--tls-port', String(port), '--tls-auth-clients', 'no', ...files])
      const store = { url: `valkeys://:${PASSWORD}@127.0.0.1:${port}`, key: KEY }
      const options = { servers, settings: { store } }
      const stranger = await startHttpProxy(options)
      expect(textOf(await (await connect('2.x modern', stranger)).callTool(records(300)))).toContain(
        'Not shared',
      )
      const proxy = await startHttpProxy({ ...options, env: { NODE_EXTRA_CA_CERTS: authority } })
      const kept = textOf(await (await connect('2.x modern', proxy)).callTool(records(300)))
      expect(kept).not.toContain('Not shared')
      const there = await startHttpProxy({ ...options, env: { NODE_EXTRA_CA_CERTS: authority } })
      const asked = question(/cache_id (\w+)/.exec(kept)?.[1] ?? '')
      expect(textOf(await (await connect('2.x modern', there)).callTool(asked))).toContain('300')
    },
  )

  test('the variables of a program last at both proxies, for one client alone', async () => {
    const { file, anna, ben } = await tokens()
    const [here, there] = await replicas(await started(), { auth: { tokens: file } })
    const program = (code: string) => ({ name: 'proxy_code', arguments: { code, session: 'mine' } })
    const [annas, annasThere] = [
      await connect('2.x modern', here, anna),
      await connect('2.x modern', there, anna),
    ]
    const bens = await connect('2.x modern', there, ben)
    expect(textOf(await annas.callTool(program('globalThis.seen = 41; return seen')))).toBe('=> 41')
    expect(textOf(await annasThere.callTool(program('seen += 1; return seen')))).toBe('=> 42')
    expect(textOf(await annas.callTool(program('return seen')))).toBe('=> 42')
    expect(textOf(await bens.callTool(program('return typeof seen')))).toBe('undefined')
  })

  test('for clients that cannot be told apart a handle is the only key, at both', async () => {
    const [here, there] = await replicas(await started())
    const one = await connect('2.x modern', here)
    const other = await connect('2.x modern', there)
    const handle = handleOf(await one.callTool(records(300)))
    expect(textOf(await other.callTool(question(handle)))).toContain('300')
    expect(textOf(await other.callTool({ name: 'proxy_explore', arguments: {} }))).not.toContain(handle)
    expect(textOf(await other.callTool(question('last')))).not.toContain(handle)
  })

  test('while the store stands still or is dead calls and questions go on, and then it is shared again', async () => {
    const server = await started()
    const [here, there] = await replicas(server)
    const [one, other] = [await connect('2.x modern', here), await connect('2.x modern', there)]
    const first = await one.callTool(records(300))
    const before = handleOf(first)
    expect(textOf(first)).not.toContain('Not shared')
    expect(textOf(await other.callTool(question(before)))).toContain('300')

    server.child.kill('SIGSTOP')
    const paused = handleOf(await one.callTool(records(301)))
    expect(textOf(await one.callTool(question(paused)))).toContain('301')
    for (const client of [one, other])
      expect(textOf(await client.callTool(question(before)))).toContain('300')
    server.child.kill('SIGCONT')
    await expect.poll(async () => textOf(await other.callTool(question(paused))), WAIT).toContain('301')

    await server.kill()
    const alone = await one.callTool(records(302))
    const dead = handleOf(alone)
    expect(textOf(alone)).toContain('Not shared: the store is away')
    expect(textOf(await one.callTool(question(dead)))).toContain('302')
    expect(textOf(await other.callTool(question(dead)))).toContain('No kept result has cache_id')
    await server.restart()
    await expect.poll(async () => textOf(await other.callTool(question(dead))), WAIT).toContain('302')
    expect(textOf(await other.callTool(question(before)))).toContain('300')

    for (const { stderr } of [here, there]) {
      expect(stderr()).toContain('not shared until it is back')
      expect(stderr()).not.toContain(PASSWORD)
      expect(stderr()).not.toContain(KEY)
    }
  })

  test('a store that refuses the password, or is full, does not keep a proxy from working', async () => {
    const wrong = { url: 'redis://x:wrong-password@127.0.0.1', key: KEY }
    const full = await started(['--maxmemory', '1', '--maxmemory-policy', 'noeviction'])
    const stores = [
      { url: `${wrong.url}:${full.port}`, key: KEY },
      { url: `redis://:${PASSWORD}@127.0.0.1:${full.port}` },
    ]
    for (const store of stores) {
      const proxy = await startHttpProxy({ servers, settings: { store } })
      const client = await connect('2.x modern', proxy)
      const handle = handleOf(await client.callTool(records(300)))
      expect(textOf(await client.callTool(question(handle)))).toContain('300')
      await expect.poll(proxy.stderr, WAIT).toMatch(/WRONGPASS|OOM/)
      expect(proxy.stderr()).not.toMatch(new RegExp(`wrong-password|${PASSWORD}`))
    }
  })

  test('the one client over standard input finds nothing of another machine’s', async () => {
    const server = await started()
    const store = { url: `redis://:${PASSWORD}@127.0.0.1:${server.port}` }
    const [one, other] = [
      await startProxy({ servers, settings: { store } }),
      await startProxy({ servers, settings: { store } }),
    ]
    const handle = handleOf(await one.call('f_records', { count: 300 }))
    expect(await one.text('proxy_filter', question(handle).arguments)).toContain('300')
    expect(await other.text('proxy_filter', question(handle).arguments)).toContain('No kept result')
    expect(await other.text('proxy_explore', {})).not.toContain(handle)
  })
})
