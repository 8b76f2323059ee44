/** Values that are large and can be made again: they are held while something uses them, not for ever. */

/** Makes a value anew, equal to the one before. */
export type Remake<T> = () => T

/**
 * A function that gives the value that `make` makes. When what asked first is done, `pack` makes it small; from then on the
 * value goes when nothing uses it, and what `pack` returned makes it again. Where that is undefined, the value stays.
 */
export function renewable<T extends object>(
  make: () => T,
  pack: (value: T) => Remake<T> | undefined,
): () => T {
  let stays: T | undefined
  let used: WeakRef<T> | undefined
  let remake: Remake<T> = () => {
    const made = make()
    stays = made
    setImmediate(() => {
      const packed = pack(made)
      if (packed === undefined) return
      remake = packed
      stays = undefined
    })
    return made
  }
  return () => {
    const there = stays ?? used?.deref()
    if (there !== undefined) return there
    const made = remake()
    used = new WeakRef(made)
    return made
  }
}
