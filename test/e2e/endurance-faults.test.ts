/** Every fault many times in one running proxy, for clients of both eras: each ends, and the next call works. */
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway } from '../../src/gateway.ts'
import { ownPort } from '../support/own-port.ts'
import { verifies } from '../support/verifies.ts'
import { type Agent, type CallOptions, type Era, rawAgent, sdkAgent } from './support/endurance/agent.ts'
import { TIMES } from './support/endurance/counts.ts'
import { type HttpServer, httpServer, pipeServer } from './support/endurance/servers.ts'
import { type Outcome, outcomeOf, recovers, Tally, unstuck } from './support/endurance/tally.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import {
  descendantsOf,
  noneLives,
  onLinuxOnly,
  openDescriptors,
  residentBytes,
  SPARE_DESCRIPTORS,
  serversOf,
} from './support/processes.ts'
import { report } from './support/report.ts'
import { PATIENCE, temporaryDirectory } from './support/world.ts'

const ERAS: readonly Era[] = ['legacy', 'modern']
/** Of each fault on each transport with each client; there are two clients of each era. */
const ROUNDS = TIMES / 2
/** Seconds that a call may go without an answer. */
const LIMIT = 10

const DUMB = { answers: false }

const HTTP_FAULTS = [
  'reset mid-call',
  'closed mid-call',
  'reset mid-stream',
  'stream ends without an answer',
  'half a body',
  'half an event',
  'wrong JSON',
  'wrong JSON in an event',
  'status 401',
  'status 500',
  'hangs',
  'hangs mid-stream',
]

const FAULTS = {
  pipe: ['killed mid-call', 'killed mid-stream', 'half a message', 'wrong JSON', 'hangs', 'hangs mid-stream'],
  old: [...HTTP_FAULTS, 'session expired', 'stream taken up again'],
  new: HTTP_FAULTS,
} as const

type ServerName = keyof typeof FAULTS
const SERVERS = Object.keys(FAULTS) as ServerName[]

/** Faults that the client does not notice: the call gets its result all the same. */
const MENDED = new Set(['session expired', 'stream taken up again'])

/** One faulty call; a client that gets no answer cancels. */
async function suffer(agent: Agent, server: ServerName, kind: string, round: number): Promise<Outcome> {
  const marker = `${agent.name}/${kind}/${round}`
  const controller = new AbortController()
  const { signal } = controller
  const leave = (): void => controller.abort(new Error('the test cancels'))
  const hangs = kind.startsWith('hangs')
  const options: CallOptions = {
    ...(hangs && { signal }),
    // Cancelled after the first step, or at once: over HTTP the cancellation may arrive before what it cancels.
    ...(/stream|event/.test(kind) && { onprogress: () => hangs && leave() }),
  }
  const call = agent.call(`${server}_fault`, { kind, marker }, options)
  if (kind === 'hangs') setImmediate(leave)
  const outcome = await outcomeOf(`${server}, ${agent.era}: ${kind}`, call, signal)
  const about = `${server}, ${agent.era}: ${kind}: ${outcome.words}`
  if (hangs) expect(outcome.ended, about).toBe('cancelled')
  else if (MENDED.has(kind)) expect(outcome, about).toEqual({ ended: 'result', words: marker })
  else {
    expect(outcome.ended, about).toBe('error')
    expect(outcome.words, about).toContain(`server \`${server}\``)
  }
  return outcome
}

async function sufferAll(agent: Agent, server: ServerName, tally: Tally): Promise<void> {
  for (const kind of FAULTS[server]) {
    const key = `${server}, ${agent.era} client: ${kind}`
    // Nothing is to be waited for one after the other that ends by a time limit.
    if (server === 'pipe' && kind === 'wrong JSON') {
      const rounds = Array.from({ length: ROUNDS }, (_, round) => suffer(agent, server, kind, round))
      for (const outcome of await Promise.all(rounds))
        tally.add(key, outcome, await recovers(agent, server, kind))
      continue
    }
    for (let round = 0; round < ROUNDS; round++) {
      const outcome = await suffer(agent, server, kind, round)
      tally.add(key, outcome, await recovers(agent, server, kind))
    }
  }
}

