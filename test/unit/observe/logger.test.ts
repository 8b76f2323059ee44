import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLogger, type LoggerOptions } from '../../../src/observe/logger.ts'
import { verifies } from '../../support/verifies.ts'

function logged(
  options: Partial<LoggerOptions>,
  use: (log: ReturnType<typeof createLogger>) => void,
): object[] {
  const lines: object[] = []
  use(
    createLogger({
      level: 'info',
      ...options,
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    }),
  )
  return lines
}

describe('logger', () => {
  verifies('S3.38 S1.43', 'writes one JSON object a line, from its level on', () => {
    const all = (level: LoggerOptions['level']): unknown[] =>
      logged({ level }, (log) => {
        log.debug({ a: 1 }, 'one')
        log.info({ b: [2] }, 'two %s')
        log.warn({}, 'three')
        log.error({ err: new TypeError('bad') }, 'four')
      }).map((line) => ('msg' in line ? line.msg : undefined))
    expect(all('debug')).toEqual(['one', 'two %s', 'three', 'four'])
    expect(all('info')).toEqual(['two %s', 'three', 'four'])
    expect(all('warning')).toEqual(['three', 'four'])
    expect(all('error')).toEqual(['four'])
  })

  test('names the level and the time, and shows errors', () => {
    const [line] = logged({}, (log) => log.error({ err: new TypeError('bad') }, 'failed'))
    expect(line).toMatchObject({ level: 'error', msg: 'failed', err: { type: 'TypeError', message: 'bad' } })
    expect(line).toHaveProperty('time', expect.stringMatching(/^\d{4}-\d\d-\d\dT/))
  })

  verifies('S3.38', 'never logs a secret, in fields or in the message', () => {
    const lines = logged({ secrets: ['sesame-street'] }, (log) =>
      log.info({ headers: { authorization: 'Bearer x' }, note: 'it is sesame-street' }, 'open sesame-street'),
    )
    expect(lines).toMatchObject([{ headers: { authorization: '***' }, note: 'it is ***', msg: 'open ***' }])
  })

  /** A file that is not there yet, and the messages in it. */
  function logFile(): { file: string; messages(): string[] } {
    const directory = mkdtempSync(join(tmpdir(), 'log-test-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'deep', 'proxy.log')
    const lines = (): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean)
    return { file, messages: () => lines().map((line) => JSON.parse(line).msg) }
  }

  verifies('S1.44', 'appends to a file that its owner alone can read', () => {
    const { file, messages } = logFile()
    createLogger({ level: 'info', file }).warn({}, 'first')
    createLogger({ level: 'info', file }).warn({}, 'second')
    expect(messages()).toEqual(['first', 'second'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  verifies('S1.44', 'writes an error at once, after the lines that waited for others', async () => {
    const { file, messages } = logFile()
    const logger = createLogger({ level: 'info', file })
    for (let call = 0; call < 3; call++) logger.info({ call }, 'call')
    logger.error({}, 'failed')
    expect(messages()).toEqual(['call', 'call', 'call', 'failed'])
    logger.info({}, 'last')
    await vi.waitFor(() => expect(messages()).toHaveLength(5))
  })

  test('a file that cannot be opened is an error at once', () => {
    expect(() => createLogger({ level: 'info', file: '/dev/null/x' })).toThrow()
  })
})
