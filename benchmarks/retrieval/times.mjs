/** How long an index of 5,000 tools takes, and a question to it. */
import { indexTools } from '../../dist/discovery/lexical.js'
import { median, quantile } from '../lib/measure.mjs'
import { round } from './score.mjs'

const TOOLS = 5_000
const ROUNDS = 7
const K = 5

/** CPU time of this process, against cutting the same definitions into words by a plain loop; the first round is the cold one. */
export function times(set, progress) {
  const rounds = Array.from({ length: ROUNDS }, (_, at) => {
    progress(`round ${at + 1} of ${ROUNDS}`)
    const many = manyTools(set, at)
    const plain = cpu(() =>
      many.map(({ definition }) => JSON.stringify(definition).toLowerCase().match(/\w+/g)),
    )
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
    return { plain, first, again, query: median(asked), slow: quantile(asked, 0.95) }
  })
  const of = (name) => round(median(rounds.map((each) => each[name])))
  const plain = of('plain')
  return [
    { what: 'index, ms of CPU', median: of('first'), ratio: round(of('first') / plain) },
    {
      what: 'index, the first of a process',
      median: round(rounds[0].first),
      ratio: round(rounds[0].first / rounds[0].plain),
    },
    { what: 'index after a change', median: of('again'), ratio: round(of('again') / plain) },
    { what: 'plain loop', median: plain, ratio: 1 },
    { what: 'question, ms', median: of('query'), p95: of('slow') },
  ]
}

/** Those of the set again and again; each copy of it has a word of its own in every description, those of parameters included. */
function manyTools({ tools }, round) {
  return Array.from({ length: TOOLS }, (_, place) => {
    const { definition, ...tool } = tools[place % tools.length]
    const own = `variant${round}x${Math.floor(place / tools.length)}`
    const mark = (key, value) =>
      key === 'description' && typeof value === 'string' ? `${value} ${own}` : value
    return { ...tool, definition: JSON.parse(JSON.stringify(definition, mark)) }
  })
}

function cpu(run) {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
