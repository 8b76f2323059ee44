/** How often property tests try, and with which seed. */

/** Of what `npm run test:fuzz` tries, against the gate. */
const MORE = 25

/** True under `npm run test:fuzz`. */
export const whole = process.env.FUZZ === 'whole'

/** Of every property test of this run. */
export const seed = Number(process.env.TEST_SEED ?? 1)
if (!Number.isInteger(seed)) throw new TypeError('TEST_SEED is a whole number, as an earlier run told it')

/** Runs of a property test: `gate` in `npm test`, many times as many in `npm run test:fuzz`. */
export function runs(gate: number): number {
  return whole ? gate * MORE : gate
}

/** Milliseconds for a test of so many runs. */
export function patience(gate: number): number {
  return whole ? gate * MORE * 2 : gate
}

/** Runs of a property of what reads bytes or questions from outside: four of them make a million cases in `npm run test:fuzz`. */
export const readingRuns = whole ? 250_000 : 100
