/** Payloads that no longer hold the answer: a benchmark with the same score on them measures something else. */
import { collectionsOf, containersAt } from './payloads/collections.mjs'
import { tableOf } from './payloads/csv.mjs'
import { readPayload } from './payloads/load.mjs'
import { found, recordsOf, valuesAt } from './questions/evaluate.mjs'

/**
 * The payload without what answers a question. The gold of the question, worked out before, is then wrong for it.
 * @param {import('./contract.mjs').Payload} payload
 * @param {import('./contract.mjs').Question} question
 * @returns {import('./contract.mjs').Payload | undefined} undefined when nothing in particular answers: totals, structure, absent
 */
export function withoutGold(payload, question) {
  const { ask, gold } = question
  if (gold.none || ask.structure || ask.by || ask.aggregate) return undefined
  if (gold.contains !== undefined) return withoutPhrase(payload, gold.contains)
  if (ask.collection === undefined) return ask.want && withoutPlace(payload, ask.want)
  const answering = new Set(found(ask, payload))
  const first = new Set(gold.list)
  const gone = (recordsOf(payload, ask.collection) ?? []).flatMap((record, at) =>
    answering.has(record) && (!ask.order || valuesAt(record, ask.want).some((value) => first.has(value)))
      ? [at]
      : [],
  )
  return withoutRecords(payload, ask.collection, new Set(gone))
}

/**
 * Every payload without the answers to its questions, and the questions with a gold that is wrong now.
 * @param {import('./contract.mjs').Payload[]} payloads
 * @param {import('./contract.mjs').Question[]} questions
 */
export function mutate(payloads, questions) {
  const changed = new Map(payloads.map((payload) => [payload.name, payload]))
  const hit = questions.filter((question) => {
    const less = withoutGold(changed.get(question.payload), question)
    if (less) changed.set(question.payload, less)
    return less !== undefined
  })
  return { payloads: [...changed.values()], questions: hit }
}

function withoutRecords(payload, at, gone) {
  if (payload.kind === 'json') {
    const data = structuredClone(payload.data)
    let index = 0
    for (const container of containersAt(data, at)) {
      const kept = Object.entries(container).filter(() => !gone.has(index++))
      const names = new Set(kept.map(([name]) => name))
      if (Array.isArray(container)) {
        for (const [at, [, value]] of kept.entries()) container[at] = value
        container.length = kept.length
      } else for (const key of Object.keys(container)) if (!names.has(key)) delete container[key]
    }
    return withData(payload, data)
  }
  return withText(
    payload,
    payload.kind === 'csv' ? withoutRows(payload, gone) : withoutLines(payload, (_, n) => gone.has(n)),
  )
}

function withoutRows({ text, source }, gone) {
  const { rows } = tableOf(text, source, { header: true })
  const header = text.slice(0, rows[0]?.start)
  return (
    header + rows.flatMap(({ start, end }, at) => (gone.has(at) ? [] : [text.slice(start, end)])).join('')
  )
}

/** Lines are counted as records are: in NDJSON blank ones are none. */
function withoutLines({ text, kind }, isGone) {
  let record = 0
  return text
    .split(/(?<=\n)/)
    .filter((line) => (kind === 'ndjson' && line.trim() === '') || !isGone(line, record++))
    .join('')
}

function withoutPhrase(payload, phrase) {
  if (payload.kind !== 'json')
    return withText(
      payload,
      withoutLines(payload, (line) => line.includes(phrase)),
    )
  // Inside a string: the phrases asked for read the same in JSON.
  return withData(payload, JSON.parse(payload.text.replaceAll(phrase, '')))
}

function withoutPlace(payload, way) {
  const data = structuredClone(payload.data)
  const [parent] = valuesAt(data, way.slice(0, -1))
  delete parent[way.at(-1)]
  return withData(payload, data)
}

function withData(payload, data) {
  const text = JSON.stringify(data, null, payload.name.endsWith(' pretty') ? 2 : undefined)
  return { ...payload, data, text, collections: collectionsOf(data) }
}

function withText(payload, text) {
  return { ...readPayload(payload.source, text, payload.kind)[0], name: payload.name, source: payload.source }
}
