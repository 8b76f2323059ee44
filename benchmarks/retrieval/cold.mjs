/** How long the index of 5,000 tools takes in a process that has just started. `node benchmarks/retrieval/cold.mjs [SET]` prints it alone. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, quantile } from '../lib/measure.mjs'
import { countWords, manyTools, variedTools } from './many.mjs'
import { round } from './score.mjs'
import { loadSet } from './set.mjs'

const PROCESSES = 9
const CHILD = fileURLToPath(new URL('cold-process.mjs', import.meta.url))
const OWN = fileURLToPath(new URL('set', import.meta.url))

/**
 * Medians over several processes, one after the other, those of each kind of tools in turn. The CPU is that of all threads, the
 * compiler's included, which work beside the main one where there is a core for them.
 */
export function coldTimes(set) {
  const folder = mkdtempSync(join(tmpdir(), 'cold-'))
  const { query } = set.questions[0]
  const catalogues = [manyTools(set, 0), variedTools(set)].map((tools, nth) => {
    const file = join(folder, `${nth}.json`)
    writeFileSync(file, JSON.stringify(tools))
    return { file, words: countWords(tools).toLocaleString('en'), times: [] }
  })
  try {
    for (let process = 0; process < PROCESSES; process++)
      for (const { file, times } of catalogues) times.push(timesIn(file, query))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return catalogues.flatMap(({ words, times }) => {
    const row = (what, of) => {
      const values = times.map(of)
      return { what, median: round(median(values)), p95: round(quantile(values, 0.95)) }
    }
    return [
      row(
        `${words} different words, process just started: index, ms by the clock`,
        ({ index }) => index.wall,
      ),
      row('the same, ms of CPU of all threads', ({ index }) => index.cpu),
      row('the first question at once, ms by the clock', ({ question }) => question.wall),
      row('plain loop in that process, ms by the clock', ({ plain }) => plain.wall),
    ]
  })
}

function timesIn(file, query) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', CHILD, file, query], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${CHILD} failed: ${stderr}`)
  return JSON.parse(stdout)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.table(coldTimes(loadSet(process.argv[2] ?? OWN)))
