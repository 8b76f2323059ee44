import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { AbortListener, Signal } from '../../../src/protocol/message.ts'
import { abortSignalOf, Cancellation } from '../../../src/protocol/peer.ts'

/** Steps on a signal: the listeners heard it in this order, and the state after each step. */
function run(signal: Signal, abort: (reason: string) => void, steps: readonly [string, number][]): unknown[] {
  const heard: unknown[] = []
  const hear = (index: number): void => {
    heard.push(index)
    // The last one takes away its neighbour, which may not have heard it yet.
    if (index === 3) signal.removeEventListener('abort', listeners[2] as AbortListener)
  }
  const listeners = Array.from(
    { length: 4 },
    (_, index): AbortListener => (index % 2 === 0 ? () => hear(index) : { handleEvent: () => hear(index) }),
  )
  for (const [step, index] of steps) {
    const listener = listeners[index] as AbortListener
    if (step === 'abort') abort(`reason ${index}`)
    else if (step === 'add') signal.addEventListener('abort', listener)
    else if (step === 'add once') signal.addEventListener('abort', listener, { once: true })
    else signal.removeEventListener('abort', listener)
    heard.push(signal.aborted, signal.reason)
  }
  return heard
}

test('does what an AbortSignal does while listeners come and go', () => {
  const step = fc.tuple(
    fc.constantFrom('add', 'add', 'add once', 'remove', 'abort'),
    fc.nat(3) as fc.Arbitrary<number>,
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const controller = new AbortController()
      const cancellation = new Cancellation()
      expect(run(cancellation, (reason) => cancellation.abort(reason), steps)).toEqual(
        run(controller.signal, (reason) => controller.abort(reason), steps),
      )
    }),
  )
})

test('has the reason of an AbortController where none is given', () => {
  const cancellation = new Cancellation()
  cancellation.throwIfAborted()
  cancellation.abort()
  expect(cancellation.reason).toMatchObject({ name: 'AbortError' })
  expect(() => cancellation.throwIfAborted()).toThrow(expect.objectContaining({ name: 'AbortError' }))
})

test('a listener that throws keeps no other from hearing it', () => {
  const thrown = vi.spyOn(process, 'nextTick').mockImplementation(() => {})
  const cancellation = new Cancellation()
  const heard = vi.fn()
  cancellation.addEventListener('abort', () => {
    throw new Error('boom')
  })
  cancellation.addEventListener('abort', heard)
  cancellation.abort()
  expect(heard).toHaveBeenCalledOnce()
  expect(thrown).toHaveBeenCalledOnce()
  thrown.mockRestore()
})

test('its true AbortSignal aborts with it, once made and made late, and so do signals made of that one', () => {
  const early = new Cancellation()
  const signal = abortSignalOf(early)
  const both = AbortSignal.any([signal, new AbortController().signal])
  expect(signal).toBeInstanceOf(AbortSignal)
  expect(abortSignalOf(early)).toBe(signal)
  expect(signal.aborted).toBe(false)
  early.abort('left')
  expect([signal.reason, both.reason]).toEqual(['left', 'left'])
  const late = new Cancellation()
  late.abort('left')
  expect(abortSignalOf(late).reason).toBe('left')
})

test('an AbortSignal is its own true one', () => {
  const { signal } = new AbortController()
  expect(abortSignalOf(signal)).toBe(signal)
})
