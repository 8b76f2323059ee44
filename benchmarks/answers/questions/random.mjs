/** Chance from a seed: the same seed and name give the same questions on every machine. */

/** A 32-bit hash of a text (FNV-1a, mixed). */
export function hash(text) {
  let state = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01_00_01_93)
  state = Math.imul(state ^ (state >>> 16), 0x85_eb_ca_6b)
  return (state ^ (state >>> 13)) >>> 0
}

/**
 * Mulberry32 with what questions need of it.
 * @param {string} seed
 */
export function chance(seed) {
  let state = hash(seed)
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit) => Math.floor(next() * limit)
  return {
    /** In [0, 1). */
    next,
    /** A whole number in [0, limit). */
    below,
    /** A whole number in [low, high]. */
    between: (low, high) => low + below(high - low + 1),
    /** One of a list, undefined when it is empty. */
    pick: (list) => list[below(list.length)],
    /** A copy in another order. */
    shuffled(list) {
      const copy = [...list]
      for (let at = copy.length - 1; at > 0; at--) {
        const other = below(at + 1)
        const kept = copy[at]
        copy[at] = copy[other]
        copy[other] = kept
      }
      return copy
    },
    /** True in this share of cases. */
    often: (share) => next() < share,
  }
}
