import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ShutdownOptions, startReload, untilStopped } from '../../../src/cli/run.ts'
import { loadConfig, parseConfig } from '../../../src/config/load-program.ts'
import type { Config } from '../../../src/config/schema.ts'
import type { Logger } from '../../../src/observe/log.ts'
import { deferred } from '../../support/deferred.ts'
import { verifies } from '../../support/verifies.ts'

const server = (name: string) => ({ mcpServers: { [name]: { command: name } } })

/** A file, a reload of it, and what it did. */
function world(content: object | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mcp.json')
  const write = (text: unknown): void =>
    writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text))
  if (content) write(content)
  const load = () => loadConfig({ path: file, env: {}, cwd: folder, home: folder })
  const said: string[] = []
  const fields: object[] = []
  const applied: string[][] = []
  const note = (given: object, message: string): void => {
    said.push(message)
    fields.push(given)
  }
  const { config, stamp } = content ? load() : { config: parseConfig(server('a') as never), stamp: undefined }
  const reload = startReload({
    config,
    stamp,
    watchAfterMs: 50,
    load: async () => load(),
    async apply(next: Config) {
      applied.push(next.servers.map(({ name }) => name))
      return { added: [], changed: [], removed: [] }
    },
    logger: { debug: note, info: note, warn: note, error: note },
  })
  onTestFinished(() => reload.close())
  return { write, said, fields, applied, reload }
}

describe('a configuration that changes', () => {
  verifies('S1.63', 'is taken over when its file is written, also before it is watched', async () => {
    const { write, applied, said } = world(server('first'))
    write(server('second'))
    await expect.poll(() => applied).toEqual([['second']])
    await expect.poll(() => said).toEqual(['the configuration was read again'])
    write(server('third'))
    await expect.poll(() => applied).toEqual([['second'], ['third']])
  })

  verifies('S1.63', 'and is not valid changes nothing, and the next that is valid does', async () => {
    const { write, applied, said, fields } = world(server('first'))
    write('{ "mcpServers": ')
    await expect.poll(() => said).toHaveLength(1)
    expect(said[0]).toContain('the one before goes on')
    expect(JSON.stringify(fields)).toContain('mcp.json')
    expect(applied).toEqual([])
    write(server('second'))
    await expect.poll(() => applied).toEqual([['second']])
  })

  test('tells which settings wait for the next start, each time until then', async () => {
    const { write, fields, said, reload } = world(server('a'))
    const proxySettings = { log: { level: 'debug' }, naming: { prefix: 'never' }, connect: { lazy: true } }
    write({ ...server('a'), proxySettings })
    await reload.now()
    await reload.now()
    const told = fields.filter((_, index) => said[index]?.startsWith('these settings'))
    expect(told.length).toBeGreaterThanOrEqual(2)
    for (const one of told) expect(one).toEqual({ settings: ['naming.prefix', 'log.level'] })
  })

  test('is read when that is asked for, one time after the other, and not after the end', async () => {
    const { applied, reload } = world(server('a'))
    await Promise.all([reload.now(), reload.now()])
    await reload.close()
    await reload.now()
    expect(applied).toEqual([['a'], ['a']])
  })

  test('without a file stays what it is', async () => {
    const { said } = world(undefined)
    expect(said).toEqual([])
  })
})

function stopping(options: Partial<ShutdownOptions> = {}) {
  const events = new EventEmitter()
  const left = deferred()
  const happened: string[] = []
  const note =
    (level: string) =>
    (_fields: object, message: string): void =>
      void happened.push(`${level}: ${message}`)
  const logger: Logger = { debug: () => {}, info: () => {}, warn: note('warn'), error: note('error') }
  const done = untilStopped({
    events,
    ended: left.promise,
    close: async () => void happened.push('close'),
    exit: (code) => void happened.push(`exit ${code}`),
    logger,
    ...options,
  })
  return { events, left, happened, done }
}

describe('shutdown', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s closes once', async (signal) => {
    const { events, happened, done } = stopping()
    events.emit(signal, signal)
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
    expect(events.listenerCount(signal)).toBe(0)
  })

  test('SIGTERM lets what runs finish before all is closed; SIGINT does not', async () => {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      const { events, happened, done } = stopping({ leave: async () => void happened.push('leave') })
      events.emit(signal, signal)
      expect(await done).toBe(0)
      expect(happened, signal).toEqual(signal === 'SIGTERM' ? ['leave', 'close'] : ['close'])
    }
  })

  test('SIGHUP stops nothing where it has something else to do', async () => {
    let hangUps = 0
    const { events, happened, done } = stopping({ hangUp: () => hangUps++ })
    events.emit('SIGHUP', 'SIGHUP')
    events.emit('SIGHUP', 'SIGHUP')
    expect(hangUps).toBe(2)
    events.emit('SIGTERM', 'SIGTERM')
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
  })

  test('the client leaving closes once', async () => {
    const { left, happened, done } = stopping()
    left.resolve()
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
  })

  test('a second signal ends at once', async () => {
    const closing = deferred()
    const { events, happened, done } = stopping({ close: () => closing.promise })
    events.emit('SIGINT', 'SIGINT')
    events.emit('SIGTERM', 'SIGTERM')
    expect(happened).toEqual(['exit 1'])
    closing.resolve()
    await done
  })

  test('a signal after the client left is the first one', async () => {
    const closing = deferred()
    const { events, left, happened, done } = stopping({ close: () => closing.promise })
    left.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    events.emit('SIGTERM', 'SIGTERM')
    expect(happened).toEqual([])
    events.emit('SIGTERM', 'SIGTERM')
    expect(happened).toEqual(['exit 1'])
    closing.resolve()
    expect(await done).toBe(0)
  })

  test('closing that hangs or fails is given up', async () => {
    const hanging = stopping({ close: () => new Promise(() => {}), patience: 5 })
    hanging.left.resolve()
    expect(await hanging.done).toBe(1)
    const failing = stopping({ close: () => Promise.reject(new Error('no')) })
    failing.left.resolve()
    expect(await failing.done).toBe(1)
    expect(failing.happened).toEqual(['error: closing failed'])
  })

  verifies('S3.38', 'logs an uncaught error and keeps the session', async () => {
    const { events, left, happened, done } = stopping()
    events.emit('uncaughtException', new Error('a mistake'))
    events.emit('unhandledRejection', 'another')
    expect(happened).toEqual(['error: not caught: a mistake', 'error: not caught: another'])
    left.resolve()
    expect(await done).toBe(0)
  })

  test('a broken pipe means that the client is gone', async () => {
    const { events, happened, done } = stopping()
    events.emit('uncaughtException', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
  })
})
