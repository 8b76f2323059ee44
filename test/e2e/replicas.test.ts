/** Two proxies behind a real nginx that sends each request to the next of them. */

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { ownPort } from '../support/own-port.ts'
import { describeWithValkey, startValkey } from '../support/valkey-server.ts'
import { patient } from './support/clients.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { fixture, handleOf, PATIENT, type ProxyOptions, textOf } from './support/world.ts'

const CLIENTS = 32
const ROUNDS = 2
const WAIT = { timeout: 60_000, interval: 50 }

/** The options of replicas that have a store and a key. */
async function shared(): Promise<ProxyOptions> {
  const valkey = await startValkey()
  onTestFinished(() => valkey.stop())
  const settings = {
    sessions: { key: 'a key that all replicas have' },
    store: { url: valkey.url, key: 'a key of the store' },
  }
  return { servers: { f: fixture('f') }, settings }
}

/** Where two of them are. */
async function replicas(): Promise<[URL, URL]> {
  const options = await shared()
  const [here, there] = await Promise.all([startHttpProxy(options), startHttpProxy(options)])
  return [here.url, there.url]
}

const INFO = { name: 'test', version: '1.0.0' }

async function connectLegacy(url: URL) {
  const client = new LegacyClient(INFO)
  onTestFinished(() => client.close())
  const transport = new LegacyTransport(url)
  await client.connect(transport as never, PATIENT)
  return { client, transport }
}

async function connectModern(url: URL): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(url), PATIENT)
  return client
}

/** The status of a request of the session. */
async function statusOf(url: URL, session: string): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'status', method: 'ping' }),
  })
  await response.text()
  return response.status
}

