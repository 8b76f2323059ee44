/** How long the index of 5,000 tools takes in a process that has just started. `node benchmarks/retrieval/cold.mjs [SET]` prints it alone. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median, quantile } from '../lib/measure.mjs'
import { round } from './score.mjs'

const PROCESSES = 9
const CHILD = fileURLToPath(new URL('cold-process.mjs', import.meta.url))
const OWN = fileURLToPath(new URL('set', import.meta.url))

/**
 * Medians over several processes, one after the other; `cpu` is that of all threads, the compiler's included, which work beside it where
 * there is a core for them. `folder`: where the set lies.
 */
export function coldTimes(folder) {
  const all = Array.from({ length: PROCESSES }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', CHILD, folder], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${CHILD} failed: ${stderr}`)
    return JSON.parse(stdout)
  })
  const row = (what, values) => ({ what, median: round(median(values)), p95: round(quantile(values, 0.95)) })
  return [
    row(
      'index in a process that has just started, ms',
      all.map(({ index }) => index.wall),
    ),
    row(
      'index in a process that has just started, ms of CPU of all threads',
      all.map(({ index }) => index.cpu),
    ),
    row(
      'plain loop after it, ms',
      all.map(({ plain }) => plain.wall),
    ),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(coldTimes(process.argv[2] ?? OWN))
