/**
 * A child process with everything it starts. Wrappers (npx, uvx, sh -c) start the real server as a child of their own;
 * a signal to the wrapper alone leaves that server behind. On POSIX the child leads a process group and signals go to
 * the group; on Windows they go to the child.
 */
import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProcessOptions {
  command: string
  args: readonly string[]
  env: Record<string, string>
  cwd: string | undefined
  /** Milliseconds between closing its input, SIGTERM and SIGKILL. */
  graceMs: number
}

const POLL_MS = 10

/** Groups that live. The proxy's exit, when it gets to run handlers, is theirs as well. */
const living = new Set<ProcessGroup>()

function killAll(): void {
  for (const group of living) group.signal('SIGKILL')
}

export class ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams
  /** Rejects when the process could not be started; before it resolves, there may be no streams. */
  readonly started: Promise<void>
  readonly #graceMs: number
  #closing: Promise<void> | undefined

  /** Starts the process; failures arrive in `started`. */
  constructor(options: ProcessOptions, start: Spawn = spawnOf(process.platform)) {
    const { command, args, env, cwd, graceMs } = options
    this.#graceMs = graceMs
    this.child = start(command, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.started = new Promise((resolve, reject) => {
      this.child.once('spawn', resolve)
      this.child.on('error', reject)
    })
    this.started.catch(() => {})
    if (living.size === 0) process.on('exit', killAll)
    living.add(this)
  }

  /** True while the process that was started lives. */
  get leads(): boolean {
    const { pid, exitCode, signalCode } = this.child
    return pid !== undefined && exitCode === null && signalCode === null
  }

  /** True while any process of the group lives. */
  get alive(): boolean {
    return this.leads || (process.platform !== 'win32' && this.signal(0))
  }

  /** False when no process was left to get it. */
  signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.child
    if (pid === undefined) return false
    try {
      return process.platform === 'win32' ? this.child.kill(signal) : process.kill(-pid, signal)
    } catch {
      return false
    }
  }

  /** Ends the group: first politely (its input ends), then by SIGTERM, then by SIGKILL. Resolves when it is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // With too many files open there is a child without streams.
    const { stdin }: Partial<typeof this.child> = this.child
    stdin?.end()
    await this.#until(() => !this.leads, this.#graceMs)
    // Its children may be about to end for the same reason.
    if (!(await this.#until(() => !this.alive, this.#graceMs / 4))) {
      this.signal('SIGTERM')
      if (!(await this.#until(() => !this.alive, this.#graceMs))) {
        this.signal('SIGKILL')
        await this.#until(() => !this.alive, this.#graceMs)
      }
    }
    living.delete(this)
    if (living.size === 0) process.off('exit', killAll)
  }

  /** Resolves as soon as the condition holds, or to false when it still does not after so many milliseconds. */
  async #until(condition: () => boolean, limitMs: number): Promise<boolean> {
    // By the clock: on a busy machine each wait is longer than it was meant to be.
    for (const begun = performance.now(); performance.now() - begun < limitMs; ) {
      if (condition()) return true
      await sleep(POLL_MS)
    }
    return condition()
  }
}

// How a command of a configuration is started.

/** The part of `child_process.spawn` that is used here. */
export type Spawn = (
  command: string,
  args: readonly string[],
  options: SpawnOptions & { stdio: 'pipe' },
) => ChildProcessWithoutNullStreams

/**
 * The `spawn` of Node. On Windows it is one that also starts scripts by their names (`npx` is `npx.cmd` there). Clients of the protocol
 * do so too, and their configurations work unchanged. Loaded there alone.
 */
export function spawnOf(platform: NodeJS.Platform): Spawn {
  if (platform !== 'win32') return spawn as Spawn
  const require = createRequire(import.meta.url)
  return require('cross-spawn') as Spawn
}
