/** The program in the process of a worker: loads the worker's module, and answers one task after the other. */
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { runInThisContext } from 'node:vm'
import { Worker as Thread } from 'node:worker_threads'
import { messageOf } from '../protocol/errors.ts'
import { createWire } from './wire.ts'

const [, , path = '', limit = ''] = process.argv

// A machine that is out of memory ends a worker, not the proxy.
try {
  writeFileSync('/proc/self/oom_score_adj', '800')
} catch {
  // There is no such thing here.
}
// They are for the proxy, which ends this process itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())

/** As V8 ends a process that may have no more memory. */
const OUT_OF_MEMORY = 134
// A byte array that does not fit throws anywhere; documents left open would take the room of the next task.
const leaveIfFull = (error: unknown): void => {
  if (error instanceof RangeError && error.message.includes('allocation failed')) process.exit(OUT_OF_MEMORY)
}
process.on('uncaughtExceptionMonitor', leaveIfFull)

const pipe = new Socket({ fd: 4 })
pipe.on('error', () => process.exit())
const post = (message: unknown): void => void process.send?.(message)
const wire = createWire(post, pipe, (task) => void queue(task))
process.on('message', wire.received)

const worker = import(path) as Promise<{ run: Run }>
type Run = (task: unknown, told: (step: string) => void) => unknown
const told = (step: string): void => post({ body: { step }, holes: [] })
let last: Promise<unknown> = worker.then(() => wire.send({ ready: true }))

function queue(task: unknown): void {
  last = last.then(async () => wire.send(await answer((await worker).run, task)))
}

/** Milliseconds. */
const OVERDUE = 2 * Number(limit)
const GUARD =
  "setTimeout(() => process.kill(process.pid, 'SIGKILL'), require('node:worker_threads').workerData)"

/**
 * The same for work that goes on later, such as the reading of a PDF. No time limit of V8 holds there, and this thread may never come to
 * look at a clock.
 */
async function inTime(value: Promise<unknown>): Promise<unknown> {
  const guard = new Thread(GUARD, { eval: true, workerData: OVERDUE, resourceLimits: SMALL })
  // Without memory for it, only the proxy can end this process.
  guard.on('error', () => {})
  guard.unref()
  try {
    return await value
  } finally {
    void guard.terminate()
  }
}

const SMALL = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

async function answer(run: Run, task: unknown): Promise<unknown> {
  const call = Object.assign(globalThis, { answerTask: () => run(task, told) })
  try {
    // The proxy ends this process when the time is up. This timer ends the process where the proxy itself was killed.
    const value: unknown = runInThisContext('answerTask()', { timeout: OVERDUE })
    return { value: value instanceof Promise ? await inTime(value) : value }
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') process.exit(1)
    leaveIfFull(error)
    return { thrown: messageOf(error) }
  } finally {
    call.answerTask = () => undefined
  }
}
