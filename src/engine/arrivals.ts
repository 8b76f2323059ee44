/** What a worker has read of a result that still arrives. */
import { ArrivingResult } from '../documents/scan/result-scan.ts'
import { arrivedIn, partOf } from '../protocol/growing-bytes.ts'
import type { AheadTask } from './task.ts'

export interface Arrivals {
  /** Reads on, for a while. Answers how many bytes of the message were read; -1: the rest must wait until all is there. */
  read(task: AheadTask): number
  /** What was read, and forgets it. */
  take(id: number | undefined): ArrivingResult | undefined
}

/** Bytes that are read before the clock is looked at, milliseconds after which others have their turn, and the least that is worth it. */
const PIECE = 1024 * 1024
const TURN = 40
const LEAST = 128 * 1024
/** Milliseconds after which nothing more of a result comes. */
const PATIENCE = 10_000

/** One at a time: of several that arrive at once the last one is read. */
export function createArrivals(): Arrivals {
  let current: { id: number; result: ArrivingResult; read: number } | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    read({ id, buffer, start }) {
      clearTimeout(timer)
      timer = setTimeout(() => {
        current = undefined
      }, PATIENCE).unref()
      if (current?.id !== id) current = { id, result: new ArrivingResult(), read: 0 }
      const until = performance.now() + TURN
      for (;;) {
        const to = Math.min(arrivedIn(buffer), current.read + PIECE)
        if (to - current.read < LEAST) break
        current.read = to
        if (!current.result.advance(partOf(buffer, start, to))) return -1
        if (performance.now() > until) break
      }
      return current.read
    },
    take(id) {
      if (id === undefined || current?.id !== id) return undefined
      const { result } = current
      current = undefined
      clearTimeout(timer)
      return result
    },
  }
}
