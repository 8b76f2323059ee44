/** Questions that need something computed, each answered by one call. `--help` says how. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from '../../lib/measure.mjs'
import { connect } from '../client.mjs'
import { score } from '../score.mjs'
import { fileOf } from '../server.mjs'
import { Conversation } from '../session.mjs'
import { readPreview } from '../systems/proxy/preview.mjs'
import { readReply } from '../systems/proxy/read.mjs'
import { answerFrom, settled } from './answer.mjs'
import { dataOf } from './data.mjs'
import { computedQuestions } from './questions.mjs'

const SEED = '20261121'
const HELP = `node benchmarks/answers/expressions/run.mjs [options]

Asks questions that need something computed (ratios, percentiles, windows, dates, parts of texts, pivots, differences, whole
statements), each by one call of proxy_filter after the preview, and reports how many are answered.

  --seed N       other data (default ${SEED})
  --failures N   print N questions that were not answered rightly, with call and reply
`
const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../../dist/main.js', import.meta.url))
const SERVER = fileURLToPath(new URL('../server.mjs', import.meta.url))

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: SEED },
    failures: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) console.log(HELP)
else await main()

async function main() {
  const data = dataOf(options.seed)
  const questions = computedQuestions(data)
  const folder = mkdtempSync(join(tmpdir(), 'expressions-'))
  const rows = []
  try {
    for (const [name, { text }] of Object.entries(data)) writeFileSync(join(folder, fileOf(name)), text)
    const client = await connect('node', [MAIN, '--', 'node', SERVER, folder], { cwd: folder })
    try {
      for (const question of questions) rows.push(await askOne(client, question))
    } finally {
      await client.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  report(rows)
}

async function askOne(client, question) {
  const session = new Conversation(client.call)
  const get = client.tools.find(({ name }) => name === 'get' || name.endsWith('_get')).name
  const handles = []
  for (const name of [question.data].flat()) {
    const { text } = await session.call(get, { name })
    handles.push(readPreview(text).handle)
  }
  const cache_id = handles.length === 1 ? handles[0] : handles
  const { text, isError } = await session.call('proxy_filter', { cache_id, ...question.call })
  const answer = isError ? { unanswered: text } : answerFrom(question, readReply(text))
  const ms = session.calls.at(-1).ms
  return {
    question,
    outcome: score(...settled(question.gold, answer)),
    answer,
    text,
    tokens: session.tokens,
    ms,
  }
}

function report(rows) {
  const groups = [...new Set(rows.map(({ question }) => question.group))]
  const figures = (own) => ({
    questions: own.length,
    answered: own.filter(({ outcome }) => outcome === 'right').length,
    wrong: own.filter(({ outcome }) => outcome === 'wrong').length,
    perCorrect: Math.round(
      own.reduce((sum, { tokens }) => sum + tokens, 0) /
        own.filter(({ outcome }) => outcome === 'right').length,
    ),
    slowestMs: Math.round(Math.max(...own.map(({ ms }) => ms))),
  })
  const table = [
    ...groups.map((group) => ({
      group,
      ...figures(rows.filter(({ question }) => question.group === group)),
    })),
    { group: 'all', ...figures(rows) },
  ]
  console.table(table)
  const failed = rows.filter(({ outcome }) => outcome !== 'right')
  for (const { question, outcome, answer, text } of failed.slice(0, Number(options.failures))) {
    console.log(`\n${outcome}: ${question.id}: ${question.text}\n  ${JSON.stringify(question.call)}`)
    console.log(
      `  gold: ${JSON.stringify(question.gold).slice(0, 300)}\n  said: ${JSON.stringify(answer).slice(0, 300)}`,
    )
    console.log(`  ${text.slice(0, 700).replaceAll('\n', '\n  ')}`)
  }
  if (options.seed !== SEED) return
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync(
    'benchmarks/results/expressions.json',
    `${JSON.stringify({ machine: machine(), seed: options.seed, groups: table }, null, 1)}\n`,
  )
}
