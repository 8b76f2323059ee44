/**
 * Set-up of every test file: the seed of all property tests. The gate has one of its own, so that a run fails for what was changed;
 * `npm run test:fuzz` draws a new one each time (test/vitest.config.ts). `TEST_SEED=n` repeats a run.
 */
import fc from 'fast-check'
import { beforeEach } from 'vitest'
import { runs, seed } from './runs.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns: runs(100) })

// `fc.assert` tells its seed; samples and the order of what came before do not.
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(`Repeat with TEST_SEED=${seed}\n`))
})
