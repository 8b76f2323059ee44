import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Signal } from '../../../src/protocol/message.ts'
import { SingleFlight } from '../../../src/protocol/sharing.ts'
import { deferred } from '../../support/deferred.ts'
import { runs } from '../../support/runs.ts'

const never = new AbortController().signal

describe('a single flight', () => {
  test('a later caller joins running work under each of its keys', async () => {
    const flights = new SingleFlight<string>()
    const gate = deferred<string>()
    const flight = flights.begin(['a', 'b'], () => gate.promise)
    expect([flights.find('a'), flights.find('b'), flights.find('c')]).toEqual([flight, flight, undefined])
    const waiting = [flight.join(never), flight.join(never)]
    gate.resolve('landed')
    expect(await Promise.all(waiting)).toEqual(['landed', 'landed'])
    expect([flights.find('a'), flights.find('b')]).toEqual([undefined, undefined])
  })

  test('aborts with the reason of the last caller and accepts no new ones', async () => {
    const flights = new SingleFlight<never>()
    let given: Signal = never
    const flight = flights.begin(['a'], (signal) => {
      given = signal
      return new Promise(() => {})
    })
    const leaving = [new AbortController(), new AbortController()]
    const waiting = leaving.map(({ signal }) => flight.join(signal))
    leaving[0]?.abort('first')
    expect([given.aborted, flights.find('a')]).toEqual([false, flight])
    leaving[1]?.abort('second')
    expect([given.reason, flights.find('a')]).toEqual(['second', undefined])
    for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test('that was aborted leaves the one that was begun after it in its place', async () => {
    const flights = new SingleFlight<string>()
    const first = deferred<string>()
    const before = flights.begin(['a'], () => first.promise)
    const gone = before.join(AbortSignal.abort())
    const after = flights.begin(['a'], () => new Promise(() => {}))
    first.resolve('late')
    await expect(gone).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(flights.find('a')).toBe(after)
  })

  test('rejects all waiting callers when it fails', async () => {
    const flights = new SingleFlight<string>()
    const flight = flights.begin(['a'], () => Promise.reject(new Error('broken')))
    const outcomes = await Promise.allSettled([flight.join(never), flight.join(never)])
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { message: 'broken' } })
    expect(flights.find('a')).toBeUndefined()
    flights.begin(['b'], () => Promise.reject(new Error('of no interest')))
    await expect.poll(() => flights.find('b')).toBeUndefined()
  })

  test('all are aborted together; who waits hears what the work makes of it', async () => {
    const flights = new SingleFlight<string>()
    const work = (signal: Signal): Promise<string> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')))
      })
    const waiting = [['a', 'b'], ['c']].map((keys) => flights.begin(keys, work).join(never))
    flights.abort()
    for (const one of waiting) await expect(one).rejects.toThrow('ended')
    expect(['a', 'b', 'c'].map((key) => flights.find(key))).toEqual([undefined, undefined, undefined])
  })
})

/** A step of callers, one after the other: come for a key, leave (the n-th who came), or see the work of a key end. */
const deed = fc.oneof(
  fc.record({ do: fc.constant('come' as const), key: fc.constantFrom('a', 'b') }),
  fc.record({ do: fc.constant('leave' as const), who: fc.nat(9) }),
  fc.record({ do: fc.constantFrom('land' as const, 'fail' as const), key: fc.constantFrom('a', 'b') }),
)

interface Run {
  readonly name: string
  readonly signal: Signal
  readonly gate: ReturnType<typeof deferred<string>>
  waiting: number
  over: boolean
}

test('whatever callers do, work goes on for as long as somebody waits for it, and each hears what became of their own', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 30 }), async (deeds) => {
      const flights = new SingleFlight<string>()
      const made: Run[] = []
      const current = new Map<string, Run>()
      const callers: { run: Run; leave: AbortController; outcome: Promise<string>; expected?: string }[] = []

      const come = (key: string): void => {
        const known = current.get(key)
        const flight =
          flights.find(key) ??
          flights.begin([key], (signal) => {
            const run = {
              name: `${key}${made.length}`,
              signal,
              gate: deferred<string>(),
              waiting: 0,
              over: false,
            }
            made.push(run)
            current.set(key, run)
            return run.gate.promise
          })
        const run = current.get(key) as Run
        // Another run only where none could be joined.
        expect(run === known).toBe(known !== undefined && !known.over)
        run.waiting++
        const leave = new AbortController()
        const outcome = flight.join(leave.signal).catch((error: Error) => error.message)
        callers.push({ run, leave, outcome })
      }

      for (const one of deeds) {
        if (one.do === 'come') come(one.key)
        else if (one.do === 'leave') {
          const caller = callers[one.who]
          if (caller === undefined || caller.leave.signal.aborted) continue
          caller.leave.abort()
          if (caller.expected !== undefined) continue
          caller.expected = 'the client cancelled'
          caller.run.waiting--
          if (caller.run.waiting === 0) caller.run.over = true
          expect(caller.run.signal.aborted).toBe(caller.run.waiting === 0)
        } else {
          const run = current.get(one.key)
          if (run === undefined || run.over) continue
          run.over = true
          if (one.do === 'land') run.gate.resolve(run.name)
          else run.gate.reject(new Error(`${run.name} failed`))
          for (const caller of callers)
            if (caller.run === run) caller.expected ??= one.do === 'land' ? run.name : `${run.name} failed`
          // All that follows from it is done when the event loop turns.
          await setImmediate()
          expect(flights.find(one.key)).toBeUndefined()
          expect(run.signal.aborted).toBe(false)
        }
      }
      for (const { outcome, expected, run } of callers) {
        if (expected !== undefined) expect(await outcome).toBe(expected)
        else expect(run.signal.aborted).toBe(false)
      }
    }),
    { numRuns: runs(200) },
  )
})
