/** How long the index of 5,000 tools takes in a process that has just started. `node benchmarks/retrieval/cold.mjs [SET]` prints it alone. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, quantile } from '../lib/measure.mjs'
import { manyTools } from './many.mjs'
import { round } from './score.mjs'
import { loadSet } from './set.mjs'

const PROCESSES = 9
const CHILD = fileURLToPath(new URL('cold-process.mjs', import.meta.url))
const OWN = fileURLToPath(new URL('set', import.meta.url))

/**
 * Medians over several processes, one after the other. The CPU is that of all threads, the compiler's included, which work beside the
 * main one where there is a core for them.
 */
export function coldTimes(set) {
  const folder = mkdtempSync(join(tmpdir(), 'cold-'))
  try {
    const file = join(folder, 'tools.json')
    writeFileSync(file, JSON.stringify(manyTools(set, 0)))
    const all = Array.from({ length: PROCESSES }, () => timesIn(file))
    const row = (what, values) => ({
      what,
      median: round(median(values)),
      p95: round(quantile(values, 0.95)),
    })
    return [
      row(
        'index in a process that has just started, ms by the clock',
        all.map(({ index }) => index.wall),
      ),
      row(
        'the same, ms of CPU of all threads',
        all.map(({ index }) => index.cpu),
      ),
      row(
        'plain loop in that process, ms by the clock',
        all.map(({ plain }) => plain.wall),
      ),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function timesIn(file) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', CHILD, file], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${CHILD} failed: ${stderr}`)
  return JSON.parse(stdout)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.table(coldTimes(loadSet(process.argv[2] ?? OWN)))
