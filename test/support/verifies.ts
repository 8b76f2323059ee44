import { type TestContext, type TestOptions, test } from 'vitest'

/**
 * A test that proves requirements: `verifies('S3.7', 'passes byte for byte at the limit', () => …)`.
 * Several ids are separated by spaces. `scripts/requirements.mjs` lists the ids that no test cites.
 */
export function verifies(
  ids: string,
  behaviour: string,
  body: (context: TestContext) => void | Promise<void>,
  options: TestOptions = {},
): void {
  test(`[${ids}] ${behaviour}`, options, body)
}
