/** Child processes, which end with the run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds a process may take to say that it is ready, and to end. */
const READY_MS = 30_000
const END_MS = 10_000

const running = new Set()

/** In a group of its own, of which nothing may be left, unless `detached` is false: then its parent's group is the one. */
function begin(command, args, { detached = true, ...options }) {
  const child = spawn(command, args, { ...options, detached, stdio: ['ignore', 'pipe', 'pipe'] })
  const send = (name) => (detached ? toGroup(child.pid, name) : child.kill(name))
  const started = { child, output: '', send }
  running.add(started)
  started.ended = once(child, 'close').finally(() => running.delete(started))
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      started.output += chunk
    })
  }
  return started
}

/**
 * Starts a server and resolves to what the pattern found in its output, with a way to end it and to read all of its output.
 * @param options of `spawn`
 */
export async function startServer(command, args, pattern, options = {}) {
  const started = begin(command, args, options)
  const deadline = Date.now() + READY_MS
  for (;;) {
    const found = pattern.exec(started.output)
    if (found) return { found: found[0], end: () => end(started), output: () => started.output }
    if (started.child.exitCode !== null || Date.now() > deadline) {
      await end(started)
      throw new Error(`${args[0]} did not start:\n${started.output}`)
    }
    await sleep(20)
  }
}

/** Runs a command to its end and resolves to its exit code, null when it took too long, and its output. */
export async function runCommand(command, args, options, limitMs) {
  const started = begin(command, args, options)
  const limit = setTimeout(() => started.send('SIGKILL'), limitMs)
  try {
    const [code] = await started.ended
    return { code, output: started.output }
  } finally {
    clearTimeout(limit)
    started.send('SIGKILL')
  }
}

/** Ends whatever still runs; for a run that is interrupted. */
export function killAll() {
  for (const { send } of running) send('SIGKILL')
}

async function end({ send, ended }) {
  send('SIGTERM')
  const limit = setTimeout(() => send('SIGKILL'), END_MS)
  await ended
  clearTimeout(limit)
  send('SIGKILL')
}

/** @param leader undefined when it could not be started */
function toGroup(leader, name) {
  if (leader === undefined) return
  try {
    process.kill(-leader, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
