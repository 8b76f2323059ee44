/**
 * Finding tools by questions in words. How many right ones are among the first, by kind of question and in other styles. The cost of
 * replies, how long a search takes, how soon a change is found, and what each choice changes.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { WEIGHTS } from '../../dist/discovery/lexical.js'
import { wordVectors } from '../../dist/discovery/word-vectors.js'
import { machine } from '../lib/measure.mjs'
import {
  ablation,
  adaptive,
  answersOf,
  batching,
  learning,
  questions,
  related,
  shared,
  variations,
  weights,
} from './choices.mjs'
import { breakEven, replies } from './costs.mjs'
import { indexTools } from './index-tools.mjs'
import { publishedSets } from './published.mjs'
import { relist } from './relist.mjs'
import { scoreOf } from './score.mjs'
import { loadQuestions, loadSet } from './set.mjs'
import { times } from './times.mjs'
import { toldApart } from './twins.mjs'
import { vary, withShared } from './variations.mjs'

const HELP = `npm run bench -- retrieval [--set DIR] [--published DIR] [--only PART]

  --set DIR   labelled questions of your own, for which nothing is recorded: a folder with one JSON file that has "tools"
              ({tool_id, server, tool, description, schema}) and one that has "queries" ({query, kind?, labels: [{tool_id, relevance}]});
              a query without labels is one that no tool answers
  --published DIR   a folder with clones of github.com/THUNLP-MT/StableToolBench and github.com/HowieHwong/MetaTool, or one of them
  --only PART one part, as "times"; the others stay as they were recorded
  --help      this

Tables go to stdout, progress to stderr. It measures dist/: npm run build first.`

const RECORD = 'benchmarks/results/retrieval.json'
const OWN = fileURLToPath(new URL('set', import.meta.url))
const LANGUAGES = fileURLToPath(new URL('languages/queries.json', import.meta.url))
const { values: options } = parseArgs({
  options: {
    set: { type: 'string' },
    published: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) console.log(HELP)
else await measure()

async function measure() {
  const set = loadSet(options.set ?? OWN)
  const report = {
    ...(options.only && JSON.parse(readFileSync(RECORD, 'utf8'))),
    machine: machine(),
    tools: set.tools.length,
    servers: new Set(set.tools.map(({ server }) => server)).size,
  }
  const parts = {
    kinds: () => kinds(set),
    ...(options.set === undefined && { languages: () => languages(set) }),
    twins: () => toldApart(set, answersOf(set)),
    ablation: () => ablation(set),
    shared: () => shared(set),
    ...(options.published && { published: () => published(options.published) }),
    variations: () => variations(set),
    replies: () => replies(set),
    longReplies: () => replies(vary(set, { tool: withShared })),
    breakEven: () => breakEven(set),
    weights: () => weights(set),
    questions: () => questions(set),
    adaptive: () => adaptive(set),
    batching: () => batching(set),
    related: () => related(set),
    learning: () => learning(set),
    times: () => times(set, progress),
    relist,
  }
  for (const [name, part] of Object.entries(parts)) {
    if (options.only && options.only !== name) continue
    progress(name)
    report[name] = await part()
    console.log(`\n${name}`)
    console.table(report[name])
  }
  if (options.set) return
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync(RECORD, `${JSON.stringify(report, null, 1)}\n`)
}

function kinds(set) {
  const answers = answersOf(set)
  const row = (kind, belongs) => ({ kind, ...scoreOf(answers.filter(belongs)) })
  const names = [...new Set(set.questions.map(({ kind }) => kind))]
  const each = names.map((name) => row(name, ({ kind }) => kind === name))
  return [
    ...(names.length > 1 ? each : []),
    row('first half', ({ half }) => half === 0),
    row('second half', ({ half }) => half === 1),
    row('all', () => true),
  ]
}

/** Questions in three languages, and those in English, with the English table and with the one of several languages over it. */
function languages(set) {
  const asked = loadQuestions(OWN, LANGUAGES)
  return ['english', 'several'].flatMap((words) => {
    const index = indexTools(set.tools, WEIGHTS, { vectors: wordVectors(words) })
    const row = (kind, answers) => ({ table: words, kind, ...scoreOf(answers) })
    const answers = answersOf(asked, index)
    return [
      ...[...new Set(asked.questions.map(({ kind }) => kind))].map((name) =>
        row(
          name,
          answers.filter(({ kind }) => kind === name),
        ),
      ),
      row('all questions above', answersOf(set, index)),
    ]
  })
}

function published(folder) {
  return publishedSets(folder).flatMap(([set, questions]) =>
    ablation(questions).map((row) => ({ set, tools: questions.tools.length, ...row })),
  )
}

function progress(text) {
  process.stderr.write(`${text} …\n`)
}
