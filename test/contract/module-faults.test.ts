/** Modules that break, by the way to them, what they break at, and what the configuration says of failures. */
import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
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

const FAILED = 'The message was refused because the module `m` failed.'
const LATE = 'The message was refused because the module `m` did not answer in time.'

interface Fault {
  what: string
  does: string
  /** What a client is told where the module fails closed. */
  told: string
  /** It has to come back afterwards. */
  isLost: boolean
}

const faults: Fault[] = [
  { what: 'has an error that nobody catches', does: 'crash', told: FAILED, isLost: true },
  { what: 'exits', does: 'exit', told: FAILED, isLost: true },
  { what: 'is killed', does: 'kill', told: FAILED, isLost: true },
  { what: 'hangs', does: 'hang', told: LATE, isLost: false },
  { what: 'loops', does: 'loop', told: LATE, isLost: true },
  { what: 'answers with another type', does: 'other', told: FAILED, isLost: false },
  { what: 'answers with 100 MB', does: 'huge', told: FAILED, isLost: true },
]

/** A file runs as a program does: what could differ. */
const OF_FILES = new Set(['crash', 'loop', 'huge'])

const RESULTS: Record<string, JsonObject> = {
  'tools/call': { content: [{ type: 'text', text: 'served' }] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
}

describe.each(Object.entries(ways))('a module by `%s`', (way, reach) => {
  for (const { what, does, told, isLost } of faults.filter((one) => way !== 'path' || OF_FILES.has(one.does)))
    verifies(
      'S2.29 S2.33 S2.39',
      `that ${what}: closed, open and audit; the session goes on and nothing leaks`,
      async () => {
        const bad = (event: string, more: JsonObject): JsonObject => ({
          ...{ name: event, type: 'mutation', does, hook: { events: [event], phase: 'response' } },
          ...more,
        })
        const { entry, again } = await reach([
          bad('tools/call', {}),
          bad('prompts/get', { failOpen: true, size: 10_000_000 }),
          bad('completion/complete', { mode: 'audit', size: 10_000_000 }),
          { name: 'who', type: 'mutation', does: 'who', hook: { events: ['x/who'], phase: 'response' } },
        ])
        const before = living()
        const world = await moduleWorld(
          // Short where it is waited for in vain; elsewhere a busy machine has to get there.
          [{ ...entry, name: 'm', timeoutMs: told === LATE ? 400 : 120_000 }],
          { server: async ({ method }) => RESULTS[method] ?? {} },
        )
        const { signal } = new AbortController()
        const ask = (method: string): Promise<unknown> =>
          world.raw(method, { name: 'a' }, { signal }).catch(({ message }: RpcError) => message)
        const processes = new Set<number>()
        /** Asked until it answers: it says which process it is. */
        const works = async (): Promise<void> => {
          if (isLost) await again()
          await expect.poll(() => ask('x/who')).toHaveProperty('pid')
          const { pid } = (await ask('x/who')) as { pid?: number }
          if (way !== 'url' && pid !== undefined) processes.add(pid)
          // What it did not ask for does not depend on it.
          expect(await ask('tools/list')).toEqual({})
        }

        await works()
        const answers = ['tools/call', 'prompts/get', 'completion/complete', 'tools/list'].map(ask)
        expect(await Promise.all(answers)).toEqual([
          told,
          RESULTS['prompts/get'],
          RESULTS['completion/complete'],
          {},
        ])
        const logged = (): object[] =>
          world.lines.filter(({ interceptor }) => interceptor === 'completion/complete')
        await expect.poll(logged).toMatchObject([{ level: 'error', message: 'a module failed' }])
        await works()
        expect(world.modules.status()).toMatchObject([{ name: 'm', state: 'ok' }])

        expect(getEventListeners(signal, 'abort')).toEqual([])
        await world.modules.close()
        await expect.poll(() => [...processes].filter(isAlive)).toEqual([])
        // Far less than one of the answers.
        await expect.poll(() => living() - before).toBeLessThan(50_000_000)
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
  // Who only looks on is not waited for at all: the test would not end.
  expect(await audit.ask('tools/list')).toHaveProperty('tools')
})
