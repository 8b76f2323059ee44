/** Before the fuzz project: which seed repeats this run. */
import type { TestProject } from 'vitest/node'

export function setup({ config }: TestProject): void {
  const seed = config.env.TEST_SEED
  process.stdout.write(`Seed of the property tests: ${seed} (TEST_SEED=${seed} repeats them)\n`)
}
