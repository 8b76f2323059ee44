import { setImmediate as turn } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../src/documents/derive.ts'
import { renewable } from '../../../src/documents/renewable.ts'

v8.setFlagsFromString('--expose-gc')
const gc: () => void = vm.runInNewContext('gc')

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
    await turn()
    await turn()
    gc()
    await turn()
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
    await turn()
    await turn()
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
  await turn()
  await turn()
  gc()
  await turn()
  expect(JSON.stringify([document.json(), document.records(), document.records()?.values[77]])).toBe(before)
  expect(document.format).toBe('log')
})
