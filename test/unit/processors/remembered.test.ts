import { expect, test } from 'vitest'
import { Remembered } from '../../../src/processors/remembered.ts'

test('what was found under a name is found once for each object', () => {
  const remembered = new Remembered<number>()
  const [one, other] = [{}, {}]
  let asked = 0
  const ask = (about: object, name: string): number => remembered.of(about, name, () => ++asked)
  expect([ask(one, 'a'), ask(one, 'a'), ask(one, 'b'), ask(other, 'a'), ask(one, 'b')]).toEqual([
    1, 1, 2, 3, 2,
  ])
})

test('that nothing was found is remembered too, what failed is not', () => {
  const remembered = new Remembered<undefined>()
  let asked = 0
  const about = {}
  const ask = (fails: boolean): undefined =>
    remembered.of(about, 'a', () => {
      asked++
      if (fails) throw new Error('failed')
      return undefined
    })
  expect(() => ask(true)).toThrow('failed')
  ask(false)
  ask(true)
  expect(asked).toBe(2)
})

test('what was not asked for the longest is forgotten first', () => {
  const remembered = new Remembered<string>(2)
  const about = {}
  const found: string[] = []
  const ask = (name: string): void => {
    remembered.of(about, name, () => {
      found.push(name)
      return name
    })
  }
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) ask(name)
  expect(found).toEqual(['a', 'b', 'c', 'b'])
})

test('what is not to be kept is found each time', () => {
  const remembered = new Remembered<number>()
  const about = {}
  let asked = 0
  const ask = (): number =>
    remembered.of(
      about,
      'a',
      () => ++asked,
      (found) => found > 1,
    )
  expect([ask(), ask(), ask()]).toEqual([1, 2, 2])
})
