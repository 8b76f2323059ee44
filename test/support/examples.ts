/** The modules under `examples/`, as entries of a configuration. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../src/protocol/json.ts'

export const EXAMPLES = fileURLToPath(new URL('../../examples/modules', import.meta.url))

/** A busy machine takes its time to start a module. */
const timeoutMs = 120_000

/** JavaScript, as a module file. */
export const maskEmail = (config: JsonObject = {}): JsonObject => ({
  path: join(EXAMPLES, 'mask-email/mask-email.mjs'),
  config,
  timeoutMs,
})

/** Python, as a program. */
export const guardPaths = (config: JsonObject = {}): JsonObject => ({
  command: 'python3',
  args: [join(EXAMPLES, 'guard-paths/guard_paths.py')],
  config,
  timeoutMs,
})

/** Why the module in Python cannot run here. Undefined: it can. */
export const NO_PYTHON =
  spawnSync('python3', ['--version']).status === 0 ? undefined : 'there is no python3 on this machine'