verifies(
  'S3.34 S3.36 S1.61',
  `every fault ${2 * ROUNDS} times on every transport with clients of both eras: it ends, the next call works, nothing is left open`,
  async () => {
    const http = await httpServer()
    const { url, child } = await startHttpProxy({
      servers: {
        pipe: { ...pipeServer(), timeout: LIMIT },
        old: http.entry('/legacy'),
        new: http.entry('/modern'),
      },
      settings: { log: { level: 'error' } },
    })
    const pid = child.pid ?? 0
    const agents = await Promise.all(
      // A modern client that may be asked has connections of its own for calls at the same time.
      ERAS.flatMap((era) => [rawAgent(url, era, DUMB), sdkAgent(url, era, DUMB)]),
    )
    for (const agent of agents) for (const server of SERVERS) await recovers(agent, server, 'the start')
    const open = async () => ({
      ...(await http.state()),
      processes: serversOf(pid).length,
      descriptors: openDescriptors(pid),
      megabytes: Math.round(residentBytes(pid) / 1e6),
    })
    const before = await open()
    const tally = new Tally()
    await Promise.all(agents.flatMap((agent) => SERVERS.map((server) => sufferAll(agent, server, tally))))
    tally.print()
    for (const [key, { times, recovered }] of tally.rows()) {
      expect(times, key).toBe(2 * ROUNDS)
      expect(recovered, key).toBe(times)
    }
    // The cancelled calls were cancelled at the server, too.
    await expect.poll(async () => (await http.state()).hanging).toBe(0)
    // Idle connections end by themselves after some seconds, on either side.
    const quiet = { timeout: 120_000, interval: 250 }
    await expect.poll(async () => (await open()).sessions, quiet).toBe(before.sessions)
    await expect.poll(async () => (await open()).streams, quiet).toBe(before.streams)
    await expect.poll(async () => (await open()).processes, quiet).toBe(before.processes)
    await expect
      .poll(async () => (await open()).descriptors, quiet)
      .toBeLessThanOrEqual(before.descriptors + SPARE_DESCRIPTORS)
    await expect.poll(async () => (await open()).sockets, quiet).toBeLessThanOrEqual(before.sockets)
    const after = await open()
    report('open before', before)
    report('open after', after)
    await Promise.all(agents.map((agent) => agent.close()))
    const below = descendantsOf(pid)
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(descendantsOf(pid)).toEqual([])
    await noneLives(below)
    await expect.poll(() => http.state()).toMatchObject({ sessions: 0, streams: 0, hanging: 0, sockets: 0 })
  },
  onLinuxOnly,
)

verifies(
  'S3.34 S3.36',
  `a server over HTTP that is killed in the middle of calls and streams, and comes back, ${TIMES} times`,
  async () => {
    let http = await httpServer(await ownPort())
    const servers = { old: http.entry('/legacy'), new: http.entry('/modern') }
    const { url } = await startHttpProxy({ servers, settings: { log: { level: 'error' } } })
    const agents = await Promise.all(ERAS.map((era) => rawAgent(url, era)))
    const names = ['old', 'new'] as const
    for (const agent of agents) for (const server of names) await recovers(agent, server, 'the start')
    const tally = new Tally()
    const restart = async (): Promise<void> => {
      await http.kill()
      http = await httpServer(http.port)
    }
    for (let round = 0; round < TIMES; round++) {
      const calls = agents.flatMap((agent) =>
        names.flatMap((server) =>
          ['hangs', 'hangs mid-stream'].map((kind) => {
            let streams: () => void = () => {}
            const streaming = new Promise<void>((resolve) => {
              streams = resolve
            })
            const marker = `${agent.name}/${server}/${kind}/${round}`
            const call = agent.call(`${server}_fault`, { kind, marker }, { onprogress: streams })
            const outcome = outcomeOf(`killed: ${marker}`, call)
            return { agent, server, kind, outcome, ready: kind === 'hangs' ? Promise.resolve() : streaming }
          }),
        ),
      )
      await unstuck('calls that are to be killed', Promise.all(calls.map(({ ready }) => ready)))
      await expect.poll(async () => (await http.state()).hanging).toBe(calls.length)
      await restart()
      const begun = performance.now()
      for (const { agent, server, kind, outcome } of calls) {
        const ended = await outcome
        expect(ended.ended, ended.words).toBe('error')
        expect(ended.words).toContain(`server \`${server}\``)
        await recovers(agent, server, kind)
        const when = kind === 'hangs' ? 'mid-call' : 'mid-stream'
        tally.add(`${server}, ${agent.era} client: killed ${when}`, ended, performance.now() - begun)
      }
    }
    tally.print()
    expect(tally.rows().map(([, { recovered }]) => recovered)).toEqual(Array(8).fill(TIMES))
  },
)

