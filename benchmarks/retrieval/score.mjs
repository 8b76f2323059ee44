/** How well rankings answer labelled questions. */

/**
 * @param {{ right: Set<string>, found: string[] }[]} answers rankings, best first.
 * Recall is the part of the right tools that is among the first; MRR looks at the first right one. `empty`: questions that no tool answers
 * and that got none; `lost`: questions that a tool answers, and that got none either.
 */
export function scoreOf(answers) {
  const asked = answers.filter(({ right }) => right.size > 0)
  const unanswerable = answers.filter(({ right }) => right.size === 0)
  const mean = (value) =>
    asked.length === 0 ? null : round(asked.reduce((sum, answer) => sum + value(answer), 0) / asked.length)
  return {
    questions: asked.length,
    r1: mean((answer) => recall(answer, 1)),
    r5: mean((answer) => recall(answer, 5)),
    r10: mean((answer) => recall(answer, 10)),
    mrr: mean(({ right, found }) => {
      const place = found.findIndex((id) => right.has(id))
      return place < 0 ? 0 : 1 / (place + 1)
    }),
    unanswerable: unanswerable.length,
    empty: unanswerable.filter(isEmpty).length,
    lost: asked.filter(isEmpty).length,
  }
}

const isEmpty = ({ found }) => found.length === 0

export function recall({ right, found }, first) {
  return found.slice(0, first).filter((id) => right.has(id)).length / right.size
}

export const round = (value) => Math.round(1000 * value) / 1000
