/**
 * The floor: one call that names exactly what is wanted, and a reply that is the answer as minified JSON. Nothing can do better without
 * guessing; no real tool can do it. The one system that sees the gold.
 */
import { Conversation } from '../session.mjs'

/** A tool of about 100 tokens. */
const ANSWER = {
  name: 'answer',
  description: 'Answers one question about a stored result.',
  inputSchema: {
    type: 'object',
    properties: {
      of: { type: 'string', description: 'Name of the result, and the part of it.' },
      where: { type: 'string', description: 'Conditions that records must meet.' },
      want: { type: 'string', description: 'Fields, aggregate, order or words that are wanted.' },
    },
    required: ['of', 'want'],
  },
}

/** @type {import('../contract.mjs').System} */
export const oracle = {
  name: 'oracle',
  async start() {
    return {
      definitions: JSON.stringify([ANSWER]),
      open: async () => {
        let gold
        const session = new Conversation(async () => ({ text: JSON.stringify(gold) }))
        return Object.assign(session, {
          knows(value) {
            gold = value
          },
        })
      },
      async answer({ ask, gold, payload }, session) {
        session.knows('none' in gold ? null : Object.values(gold)[0])
        await session.call('answer', named(payload, ask))
        return 'none' in gold ? gold : { answer: Object.values(gold)[0] }
      },
      close: async () => {},
    }
  },
}

function named(payload, { collection = [], where = [], words, ...wanted }) {
  const say = (way) => way.filter((key) => key !== '[]').join('.')
  const want = Object.entries(wanted).map(([key, value]) => `${key} ${sayAny(value, say)}`)
  if (words !== undefined) want.push(words)
  return {
    of: [payload, say(collection)].filter(Boolean).join(' '),
    ...(where.length > 0 && {
      where: where.map(({ field, op, value }) => `${say(field)} ${op} ${value}`).join(', '),
    }),
    want: want.join(', '),
  }
}

function sayAny(value, say) {
  if (Array.isArray(value)) return say(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.values(value)
    .map((inner) => sayAny(inner, say))
    .join(' ')
}
