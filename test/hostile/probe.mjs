/**
 * Loaded into a proxy before its own code (`node --import probe.mjs`): measures what each turn of its event loop costs, in processor time
 * of the main thread alone. Told `begin` it starts again, told `tell` it answers with the milliseconds of all turns since then, sorted.
 */
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Nanoseconds on the processor of the thread that asks; of the process where the system does not tell. */
function processorTime() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0])
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) * 1000
  }
}

if (isMainThread && process.send !== undefined) {
  let turns = []
  let last = processorTime()
  setInterval(() => {
    const now = processorTime()
    turns.push((now - last) / 1e6)
    last = processorTime()
  }, 1).unref()
  process.on('message', (wanted) => {
    if (wanted === 'tell') process.send({ turns: turns.sort((a, b) => a - b) })
    turns = []
    last = processorTime()
  })
  process.channel?.unref()
}
