/** Long use with servers dying all the time; afterwards nothing is left: no process, no file half written, no descriptor. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { type LineClient, startLineClient, toolNames } from './support/line-client.ts'
import {
  descendantsOf,
  marked,
  nothingLives,
  onLinuxOnly,
  openDescriptors,
  processesMarked,
  residentBytes,
  SPARE_DESCRIPTORS,
} from './support/processes.ts'
import { report } from './support/report.ts'
import { fixture, handleOf, temporaryDirectory, textOf } from './support/world.ts'

const MB = 1_000_000
const CALLS = 150
const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** An event of the run. */
type Step =
  | { kind: 'small' | 'large' | 'query' | 'fresh'; server: Name; size: number }
  | { kind: 'kill' | 'die'; server: Name; size: number }

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('small' as const) },
    { weight: 5, arbitrary: fc.constant('large' as const) },
    { weight: 6, arbitrary: fc.constant('query' as const) },
    { weight: 2, arbitrary: fc.constant('fresh' as const) },
    { weight: 1, arbitrary: fc.constant('kill' as const) },
    { weight: 1, arbitrary: fc.constant('die' as const) },
  ),
  server: fc.constantFrom(...NAMES),
  size: fc.integer({ min: 1, max: 2000 }),
})

class Soak {
  readonly kept: { handle: string; count: number }[] = []
  failures = 0
  kills = 0
  readonly #client: LineClient

  constructor(client: LineClient) {
    this.#client = client
  }

