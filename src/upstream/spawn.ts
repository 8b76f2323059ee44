/** How a command of a configuration is started. */
import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process'
import { createRequire } from 'node:module'

/** The part of `child_process.spawn` that is used here. */
export type Spawn = (
  command: string,
  args: readonly string[],
  options: SpawnOptions & { stdio: 'pipe' },
) => ChildProcessWithoutNullStreams

/**
 * Node's own; on Windows one that also starts scripts by their names (`npx` is `npx.cmd` there), as clients of the protocol do, so that
 * their configurations work unchanged. Loaded there alone.
 */
export function spawnOf(platform: NodeJS.Platform): Spawn {
  if (platform !== 'win32') return spawn as Spawn
  const require = createRequire(import.meta.url)
  return require('cross-spawn') as Spawn
}
