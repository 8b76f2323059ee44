/** What words were read as, looked up by their place in a text: most words of a definition were seen before, and need not be cut out. */

/** Bytes of letters and entries at first; both grow by doubling. */
const FIRST = 4096
/** Places that are looked at for a word. Whoever makes words that all want the same place gets no more than that. */
const MOST_PROBES = 16

export interface WordTable<T> {
  /**
   * What `make` gives for the word that is `[start, end)` of a text, all of it ASCII, made once for as long as there is room.
   * `hash` is that of its letters (`step`).
   */
  at(text: string, start: number, end: number, hash: number): T
}

/** The hash of no letters. */
export const EMPTY_HASH = 0x811c9dc5 | 0

/** The hash with one letter more (FNV-1a, 32 bits). */
export const step = (hash: number, letter: number): number => Math.imul(hash ^ letter, 0x01000193)

/** `most`: words that are remembered. */
export function createWordTable<T>(make: (word: string) => T, most: number): WordTable<T> {
  /** One more than the entry that is in a place; 0: none. Twice as many places as entries at least. */
  let places = new Int32Array(2 * FIRST)
  let hashes = new Int32Array(FIRST)
  /** Where the letters of each entry begin; those of the next follow. */
  let starts = new Int32Array(FIRST + 1)
  let letters = new Uint8Array(FIRST)
  const values: T[] = []

  function isAt(entry: number, text: string, start: number, length: number): boolean {
    const from = starts[entry] ?? 0
    if ((starts[entry + 1] ?? 0) - from !== length) return false
    for (let at = 0; at < length; at++) if (letters[from + at] !== text.charCodeAt(start + at)) return false
    return true
  }

  /** The first place without an entry; below 0 where that is too far. */
  function freeFor(hash: number): number {
    const mask = places.length - 1
    const home = hash ^ (hash >>> 15)
    for (let probe = 0; probe < MOST_PROBES; probe++)
      if (places[(home + probe) & mask] === 0) return (home + probe) & mask
    return -1
  }

  function grow(): void {
    places = new Int32Array(2 * places.length)
    hashes = longer(hashes, new Int32Array(2 * hashes.length))
    starts = longer(starts, new Int32Array(2 * starts.length))
    for (let entry = 0; entry < values.length; entry++) {
      const place = freeFor(hashes[entry] ?? 0)
      if (place >= 0) places[place] = entry + 1
    }
  }

  function add(text: string, start: number, end: number, hash: number): T {
    const value = make(text.slice(start, end))
    if (values.length >= most) return value
    if (values.length === hashes.length) grow()
    const place = freeFor(hash)
    if (place < 0) return value
    const entry = values.push(value) - 1
    const from = starts[entry] ?? 0
    const to = from + end - start
    if (to > letters.length) letters = longer(letters, new Uint8Array(Math.max(to, 2 * letters.length)))
    for (let at = start; at < end; at++) letters[from + at - start] = text.charCodeAt(at)
    starts[entry + 1] = to
    hashes[entry] = hash
    places[place] = entry + 1
    return value
  }

  return {
    at(text, start, end, hash) {
      const mask = places.length - 1
      const home = hash ^ (hash >>> 15)
      for (let probe = 0; probe < MOST_PROBES; probe++) {
        const entry = (places[(home + probe) & mask] ?? 0) - 1
        if (entry < 0) break
        if (hashes[entry] === hash && isAt(entry, text, start, end - start)) return values[entry] as T
      }
      return add(text, start, end, hash)
    },
  }
}

function longer<A extends Int32Array | Uint8Array>(old: A, made: A): A {
  made.set(old)
  return made
}
