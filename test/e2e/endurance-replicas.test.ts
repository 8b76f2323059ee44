/**
 * Replicas behind a real nginx are killed, and their store goes away. No handle is lost, none is another agent's, and no call has to
 * fail.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { changeTokens, createToken } from '../../src/data/tokens.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { ownPort } from '../support/own-port.ts'
import { describeWithValkey, startValkey, type ValkeyServer } from '../support/valkey-server.ts'
import { type HttpProxy, startHttpProxy } from './support/http-proxy.ts'
import { report } from './support/report.ts'
import { fixture, handleOf, type ToolResult, temporaryDirectory, textOf } from './support/world.ts'

const CLIENTS = 32
const CALLS = Number(process.env.CALLS ?? 10_000)
const KILL_MS = 5_000
/** Milliseconds for one run: a busy machine starts a replica in half a minute. */
const LIMIT_MS = 3_000_000
const PAUSE_MS = 10_000
/** Milliseconds that a client waits for an answer before it calls again. */
const ANSWER_MS = 10_000
const TRIES = 12
const AGAIN_MS = 200
const INFO = { name: 'endurance', version: '1.0.0' }
const KEY = 'a key that all replicas have'

interface Caller {
  call(name: string, args: object): Promise<ToolResult>
}

/** Counts of the outcomes, over all clients. */
const nothing = () => ({
  calls: 0,
  again: 0,
  failed: [] as string[],
  notFound: 0,
  wrong: [] as string[],
  lost: [] as string[],
  /** Not found while the store was away, where the result lay at one replica. */
  later: 0,
  ms: [] as number[],
})
type Tally = ReturnType<typeof nothing>

async function connect(url: URL, nth: number, token: string): Promise<Caller> {
  const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } }
  const isLegacy = nth % 2 === 0
  const client = isLegacy
    ? new LegacyClient(INFO)
    : new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  onTestFinished(() => client.close())
  const transport = isLegacy
    ? new LegacyTransport(url, options)
    : new StreamableHTTPClientTransport(url, options)
  await (client as Client).connect(transport as never)
  const waiting = { timeout: ANSWER_MS }
  return {
    async call(name, args) {
      const request = { name, arguments: { ...args } }
      const result = isLegacy
        ? client.callTool(request, undefined, waiting)
        : (client as Client).callTool(request, waiting)
      return (await result) as ToolResult
    },
  }
}

/** All that is called only reads: what failed on the way can be called again. */
async function patiently(caller: Caller, tally: Tally, name: string, args: object): Promise<string> {
  let last = ''
  for (let tries = 0; tries < TRIES; tries++) {
    const begun = performance.now()
    try {
      const result = await caller.call(name, args)
      tally.calls++
      tally.ms.push(performance.now() - begun)
      return name.startsWith('f_') ? handleOf(result) : textOf(result)
    } catch (error) {
      last = String(error)
      if (last.includes('404')) tally.notFound++
      tally.again++
      await sleep(AGAIN_MS)
    }
  }
  tally.failed.push(`${name}: ${last}`)
  return ''
}

/** Each client keeps results, and asks about its own, and about one of its neighbour. */
async function converse(callers: readonly Caller[], tally: Tally, isOver: () => boolean): Promise<void> {
  const kept = callers.map(() => new Map<string, number>())
  const ask = (at: number, cache_id: string): Promise<string> =>
    patiently(callers[at] as Caller, tally, 'proxy_filter', { cache_id, aggregate: 'count' })

  async function work(at: number): Promise<void> {
    const mine = kept[at] as Map<string, number>
    for (let round = 0; !isOver(); round++) {
      const count = 300 + at + callers.length * (round % 20)
      const handle = await patiently(callers[at] as Caller, tally, 'f_records', { count })
      if (handle !== '') mine.set(handle, count)
      for (const known of [handle, [...mine.keys()][Math.floor(Math.random() * mine.size)] ?? '']) {
        if (known === '') continue
        const answer = await ask(at, known)
        if (answer.includes(String(mine.get(known)))) continue
        if (answer.startsWith('No kept result')) tally.later++
        else if (answer !== '') tally.wrong.push(`${mine.get(known)}: ${answer.slice(0, 200)}`)
      }
      const [theirs] = kept[(at + 1) % callers.length]?.entries() ?? []
      if (theirs && round % 5 === 0 && (await ask(at, theirs[0])).includes(String(theirs[1])))
        tally.wrong.push(`the result of another client: ${theirs[0]}`)
    }
  }

  await Promise.all(callers.map((_, at) => work(at)))
  await Promise.all(
    callers.map(async (_, at) => {
      for (const [handle, count] of kept[at] ?? []) {
        const answer = await ask(at, handle)
        if (!answer.includes(String(count))) tally.lost.push(`${handle}: ${answer.slice(0, 200)}`)
      }
    }),
  )
}

