/** The system gives no process for a worker: the question is told so, and the next one is answered when there is one again. */
import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../../../src/engine/pool.ts'
import { GrowingBytes } from '../../../src/protocol/stream.ts'
import { whyNotStarted } from '../../../src/text/start-failure.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { bytesOf, jsonResult, LIMITS, NEVER, orders, sourceOf } from './world.ts'

const COUNT = { kind: 'filter', params: { aggregate: 'count' }, budget: 2000 } as const

/** Runs with another program in the place of Node's. */
async function withProgram(path: string, run: () => Promise<void>): Promise<void> {
  const { execPath } = process
  process.execPath = path
  await run().finally(() => {
    process.execPath = execPath
  })
}

function noProgram(): string {
  const file = join(temporaryFolder(), 'node')
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o600)
  return file
}

test.each([
  ['is not there', () => join(temporaryFolder(), 'none'), 'ENOENT'],
  ['may not be run', noProgram, 'EACCES'],
])('a program that %s', async (_, program, code) => {
  const engine = createEngine({ workers: 2, heapMb: 256, queryTimeout: 300_000 })
  onTestFinished(() => engine.close())
  const source = sourceOf(jsonResult(orders(10)))
  await withProgram(program(), async () => {
    const asked = [1, 2, 3].map(() => engine.query([source], COUNT, NEVER))
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({
        reason: {
          code: 'QUERY_FAILED',
          message: expect.stringContaining(code),
          next: expect.stringContaining('later'),
        },
      })
    const content = bytesOf(jsonResult(orders(10)))
    await expect(engine.digest({ content, tool: 't' }, LIMITS, NEVER)).rejects.toThrow(code)
    // An arriving result is not read ahead, and no error is reported.
    const growing = new GrowingBytes(4_000_000)
    const more = engine.arriving(growing, 0)
    growing.append(Buffer.alloc(2_000_000, 32))
    more()
  })
  expect((await engine.query([source], COUNT, NEVER)).text.join('')).toContain('10')
})

/** Opens files until there are no more, asks, closes them, and asks again. */
const EXHAUSTING = `
import { closeSync, openSync } from 'node:fs'
const { createEngine } = await import(process.argv[1])
const engine = createEngine({ workers: 1, heapMb: 256, workerMb: 1000, queryTimeout: 300000 })
const text = JSON.stringify([{ id: 1 }, { id: 2 }])
const content = new TextEncoder().encode(JSON.stringify({ content: [{ type: 'text', text }] }))
const source = { handle: 'a'.repeat(12), hash: '1', content, tool: 't' }
const ask = () => engine.query([source], { kind: 'filter', params: { aggregate: 'count' }, budget: 2000 }, new AbortController().signal)
  .then(({ text }) => text.join(''), (error) => error.message)
const open = []
try { for (;;) open.push(openSync('/dev/null')) } catch {}
const told = [await ask(), await ask()]
for (const file of open) closeSync(file)
process.stdout.write(JSON.stringify([...told, await ask()]))
await engine.close()
`

test.skipIf(process.platform === 'win32')('too many open files', async () => {
  const pool = new URL('../../../dist/engine/pool.js', import.meta.url).href
  const { stdout } = await promisify(execFile)('/bin/sh', [
    '-c',
    'ulimit -n 256; exec "$@"',
    'sh',
    process.execPath,
    '--input-type=module',
    '-e',
    EXHAUSTING,
    pool,
  ])
  const [first, second, then] = JSON.parse(stdout) as string[]
  for (const told of [first, second])
    expect(told).toMatch(/no process could be started .* too many files .*EMFILE/)
  expect(then).toContain('"count":2')
})

test('the words for what the system says', () => {
  expect(whyNotStarted(Object.assign(new Error('spawn x'), { code: 'EAGAIN' }))).toBe(
    'the system allows no more processes (EAGAIN)',
  )
  expect(whyNotStarted(new Error('spawn x EODD'))).toBe('spawn x EODD')
})
