/** Words by number, looked up where they stand in a text: most words of a definition were seen before, and need not be cut out. */

/** Entries at first, and letters; both grow by doubling. */
const FIRST = 4096
/** Places that are looked at for a word. Whoever makes words that all want the same place gets no more than that. */
const MOST_PROBES = 16

export interface WordTable {
  /**
   * The number of the word that is `[start, end)` of a text, all of it ASCII: the words are numbered from 0 as they come. Below 0
   * where there is no room for it. `hash` is that of its letters (`step`).
   */
  at(text: string, start: number, end: number, hash: number): number
}

/** The hash of no letters. */
export const EMPTY_HASH = 0x811c9dc5 | 0

/** The hash with one letter more (FNV-1a, 32 bits). */
export const step = (hash: number, letter: number): number => Math.imul(hash ^ letter, 0x01000193)

/** `most`: words that are remembered. */
export function createWordTable(most: number): WordTable {
  /** One more than the word that is in a place; 0: none. Twice as many places as words at least. */
  let places = new Int32Array(2 * FIRST)
  let hashes = new Int32Array(FIRST)
  /** Where the letters of each word begin; those of the next follow. */
  let starts = new Int32Array(FIRST + 1)
  let letters = new Uint8Array(FIRST)
  let size = 0

  function isAt(word: number, text: string, start: number, length: number): boolean {
    const from = starts[word] as number
    if ((starts[word + 1] as number) - from !== length) return false
    for (let at = 0; at < length; at++) if (letters[from + at] !== text.charCodeAt(start + at)) return false
    return true
  }

  /** The first place without a word; below 0 where that is too far. */
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
    for (let word = 0; word < size; word++) {
      const place = freeFor(hashes[word] as number)
      if (place >= 0) places[place] = word + 1
    }
  }

  function add(text: string, start: number, end: number, hash: number): number {
    if (size >= most) return -1
    if (size === hashes.length) grow()
    const place = freeFor(hash)
    if (place < 0) return -1
    const from = starts[size] as number
    const to = from + end - start
    if (to > letters.length) letters = longer(letters, new Uint8Array(Math.max(to, 2 * letters.length)))
    for (let at = start; at < end; at++) letters[from + at - start] = text.charCodeAt(at)
    starts[size + 1] = to
    hashes[size] = hash
    places[place] = size + 1
    return size++
  }

  return {
    at(text, start, end, hash) {
      const mask = places.length - 1
      const home = hash ^ (hash >>> 15)
      for (let probe = 0; probe < MOST_PROBES; probe++) {
        const word = (places[(home + probe) & mask] as number) - 1
        if (word < 0) break
        if (hashes[word] === hash && isAt(word, text, start, end - start)) return word
      }
      return add(text, start, end, hash)
    },
  }
}

function longer<A extends Int32Array | Uint8Array>(old: A, made: A): A {
  made.set(old)
  return made
}
