/** Modules that break, by the way to them, what they break at, and what the configuration says of failures. */
import { spawn } from 'node:child_process'
import { getEventListeners, once, setMaxListeners } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'
import vm from 'node:vm'
import { describe, expect, onTestFinished } from 'vitest'
import type { RpcError } from '../../src/protocol/errors.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { moduleWorld } from '../support/module-world.ts'
import { ownPort } from '../support/own-port.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

const servers = new URL('../support/servers/', import.meta.url)
const script = fileURLToPath(new URL('interceptors.mjs', servers))

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

/** Bytes that live, of objects and of buffers. */
function living(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

interface Reach {
  entry: JsonObject
  /** Brings back what does not come back by itself. */
  again(): Promise<void>
}

const ways: Record<string, (interceptors: JsonObject[]) => Promise<Reach>> = {
  async path(interceptors) {
    const path = join(temporaryFolder(), 'module.mjs')
    writeFileSync(
      path,
      `import { createDeeds } from ${JSON.stringify(new URL('deeds.mjs', servers).href)}
       const deeds = createDeeds()
       export const interceptors = ${JSON.stringify(interceptors)}.map((one) => ({
         ...one,
         invoke: async (params) => ({ type: one.type, phase: params.phase, ...(await deeds[one.does](one, params)) }),
       }))`,
    )
    return { entry: { path }, again: async () => {} }
  },
  async command(interceptors) {
    return {
      entry: { command: process.execPath, args: [script, JSON.stringify({ interceptors })] },
      again: async () => {},
    }
  },
  async url(interceptors) {
    const port = await ownPort()
    let child: ReturnType<typeof start> | undefined
    function start() {
      const made = spawn(process.execPath, [script, JSON.stringify({ interceptors, http: port })], {
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      onTestFinished(() => void made.kill('SIGKILL'))
      return made
    }
    /** A service is its owner's to start again. */
    const again = async (): Promise<void> => {
      if (child !== undefined && child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      child = start()
      await once(child.stdout, 'data')
    }
    await again()
    return { entry: { url: `http://127.0.0.1:${port}/mcp` }, again }
  },
}

interface Fault {
  what: string
  does: string
  /** The words that a client gets where the module fails closed. */
  told: 'failed' | 'did not answer in time'
  /** It has to come back afterwards. */
  isLost: boolean
  /** The ways by which it differs from others. */
  ways: readonly string[]
  /** Events in place of ones without a type. */
  events?: readonly [closed: string, open: string, audit: string]
}

const all = Object.keys(ways)

const faults: Fault[] = [
  { what: 'has an error that nobody catches', does: 'crash', told: 'failed', isLost: true, ways: all },
  { what: 'exits', does: 'exit', told: 'failed', isLost: true, ways: ['command'] },
  { what: 'is killed', does: 'kill', told: 'failed', isLost: true, ways: ['command'] },
  { what: 'hangs', does: 'hang', told: 'did not answer in time', isLost: false, ways: ['command', 'url'] },
  { what: 'loops', does: 'loop', told: 'did not answer in time', isLost: true, ways: all },
  {
    ...{ what: 'answers with another type', does: 'other', told: 'failed', isLost: false },
    ways: ['command', 'url'],
    events: ['tools/call', 'prompts/get', 'completion/complete'],
  },
  { what: 'answers with far too much', does: 'huge', told: 'failed', isLost: true, ways: all },
]

const RESULTS: Record<string, JsonObject> = {
  'tools/call': { content: [{ type: 'text', text: 'served' }] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
}

/** The number of processes and pipes that are open now: those are the handles of a program on the other side. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap' || name === 'PipeWrap')
    .length
}

/** All of them at once, in one session: a module that breaks does nothing to the others, and waiting is most of the time. */
describe.each(Object.entries(ways))('modules by `%s`', (way, reach) => {
  const breaking = faults.filter((one) => one.ways.includes(way))
  verifies(
    'S2.29 S2.33 S2.39',
    `that break (${breaking.map(({ what }) => what).join(', ')}): closed, open and audit; the session goes on and nothing leaks`,
    async () => {
      const before = { bytes: living(), handles: handles() }
      const { signal } = new AbortController()
      setMaxListeners(0, signal)
      const modules = await Promise.all(
        breaking.map(async (fault) => {
          const { does, told, events = [`closed/${does}`, `open/${does}`, `audit/${does}`] } = fault
          const bad = (event: string, more: JsonObject): JsonObject => ({
            ...{ name: event, type: 'mutation', does, hook: { events: [event], phase: 'response' } },
            ...more,
          })
          const who = { name: 'who', type: 'mutation', does: 'who' }
          const { entry, again } = await reach([
            // 100 MB; by other ways what is too much is treated alike, and takes its time to come.
            bad(events[0], way === 'command' ? {} : { size: 10_000_000 }),
            bad(events[1], { failOpen: true, size: 5_000_000 }),
            bad(events[2], { mode: 'audit', size: 5_000_000 }),
            { ...who, hook: { events: [`who/${does}`], phase: 'response' } },
          ])
          // Short where it is waited for in vain; elsewhere a busy machine has to get there.
          const timeoutMs = told === 'failed' ? 120_000 : 400
          return { ...fault, events, again, entry: { ...entry, name: does, timeoutMs } }
        }),
      )
      const world = await moduleWorld(
        modules.map(({ entry }) => entry),
        { server: async ({ method }) => RESULTS[method] ?? { served: method } },
      )
      await world.modules.check()
      const ask = (method: string): Promise<unknown> =>
        world.raw(method, { name: 'a' }, { signal }).catch(({ message }: RpcError) => message)
      const processes = new Set<number>()

      /** Asked until it answers: it says which process it is. */
      const works = async (does: string): Promise<void> => {
        await expect.poll(() => ask(`who/${does}`)).toHaveProperty('pid')
        const { pid } = (await ask(`who/${does}`)) as { pid?: number }
        if (way !== 'url' && pid !== undefined) processes.add(pid)
      }

      await Promise.all(
        modules.map(async ({ does, told, isLost, events, again }) => {
          await works(does)
          const answers = [...events, 'tools/list'].map(ask)
          expect(await Promise.all(answers)).toEqual([
            `The message was refused because the module \`${does}\` ${told}.`,
            ...[events[1], events[2], 'tools/list'].map((method) => RESULTS[method] ?? { served: method }),
          ])
          const logged = (): object[] => world.lines.filter(({ interceptor }) => interceptor === events[2])
          await expect.poll(logged).toMatchObject([{ level: 'error', message: 'a module failed' }])
          if (isLost) await again()
          await works(does)
        }),
      )
      expect(world.modules.status()).toMatchObject(modules.map(({ does }) => ({ name: does, state: 'ok' })))

      expect(getEventListeners(signal, 'abort')).toEqual([])
      await world.modules.close()
      await expect.poll(() => [...processes].filter(isAlive)).toEqual([])
      if (way !== 'url') await expect.poll(handles).toBeLessThanOrEqual(before.handles)
      // Far less than one of the answers.
      await expect.poll(() => living() - before.bytes).toBeLessThan(50_000_000)
    },
  )
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

verifies(
  'S2.39',
  'one that ends at once is started less and less often, not with every message',
  async () => {
    const folder = temporaryFolder()
    const log = join(folder, 'starts')
    const text = `require('node:fs').appendFileSync(${JSON.stringify(log)}, 'x'); process.exit(1)`
    const world = await moduleWorld([{ command: process.execPath, args: ['-e', text], name: 'm' }])
    await world.modules.check()
    for (let times = 0; times < 300; times++)
      await expect(world.ask('tools/call', { name: 'a' })).rejects.toThrow(/the module `m`/)
    // The first pauses are half a second and more: so many starts would take minutes.
    expect(readFileSync(log, 'utf8').length).toBeLessThan(30)
    expect(world.modules.status()).toMatchObject([
      { state: 'failed', message: expect.stringContaining('exited') },
    ])
  },
)

verifies('S2.39', 'one that never ends its handshake holds up the first message, and no other', async () => {
  const silent = {
    command: process.execPath,
    args: ['-e', 'process.stdin.resume()'],
    name: 'm',
    timeoutMs: 300,
  }
  const world = await moduleWorld([{ ...silent, failOpen: true }])
  for (let times = 0; times < 200; times++) expect(await world.ask('tools/list')).toHaveProperty('tools')
  const audit = await moduleWorld([{ ...silent, timeoutMs: 600_000, mode: 'audit' }])
  // A module that only observes is not waited for at all: the test would not end.
  expect(await audit.ask('tools/list')).toHaveProperty('tools')
})
