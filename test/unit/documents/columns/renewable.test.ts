import { setImmediate as turn } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { renewable } from '../../../../src/documents/columns/renewable.ts'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'

v8.setFlagsFromString('--expose-gc')
const gc: () => void = vm.runInNewContext('gc')

/** Nothing is asked for so long that values are packed, and what nothing uses is gone. */
async function rest(): Promise<void> {
  vi.advanceTimersByTime(10_000)
  await turn()
  gc()
  await turn()
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

describe('values that can be made again', () => {
  test('are made once while something uses them, and again when nothing did', async () => {
    const made: string[] = []
    const value = renewable(
      () => {
        made.push('first')
        return { n: 1 }
      },
      ({ n }) =>
        () => {
          made.push('again')
          return { n }
        },
    )
    expect(value()).toBe(value())
    await rest()
    expect(value()).toEqual({ n: 1 })
    expect(value()).toBe(value())
    expect(made).toEqual(['first', 'again'])
  })

  test('stay when they cannot be packed', async () => {
    let made = 0
    const value = renewable(
      () => ({ n: ++made }),
      () => undefined,
    )
    const first = value()
    await rest()
    expect(value()).toBe(first)
    expect(made).toBe(1)
  })
})

test('the records of a long log are the same before and after they were packed', async () => {
  const lines = Array.from(
    { length: 5_000 },
    (_, at) =>
      `2024-05-03T08:00:00.${String(at % 1000).padStart(3, '0')}Z ${at % 7 ? 'INFO' : 'error'} app.web - asked user=u${at % 50} took=${at / 2}${at % 11 ? '' : '\n  at it'}`,
  )
  const document = fromRecognised(lines.join('\n'))
  const before = JSON.stringify([document.json(), document.records(), document.records()?.values[77]])
  expect(document.records()).toBe(document.records())
  await rest()
  expect(JSON.stringify([document.json(), document.records(), document.records()?.values[77]])).toBe(before)
  expect(document.format).toBe('log')
})
