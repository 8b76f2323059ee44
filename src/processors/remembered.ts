/** What was found out about an object that never changes, kept with it and gone when it goes. */
export class Remembered<T> {
  private readonly kept = new WeakMap<object, Map<string, T>>()
  private readonly most: number

  /** `most`: findings that are kept about one object; those not asked for the longest go first. */
  constructor(most = 200) {
    this.most = most
  }

  /** What `find` found when it was last asked for under this name. What it throws is not kept, nor what `keeps` is false of. */
  of(about: object, name: string, find: () => T, keeps: (found: T) => boolean = () => true): T {
    const known = this.kept.get(about) ?? new Map<string, T>()
    this.kept.set(about, known)
    const before = known.get(name)
    const found = before === undefined && !known.has(name) ? find() : (before as T)
    known.delete(name)
    if (keeps(found)) known.set(name, found)
    for (const [oldest] of known) {
      if (known.size <= this.most) break
      known.delete(oldest)
    }
    return found
  }
}
