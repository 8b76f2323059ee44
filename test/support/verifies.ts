import { type TestContext, type TestOptions, test } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The ids of `test/requirements.json` that the test proves. */
    requirements?: string[]
  }
}

/**
 * A test that proves requirements: `verifies('S3.7', 'passes byte for byte at the limit', () => …)`.
 * Several ids are separated by spaces. The ids are metadata of the test, which reporters can read; its name has none.
 * `scripts/requirements.mjs` lists the ids that no test cites.
 */
export function verifies(
  ids: string,
  behaviour: string,
  body: (context: TestContext) => void | Promise<void>,
  options: TestOptions = {},
): void {
  test(behaviour, { ...options, meta: { ...options.meta, requirements: ids.split(/\s+/) } }, body)
}
