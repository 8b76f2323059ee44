/** Which resources servers watch for one client, whose subscriptions may be about the same ones. */

export interface Watches {
  /** One subscription more is about it. Resolves when the servers have answered. */
  add(uri: string): Promise<void>
  /** One less. */
  remove(uri: string): void
}

export type WatchMethod = 'resources/subscribe' | 'resources/unsubscribe'

interface Watch {
  subscriptions: number
  /** What the servers were told last, and took. */
  subscribed: boolean
  /** What was asked of the servers so far: one thing at a time, or the last word would be anybody's. */
  work: Promise<void>
}

/** `ask` must not reject: it gives false when the servers refuse. */
export function createWatches(ask: (method: WatchMethod, uri: string) => Promise<boolean>): Watches {
  const watched = new Map<string, Watch>()

  async function settle(uri: string, watch: Watch): Promise<void> {
    const wanted = watch.subscriptions > 0
    if (wanted !== watch.subscribed) {
      const taken = await ask(wanted ? 'resources/subscribe' : 'resources/unsubscribe', uri)
      watch.subscribed = wanted && taken
    }
    const idle = watch.subscriptions === 0 && !watch.subscribed
    if (idle && watched.get(uri) === watch) watched.delete(uri)
  }

  function change(uri: string, by: 1 | -1): Promise<void> {
    const watch = watched.get(uri) ?? { subscriptions: 0, subscribed: false, work: Promise.resolve() }
    watched.set(uri, watch)
    watch.subscriptions += by
    watch.work = watch.work.then(() => settle(uri, watch))
    return watch.work
  }

  return {
    add: (uri) => change(uri, 1),
    remove: (uri) => void change(uri, -1),
  }
}
