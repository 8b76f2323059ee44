import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createQuiet } from '../../../src/engine/pool.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('work is done once, when nothing was asked for a while', () => {
  const quiet = createQuiet(100)
  const done: string[] = []
  quiet.later('open', () => done.push('first'))
  vi.advanceTimersByTime(99)
  quiet.disturb()
  vi.advanceTimersByTime(99)
  expect(done).toEqual([])
  vi.advanceTimersByTime(1)
  expect(done).toEqual(['first'])
  quiet.disturb()
  vi.advanceTimersByTime(1000)
  expect(done).toEqual(['first'])
})

test('of one place the last work is done, of another its own', () => {
  const quiet = createQuiet(100)
  const done: string[] = []
  quiet.later('open', () => done.push('first'))
  quiet.later('rehearse', () => done.push('rehearsed'))
  quiet.later('open', () => done.push('second'))
  vi.advanceTimersByTime(100)
  expect(done.sort()).toEqual(['rehearsed', 'second'])
})

test('nothing is done after it was closed', () => {
  const quiet = createQuiet(100)
  const work = vi.fn()
  quiet.later('open', work)
  quiet.close()
  vi.advanceTimersByTime(1000)
  expect(work).not.toHaveBeenCalled()
})
