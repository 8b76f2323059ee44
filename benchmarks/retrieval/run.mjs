/**
 * Finding tools by questions in words: how many right ones are among the first, by kind of question and in other styles, what replies
 * cost, how long it takes, how soon a change is found, and what each choice changes.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from '../lib/measure.mjs'
import { adaptive, answersOf, batching, questions, related, variations, weights } from './choices.mjs'
import { breakEven, replies } from './costs.mjs'
import { relist } from './relist.mjs'
import { scoreOf } from './score.mjs'
import { loadQuestions, loadSet } from './set.mjs'
import { times } from './times.mjs'

const HELP = `npm run bench -- retrieval [--set DIR]

  --set DIR   labelled questions of your own, for which nothing is recorded: a folder with one JSON file that has "tools"
              ({tool_id, server, tool, description, schema}) and one that has "queries" ({query, kind?, labels: [{tool_id, relevance}]});
              a query without labels is one that no tool answers
  --help      this

Tables go to stdout, progress to stderr. It measures dist/: npm run build first.`

const OWN = fileURLToPath(new URL('set', import.meta.url))
const LANGUAGES = fileURLToPath(new URL('languages/queries.json', import.meta.url))
const { values: options } = parseArgs({
  options: { set: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
})
if (options.help) console.log(HELP)
else await measure()

async function measure() {
  const set = loadSet(options.set ?? OWN)
  const report = {
    machine: machine(),
    tools: set.tools.length,
    servers: new Set(set.tools.map(({ server }) => server)).size,
  }
  const parts = {
    kinds: () => kinds(set),
    ...(options.set === undefined && { languages: () => kinds(loadQuestions(OWN, LANGUAGES), false) }),
    variations: () => variations(set),
    replies: () => replies(set),
    breakEven: () => breakEven(set),
    weights: () => weights(set),
    questions: () => questions(set),
    adaptive: () => adaptive(set),
    batching: () => batching(set),
    related: () => related(set),
    times: () => times(set, progress),
    relist,
  }
  for (const [name, part] of Object.entries(parts)) {
    progress(name)
    report[name] = await part()
    console.log(`\n${name}`)
    console.table(report[name])
  }
  if (options.set) return
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync('benchmarks/results/retrieval.json', `${JSON.stringify(report, null, 1)}\n`)
}

function kinds(set, withSums = true) {
  const answers = answersOf(set)
  const row = (kind, belongs) => ({ kind, ...scoreOf(answers.filter(belongs)) })
  const names = [...new Set(set.questions.map(({ kind }) => kind))]
  const each = names.map((name) => row(name, ({ kind }) => kind === name))
  if (!withSums) return each
  return [
    ...(names.length > 1 ? each : []),
    row('first half', ({ half }) => half === 0),
    row('second half', ({ half }) => half === 1),
    row('all', () => true),
  ]
}

function progress(text) {
  process.stderr.write(`${text} …\n`)
}
