/** Which lines of two texts differ. */

/** Positions of lines that the first list alone has, and of lines that the second alone has, each in their order. */
export interface LineChanges {
  readonly removed: readonly number[]
  readonly added: readonly number[]
}

/**
 * The fewest lines that have to be removed from `before` and added to it to make `after` (Myers 1986, "An O(ND) Difference Algorithm").
 * Undefined where they are more than `most`: time and memory grow with its square, not with that of the texts.
 */
export function lineChanges(
  before: readonly string[],
  after: readonly string[],
  most: number,
): LineChanges | undefined {
  let start = 0
  let [endBefore, endAfter] = [before.length, after.length]
  while (start < endBefore && start < endAfter && before[start] === after[start]) start += 1
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore -= 1
    endAfter -= 1
  }
  const [width, height] = [endBefore - start, endAfter - start]
  if (Math.abs(width - height) > most) return undefined
  const equal = (x: number, y: number): boolean => before[start + x] === after[start + y]
  const rounds: Int32Array[] = []
  let last = new Int32Array([0, 0, 0])
  for (let distance = 0; distance <= most; distance++) {
    const reached = new Int32Array(2 * distance + 3)
    for (let k = -distance; k <= distance; k += 2) {
      let x = furthest(last, distance - 1, k)
      while (x < width && x - k < height && equal(x, x - k)) x += 1
      reached[k + distance + 1] = x
      if (x >= width && x - k >= height) return traced([...rounds, reached], start, width, height)
    }
    rounds.push(reached)
    last = reached
  }
  return undefined
}

/** Where diagonal `k` begins, after the round of `distance`: below the diagonal above it, or to the right of the one below it. */
function furthest(reached: Int32Array, distance: number, k: number): number {
  if (distance < 0) return 0
  return isDown(reached, distance, k) ? at(reached, distance, k + 1) : at(reached, distance, k - 1) + 1
}

function isDown(reached: Int32Array, distance: number, k: number): boolean {
  return (
    k === -distance - 1 || (k !== distance + 1 && at(reached, distance, k - 1) < at(reached, distance, k + 1))
  )
}

function at(reached: Int32Array, distance: number, k: number): number {
  return reached[k + distance + 1] ?? -1
}

/** Back from the end to the start, round by round. */
function traced(rounds: readonly Int32Array[], start: number, width: number, height: number): LineChanges {
  const removed: number[] = []
  const added: number[] = []
  let k = width - height
  for (let distance = rounds.length - 1; distance > 0; distance--) {
    const reached = rounds[distance - 1] ?? new Int32Array()
    if (isDown(reached, distance - 1, k)) {
      k += 1
      added.push(start + at(reached, distance - 1, k) - k)
    } else {
      k -= 1
      removed.push(start + at(reached, distance - 1, k))
    }
  }
  return { removed: removed.reverse(), added: added.reverse() }
}
