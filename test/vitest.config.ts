import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    // Most of the time a test waits for processes to start and answer.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          // Some start real servers, and a busy machine takes its time for that.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'fuzz',
          include: ['test/contract/fuzz.test.ts'],
          env: { FUZZ: 'whole' },
        },
      },
      {
        extends: true,
        test: {
          name: 'endurance',
          include: ['test/e2e/endurance-*.test.ts'],
          env: { ENDURANCE: 'whole' },
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