describeWithValkey('two replicas behind a balancer', () => {
  test.skipIf(!hasNginx)(
    'answer clients of both eras as one, and each question about what any of them kept',
    async () => {
      const balancer = await startNginx((await replicas()).map(({ port }) => Number(port)))
      onTestFinished(() => balancer.stop())
      const { url } = balancer
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, async (_, nth) =>
          patient(nth % 2 === 0 ? (await connectLegacy(url)).client : await connectModern(url)),
        ),
      )
      const wrong: string[] = []
      let calls = 0
      for (let round = 0; round < ROUNDS; round++)
        await Promise.all(
          clients.map(async (client, nth) => {
            const count = 300 + nth + CLIENTS * round
            const kept = await client.callTool({ name: 'f_records', arguments: { count } })
            const cache_id = handleOf(kept)
            // One after the other: the balancer sends them to both.
            for (let time = 0; time < 2; time++) {
              const asked = { name: 'proxy_filter', arguments: { cache_id, aggregate: 'count' } }
              const text = textOf(await client.callTool(asked))
              if (!text.includes(String(count))) wrong.push(`${count}: ${text}`)
              calls++
            }
          }),
        )
      expect(wrong).toEqual([])
      expect(calls).toBe(2 * CLIENTS * ROUNDS)
    },
  )

  test.skipIf(!hasNginx)('are replaced one after the other, and no call is lost', async () => {
    const { settings, ...options } = await shared()
    // As the documentation says: longer than any call, and a busy machine makes calls long.
    const drained = { ...options, settings: { ...settings, drain: { callSeconds: 30 } } }
    const ports = [await ownPort(), await ownPort()]
    const start = (port: number) => startHttpProxy({ ...drained, args: ['--port', String(port)] })
    const running = await Promise.all(ports.map(start))
    const balancer = await startNginx(ports)
    onTestFinished(() => balancer.stop())
    const clients = await Promise.all([
      connectLegacy(balancer.url).then(({ client }) => client),
      connectModern(balancer.url),
    ])
    let isOver = false
    let calls = 0
    const lost: string[] = []
    const calling = clients.flatMap((client) =>
      [0, 300].map(async (ms) => {
        while (!isOver) {
          const asked = { name: 'f_slow', arguments: { ms } }
          const answer = await patient(client).callTool(asked).then(textOf, String)
          if (answer !== `slept ${ms}`) lost.push(answer)
          calls++
          await sleep(10)
        }
      }),
    )
    for (const [nth, port] of ports.entries()) {
      running[nth]?.child.kill('SIGTERM')
      expect(await once(running[nth]?.child as ChildProcess, 'exit')).toEqual([0, null])
      running[nth] = await start(port)
      const before = calls
      await expect.poll(() => calls, WAIT).toBeGreaterThan(before + 20)
    }
    isOver = true
    await Promise.all(calling)
    expect(lost).toEqual([])
  })

  test.skipIf(!hasNginx)('serve the calls of a connection that another one broke', async () => {
    let broken = 0
    // As a listener does that closes with connections which it has not taken yet.
    const dying = createServer((socket) => {
      socket.once('data', () => {
        broken++
        socket.resetAndDestroy()
      })
    })
    const [alive, port] = [await startHttpProxy(await shared()), await ownPort()]
    await new Promise<void>((resolve) => dying.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void dying.close())
    const balancer = await startNginx([Number(alive.url.port), port])
    onTestFinished(() => balancer.stop())
    const clients = [(await connectLegacy(balancer.url)).client, await connectModern(balancer.url)]
    broken = 0
    for (const client of clients)
      for (let nth = 0; nth < 10; nth++) {
        const asked = { name: 'f_slow', arguments: { ms: 0 } }
        expect(textOf(await patient(client).callTool(asked))).toBe('slept 0')
      }
    expect(broken).toBeGreaterThan(5)
  })

  test.skipIf(!hasNginx)('never run a call twice when its replica dies', async () => {
    const options = await shared()
    const running = await Promise.all([startHttpProxy(options), startHttpProxy(options)])
    const balancer = await startNginx(running.map(({ url }) => Number(url.port)))
    onTestFinished(() => balancer.stop())
    const client = patient(await connectModern(balancer.url))
    const asked = { name: 'f_slow', arguments: { ms: 5_000 } }
    const answers = Array.from({ length: 4 }, () => client.callTool(asked).then(textOf, String))
    await sleep(2_000)
    running[0]?.child.kill('SIGKILL')
    const told = (await Promise.all(answers)).map((text) => (text === 'slept 5000' ? 'answered' : text))
    const others = told.filter((text) => text !== 'answered')
    expect(others.length).toBeGreaterThan(0)
    for (const text of others) expect(text).toContain('may have been run')
  })

  test('know what a session set up, was told and ended at either', async () => {
    const [here, there] = await replicas()
    const { client, transport } = await connectLegacy(here)
    const session = transport.sessionId as string
    const heard: string[] = []
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      ({ params }) => void heard.push(params.level),
    )
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void heard.push(params.uri),
    )

    // The other replica makes the session again, and gets what is set up after that.
    expect(await statusOf(there, session)).toBe(200)
    const [resource] = (await client.listResources(undefined, PATIENT)).resources
    const uri = String(resource?.uri)
    await client.setLoggingLevel('error', PATIENT)
    await client.subscribeResource({ uri }, PATIENT)
    // Both servers say so when they are told, and the client has its stream at the first replica.
    const sorted = () => heard.toSorted()
    await expect.poll(sorted, WAIT).toEqual([uri, uri, 'error', 'error'].toSorted())

    await transport.terminateSession()
    for (const url of [here, there]) await expect.poll(() => statusOf(url, session), WAIT).toBe(404)
  })

  test('take the answer to a question that the other one asked', async () => {
    const [here, there] = await replicas()
    const rounds: string[] = []
    const alternately: typeof fetch = (_, init) => {
      const isAnswer = String(init?.body).includes('"requestState"')
      if (String(init?.body).includes('tools/call')) rounds.push(isAnswer ? 'there' : 'here')
      return fetch(isAnswer ? there : here, init)
    }
    const client = new Client(INFO, {
      capabilities: { sampling: {} },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    })
    onTestFinished(() => client.close())
    client.setRequestHandler('sampling/createMessage', () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'sampled' },
    }))
    await client.connect(new StreamableHTTPClientTransport(here, { fetch: alternately }), PATIENT)
    const answer = await patient(client).callTool({ name: 'f_sample', arguments: {} })
    expect(textOf(answer)).toContain('sampled')
    expect(rounds).toEqual(['here', 'there'])
  })
})
