/** Entries that can be switched on and off while the fixture runs, so that its lists really change. One state a process. */
import { EventEmitter } from 'node:events'

/** Switches, by the list they are on. */
export function createLists() {
  const on = { tools: false, prompts: false }
  const flips = new EventEmitter().setMaxListeners(0)
  return {
    on,
    /** The list is another one from now on, for every client. */
    flip(list) {
      on[list] = !on[list]
      flips.emit(list)
    },
    /** Calls back after each change; returns a function that ends it. */
    follow(list, changed) {
      flips.on(list, changed)
      return () => flips.off(list, changed)
    },
  }
}
