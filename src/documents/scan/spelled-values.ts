/** Boxes of values by the bytes they are written in: what occurs again is counted without making a string of it. */
import type { Box } from '../shape.ts'

const FIRST_SIZE = 64

/** A table with open addressing. Offsets and lengths are those of one array of bytes, which does not change. */
export class SpelledValues {
  #mask = FIRST_SIZE - 1
  #size = 0
  #boxes: (Box | undefined)[] = emptyBoxes(0)
  #hashes = new Int32Array(0)
  #froms = new Int32Array(0)
  #lengths = new Int32Array(0)

  /** The box of the bytes from `from` on, which have this hash. */
  find(bytes: Uint8Array, hash: number, from: number, length: number): Box | undefined {
    if (this.#size === 0) return undefined
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const box = this.#boxes[slot]
      if (box === undefined) return undefined
      if (
        this.#hashes[slot] === hash &&
        this.#lengths[slot] === length &&
        isSame(bytes, this.#froms[slot] as number, from, length)
      )
        return box
    }
  }

  add(hash: number, from: number, length: number, box: Box): void {
    if (this.#size * 2 >= this.#boxes.length) this.#grow()
    this.#put(hash, from, length, box)
    this.#size += 1
  }

  #put(hash: number, from: number, length: number, box: Box): void {
    let slot = hash & this.#mask
    while (this.#boxes[slot] !== undefined) slot = (slot + 1) & this.#mask
    this.#boxes[slot] = box
    this.#hashes[slot] = hash
    this.#froms[slot] = from
    this.#lengths[slot] = length
  }

  #grow(): void {
    const [boxes, hashes, froms, lengths] = [this.#boxes, this.#hashes, this.#froms, this.#lengths]
    const size = Math.max(FIRST_SIZE, boxes.length * 2)
    this.#mask = size - 1
    this.#boxes = emptyBoxes(size)
    this.#hashes = new Int32Array(size)
    this.#froms = new Int32Array(size)
    this.#lengths = new Int32Array(size)
    for (const [slot, box] of boxes.entries())
      if (box !== undefined)
        this.#put(hashes[slot] as number, froms[slot] as number, lengths[slot] as number, box)
  }
}

function emptyBoxes(size: number): (Box | undefined)[] {
  return new Array<Box | undefined>(size).fill(undefined)
}

function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (bytes[one + at] !== bytes[other + at]) return false
  return true
}
