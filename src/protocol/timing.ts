/** How long the parts of an exchange take, for an exchange that wants to know. */

/** A part, from its beginning to its end: milliseconds by `performance.now()`. Time further in is a part of it. */
export interface Timed {
  readonly part: string
  /** The server that `part` is. Absent: it is a layer of the proxy. */
  readonly server?: string
  readonly from: number
  readonly to: number
}

/** Does the work, and tells the exchange how long that took. Where nothing is timed it costs a comparison. */
export function timing<T>(
  exchange: { onTimed?(part: Timed): void },
  about: Pick<Timed, 'part' | 'server'>,
  work: () => Promise<T>,
): Promise<T> {
  if (exchange.onTimed === undefined) return work()
  const from = performance.now()
  return work().finally(() => exchange.onTimed?.({ ...about, from, to: performance.now() }))
}
