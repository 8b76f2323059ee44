import { expect, test } from 'vitest'
import { createWatches } from '../../../src/server/subscriptions.ts'
import { deferred } from '../../support/deferred.ts'

function recorded(answers: boolean[] = []) {
  const asked: string[] = []
  const watches = createWatches(async (method, uri) => {
    asked.push(`${method} ${uri}`)
    return answers.shift() ?? true
  })
  return { watches, asked }
}

test('the first subscribes, the last to go unsubscribes', async () => {
  const { watches, asked } = recorded()
  await watches.add('a')
  await watches.add('a')
  await watches.add('b')
  watches.remove('a')
  await watches.add('c')
  expect(asked).toEqual(['resources/subscribe a', 'resources/subscribe b', 'resources/subscribe c'])
  watches.remove('a')
  await expect.poll(() => asked.at(-1)).toBe('resources/unsubscribe a')
  await watches.add('a')
  expect(asked.filter((line) => line === 'resources/subscribe a')).toHaveLength(2)
})

test('what comes and goes while servers answer ends as it was left', async () => {
  const asked: string[] = []
  const first = deferred()
  const watches = createWatches(async (method) => {
    asked.push(method)
    if (asked.length === 1) await first.promise
    return true
  })
  void watches.add('a')
  watches.remove('a')
  const last = watches.add('a')
  first.resolve()
  await last
  expect(asked).toEqual(['resources/subscribe'])
})

test('a refusal is asked again of the next, and nothing is taken back that was not given', async () => {
  const { watches, asked } = recorded([false, true])
  await watches.add('a')
  watches.remove('a')
  await watches.add('a')
  expect(asked).toEqual(['resources/subscribe a', 'resources/subscribe a'])
})
