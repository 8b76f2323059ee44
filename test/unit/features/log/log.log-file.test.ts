import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLogFile } from '../../../../src/features/log/index.ts'
import { temporaryFolder } from '../../../support/upstream.ts'

const linesOf = (file: string): { message: string; time: string }[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('lines come in their order, with the time of their message; those that cannot be made are left out', async () => {
  const file = join(temporaryFolder(), 'messages.log')
  let now = 0
  const log = openLogFile(file, () => now)
  for (let at = 0; at < 3; at++) {
    now = at * 1000
    log.write(`message ${at}`, () => ({ at }))
  }
  log.write('broken', () => {
    throw new Error('no line')
  })
  log.write('long', () => ({ text: 'x'.repeat(200_000) }))
  // Without being closed: whoever looks at the file sees them soon.
  await expect.poll(() => linesOf(file).length).toBe(4)
  log.write('last', () => ({}))
  await log.close()
  const lines = linesOf(file)
  expect(lines.map(({ message }) => message)).toEqual(['message 0', 'message 1', 'message 2', 'long', 'last'])
  expect(lines.slice(0, 3).map(({ time }) => time)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:01.000Z',
    '1970-01-01T00:00:02.000Z',
  ])
})
