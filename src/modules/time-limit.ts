/** How long a module may work on a message: the time for which others work is not its own. */
import { ModuleTimeout } from './failure.ts'

export interface TimeLimit {
  /** Rejects when the time is up; never resolves. */
  readonly reached: Promise<never>
  /** Its work begins, or goes on. */
  start(): void
  /** Others work. */
  stop(): void
  /** Whoever asked has an answer: from now on there is nothing to limit. */
  end(): void
  readonly isOver: boolean
}

/** @param ms undefined: as long as it takes */
export function createTimeLimit(ms: number | undefined): TimeLimit {
  let timer: NodeJS.Timeout | undefined
  let reject: (error: Error) => void = () => {}
  let isOver = false
  const reached = new Promise<never>((_, fail) => {
    reject = fail
  })
  reached.catch(() => {})
  return {
    reached,
    start() {
      clearTimeout(timer)
      if (ms === undefined || isOver) return
      timer = setTimeout(() => reject(new ModuleTimeout(`took longer than ${ms} ms`)), ms)
    },
    stop: () => clearTimeout(timer),
    end() {
      isOver = true
      clearTimeout(timer)
    },
    get isOver() {
      return isOver
    },
  }
}
