/**
 * Set-up of every test file: the seed of all property tests. It is always the same, so that a run fails for what was changed;
 * `TEST_SEED=n` gives another, and `TEST_SEED=any npm run test:fuzz` draws one and tells it.
 */
import fc from 'fast-check'
import { beforeEach } from 'vitest'
import { runs, seed } from './runs.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns: runs(100) })

// `fc.assert` tells its seed; samples and the order of what came before do not.
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(`Repeat with TEST_SEED=${seed}\n`))
})
