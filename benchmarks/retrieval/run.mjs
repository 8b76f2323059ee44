/**
 * Finding tools by questions in words: how many right ones are among the first, by kind of question, what the replies cost, how
 * long it takes, and what each choice changes. With `--set`, another folder of labelled questions; nothing is recorded then.
 * Usage: node benchmarks/retrieval/run.mjs [--set DIR]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cutAdaptively, mergeAnswers } from '../../dist/discovery/adaptive.js'
import { leadOf } from '../../dist/discovery/lead.js'
import { indexTools, WEIGHTS } from '../../dist/discovery/lexical.js'
import { signatureOf } from '../../dist/discovery/signature.js'
import { tokensOf } from '../answers/tokens.mjs'
import { machine, median, quantile } from '../lib/measure.mjs'
import { recall, round, scoreOf } from './score.mjs'
import { loadSet } from './set.mjs'

const OWN = fileURLToPath(new URL('set', import.meta.url))
const K = 5
const { values: options } = parseArgs({ options: { set: { type: 'string' } } })

const set = loadSet(options.set ?? OWN)
const search = indexTools(set.tools)
const answers = answersOf(search)
const kinds = [...new Set(set.questions.map(({ kind }) => kind))]
const report = {
  machine: machine(),
  tools: set.tools.length,
  kinds: [
    ...(kinds.length > 1
      ? kinds.map((kind) => ({ kind, ...scoreOf(answers.filter((answer) => answer.kind === kind)) }))
      : []),
    { kind: 'first half', ...scoreOf(answers.filter(({ half }) => half === 0)) },
    { kind: 'second half', ...scoreOf(answers.filter(({ half }) => half === 1)) },
    { kind: 'all', ...scoreOf(answers) },
  ],
  replies: replies(),
  weights: weights(),
  adaptive: adaptive(),
  batching: batching(),
  times: times(),
}
for (const [title, rows] of Object.entries(report)) {
  console.log(`\n${title}`)
  if (Array.isArray(rows)) console.table(rows)
  else console.log(rows)
}
if (!options.set) {
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync('benchmarks/results/retrieval.json', `${JSON.stringify(report, null, 1)}\n`)
}

function answersOf(index, take = (found) => found) {
  return set.questions.map((question) => {
    const hits = take(index.search(question.query, 10))
    return { ...question, hits, found: hits.map((hit) => set.ids[hit.index]) }
  })
}

/** One line a tool: signature, score, and what it is for. */
function replyTokens(hits) {
  const lines = hits.map(({ index, score }) => {
    const { server, name, definition } = set.tools[index]
    const signature = signatureOf(`${server}_${name}`, definition.inputSchema)
    return `${signature} ${score.toFixed(2)} ${leadOf(definition.description ?? '', 160)}`
  })
  return tokensOf(lines.join('\n'))
}

function replies() {
  const full = answers.filter(({ hits }) => hits.length >= K)
  const tokens = full.map(({ hits }) => replyTokens(hits.slice(0, K)))
  const schemas = full.map(({ hits }) =>
    tokensOf(
      hits
        .slice(0, K)
        .map(({ index }) => JSON.stringify(set.tools[index].definition))
        .join('\n'),
    ),
  )
  return {
    tools: K,
    median: median(tokens),
    p95: quantile(tokens, 0.95),
    largest: Math.max(...tokens),
    definitionsMedian: median(schemas),
  }
}

/** What each field of a definition is worth. */
function weights() {
  const rows = {
    'as they are': {},
    'all alike': { name: 1, server: 1, description: 1, parameters: 1 },
    'name twice as much': { name: 2 * WEIGHTS.name },
    'no parameters': { parameters: 0 },
    'parameters twice as much': { parameters: 2 * WEIGHTS.parameters },
    'no server': { server: 0 },
    'name alone': { server: 0, description: 0, parameters: 0 },
  }
  return Object.entries(rows).map(([change, changed]) => ({
    weights: change,
    ...short(scoreOf(answersOf(indexTools(set.tools, { ...WEIGHTS, ...changed })))),
  }))
}

