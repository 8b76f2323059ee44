/** The same questions about payloads that no longer hold the answers: what a system still gets right, it did not read. */
import { withoutGold } from './mutation.mjs'

/** Characters of a payload that is copied for each question about it. */
const MOST_MUTATED = 1_000_000

/** Each question with a payload of its own that lacks what answers it; the others are there as they were, for joins. */
export function mutated(payloads, questions) {
  const changed = []
  const asked = []
  for (const [at, question] of questions.entries()) {
    const payload = payloads.find(({ name }) => name === question.payload)
    const rest = payload.text.length <= MOST_MUTATED ? withoutGold(payload, question) : undefined
    if (rest === undefined) continue
    const name = `${at} ${payload.name}`
    const { join: other } = question.ask
    const inside = other?.payload === payload.name
    changed.push({ ...rest, name })
    asked.push({
      ...question,
      payload: name,
      ask: { ...question.ask, ...(inside && { join: { ...other, payload: name } }) },
    })
  }
  return { payloads: [...payloads, ...changed], questions: asked }
}

/** Says what is still right, and fails the run when that is more than a tenth of what was, of the whole text or by ours. The floor is told the answer. */
export function reportMutation(before, after) {
  const asked = new Set(after.map(({ id }) => id))
  const right = (rows, system) =>
    rows.filter((row) => asked.has(row.id) && row.system === system && row.outcome === 'right').length
  for (const system of new Set(after.map((row) => row.system))) {
    const [was, is] = [right(before, system), right(after, system)]
    console.log(`${system}: ${was} of ${asked.size} right, ${is} where what answers is gone`)
    if (is > 0.1 * was && (system === 'raw' || system.startsWith('proxy'))) process.exitCode = 1
  }
}
