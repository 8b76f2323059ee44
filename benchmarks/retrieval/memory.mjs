/** The memory of 5,000 tools and of the table of word vectors, in processes of their own. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from '../lib/measure.mjs'
import { manyTools } from './many.mjs'
import { round } from './score.mjs'
import { loadSet } from './set.mjs'

const PROCESSES = 3
const OWN = fileURLToPath(new URL('set', import.meta.url))
const SELF = fileURLToPath(import.meta.url)

export function memory() {
  const all = Array.from({ length: PROCESSES }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', SELF], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${SELF} failed: ${stderr}`)
    return JSON.parse(stdout)
  })
  return [
    { what: 'index kept in memory, words alone, MB', median: round(median(all.map(({ words }) => words))) },
    {
      what: 'the same with word vectors and their table, MB',
      median: round(median(all.map(({ both }) => both))),
    },
  ]
}

/** MB that are kept of what is made, garbage collected before and after. */
async function kept(make) {
  const held = () => {
    globalThis.gc()
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / 2 ** 20
  }
  const before = held()
  const made = make()
  const after = held()
  // So that it is still there when it is measured.
  made.search('end', 1)
  return after - before
}

if (process.argv[1] === SELF) {
  const { indexTools, WEIGHTS } = await import('../../dist/discovery/lexical.js')
  const { wordVectors } = await import('../../dist/discovery/word-vectors.js')
  const tools = manyTools(loadSet(OWN), 0)
  const ask = (index) => {
    while (index.prepare(1000));
    index.search('create a calendar event', 5)
    return index
  }
  // The facts about words that are learned once are not counted twice.
  ask(indexTools(loadSet(OWN).tools))
  const words = await kept(() => ask(indexTools(tools, WEIGHTS)))
  const both = await kept(() => ask(indexTools(tools, WEIGHTS, { vectors: wordVectors() })))
  console.log(JSON.stringify({ words, both }))
}
