/**
 * Full-text search over chunks: the result is cut into 1,000 characters each, indexed with BM25 (MiniSearch), and the five best chunks
 * come back for a query. The agent asks for the words of the question, and answers what a chunk can prove; it never claims that
 * something is nowhere.
 */
import MiniSearch from 'minisearch'
import { GET } from '../server.mjs'
import { Conversation } from '../session.mjs'
import { best } from './best.mjs'
import { recordsIn, wantedIn } from './fragments.mjs'

const SIZE = 1000
const TOP = 5

const TOOLS = [
  { ...GET, description: `${GET.description} It is kept in chunks: search them.` },
  {
    name: 'search',
    description: 'Full-text search in a stored result. Returns the five best chunks of 1,000 characters.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the result.' },
        query: { type: 'string', description: 'Words to look for.' },
      },
      required: ['name', 'query'],
    },
  },
]

/** @type {import('../contract.mjs').System} */
export const chunks = {
  name: 'chunks',
  async start(payloads) {
    const known = new Map(payloads.map((payload) => [payload.name, payload]))
    const indexes = new Map()
    const search = async (tool, { name, query }) => {
      if (tool === 'get')
        return { text: `Kept: ${known.get(name).text.length} characters in chunks of ${SIZE}.` }
      if (!indexes.has(name)) indexes.set(name, indexOf(known.get(name).text))
      const hits = indexes.get(name).search(query).slice(0, TOP)
      return { text: hits.map(({ id, text }) => `--- chunk ${id}\n${text}`).join('\n') || 'Nothing found.' }
    }
    return {
      definitions: JSON.stringify(TOOLS),
      open: async () => new Conversation(search),
      async answer(question, session) {
        await session.call('get', { name: question.payload })
        return answer(question, session, known)
      },
      close: async () => {},
    }
  },
}

function indexOf(text) {
  const index = new MiniSearch({ fields: ['text'], storeFields: ['text'] })
  for (let at = 0; at < text.length; at += SIZE) index.add({ id: at / SIZE, text: text.slice(at, at + SIZE) })
  return index
}

async function answer({ ask, type, payload }, session, known) {
  if (ask.join) return join(ask, payload, session, known)
  const { order, aggregate, by, structure, want, words } = ask
  if (order || aggregate || by || structure || type === 'filter') return { unanswered: 'chunks cannot tell' }
  const found = await look(session, payload, ask)
  if (want === undefined) {
    if (found.length === 0) return { unanswered: 'nothing found' }
    if (type === 'relevance') return { answer: best(found, words) }
    const line = found.flatMap((chunk) => chunk.split('\n')).find((one) => one.includes(words))
    return line === undefined ? { unanswered: 'not in the chunks' } : { answer: line }
  }
  return fieldIn(ask, found, known.get(payload))
}

/** The chunks of a reply. */
async function look(session, name, { where = [], words, want }) {
  const terms = [
    ...where.flatMap(({ field, value }) => [field.filter((key) => key !== '[]').at(-1), value]),
    words,
    want?.at(-1),
  ]
  const { text } = await session.call('search', {
    name,
    query: terms.filter((term) => term !== undefined).join(' '),
  })
  return text.split(/^--- chunk \d+\n/m).slice(1)
}

function fieldIn(ask, found, { kind, text }) {
  if (ask.where === undefined && ask.words === undefined) return { unanswered: 'chunks cannot tell' }
  const header = text.slice(0, SIZE).split('\n')[0]
  const values = new Set(found.flatMap((chunk) => wantedIn(ask, recordsIn(chunk, kind, header))))
  return values.size === 0 ? { unanswered: 'not in the chunks' } : { answer: [...values] }
}

async function join({ join: other, ...first }, name, session, known) {
  const ask = { ...first, want: other.on }
  const keys = fieldIn(ask, await look(session, name, ask), known.get(name))
  if (!('answer' in keys)) return keys
  const values = []
  for (const value of keys.answer.slice(0, 5)) {
    const second = { where: [{ field: other.equals, op: '=', value }], want: other.want }
    const found = fieldIn(second, await look(session, other.payload, second), known.get(other.payload))
    if (!('answer' in found)) return found
    values.push(...found.answer)
  }
  return { answer: [...new Set(values)] }
}
