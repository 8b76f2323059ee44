import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type ShutdownOptions, untilStopped } from '../../../src/cli/run.ts'
import type { Logger } from '../../../src/observe/log.ts'
import { deferred } from '../../support/deferred.ts'
import { verifies } from '../../support/verifies.ts'

function world(options: Partial<ShutdownOptions> = {}) {
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
    const { events, happened, done } = world()
    events.emit(signal, signal)
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
    expect(events.listenerCount(signal)).toBe(0)
  })

  test('SIGHUP stops nothing where it has something else to do', async () => {
    let hangUps = 0
    const { events, happened, done } = world({ hangUp: () => hangUps++ })
    events.emit('SIGHUP', 'SIGHUP')
    events.emit('SIGHUP', 'SIGHUP')
    expect(hangUps).toBe(2)
    events.emit('SIGTERM', 'SIGTERM')
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
  })

  test('the client leaving closes once', async () => {
    const { left, happened, done } = world()
    left.resolve()
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
  })

  test('a second signal ends at once', async () => {
    const closing = deferred()
    const { events, happened, done } = world({ close: () => closing.promise })
    events.emit('SIGINT', 'SIGINT')
    events.emit('SIGTERM', 'SIGTERM')
    expect(happened).toEqual(['exit 1'])
    closing.resolve()
    await done
  })

  test('a signal after the client left is the first one', async () => {
    const closing = deferred()
    const { events, left, happened, done } = world({ close: () => closing.promise })
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
    const hanging = world({ close: () => new Promise(() => {}), patience: 5 })
    hanging.left.resolve()
    expect(await hanging.done).toBe(1)
    const failing = world({ close: () => Promise.reject(new Error('no')) })
    failing.left.resolve()
    expect(await failing.done).toBe(1)
    expect(failing.happened).toEqual(['error: closing failed'])
  })

  verifies('S3.38', 'what nobody caught is logged and does not end the session', async () => {
    const { events, left, happened, done } = world()
    events.emit('uncaughtException', new Error('a mistake'))
    events.emit('unhandledRejection', 'another')
    expect(happened).toEqual(['error: not caught: a mistake', 'error: not caught: another'])
    left.resolve()
    expect(await done).toBe(0)
  })

  test('a broken pipe means that the client is gone', async () => {
    const { events, happened, done } = world()
    events.emit('uncaughtException', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect(await done).toBe(0)
    expect(happened).toEqual(['close'])
  })
})
