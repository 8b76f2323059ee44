import { expect, test } from 'vitest'
import { waitBeforeResuming } from '../../../../src/upstream/http/post.ts'

test.each([
  ['what the server asked for', 777, 0, 777],
  ['a second when it does not say', undefined, 0, 1000],
  ['a breath when it says at once', 0, 0, 50],
  ['an hour when it says for ever', 10 ** 15, 0, 3_600_000],
  ['longer and longer when tries bring nothing', 100, 4, 2000],
  ['half a minute at most', 100, 99, 15_000],
  ['never less than it asked for', 60_000, 99, 60_000],
])('%s', (_, retryMs, fruitless, expected) => {
  expect(waitBeforeResuming(retryMs, fruitless, () => 0)).toBe(expected)
})
