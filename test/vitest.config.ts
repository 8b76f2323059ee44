import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const root = new URL('..', import.meta.url).pathname

/** Test files that contain one of these words. */
const filesWith = (...words: string[]): string[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((file) => words.some((word) => readFileSync(join(root, file), 'utf8').includes(word)))

/** The files that have property tests. */
const properties = filesWith("from 'fast-check'")

/**
 * The files that put something else in the place of a module or of the clock. Files that shared a process with them would get
 * the module, and their own timers would run on the clock of the test.
 */
const replacing = filesWith('vi.mock(', 'useFakeTimers', "from './modules.ts'").filter(
  (file) => !file.startsWith('test/e2e'),
)

/** Of the fuzz project: the same in each run, unless one is given; `any` draws one. */
const { TEST_SEED = '1' } = process.env
const seed = TEST_SEED === 'any' ? String(Math.floor(Math.random() * 2 ** 31)) : TEST_SEED

export default defineConfig({
  test: {
    root,
    // Much of the time a test waits for processes to start and answer.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    setupFiles: ['test/support/seed.ts'],
    // An awaited event comes at once, but for a busy machine: a limit is there so that a failure says what did not come.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Half of the time would go into loading the same modules again for each file. A test puts back what it changes.
          isolate: false,
          // Examples import the package by its name, as a copy of them does.
          alias: { 'mcp-rlm-proxy': join(root, 'src/index.ts') },
          include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          exclude: replacing,
          // Some start real servers, and a busy machine takes its time for that.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: { name: 'replacing', include: replacing, testTimeout: 180_000, hookTimeout: 180_000 },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          // They take minutes.
          exclude: ['test/e2e/endurance-*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'hostile',
          include: ['test/hostile/**/*.test.ts'],
          testTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'fuzz',
          include: properties,
          env: { FUZZ: 'whole', TEST_SEED: seed },
          globalSetup: ['test/support/tell-seed.ts'],
          testTimeout: 3_000_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'endurance',
          include: ['test/e2e/endurance-*.test.ts'],
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
