/**
 * The benchmark: questions about payloads, asked of systems, scored and counted. `--help` says how.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machine } from '../lib/measure.mjs'
import { TYPES } from './contract.mjs'
import { printFailures } from './failures.mjs'
import { mutated, reportMutation } from './mutated.mjs'
import { generatedPayloads } from './payloads/generated.mjs'
import { loadPayloads, readPayload } from './payloads/load.mjs'
import { recordPayloads } from './payloads/recorded.mjs'
import { questionsOf } from './questions/index.mjs'
import { printReport } from './report.mjs'
import { score } from './score.mjs'
import { fileOf } from './server.mjs'
import { summarize } from './summary.mjs'
import { SYSTEMS } from './systems/index.mjs'
import { policies } from './systems/policies.mjs'
import { tokensOf } from './tokens.mjs'

/** None that was looked at while agents and product were written: those are below 1000. */
const SEED = '20261121'

const HELP = `node benchmarks/answers/run.mjs [options]

Asks typed questions about large results, and reports how many are answered, and for how many tokens.

  --payloads DIR     the files of a folder (JSON, NDJSON, CSV, logs, Markdown, HTML) in place of the project's own
  --seed N           other questions, and other generated payloads (default ${SEED}; below 1000 those used while developing)
  --per-type N       questions of each type about each payload (default 3)
  --systems a,b      ${SYSTEMS.map(({ name }) => name).join(', ')} (default all)
  --policy NAME      naive or expert (default both)
  --types a,b        ${TYPES.join(', ')} (default all)
  --quick            one question of each type, ours and the floor only
  --failures N       print N questions that were not answered rightly, with all calls and replies (ours first)
  --generated        the generated payloads alone, without those recorded from servers
  --mutation         ask again where what answers is gone: hardly anything may be recovered
  --parallel N       questions asked at the same time (default 2)
`

const { values: options } = parseArgs({
  options: {
    payloads: { type: 'string' },
    seed: { type: 'string', default: SEED },
    'per-type': { type: 'string' },
    systems: { type: 'string' },
    policy: { type: 'string' },
    types: { type: 'string' },
    quick: { type: 'boolean', default: false },
    failures: { type: 'string', default: '0' },
    generated: { type: 'boolean', default: false },
    mutation: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) console.log(HELP)
else await main()

async function main() {
  const payloads = options.payloads ? loadPayloads(options.payloads) : await own()
  const wanted = options.types?.split(',')
  const perType = Number(options['per-type'] ?? (options.quick ? 1 : 3))
  const questions = questionsOf(payloads, { seed: Number(options.seed), perType }).filter(
    ({ type }) => wanted === undefined || wanted.includes(type),
  )
  say(
    `${payloads.length} payloads, ${questions.length} questions, seed ${options.seed}, policies: ${policies()}\n`,
  )
  const run = await askAll(payloads, questions, systemsWanted())
  if (options.mutation) {
    const changed = mutated(payloads, questions)
    const again = await askAll(changed.payloads, changed.questions, systemsWanted())
    reportMutation(run.rows, again.rows)
    return
  }
  const summary = {
    policies: policies(),
    ...summarize(run, { payloads, questions, seed: Number(options.seed), perType }),
  }
  printReport(summary)
  printFailures(run.rows, Number(options.failures))
  const whole = ['payloads', 'quick', 'systems', 'types', 'policy', 'generated'].every(
    (name) => !options[name],
  )
  if (whole) {
    mkdirSync('benchmarks/results', { recursive: true })
    writeFileSync(
      'benchmarks/results/answers.json',
      `${JSON.stringify({ machine: machine(), ...summary }, null, 1)}\n`,
    )
  }
}

/** The payloads that come with the project: recorded from real servers, and generated. */
async function own() {
  const recorded = options.generated ? [] : await recordPayloads()
  const files = [...recorded, ...generatedPayloads({ seed: options.seed })]
  return files.flatMap(({ name, text }) => readPayload(name, text))
}

function systemsWanted() {
  const names = options.systems?.split(',') ?? (options.quick ? ['proxy', 'oracle'] : undefined)
  const unknown = names?.find((name) => !SYSTEMS.some((system) => system.name === name))
  if (unknown) throw new Error(`no system ${unknown}: ${SYSTEMS.map(({ name }) => name).join(', ')}`)
  return SYSTEMS.filter(({ name }) => names === undefined || names.includes(name))
}

/** Every question of every system; a row for each. */
async function askAll(payloads, questions, systems) {
  const folder = mkdtempSync(join(tmpdir(), 'answers-'))
  const rows = []
  const definitions = {}
  try {
    for (const { name, text } of payloads) writeFileSync(join(folder, fileOf(name)), text)
    for (const system of systems) {
      const started = await system.start(payloads, folder)
      definitions[system.name] = tokensOf(started.definitions)
      try {
        for (const policy of system.policies ?? [undefined]) {
          if (policy && options.policy && policy !== options.policy) continue
          rows.push(...(await askSystem({ system, started, policy, payloads, questions })))
        }
      } finally {
        await started.close()
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { rows, definitions }
}

async function askSystem({ system, started, policy, payloads, questions }) {
  const label = policy ? `${system.name} (${policy})` : system.name
  const byName = new Map(payloads.map((payload) => [payload.name, payload]))
  const rows = []
  const start = Date.now()
  let next = 0
  const worker = async () => {
    while (next < questions.length) {
      const at = next
      next += 1
      const question = questions[at]
      rows[at] = { system: label, ...(await askOne(started, policy, question, byName.get(question.payload))) }
      say(`\r${label}: ${rows.filter(Boolean).length} of ${questions.length}`)
    }
  }
  await Promise.all(Array.from({ length: Number(options.parallel) }, worker))
  say(`\r${label}: ${questions.length} questions in ${Math.round((Date.now() - start) / 100) / 10} s\n`)
  return rows
}

async function askOne(started, policy, question, payload) {
  const session = await started.open(payload)
  const { gold, ...seen } = question
  // The floor alone is told the answer.
  const asked = 'knows' in session ? question : seen
  // An agent that stumbles has no answer; the run goes on.
  const answer = await started
    .answer(asked, session, policy)
    .catch((error) => ({ unanswered: `the agent failed: ${error.stack}` }))
  return {
    id: question.id,
    type: question.type,
    payload: payload.name,
    source: payload.source,
    outcome: score(gold, answer),
    tokens: session.tokens,
    trips: session.trips,
    largest: session.largest,
    overBudget: session.overBudget,
    ms: session.calls.map(({ ms }) => ms),
    question,
    answer,
    calls: session.calls.map(({ text, ...call }) => ({ ...call, text: kept(text) })),
  }
}

/** The beginning of a reply, as a text of its own: a part would hold on to the whole. */
function kept(text) {
  return text.length <= 4000 ? text : Buffer.from(text.slice(0, 4000)).toString()
}

function say(text) {
  process.stderr.write(text)
}