/** As many tools as the scores deserve, against always five. */
function adaptive() {
  const row = (limit, take) => {
    const cut = answersOf(search, take).filter(({ right }) => right.size > 0)
    const sum = (value) => cut.reduce((total, answer) => total + value(answer), 0)
    return {
      limit,
      found: round(sum((answer) => recall(answer, 10)) / cut.length),
      tools: round(sum(({ hits }) => hits.length) / cut.length),
      tokens: median(cut.map(({ hits }) => replyTokens(hits))),
    }
  }
  return [
    row('5', (found) => found.slice(0, 5)),
    ...[0.3, 0.4, 0.5, 0.6, 0.8].map((ratio) =>
      row(`${ratio} of the best, 1 to 10`, (found) => cutAdaptively(found, { ratio, least: 1, most: 10 })),
    ),
    ...[0.4, 0.5].map((ratio) =>
      row(`${ratio} of the best, 3 to 5`, (found) => cutAdaptively(found, { ratio, least: 3, most: 5 })),
    ),
  ]
}

/** Questions for two tools, asked as one and asked as two of a batch. */
function batching() {
  const both = set.questions.filter(({ kind, query }) => kind === 'multi' && / and /.test(query))
  if (both.length === 0) return []
  const row = (way, ask) => {
    const all = both.map((question) => {
      const hits = ask(question.query)
      return { right: question.right, found: hits.map(({ index }) => set.ids[index]), hits }
    })
    return {
      way,
      questions: all.length,
      found: round(all.reduce((sum, answer) => sum + recall(answer, 20), 0) / all.length),
      tools: round(all.reduce((sum, { hits }) => sum + hits.length, 0) / all.length),
      tokens: median(all.map(({ hits }) => replyTokens(hits))),
    }
  }
  const parts = (query) => query.split(/,? and (?:then )?/)
  return [
    row('one question, 5 tools', (query) => search.search(query, 5)),
    row('one question, 6 tools', (query) => search.search(query, 6)),
    row('a question each, 3 tools', (query) =>
      mergeAnswers(parts(query).map((part) => search.search(part, 3))),
    ),
    row('a question each, 5 tools', (query) =>
      mergeAnswers(parts(query).map((part) => search.search(part, 5))),
    ),
  ]
}

/** 5,000 tools: those of the set with a word of their own each. CPU time, against cutting the same definitions into words by a plain loop. */
function times() {
  const rounds = Array.from({ length: 7 }, () => {
    const many = Array.from({ length: 5_000 }, (_, place) => {
      const tool = set.tools[place % set.tools.length]
      const description = `${tool.definition.description ?? ''} variant${place}`
      return { ...tool, definition: { ...tool.definition, description } }
    })
    const plain = cpu(() =>
      many.map(({ definition }) => JSON.stringify(definition).toLowerCase().match(/\w+/g)),
    )
    let index
    const first = cpu(() => {
      index = indexTools(many)
    })
    const again = cpu(() => indexTools([...many]))
    const queries = set.questions.map(({ query }) => {
      const start = performance.now()
      index.search(query, K)
      return performance.now() - start
    })
    return { plain, first, again, query: median(queries), slow: quantile(queries, 0.95) }
  })
  const of = (name) => round(median(rounds.map((each) => each[name])))
  return [
    { what: 'index, ms of CPU', median: of('first'), ratio: round(of('first') / of('plain')) },
    { what: 'index after a change', median: of('again'), ratio: round(of('again') / of('plain')) },
    { what: 'plain loop', median: of('plain'), ratio: 1 },
    { what: 'question, ms', median: of('query'), p95: of('slow') },
  ]
}

function cpu(run) {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function short({ r1, r5, mrr, empty }) {
  return { r1, r5, mrr, empty }
}
