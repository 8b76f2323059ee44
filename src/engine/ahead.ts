/** Results are looked at while they arrive, so that most of it is done when the last byte is there. The side of the event loop. */
import { beginsAt, type GrowingBytes } from '../protocol/growing-bytes.ts'
import type { Lane } from './lane.ts'
import type { AheadTask } from './task.ts'

/** A result that is looked at before all of it is there. */
interface Ahead {
  readonly id: number
  readonly lane: Lane
  /** The first byte of the result in its message. */
  readonly start: number
  underWay: boolean
}

export interface AheadOptions {
  /** A lane that has nothing to do, if there is one. */
  idle(): Lane | undefined
  /** Bytes of the message that were looked at; -1: it must wait until all is there. */
  look(lane: Lane, task: AheadTask): Promise<number>
}

/** What a digest goes on with. */
export interface Begun {
  id: number
  lane: Lane
}

export interface Aheads {
  /** A message begins to arrive, whose result begins at `start`. Answers what is called whenever there is more of it. */
  arriving(bytes: GrowingBytes, start: number): () => void
  /** What was begun of a result, when its worker has nothing else to do. */
  of(content: Uint8Array): Begun | undefined
}

/** The first look is taken when this much is there, and then one when so much more is. */
const FIRST = 1024 * 1024
const STEP = 256 * 1024

export function createAheads({ idle, look }: AheadOptions): Aheads {
  const begun = new WeakMap<object, Ahead>()
  let lastId = 0

  async function lookOn(ahead: Ahead, buffer: SharedArrayBuffer): Promise<number> {
    const { id, lane, start } = ahead
    ahead.underWay = true
    try {
      return await look(lane, { kind: 'ahead', id, buffer, start })
    } catch {
      // A worker that is gone took with it what it had begun.
      return -1
    } finally {
      ahead.underWay = false
    }
  }

  return {
    arriving(bytes, start) {
      let ahead: Ahead | undefined
      let next = FIRST
      return () => {
        if (bytes.length < next || ahead?.underWay) return
        if (ahead === undefined) {
          const lane = idle()
          if (lane === undefined) return
          ahead = { id: ++lastId, lane, start, underWay: false }
        }
        begun.set(bytes.buffer, ahead)
        void lookOn(ahead, bytes.buffer).then((read) => {
          next = read < 0 ? Number.POSITIVE_INFINITY : read + STEP
        })
      }
    },
    of(content) {
      const ahead = begun.get(content.buffer)
      if (ahead === undefined || !beginsAt(content, ahead.start)) return undefined
      const { id, lane } = ahead
      return lane.load <= (ahead.underWay ? 1 : 0) ? { id, lane } : undefined
    },
  }
}
