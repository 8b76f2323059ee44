/** How long an index of 5,000 tools takes, and a question to it. */
import { indexReading, WEIGHTS } from '../../dist/discovery/lexical.js'
import { readTools } from '../../dist/discovery/postings.js'
import { wordVectors } from '../../dist/discovery/word-vectors.js'
import { median } from '../lib/measure.mjs'
import { coldTimes } from './cold.mjs'
import { cpu, manyTools, plainLoop } from './many.mjs'
import { memory } from './memory.mjs'
import { round } from './score.mjs'

const ROUNDS = 7
const K = 5
/** Tools of a list that changed that were not in it before. */
const NEW = 50

/** As the default engine has it when the first question comes: with the vectors of all tools. */
function prepared(reading) {
  const index = indexReading(reading, { vectors: wordVectors() })
  while (index.prepare(1000));
  return index
}

/** CPU time of this process, against cutting the same definitions into words by a plain loop. */
export function times(set, progress) {
  // A running proxy has read other lists before, and knows their words.
  let reading = readTools(set.tools, WEIGHTS)
  const rounds = Array.from({ length: ROUNDS }, (_, at) => {
    progress(`round ${at + 1} of ${ROUNDS}`)
    const many = manyTools(set, at)
    const changed = [...manyTools(set, ROUNDS).slice(0, NEW), ...many.slice(NEW)]
    const plain = cpu(() => plainLoop(many))
    let index
    const first = cpu(() => {
      reading = readTools(many, WEIGHTS, reading)
      index = prepared(reading)
    })
    const again = cpu(() => prepared(readTools(changed, WEIGHTS, reading)))
    const asked = cpu(() => {
      for (const { query } of set.questions) index.search(query, K)
    })
    return { plain, first, again, query: asked / set.questions.length }
  })
  const of = (name) => round(median(rounds.map((each) => each[name])))
  const plain = of('plain')
  progress('processes that have just started')
  return [
    {
      what: 'index in a running process, ms of CPU of all threads',
      median: of('first'),
      ratio: round(of('first') / plain),
    },
    {
      what: `index after a change of ${NEW} tools, ms of CPU of all threads`,
      median: of('again'),
      ratio: round(of('again') / plain),
    },
    { what: 'plain loop, ms of CPU of all threads', median: plain, ratio: 1 },
    { what: 'question, ms of CPU of all threads, mean', median: of('query') },
    ...coldTimes(set),
    ...memory(),
  ]
}
