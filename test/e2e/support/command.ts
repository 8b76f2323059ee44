/** A command, run to its end. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { MAIN, temporaryDirectory } from './world.ts'

export interface Ran {
  /** Null: ended by a signal. */
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd?: string
  /** Laid over the environment of the test. Undefined takes a variable away. */
  env?: Record<string, string | undefined>
  /** Milliseconds after which it is killed. */
  limit?: number
}

/** Runs a command with an empty standard input. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, env, limit = 170_000 } = options
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limit,
    killSignal: 'SIGKILL',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/**
 * Has npx fetch what these options name, and keep it: from a slow network that takes longer than any server may take to start.
 * For set-up of a file of tests.
 */
export async function bring(options: readonly string[]): Promise<void> {
  const env = { ...process.env, npm_config_fetch_retries: '5' }
  await promisify(execFile)('npx', [...options, 'node', '--version'], { env })
}

/** Runs the built `mcp-rlm-proxy`. */
export function runProxy(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return run(process.execPath, [MAIN, ...args], options)
}

/** A folder with these files, which is also the home directory, and a machine that may be busy. */
export function place(files: Record<string, string>): { cwd: string; env: Record<string, string> } {
  const cwd = temporaryDirectory()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  return { cwd, env: { HOME: cwd, MCPPROXY_CONNECT_TIMEOUT_MS: '150000' } }
}