describeWithValkey('replicas', () => {
  /** Kills one replica after the other, and starts it again. */
  async function killing(
    running: HttpProxy[],
    start: (nth: number) => Promise<HttpProxy>,
    isOver: () => boolean,
  ) {
    let kills = 0
    for (; !isOver(); kills++) {
      await sleep(KILL_MS)
      const nth = kills % running.length
      const { child } = running[nth] as HttpProxy
      child.kill('SIGKILL')
      await once(child, 'exit')
      running[nth] = await start(nth)
    }
    return kills
  }

  async function storeAway(valkey: ValkeyServer): Promise<void> {
    await sleep(3_000)
    await valkey.restart()
    await sleep(3_000)
    valkey.child.kill('SIGSTOP')
    await sleep(PAUSE_MS)
    valkey.child.kill('SIGCONT')
    await sleep(3_000)
    await valkey.restart()
    await sleep(12_000)
  }

  const cases = [2, 4].flatMap((count) =>
    (['replicas killed', 'store away', 'both'] as const).map((fault) => [count, fault] as const),
  )
  test.skipIf(!hasNginx).each(cases)(
    '%i of them, %s: nothing is lost, nothing is another’s',
    async (count, fault) => {
      const valkey = await startValkey(['--appendonly', 'yes', '--appendfsync', 'always'])
      onTestFinished(() => valkey.stop())
      const directories = Array.from({ length: count }, () => temporaryDirectory())
      const tokens = join(directories[0] as string, 'tokens.json')
      const options = {
        // A process for each client at each replica would measure the machine.
        servers: { f: { ...fixture('f'), instance: 'shared' } },
        settings: {
          sessions: { key: KEY },
          store: {
            url: valkey.url,
            key: 'a key of the store',
            // A replica that is killed while the store is away has kept results in its own directory: the others see it.
            ...(fault === 'both' && { blobs: temporaryDirectory() }),
          },
          auth: { tokens },
          log: { level: 'error' },
          memoryMb: 512,
        },
      }
      const made = Array.from({ length: CLIENTS }, (_, nth) =>
        createToken(`client-${nth}`, { now: Date.now() }),
      )
      changeTokens(tokens, () => made.map(({ entry }) => entry))
      const ports = await Promise.all(directories.map(() => ownPort()))
      const start = (nth: number): Promise<HttpProxy> =>
        startHttpProxy({
          ...options,
          directory: directories[nth] as string,
          args: ['--port', String(ports[nth])],
        })
      const running = await Promise.all(directories.map((_, nth) => start(nth)))
      const balancer = await startNginx(ports)
      onTestFinished(() => balancer.stop())
      const callers = await Promise.all(made.map(({ token }, nth) => connect(balancer.url, nth, token)))

      const tally = nothing()
      const begun = performance.now()
      let isStoreBack = fault === 'replicas killed'
      const isOver = (): boolean => isStoreBack && tally.calls >= CALLS
      const striking = fault === 'store away' ? undefined : killing(running, start, isOver)
      const away = fault === 'replicas killed' ? undefined : storeAway(valkey)
      void away?.then(() => {
        isStoreBack = true
      })
      await converse(callers, tally, isOver)
      const seconds = (performance.now() - begun) / 1000
      await away
      const kills = (await striking) ?? 0
      const sorted = tally.ms.sort((a, b) => a - b)
      const at = (part: number): string => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(0)
      report(`${count} replicas, ${fault}`, {
        calls: tally.calls,
        seconds: seconds.toFixed(0),
        kills,
        'called again': tally.again,
        'found later': tally.later,
        'p50 ms': at(0.5),
        'p99 ms': at(0.99),
      })
      expect({ ...tally, calls: 0, again: 0, later: 0, ms: [] }).toEqual(nothing())
    },
    LIMIT_MS,
  )
})
