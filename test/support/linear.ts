/** How the processor time of a piece of work grows with the size of its input. */
import { expect } from 'vitest'

/** Exponent of the time by the size, at most: 1 is linear, 2 quadratic. */
const SLOPE = 1.25
const TRIES = 9

/** Microseconds of processor time of this process. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** The least that a size took of several tries, interleaved, so that what else the machine does tells on all alike. */
function leastTimes(works: readonly (() => void)[]): number[] {
  for (const work of works) work()
  const least = works.map(() => Number.POSITIVE_INFINITY)
  for (let n = 0; n < TRIES; n++)
    works.forEach((work, at) => {
      const began = processorTime()
      work()
      least[at] = Math.min(least[at] ?? 0, processorTime() - began)
    })
  return least
}

/** Makes short work long enough to be measured. */
export const times =
  (count: number, work: () => void): (() => void) =>
  () => {
    for (let n = 0; n < count; n++) work()
  }

/** Expects that what `make` gives for a size takes time linear in it: measured at `least`, twice and four times that. */
export function expectLinear(least: number, make: (size: number) => () => void): void {
  const took = leastTimes([make(least), make(2 * least), make(4 * least)])
  const [one = 0, , four = 0] = took
  expect(Math.log2(four / one) / 2, `microseconds: ${took}`).toBeLessThan(SLOPE)
}
