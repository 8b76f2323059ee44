/** A short part of the catalogue in `test/hostile/queries.test.ts`, and workers that are killed. */
import { expect, test } from 'vitest'
import { expectHarmless, HOSTILE_QUERIES } from '../../support/hostile-queries.ts'
import { killsLoseNothing } from '../../support/killed-workers.ts'

test('the catalogue is as long as it says', () => {
  expect(Object.keys(HOSTILE_QUERIES).length).toBeGreaterThanOrEqual(50)
})

test.each([
  'relevance over a list of digits',
  'every record with every record',
  'texts filled up in each record',
  'lists 100,000 levels deep',
  'repeats of repeats',
])('a query for %s harms no other question', (name) => expectHarmless(name, 1500))

test('no answer and no kept result is lost when workers are killed under load', () => killsLoseNothing(20))
