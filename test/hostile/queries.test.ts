/** The harm of a query to others: each query alone, in workers that have little memory. */
import { test } from 'vitest'
import { expectHarmless, HOSTILE_QUERIES } from '../support/hostile-queries.ts'
import { killsLoseNothing } from '../support/killed-workers.ts'

test.each(Object.keys(HOSTILE_QUERIES))('a query for %s harms no other question', (name) =>
  expectHarmless(name, 10_000),
)

test(
  'no answer and no kept result is lost when workers are killed 1,000 times under load',
  () => killsLoseNothing(1000),
  7_200_000,
)
