/** Values that are large and can be made again: they are held while something uses them, not for ever. */

/** Makes a value again, equal to the one before. */
export type Remake<T> = () => T

/** Milliseconds without use after which a value is made small: questions come one after the other, and the first waits for nothing. */
const REST = 1500

/**
 * A function that gives the value that `make` makes. When the value was not used for `rest` milliseconds, `pack` makes it small. From
 * then on the value is freed when nothing uses it. The function that `pack` returned makes it again. Where `pack` returns undefined, the
 * value stays.
 */
export function renewable<T extends object>(
  make: () => T,
  pack: (value: T) => Remake<T> | undefined,
  rest: number = REST,
): () => T {
  let stays: T | undefined
  let used: WeakRef<T> | undefined
  let usedAt = 0
  let remake: Remake<T> = () => {
    const made = make()
    stays = made
    const packWhenResting = (): void => {
      const left = usedAt + rest - performance.now()
      if (left > 0) return void setTimeout(packWhenResting, left).unref()
      const packed = pack(made)
      if (packed === undefined) return
      remake = packed
      stays = undefined
    }
    setTimeout(packWhenResting, rest).unref()
    return made
  }
  return () => {
    usedAt = performance.now()
    const there = stays ?? used?.deref()
    if (there !== undefined) return there
    const made = remake()
    used = new WeakRef(made)
    return made
  }
}
