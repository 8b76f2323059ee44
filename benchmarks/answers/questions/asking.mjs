/** The helpers of all types of questions: where to ask, and not asking the same twice. */

/**
 * Makes up to `count` different questions out of attempts, most of which may come to nothing.
 * @param {number} count
 * @param {(used: Set<string>) => ({text: string, ask: object, gold: object, fields?: string[][]} | undefined)} attempt
 *   `fields`: what the question is about; no two questions share them
 * @param {number} [attempts] for each question
 */
export function several(count, attempt, attempts = 12) {
  const questions = []
  const used = new Set()
  for (let left = count * attempts; left > 0 && questions.length < count; left--) {
    const question = attempt(used)
    if (question === undefined) continue
    const { fields = [], ...rest } = question
    const keys = fields.length > 0 ? fields.map(String) : [rest.text]
    if (keys.some((key) => used.has(key))) continue
    for (const key of keys) used.add(key)
    questions.push(rest)
  }
  return questions
}

/** A collection to ask about: mostly the one that holds most. */
export function someCollection(payload, random) {
  const [main] = payload.collections
  return random.often(0.65) ? main : random.pick(payload.collections)
}

/** Whether the general questions about records fit: logs have their own. */
export const hasRecords = ({ kind, collections }) => kind !== 'log' && collections.length > 0
