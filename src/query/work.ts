/** How much of a document a question may look at. */

/**
 * A limit on looking at values, so that an expression of a model ends soon on any data. It counts, not the clock: the
 * same question gets the same answer. A unit takes about 50 ns.
 */
export interface Work {
  left: number
}

/** Enough for every value of a 60 MB document once; `$..*..*` over it ends in about 0.2 s. */
const MOST_WORK = 4_000_000

/** A limit that nothing was spent of. */
export function newWork(left = MOST_WORK): Work {
  return { left }
}
