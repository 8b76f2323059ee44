/**
 * Calls under way by their keys, in the order in which they began: a Map for entries that come and go with each call.
 *
 * V8 links the old table of a Map to the new one when it makes room (`OrderedHashTable::Rehash`). One old table that outlived a
 * collection keeps all later ones until a full collection, and so each call that ever stood in one. Here the tables hold numbers alone.
 */
export class UnderWay<K, V> {
  readonly #places = new Map<K, number>()
  readonly #values: (V | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#places.size
  }

  has(key: K): boolean {
    return this.#places.has(key)
  }

  get(key: K): V | undefined {
    const place = this.#places.get(key)
    return place === undefined ? undefined : this.#values[place]
  }

  set(key: K, value: V): void {
    let place = this.#places.get(key)
    if (place === undefined) {
      place = this.#free.pop() ?? this.#values.length
      this.#places.set(key, place)
    }
    this.#values[place] = value
  }

  delete(key: K): void {
    const place = this.#places.get(key)
    if (place === undefined) return
    this.#places.delete(key)
    this.#values[place] = undefined
    this.#free.push(place)
  }

  values(): V[] {
    return [...this.#places.values()].map((place) => this.#values[place] as V)
  }

  clear(): void {
    for (const key of [...this.#places.keys()]) this.delete(key)
  }
}
