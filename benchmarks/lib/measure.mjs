/** Timing: candidates take turns, so that what the machine does meanwhile falls on all of them alike; medians are reported. */
import { cpus, totalmem } from 'node:os'

/**
 * @param {Record<string, () => unknown>} candidates by name, the first is the baseline
 * @param {{ rounds: number, warmup?: number }} options
 * @returns {Promise<Record<string, { median: number, worst: number, ratio: number }>>} milliseconds, and the ratio to the baseline
 */
export async function interleaved(candidates, { rounds, warmup = 3 }) {
  const names = Object.keys(candidates)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -warmup; round < rounds; round++) {
    for (const name of names) {
      const start = performance.now()
      await candidates[name]()
      if (round >= 0) times[name].push(performance.now() - start)
    }
  }
  const baseline = median(times[names[0]])
  return Object.fromEntries(
    names.map((name) => {
      const middle = median(times[name])
      return [name, { median: middle, worst: Math.max(...times[name]), ratio: middle / baseline }]
    }),
  )
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The value below which so great a part of the values lies. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** The machine as far as it matters to a reader of figures. */
export function machine() {
  const [cpu] = cpus()
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
}

/** Reproducible numbers 0 ≤ x < 1 (mulberry32). */
export function seeded(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
