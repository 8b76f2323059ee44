/** Child processes in groups of their own, which end with the run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Milliseconds a process may take to say that it is ready, and to end. */
const READY_MS = 20_000
const END_MS = 10_000

const running = new Set()

function begin(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const started = { child, output: '', ended: once(child, 'close').finally(() => running.delete(child)) }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      started.output += chunk
    })
  }
  return started
}

/** Starts a server and resolves to what the pattern found in its output, with a way to end it. */
export async function startServer(command, args, pattern) {
  const started = begin(command, args, {})
  const deadline = Date.now() + READY_MS
  for (;;) {
    const found = pattern.exec(started.output)
    if (found) return { found: found[0], end: () => end(started) }
    if (started.child.exitCode !== null || Date.now() > deadline) {
      await end(started)
      throw new Error(`${args[0]} did not start:\n${started.output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Runs a command to its end and resolves to its exit code and its output. */
export async function runCommand(command, args, options, limitMs) {
  const started = begin(command, args, options)
  const limit = setTimeout(() => signal(started.child, 'SIGKILL'), limitMs)
  try {
    const [code] = await started.ended
    return { code, output: started.output }
  } finally {
    clearTimeout(limit)
    signal(started.child, 'SIGKILL')
  }
}

/** Ends whatever still runs; for a run that is interrupted. */
export function killAll() {
  for (const child of running) signal(child, 'SIGKILL')
}

async function end({ child, ended }) {
  signal(child, 'SIGTERM')
  const limit = setTimeout(() => signal(child, 'SIGKILL'), END_MS)
  await ended
  clearTimeout(limit)
  signal(child, 'SIGKILL')
}

/** To the whole group, of which nothing may be left. */
function signal(child, name) {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
