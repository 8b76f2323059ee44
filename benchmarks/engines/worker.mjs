/** Measures all questions about one document in a thread of its own, as the engine's workers do: ours and the alternatives in turns. */
import { parentPort, workerData } from 'node:worker_threads'
import { openDocument } from '../../dist/documents/opening/open.js'
import { runPipeline } from '../../dist/processors/pipeline.js'
import { filterSteps, searchSteps } from '../../dist/processors/pipelines.js'
import { dataPassages } from '../../dist/processors/search/bm25.js'
import { searchable } from '../../dist/processors/search/searchable.js'
import { paragraphPassages, recordPassages } from '../../dist/text/passages.js'
import { indexed, queryTerms, rankPassages } from '../../dist/text/words/bm25.js'
import { interleaved, median } from '../lib/measure.mjs'
import * as data from './data.mjs'
import { hostile, questions } from './questions.mjs'

const { kind, bytes, rounds, coldRounds, only } = workerData
const steps = { filter: filterSteps, search: searchSteps }
const text = kind === 'json' ? data.records(bytes) : data.log(bytes)
const { content } = data.kept(text)

const chosen = questions[kind].filter(({ question }) => only === undefined || question.includes(only))
const rows = []
const kept = warmDocument()
const parsed = alternativeData()
for (const one of chosen) rows.push(await measure(one))
const ranking =
  chosen.some(({ question }) => question === 'bm25') && bytes <= 10_000_000 ? sameAsWink() : undefined
const bounded = bytes === 10_000_000 && only === undefined ? hostile.map(endure) : []
parentPort.postMessage({ kind, bytes, rows, ranking, hostile: bounded })

function warmDocument() {
  const document = openDocument(content)
  document.records()
  return document
}

/** The data that a program by hand would keep for all questions: the records, their texts line by line, and the words of each record. */
function alternativeData() {
  const { text: whole } = JSON.parse(Buffer.from(content).toString('utf8')).content[0]
  const records = kind === 'json' ? JSON.parse(whole) : kept.records().values
  const texts = kind === 'json' ? strings(records) : whole.split('\n')
  const passages = kind === 'json' ? records.map((record) => strings([record]).join(' ')) : texts
  return { records, texts, passages }
}

function strings(records) {
  const found = []
  const visit = (value) => {
    if (typeof value === 'object' && value !== null) for (const key in value) visit(value[key])
    else found.push(String(value))
  }
  for (const record of records) visit(record)
  return found
}

function ours(document, { kind: tool, params }) {
  const { document: answer, error } = runPipeline(document, steps[tool], params)
  if (error !== undefined) throw new Error(error)
  return answer.rows().slice(0, tool === 'filter' ? 50 : 20)
}

async function measure(one) {
  const alternatives = Object.entries(one.alternatives).filter(
    ([, { largest }]) => bytes <= (largest ?? Infinity),
  )
  const candidates = {}
  const cold = { ours: [] }
  for (let round = 0; round < coldRounds; round++) {
    const start = performance.now()
    ours(openDocument(content), one)
    cold.ours.push(performance.now() - start)
    for (const [name, { prepare, answer }] of alternatives) {
      const begin = performance.now()
      answer(prepare(freshData(name)))
      cold[name] = [...(cold[name] ?? []), performance.now() - begin]
    }
  }
  for (const [name, { prepare, answer }] of alternatives) {
    const prepared = prepare(parsed)
    candidates[name] = () => answer(prepared)
  }
  candidates.ours = () => ours(kept, one)
  const first = performance.now()
  candidates.ours()
  const firstMs = performance.now() - first
  const slowest = Math.max(...Object.values(cold).map(median))
  const times = await interleaved(candidates, { rounds: slowest > 3000 ? 3 : rounds, warmup: 2 })
  return {
    question: one.question,
    firstMs: round(firstMs),
    systems: Object.fromEntries(
      Object.entries(times).map(([name, { median: middle }]) => [
        name,
        { coldMs: round(median(cold[name])), warmMs: round(middle) },
      ]),
    ),
  }
}

/** The work of an alternative before its first answer, from the bytes on. Lines of a log are taken as they are. */
function freshData() {
  const { text: whole } = JSON.parse(Buffer.from(content).toString('utf8')).content[0]
  const records = kind === 'json' ? JSON.parse(whole) : parsed.records
  return {
    records,
    get texts() {
      return kind === 'json' ? strings(records) : whole.split('\n')
    },
    get passages() {
      return kind === 'json' ? records.map((record) => strings([record]).join(' ')) : whole.split('\n')
    },
  }
}

/** The ten best passages of several queries by an index of wink, and by us. */
function sameAsWink() {
  const ranked = corpus()
  const index = indexed(ranked)
  const scan = rankPassages(ranked)
  const queries = [
    'checksum deadlock timeout',
    'connection handler',
    'user17 replica',
    'gateway',
    'nothing of it',
  ]
  return queries.map((query) => {
    const [theirs, mine] = [index, scan].map((ranking) => ranking.search(query, 10).best)
    return { query, terms: queryTerms(query).length, equal: JSON.stringify(theirs) === JSON.stringify(mine) }
  })
}

function corpus() {
  const view = searchable(kept)
  if (kind === 'json') return dataPassages(view.leaves, kept.records().values.length)
  const passages = (kept.format === 'log' ? recordPassages : paragraphPassages)(view.text, view.lines)
  return { text: view.text, passages }
}

function endure(pattern) {
  const start = performance.now()
  const { error } = runPipeline(kept, searchSteps, { pattern })
  const ms = round(performance.now() - start)
  return { pattern, ms, outcome: error === undefined ? 'answered' : 'stopped' }
}

function round(value) {
  return Math.round(value * 100) / 100
}
