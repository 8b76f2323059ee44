/** A reader who has the whole text in front of them, and makes no mistake. */
import { evaluate, valuesAt } from '../questions/evaluate.mjs'

/**
 * @param {import('../contract.mjs').Question} question
 * @param {string} text   what came into the context; must be the payload's own text
 * @param {Map<string, import('../contract.mjs').Payload>} payloads  what a perfect reader makes of a text
 * @param {(name: string) => Promise<{ text: string }>} fetch   gets the other text of a join
 * @returns {Promise<import('../contract.mjs').Answer>}
 */
export async function readsAll({ payload: name, ask }, text, payloads, fetch) {
  const payload = payloads.get(name)
  if (payload?.text !== text) return { unanswered: 'the text is not the whole' }
  if (ask.collection === undefined && ask.want) return { answer: valuesAt(payload.data, ask.want)[0] }
  if (ask.collection === undefined || (ask.words !== undefined && !ask.want && !ask.aggregate))
    return readsText(ask, text)
  const other = ask.join?.payload
  if (other !== undefined && other !== name && (await fetch(other)).text !== payloads.get(other)?.text) {
    return { unanswered: 'the other text is not the whole' }
  }
  // The second question of a join may name several keys.
  const keys = ask.where?.find(({ op }) => op === 'in')
  if (keys === undefined) return said(evaluate(ask, payload, [...payloads.values()]))
  const each = keys.value.map((value) => evaluate({ ...ask, where: [{ ...keys, op: '=', value }] }, payload))
  return said({ set: [...new Set(each.flatMap(({ set = [] }) => set))] })
}

function readsText({ words, structure }, text) {
  if (words === undefined) return { unanswered: `no reader for ${structure}` }
  // Words in no order are a question about a passage, and the passage is in the text.
  return text.includes(words) || words.includes(' ') ? { answer: text } : { none: true }
}

/** Gold as an answer. */
function said(gold) {
  return 'none' in gold ? gold : { answer: Object.values(gold)[0] }
}
