/**
 * A plain cut: the first 8,000 characters, or the first and last 4,000. The agent reads what it sees, and answers what a part can
 * prove: the one record that is named, the words that are there. It counts and lists nothing, and says "none" of nothing.
 */

import { GET } from '../server.mjs'
import { Conversation } from '../session.mjs'
import { recordsIn, rootValue, wantedIn } from './fragments.mjs'
import { readsAll } from './whole.mjs'

const SHOWN = 8000

export const head = cutting('head', (text) => [text.slice(0, SHOWN)])
export const headTail = cutting('head-tail', (text) => [text.slice(0, SHOWN / 2), text.slice(-SHOWN / 2)])

/** @returns {import('../contract.mjs').System} */
function cutting(name, piecesOf) {
  return {
    name,
    async start(payloads) {
      const known = new Map(payloads.map((payload) => [payload.name, payload]))
      const pieces = (text) => (text.length <= SHOWN ? [text] : piecesOf(text))
      const shown = ({ text }) => {
        const parts = pieces(text)
        return parts.length === 1 && parts[0] === text
          ? text
          : `${parts.join('\n…\n')}\n[cut: ${text.length} characters in all]`
      }
      return {
        definitions: JSON.stringify([GET]),
        open: async () => new Conversation(async (_, args) => ({ text: shown(known.get(args.name)) })),
        async answer(question, session) {
          const { text } = await session.call('get', { name: question.payload })
          const payload = known.get(question.payload)
          if (text === payload.text) {
            return readsAll(question, text, known, (other) => session.call('get', { name: other }))
          }
          return fromPart(question, pieces(payload.text), payload.kind)
        },
        close: async () => {},
      }
    },
  }
}

/** The answer that a part of the text can prove. */
export function fromPart({ ask, type }, pieces, kind) {
  const { words, want, where, order, join, aggregate, by, structure } = ask
  if (order || join || aggregate || by || structure || type === 'filter')
    return { unanswered: 'a part cannot tell' }
  if (want === undefined) {
    const lines = pieces.join('\n').split('\n')
    const line = type === 'relevance' ? undefined : lines.find((one) => one.includes(words))
    return line === undefined ? { unanswered: 'not in the part' } : { answer: line }
  }
  if (ask.collection === undefined) return rootValue(ask, pieces[0])
  if (where === undefined && words === undefined) return { unanswered: 'a part cannot tell' }
  const [header] = pieces[0].split('\n')
  const found = pieces.flatMap((piece, at) => wantedIn(ask, recordsIn(piece, kind, header, at === 0)))
  const distinct = [...new Set(found)]
  return distinct.length === 0 ? { unanswered: 'not in the part' } : { answer: distinct }
}
