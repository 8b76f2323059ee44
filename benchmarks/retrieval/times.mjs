/** How long an index of 5,000 tools takes, and a question to it. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { indexTools } from '../../dist/discovery/lexical.js'
import { median, quantile } from '../lib/measure.mjs'
import { cpu, manyTools, plainLoop } from './many.mjs'
import { round } from './score.mjs'

const ROUNDS = 7
const K = 5
const COLD = fileURLToPath(new URL('cold.mjs', import.meta.url))

/** CPU time of this process, against cutting the same definitions into words by a plain loop. `folder`: where the set lies. */
export function times(set, folder, progress) {
  const rounds = Array.from({ length: ROUNDS }, (_, at) => {
    progress(`round ${at + 1} of ${ROUNDS}`)
    const many = manyTools(set, at)
    const plain = cpu(() => plainLoop(many))
    let index
    const first = cpu(() => {
      index = indexTools(many)
    })
    const again = cpu(() => indexTools([...many]))
    const asked = set.questions.map(({ query }) => {
      const start = performance.now()
      index.search(query, K)
      return performance.now() - start
    })
    const cold = JSON.parse(spawnSync(process.execPath, [COLD, folder], { encoding: 'utf8' }).stdout)
    return { plain, first, again, query: median(asked), slow: quantile(asked, 0.95), cold }
  })
  const of = (name) => round(median(rounds.map((each) => each[name])))
  const cold = (name) => round(median(rounds.map((each) => each.cold[name])))
  const plain = of('plain')
  return [
    { what: 'index, ms of CPU', median: of('first'), ratio: round(of('first') / plain) },
    {
      what: 'index in a process that has just started',
      median: cold('first'),
      ratio: round(cold('first') / cold('plain')),
    },
    { what: 'index after a change', median: of('again'), ratio: round(of('again') / plain) },
    { what: 'plain loop', median: plain, ratio: 1 },
    { what: 'question, ms', median: of('query'), p95: of('slow') },
  ]
}