const HANDSHAKE_FAULTS = ['reset mid-call', 'closed mid-call', 'half a body', 'wrong JSON', 'status 500']

/** A call that loses its server in the handshake, then one that does not. */
async function shakeHands(
  agent: Agent,
  server: string,
  kind: string,
  key: string,
  tally: Tally,
): Promise<void> {
  const call = agent.call(`${server}_echo`, { marker: 'never' })
  const outcome = await outcomeOf(`${key}: ${kind}`, call)
  expect(outcome.ended, `${kind}: ${outcome.words}`).toBe('error')
  expect(outcome.words).toContain(`server \`${server}\``)
  tally.add(key, outcome, await recovers(agent, server, `${kind} in the handshake`))
}

verifies(
  'S3.34 S3.36',
  `a server that is lost in the handshake, ${TIMES} times on every transport with clients of both eras`,
  async () => {
    const gates = temporaryDirectory()
    const http: HttpServer = await httpServer()
    const gateOf = (era: Era): string => join(gates, era)
    const { url } = await startHttpProxy({
      servers: Object.fromEntries(
        ERAS.flatMap((era) => [
          [`pipe-${era}`, pipeServer(gateOf(era))],
          [`old-${era}`, http.entry(`/legacy/${era}`)],
        ]),
      ),
      settings: { log: { level: 'error' }, connect: { lazy: true } },
    })
    const tally = new Tally()

    async function overPipe(era: Era): Promise<void> {
      const server = `pipe-${era}`
      const agent = await rawAgent(url, era)
      await recovers(agent, server, 'the start')
      for (let round = 0; round < TIMES; round++) {
        const kind = round % 2 === 0 ? 'killed mid-call' : 'half a message'
        writeFileSync(gateOf(era), kind)
        const dead = agent.call(`${server}_fault`, { kind: 'killed mid-call', marker: '' })
        expect((await outcomeOf(server, dead)).ended).toBe('error')
        const call = agent.call(`${server}_echo`, { marker: 'never' })
        const outcome = await outcomeOf(`${server}: ${kind} in the handshake`, call)
        rmSync(gateOf(era))
        expect(outcome.ended, outcome.words).toBe('error')
        expect(outcome.words).toContain(`server \`${server}\``)
        tally.add(`pipe, ${era} client: lost in the handshake`, outcome, await recovers(agent, server, kind))
      }
      await agent.close()
    }

    /** A session at the server belongs to one client: with each new client there is a handshake. */
    async function overOldHttp(era: Era): Promise<void> {
      const server = `old-${era}`
      const first = await rawAgent(url, era)
      await recovers(first, server, 'the start')
      for (let round = 0; round < TIMES; round++) {
        const kind = HANDSHAKE_FAULTS[round % HANDSHAKE_FAULTS.length] ?? ''
        const agent = await rawAgent(url, era)
        await http.break(`/legacy/${era}`, kind, 1)
        await shakeHands(agent, server, kind, `old, ${era} client: lost in the handshake`, tally)
        await agent.close()
      }
      await first.close()
    }

    await Promise.all(ERAS.flatMap((era) => [overPipe(era), overOldHttp(era)]))
    /** One connection to a modern server serves all clients: here each has a proxy of its own. */
    async function overNewHttp(era: Era): Promise<void> {
      for (let round = 0; round < TIMES; round++) {
        const kind = HANDSHAKE_FAULTS[round % HANDSHAKE_FAULTS.length] ?? ''
        const path = `/modern/${era}/${round}`
        const mcpServers = { new: http.entry(path) }
        const dataDir = join(gates, `${era}-${round}`)
        const connect = { ...PATIENCE.connect, lazy: true }
        const proxySettings = { transport: 'streamable-http', port: 0, dataDir, connect }
        // A tool that was never listed is looked up before the call, for a modern client also for its schema.
        await http.break(path, kind, era === 'modern' ? 3 : 2)
        const gateway = await createGateway(parseConfig({ mcpServers, proxySettings }))
        try {
          const started = await gateway.start()
          const agent = await rawAgent(new URL(String(started.url)), era)
          await shakeHands(agent, 'new', kind, `new, ${era} client: lost in the handshake`, tally)
          await agent.close()
        } finally {
          await gateway.close()
        }
      }
    }

    await Promise.all(ERAS.map(overNewHttp))
    tally.print()
    expect(tally.rows().map(([, { error }]) => error)).toEqual(Array(6).fill(TIMES))
  },
)
