/** Shares out the memory, so that all parts together stay within a bound. */
import os from 'node:os'

/** The share of each part, in bytes where nothing else is said. */
export interface MemoryPlan {
  workers: number
  /** Heap of each worker in MB. */
  heapMb: number
  /** MB of each worker in all. */
  workerMb: number
  /** The longest message of a client or a server. */
  messageBytes: number
  /** Kept results in memory, of all agents. */
  keptBytes: number
  /** Bodies of requests that are being received. */
  bodyBytes: number
  /** MB that the proxy and its workers hold at most, as far as this plan bounds it. */
  worstMb: number
}

const MB = 1024 * 1024
/** MB of the proxy itself: code, sessions, lists of tools. */
const PROXY_MB = 140
/** MB of a worker beside its heap and what it was sent: code, dictionaries, the youngest objects, and columns and indexes of numbers. */
const WORKER_MB = 195
/** With less there is one worker: a long question of one agent then holds up the others. */
const TWO_WORKERS_MB = 1024
/** Messages that are in the proxy at once: one that arrives, one on its way to a worker, and one on its way out. */
const MESSAGES = 3
/** Beyond this nothing gets better. */
const MOST_HEAP_MB = 4096
const LEAST_HEAP_MB = 64

/**
 * Shares out `memoryMb` among the proxy and its workers. A worker holds its heap and the bytes of the result that it was sent. The proxy
 * holds kept results, bodies of requests and messages under way.
 */
export function memoryPlan(memoryMb: number): MemoryPlan {
  const workers = memoryMb < TWO_WORKERS_MB ? 1 : 2
  const part = (share: number, least: number, most: number): number =>
    Math.min(most, Math.max(least, Math.floor(memoryMb / share)))
  const messageMb = part(32, 16, 256)
  const keptMb = part(16, 16, 1024)
  const bodyMb = part(32, 16, 256)
  const others = PROXY_MB + keptMb + bodyMb + MESSAGES * messageMb + workers * (WORKER_MB + messageMb)
  const heapMb = Math.min(MOST_HEAP_MB, Math.max(LEAST_HEAP_MB, Math.floor((memoryMb - others) / workers)))
  return {
    workers,
    heapMb,
    workerMb: WORKER_MB + messageMb + heapMb,
    messageBytes: messageMb * MB,
    keptBytes: keptMb * MB,
    bodyBytes: bodyMb * MB,
    worstMb: others + workers * heapMb,
  }
}

/** MB that a container leaves to this process, or half of what the machine has. */
export function availableMb(): number {
  const machine = os.totalmem()
  const { constrainedMemory } = process as { constrainedMemory?: () => number | undefined }
  const container = constrainedMemory?.call(process) ?? 0
  const available = container > 0 && container < machine ? container : machine / 2
  return Math.floor(available / MB)
}
