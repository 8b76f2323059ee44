import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIMIT_DEFAULTS, type Limits } from '../../../src/protocol/limits.ts'
import { Intake, LineReader } from '../../../src/protocol/stream.ts'
import { runs } from '../../support/runs.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Lines that are read through an intake, and what became of the source. */
function reading(limits: Partial<Limits>, onLine: (line: string, intake: Intake) => void = () => {}) {
  const source = { paused: false, pauses: 0, flooded: false }
  const lines: string[] = []
  const clock = { now: 0 }
  const intake: Intake = new Intake({
    limits: { ...LIMIT_DEFAULTS, ...limits },
    source: {
      pause: () => {
        source.paused = true
        source.pauses++
      },
      resume: () => {
        source.paused = false
      },
    },
    read: (chunk) => reader.push(chunk),
    flooded: () => {
      source.flooded = true
    },
    now: () => clock.now,
  })
  const reader = new LineReader({
    maxBytes: 1e6,
    turn: intake,
    onDiscarded: () => {},
    onLine: (parts) => {
      const line = Buffer.concat(parts).toString('utf8')
      lines.push(line)
      onLine(line, intake)
    },
  })
  return { source, lines, clock, intake }
}

test('reads so many lines in a turn and lets others go before the next', async () => {
  const { intake, lines, source } = reading({ serverTurnMessages: 10 })
  intake.push(Buffer.from('x\n'.repeat(25)))
  expect(lines).toHaveLength(10)
  expect(source.paused).toBe(true)
  await turn()
  expect(lines).toHaveLength(20)
  await turn()
  expect(lines).toHaveLength(25)
  expect(source.paused).toBe(false)
})

test('reads so many bytes in a turn', async () => {
  const { intake, source } = reading({ serverTurnBytes: 1000 })
  intake.push(Buffer.alloc(999, 'x'))
  expect(source.pauses).toBe(0)
  intake.push(Buffer.alloc(1, 'x'))
  expect(source.paused).toBe(true)
  await turn()
  expect(source.paused).toBe(false)
})

test('any chunks and any budget give the same lines in the same order', async () => {
  const line = fc.string({ minLength: 1, maxLength: 9 }).map((text) => text.replaceAll('\n', ' '))
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (sent, size, serverTurnMessages) => {
        const { intake, lines } = reading({ serverTurnMessages })
        const bytes = Buffer.from(sent.map((one) => `${one}\n`).join(''))
        for (let at = 0; at < bytes.length; at += size) intake.push(bytes.subarray(at, at + size))
        await new Promise<void>((resolve) => intake.afterwards(resolve))
        expect(lines).toEqual(sent)
      },
    ),
    { numRuns: runs(50) },
  )
})

test('waits out the second of a source that sends too much unasked', async () => {
  const { intake, lines, source } = reading({ serverMessagesPerSecond: 5 }, (_, of) => of.unasked())
  intake.push(Buffer.from('x\n'.repeat(8)))
  await turn()
  await turn()
  expect(lines).toHaveLength(6)
  expect(source.paused).toBe(true)
  intake.stop()
})

test('does not hold back what comes slowly', async () => {
  const { intake, lines, source, clock } = reading({ serverMessagesPerSecond: 5 }, (_, of) => of.unasked())
  for (let sent = 0; sent < 50; sent++) {
    clock.now += 250
    intake.push(Buffer.from('x\n'))
  }
  expect(lines).toHaveLength(50)
  expect(source.pauses).toBe(0)
})

for (const [what, line] of [
  ['lines that are no messages', 'y\n'],
  ['empty lines', '\n'],
]) {
  test(`gives up a source that sends ${what} without end`, async () => {
    const { intake, source, lines } = reading(
      { serverBadLines: 100, serverMessagesPerSecond: 1e6, serverTurnMessages: 1e6 },
      (_, of) => of.malformed(),
    )
    intake.push(Buffer.from(String(line).repeat(100)))
    expect(source.flooded).toBe(false)
    intake.push(Buffer.from(String(line).repeat(100)))
    expect(source.flooded).toBe(true)
    expect(source.paused).toBe(true)
    expect(lines.length).toBeLessThanOrEqual(101)
  })
}

test('a long message counts as several against the limit of messages in a second', async () => {
  const { intake, source, lines } = reading({ serverMessagesPerSecond: 100 }, (line, of) =>
    of.unasked(line.length),
  )
  intake.push(Buffer.from(`${'x'.repeat(500_000)}\n`))
  expect(lines).toHaveLength(1)
  await turn()
  await turn()
  // Half a million bytes are 122 messages: the second is used up.
  expect(source.paused).toBe(true)
  intake.stop()
})
