/** Figures of samples. */
import { seeded } from '../lib/measure.mjs'

/** Of two middle values the mean; NaN of nothing. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)]
}

export function mean(values) {
  return sum(values) / values.length
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

/** The value below which so great a part of the values lies. */
export function quantile(values, part) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/**
 * 95 % interval of a figure by the clustered bootstrap: whole clusters are drawn, with replacement, because questions about one
 * payload succeed and fail together. One cluster alone has no interval.
 *
 * @template T
 * @param {T[]} rows
 * @param {(row: T) => string} clusterOf
 * @param {(rows: T[]) => number} figure
 * @param {{ seed?: number, rounds?: number }} [options]
 * @returns {[number, number] | undefined}
 */
export function clusteredInterval(rows, clusterOf, figure, { seed = 1, rounds = 2000 } = {}) {
  const clusters = [...grouped(rows, clusterOf)]
  if (clusters.length < 2) return undefined
  const random = seeded(seed)
  const figures = []
  for (let round = 0; round < rounds; round++) {
    const drawn = clusters.flatMap(() => clusters[Math.floor(random() * clusters.length)])
    figures.push(figure(drawn))
  }
  return [quantile(figures, 0.025), quantile(figures, 0.975)]
}

function grouped(rows, keyOf) {
  const groups = new Map()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups.values()
}
