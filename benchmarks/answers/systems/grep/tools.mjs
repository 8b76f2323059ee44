/** The tools over a spilled file. Replies carry what the agent reads in them: matches with their offsets, and counts. */
import { GET } from '../../server.mjs'

const FIRST = 2000
const MOST_MATCHES = 50
const LONGEST_LINE = 500
const MOST_READ = 8000

const NAME = { type: 'string', description: 'Name of the result.' }

export const TOOLS = [
  { ...GET, description: `${GET.description} A long one is written to a file: grep and read it.` },
  {
    name: 'grep',
    description:
      'Lines of a stored result that match a regular expression: line number, offset, text. At most 50, long lines cut.',
    inputSchema: {
      type: 'object',
      properties: {
        name: NAME,
        pattern: { type: 'string', description: 'Regular expression.' },
        context: { type: 'integer', description: 'Lines before and after each match.' },
        count_only: { type: 'boolean', description: 'Only the number of lines that match.' },
      },
      required: ['name', 'pattern'],
    },
  },
  {
    name: 'read',
    description: 'A part of a stored result by offset, at most 8,000 characters.',
    inputSchema: {
      type: 'object',
      properties: { name: NAME, offset: { type: 'integer' }, limit: { type: 'integer' } },
      required: ['name', 'offset'],
    },
  },
]

/** @param {Map<string, import('../../contract.mjs').Payload>} known */
export function toolsFor(known) {
  const tools = {
    get({ text }) {
      if (text.length <= MOST_READ) return { text }
      return {
        text: `${text.length} characters, ${lines(text).length} lines, kept in a file. It begins:\n${text.slice(0, FIRST)}`,
      }
    },
    read: ({ text }, { offset, limit = MOST_READ }) => ({
      text: text.slice(offset, offset + Math.min(limit, MOST_READ)),
    }),
    grep({ text }, { pattern, context = 0, count_only: countOnly = false }) {
      const regex = new RegExp(pattern)
      const all = lines(text)
      const hits = all.flatMap((line, at) => (regex.test(line.text) ? [at] : []))
      if (countOnly) return { text: String(hits.length), total: hits.length }
      const matches = hits.slice(0, MOST_MATCHES).map((at) => matchOf(all, at, regex, context))
      const shown = matches.map(({ number, offset, text: own }) => `${number}:${offset}: ${own}`)
      const rest = hits.length > matches.length ? `\n${hits.length - matches.length} more` : ''
      return { text: shown.join('\n') + rest || 'no match', matches, total: hits.length }
    },
  }
  return async (name, args) => {
    const payload = known.get(args.name)
    return tools[name](payload, args)
  }
}

const cache = new WeakMap()
const holders = new Map()

/** Lines with their offsets, split once for a text. */
function lines(text) {
  let holder = holders.get(text)
  if (!holder) {
    holder = {}
    holders.set(text, holder)
    let offset = 0
    cache.set(
      holder,
      text.split('\n').map((line) => {
        const own = { text: line, offset }
        offset += line.length + 1
        return own
      }),
    )
  }
  return cache.get(holder)
}

function matchOf(all, at, regex, context) {
  const line = all[at]
  const found = regex.exec(line.text)
  const offset = line.offset + found.index
  if (line.text.length > LONGEST_LINE) {
    const from = Math.max(0, found.index - LONGEST_LINE / 2)
    return { number: at + 1, offset, text: line.text.slice(from, from + LONGEST_LINE) }
  }
  const around = all
    .slice(Math.max(0, at - context), at + context + 1)
    .map(({ text }) => text.slice(0, LONGEST_LINE))
  return { number: at + 1, offset, text: around.join('\n'), ...(context === 0 && { whole: line.text }) }
}
