/** The measurements. Each is a round with one candidate; `run.mjs` lets the candidates take turns. Times in milliseconds. */
import { readFileSync } from 'node:fs'
import { quantile } from '../lib/measure.mjs'
import { connect } from './clients.mjs'

const SMALL = 'x'.repeat(1024)

/** One call after the other. */
export async function sequential({ client, tools }, calls) {
  const times = []
  for (let done = 0; done < calls; done++) times.push(await timed(() => small(client, tools)))
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) }
}

/** Calls per second with so many under way at any time. */
export async function throughput({ client, tools }, calls, inFlight) {
  let left = calls
  const start = performance.now()
  const worker = async () => {
    while (left-- > 0) await small(client, tools)
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return (calls / (performance.now() - start)) * 1000
}

/** A large result, until the client has parsed the whole answer. */
export function large({ client, tools }, bytes) {
  return timed(() => client.request('tools/call', { name: tools.big, arguments: { bytes } }))
}

/** The times of small calls that began while a large result was under way. */
export async function beside({ client, tools }, bytes) {
  const times = []
  let under = true
  const big = large({ client, tools }, bytes).finally(() => {
    under = false
  })
  // The first failure is the one that is reported.
  big.catch(() => {})
  while (under) times.push(await timed(() => small(client, tools)))
  await big
  return times
}

/** From starting the process to the answers to `initialize` and, after it, `tools/list`. */
export async function startUp(options) {
  const start = performance.now()
  const client = await connect(options)
  try {
    await client.initialize()
    const initialized = performance.now() - start
    client.notify('notifications/initialized')
    await client.request('tools/list', {})
    return { initialized, listed: performance.now() - start }
  } finally {
    await client.end()
  }
}

/** Resident memory of a process now and at most, in MiB. Undefined where the system does not tell (all but Linux). */
export function memory(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const field = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024)
    return { now: field('VmRSS'), peak: field('VmHWM') }
  } catch {
    return undefined
  }
}

async function small(client, tools) {
  const { content } = await client.request('tools/call', { name: tools.echo, arguments: { text: SMALL } })
  if (content?.[0]?.text?.length !== SMALL.length) throw new Error('the answer to echo is not what was sent')
}

async function timed(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}
