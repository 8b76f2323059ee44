import { expect, test, vi } from 'vitest'
import { createLogLines } from '../../../../src/features/console/log-lines.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import { createRedactor } from '../../../../src/observe/redact.ts'

const SECRET = 'hunter2hunter2'

function world() {
  let time = 0
  const lines = createLogLines(() => ++time, createRedactor([SECRET]))
  return { lines, logger: lines.noting(silentLogger) }
}

test('lines about a server are noted without secrets, and each goes on to the log', () => {
  const { lines } = world()
  const warn = vi.fn()
  const logger = lines.noting({ ...silentLogger, warn })
  logger.warn({ server: 'shop', error: `no: ${SECRET}` }, 'lost a server')
  logger.warn({ server: 'bank' }, 'lost a server')
  logger.warn({ tool: 'x' }, 'about no server')
  expect(warn).toHaveBeenCalledTimes(3)
  expect(lines.of('shop')).toEqual([
    { at: 1, level: 'warn', text: expect.stringContaining('lost a server {"error":"no: ') },
  ])
  expect(JSON.stringify(lines.of('shop'))).not.toContain(SECRET)
  expect(lines.of('bank')).toHaveLength(1)
  for (const name of ['none', '__proto__']) expect(lines.of(name)).toEqual([])
})

test('the lines, their length and the servers are bounded', () => {
  const { lines, logger } = world()
  for (let nth = 0; nth < 300; nth++) logger.debug({ server: 'shop', nth, long: 'x'.repeat(5_000) }, 'said')
  expect(lines.of('shop')).toHaveLength(200)
  expect(lines.of('shop')[0]?.at).toBe(101)
  expect(Math.max(...lines.of('shop').map(({ text }) => text.length))).toBeLessThanOrEqual(1_000)
  for (let nth = 0; nth < 600; nth++) logger.info({ server: `s${nth}` }, 'said')
  expect(lines.of('s400')).toHaveLength(1)
  expect(lines.of('s599')).toHaveLength(0)
})
