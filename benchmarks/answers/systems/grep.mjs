/**
 * The result spilled to a file, with the tools of a coding agent: `grep` (at most 50 matches, 500 characters round each in long lines,
 * or a count of lines) and `read` (8,000 characters from an offset). The first reply says the size and shows the first 2,000 characters.
 * The agent greps for what the question names, and reads around the match. It counts with grep where a line is a record, or where the
 * field has its own line and no other field has its name. Six trips.
 */
import { Conversation } from '../session.mjs'
import { best } from './best.mjs'
import { recordsIn, rootValue, wantedIn } from './fragments.mjs'
import { countable, fieldPattern, literal, valuePattern } from './grep/patterns.mjs'
import { TOOLS, toolsFor } from './grep/tools.mjs'
import { readsAll } from './whole.mjs'

const TRIPS = 6
const AROUND = 8000

/** @type {import('../contract.mjs').System} */
export const grep = {
  name: 'grep',
  async start(payloads) {
    const known = new Map(payloads.map((payload) => [payload.name, payload]))
    return {
      definitions: JSON.stringify(TOOLS),
      open: async () => new Conversation(toolsFor(known)),
      async answer(question, session) {
        const { text } = await session.call('get', { name: question.payload })
        if (text === known.get(question.payload).text) {
          return readsAll(question, text, known, (name) => session.call('get', { name }))
        }
        return answer(question, session, known, text.slice(text.indexOf('\n') + 1))
      },
      close: async () => {},
    }
  },
}

function answer(question, session, known, begins) {
  const { ask, type } = question
  const payload = known.get(question.payload)
  if (ask.want !== undefined && ask.collection === undefined) return rootValue(ask, begins)
  if (ask.structure) return structure(ask, payload, session)
  if (ask.aggregate === 'count') return count(ask, payload, session)
  if (ask.by || ask.aggregate) return gathered(ask, payload, session)
  if (ask.order) return { unanswered: 'nothing sorts' }
  if (ask.join) return join(ask, payload, session, known)
  if (ask.want === undefined) return passage(ask, type, payload, session)
  return type === 'filter' ? all(ask, payload, session) : lookup(ask, payload, session)
}

async function structure({ structure: what }, { name, kind }, session) {
  if (what !== 'records' || !['log', 'ndjson'].includes(kind)) return { unanswered: 'nothing counts records' }
  const { total } = await session.call('grep', { name, pattern: '\\S', count_only: true })
  return { answer: total }
}

async function count(ask, payload, session) {
  const pattern = countable(ask, payload)
  if (pattern === undefined) return { unanswered: 'no line to count' }
  const { total } = await session.call('grep', { name: payload.name, pattern, count_only: true })
  return { answer: total }
}

/** All values of a field, where each is on a line of its own and they are not more than grep shows. */
async function gathered(ask, payload, session) {
  const field = ask.by ?? ask.of
  const pattern = ask.where ? undefined : fieldPattern(field, payload)
  if (pattern === undefined) return { unanswered: 'the values are not on lines of their own' }
  const { matches, total } = await session.call('grep', { name: payload.name, pattern })
  if (total > matches.length) return { unanswered: 'more values than grep shows' }
  const values = matches.map(({ text }) =>
    JSON.parse(text.slice(text.indexOf(':') + 1).replace(/,?\s*$/, '')),
  )
  if (ask.by) return { answer: tally(values).slice(0, ask.k) }
  const numbers = values.map(Number)
  const sum = numbers.reduce((total_, number) => total_ + number, 0)
  return {
    answer: { sum, average: sum / numbers.length, min: Math.min(...numbers), max: Math.max(...numbers) }[
      ask.aggregate
    ],
  }
}

function tally(values) {
  const counts = new Map()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** The one record that is named. Nothing matches anywhere: there is none. */
async function lookup(ask, payload, session) {
  const { name, kind, text } = payload
  const pattern = ask.words === undefined ? valuePattern(ask.where[0], payload) : literal(ask.words)
  if (pattern === undefined) return { unanswered: 'nothing to grep for' }
  const { matches, total } = await session.call('grep', { name, pattern })
  if (total === 0) return { none: true }
  const header = text.slice(0, 2000).split('\n')[0]
  const values = new Set()
  for (const { offset, whole: line } of matches.slice(0, TRIPS - 2)) {
    if (session.trips >= TRIPS) break
    const whole = kind === 'json' ? undefined : line
    const piece =
      whole ??
      (await session.call('read', { name, offset: Math.max(0, offset - AROUND / 2), limit: AROUND })).text
    for (const value of wantedIn(ask, recordsIn(piece, kind, header))) values.add(value)
    if (values.size > 0) break
  }
  return values.size === 0 ? { unanswered: 'not found round the matches' } : { answer: [...values] }
}

/** All records that match, where each is a line and all lines are shown whole. */
async function all(ask, payload, session) {
  const { name, kind, text } = payload
  const [condition] = ask.where
  const pattern =
    ['ndjson', 'csv'].includes(kind) && condition.op === '=' ? valuePattern(condition, payload) : undefined
  if (pattern === undefined) return { unanswered: 'records are not lines' }
  const { matches, total } = await session.call('grep', { name, pattern })
  if (total > matches.length || matches.some(({ whole }) => whole === undefined))
    return { unanswered: 'more than grep shows' }
  const header = text.slice(0, 2000).split('\n')[0]
  const records = matches.flatMap(({ whole }) => recordsIn(whole, kind, header))
  const found = wantedIn(ask, records)
  return found.length === 0 ? { none: true } : { answer: found }
}

async function passage({ words }, type, { name }, session) {
  if (type !== 'relevance') {
    const { matches } = await session.call('grep', { name, pattern: literal(words) })
    return matches.length === 0 ? { none: true } : { answer: matches[0].text }
  }
  const rare = [...new Set(words.match(/\p{L}{4,}/gu))].sort((one, other) => other.length - one.length)
  const seen = []
  for (const word of rare.slice(0, 3)) {
    const { matches } = await session.call('grep', { name, pattern: word, context: 2 })
    seen.push(...matches.map(({ text }) => text))
  }
  return seen.length === 0 ? { unanswered: 'nothing found' } : { answer: best(seen, words) }
}

async function join({ join: other, ...first }, payload, session, known) {
  const keys = await lookup({ ...first, want: other.on }, payload, session)
  if (!('answer' in keys)) return keys
  if (keys.answer.length > 1) return { unanswered: 'too many keys' }
  const where = [{ field: other.equals, op: '=', value: keys.answer[0] }]
  if (other.payload !== payload.name) await session.call('get', { name: other.payload })
  return lookup({ where, want: other.want }, known.get(other.payload), session)
}
