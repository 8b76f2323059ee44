/** What is under way in a module: one that is no longer wanted is closed when nothing is. */
import type { Handler } from '../protocol/exchange.ts'
import type { Module, Notice, Notify } from './module.ts'

/** A module that can be let go. */
export interface Counted {
  readonly module: Module
  /** Resolves once nothing is in it. Whoever comes later is not waited for. */
  idle(): Promise<void>
}

export function counted(module: Module): Counted {
  let inside = 0
  let waiting: (() => void)[] = []
  const leave = (): void => {
    inside--
    if (inside > 0) return
    for (const heard of waiting) heard()
    waiting = []
  }
  const request =
    (handler: Handler): Handler =>
    async (exchange) => {
      inside++
      try {
        return await handler(exchange)
      } finally {
        leave()
      }
    }
  const notification =
    (handler: Notify): Notify =>
    (notice: Notice) => {
      inside++
      let done: void | Promise<void>
      try {
        done = handler(notice)
      } catch (error) {
        leave()
        throw error
      }
      if (done instanceof Promise) return done.finally(leave)
      leave()
      return undefined
    }
  const { wrap, notify } = module
  return {
    module: {
      ...module,
      ...(wrap && { wrap: (next) => request(wrap(next)) }),
      ...(notify && { notify: (next) => notification(notify(next)) }),
    },
    idle: () => (inside === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(() => resolve()))),
  }
}