  async take({ kind, server, size }: Step): Promise<void> {
    const client = this.#client
    switch (kind) {
      case 'small':
        expect(textOf(await this.#call(`${server}_text`, { size }))).toBe('a'.repeat(size))
        return
      case 'large': {
        const count = 200 + size
        this.kept.push({ handle: handleOf(await this.#call(`${server}_records`, { count })), count })
        return
      }
      case 'query': {
        const { handle, count } = this.kept[size % this.kept.length] ?? { handle: '', count: 0 }
        if (handle === '') return
        const answer = await client.call('proxy_filter', { cache_id: handle, aggregate: 'count' })
        expect(textOf(answer)).toContain(count.toLocaleString('en'))
        return
      }
      case 'fresh': {
        const args = { tool: `${server}_records`, arguments: { count: 5 }, pattern: 'name 4' }
        expect(textOf(await this.#call('proxy_search', args))).toContain('name 4')
        return
      }
      case 'kill': {
        const { pid } = JSON.parse(textOf(await this.#call(`${server}_environment`, {}))) as { pid: number }
        process.kill(pid, 'SIGKILL')
        this.kills++
        return
      }
      case 'die':
        expect((await client.call(`${server}_die`)).isError).toBe(true)
        this.kills++
    }
  }

  /** A call during which the server may turn out to be dead: that one call may fail, with the server's name; the next works. */
  async #call(name: string, args: object) {
    const answer = await this.#client.call(name, args)
    if (!answer.isError) return answer
    this.failures++
    expect(textOf(answer)).toMatch(/server `[abc]`/)
    return await this.#client.call(name, args)
  }
}

/** Every file under the data directory is whole. */
function wholeFiles(directory: string): string[] {
  const files = readdirSync(join(directory, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of files) {
    if (file.includes('/by-content/') && !file.endsWith('/known')) {
      expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-z]{12}$/)
      continue
    }
    expect(file).toMatch(/\.(?:json|content)$|\/known$/)
    expect(() => JSON.parse(readFileSync(file, 'utf8')), file).not.toThrow()
  }
  return files
}

/** Before descriptors are counted, for each server that runs has three pipes. */
async function everyServerUp(soak: Soak): Promise<void> {
  for (const name of NAMES) await soak.take({ kind: 'small', server: name, size: 1 })
}

for (const [ending, signal] of [
  ['the end of its input', undefined],
  ['SIGTERM', 'SIGTERM'],
] as const) {
  verifies(
    'S3.34 S3.35 S1.51',
    `${CALLS} calls over three servers that die at random; ${ending} leaves nothing behind`,
    async () => {
      const mark = randomUUID()
      const directory = temporaryDirectory()
      const temporary = join(directory, 'tmp')
      mkdirSync(temporary)
      const server = (name: Name): object => ({ ...fixture(name), env: marked(mark) })
      const client = startLineClient({
        servers: { a: server('a'), b: server('b'), c: server('c') },
        settings: { maxEntriesPerAgent: 10, log: { level: 'error' } },
        directory,
        env: { TMPDIR: temporary },
      })
      await client.open()
      await toolNames(client)
      const soak = new Soak(client)
      const steps = fc.sample(step, CALLS)
      let early = 0
      let earlyMemory = 0
      for (const [index, next] of steps.entries()) {
        await soak.take(next)
        if (index === 99) {
          await everyServerUp(soak)
          early = openDescriptors(client.pid)
          earlyMemory = residentBytes(client.pid)
        }
      }
      await everyServerUp(soak)
      // A leak would be some for each of the forty servers that died since.
      await expect.poll(() => openDescriptors(client.pid)).toBeLessThanOrEqual(early + SPARE_DESCRIPTORS)
      const lateMemory = residentBytes(client.pid)
      expect(lateMemory).toBeLessThan(700 * MB)
      expect(client.strays).toEqual([])
      const late = openDescriptors(client.pid)
      const below = descendantsOf(client.pid)
      expect(below.length).toBeGreaterThanOrEqual(3)
      expect(processesMarked(mark).length).toBeGreaterThanOrEqual(3)

      const ended = await client.end(signal)
      expect(ended).toMatchObject({ code: 0, signal: null })
      await nothingLives(mark, [client.pid, ...below])
      expect(readdirSync(temporary)).toEqual([])
      expect(wholeFiles(directory).length).toBeGreaterThan(3)
      report(`${CALLS} calls, ${ending}`, {
        killed: soak.kills,
        'failed once': soak.failures,
        'RSS MB after 100': Math.round(earlyMemory / MB),
        'at the end': Math.round(lateMemory / MB),
        'descriptors after 100': early,
        'at the end ': late,
        'closed in ms': Math.round(ended.after),
      })
    },
    onLinuxOnly,
  )
}

const [script = ''] = fixture('w').args
const stubborn = fileURLToPath(new URL('../support/servers/stdio.mjs', import.meta.url))

/** A shell gives what runs in its background no input of its own, so it is handed the shell's. */
const waits = 'exec 3<&0; "$0" "$1" w <&3 & wait'
const nested = `sh -c '"$0" "$1" w; true' "$0" "$1"; true`

for (const [wrapper, tool, command, args] of [
  ['behind a shell that waits', 'text', 'sh', ['-c', waits, process.execPath, script]],
  ['behind a shell in a shell', 'text', 'sh', ['-c', nested, process.execPath, script]],
  ['behind npx', 'text', 'npx', ['-c', `"${process.execPath}" "${script}" w`]],
  ['that ignores closed input and SIGTERM', 'echo', process.execPath, [stubborn, '{"stubborn":true}']],
] as const) {
  for (const signal of [undefined, 'SIGTERM'] as const) {
    verifies(
      'S3.35',
      `a server ${wrapper} is gone after ${signal ?? 'the end of input'}`,
      async () => {
        const mark = randomUUID()
        const client = startLineClient({ servers: { w: { command, args, env: marked(mark) } } })
        await client.open()
        await toolNames(client)
        expect(textOf(await client.call(`w_${tool}`, { size: 3 }))).toMatch(/^aaa$|"size":3/)
        const below = descendantsOf(client.pid)
        expect(processesMarked(mark).length).toBeGreaterThanOrEqual(wrapper.startsWith('behind') ? 2 : 1)
        const ended = await client.end(signal)
        expect(ended).toMatchObject({ code: 0, signal: null })
        await nothingLives(mark, [client.pid, ...below])
      },
      onLinuxOnly,
    )
  }
}
