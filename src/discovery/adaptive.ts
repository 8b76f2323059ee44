/** How many of what was found are worth their tokens, and several questions as one. */
import type { Found, ToolSearch } from './search.ts'

export interface AdaptiveLimit {
  /** What scores less than this part of the best is left out. */
  ratio: number
  /** That many stay in any case, as far as there are so many. */
  least: number
  most: number
}

/** Measured by `npm run bench -- retrieval`. */
export const ADAPTIVE: AdaptiveLimit = { ratio: 0.5, least: 1, most: 10 }

/** The beginning of a ranking, best first, that is as long as the scores deserve. */
export function cutAdaptively(
  found: readonly Found[],
  { ratio, least, most }: AdaptiveLimit = ADAPTIVE,
): Found[] {
  const bar = (found[0]?.score ?? 0) * ratio
  const beyond = found.findIndex(({ score }, at) => at >= least && score < bar)
  return found.slice(0, Math.min(most, beyond < 0 ? found.length : beyond))
}

export interface Batch {
  /** What each question finds, in the order of the questions; a repeated question has the same answer. */
  answers: Found[][]
  /** Each tool once, with its best score: the first of each answer, then the second ones, and so on. */
  found: Found[]
}

/** Several questions in one: each is answered by itself, so that none crowds out the others. */
export function searchAll(search: ToolSearch, questions: readonly string[], limit: number): Batch {
  const known = new Map<string, Found[]>()
  const answers = questions.map((question) => {
    const answer = known.get(question) ?? search.search(question, limit)
    known.set(question, answer)
    return answer
  })
  const found = new Map<number, Found>()
  for (let rank = 0; rank < limit && answers.some((answer) => rank < answer.length); rank++) {
    for (const answer of answers) {
      const tool = answer[rank]
      if (tool === undefined) continue
      const before = found.get(tool.index)
      if (before === undefined || tool.score > before.score) found.set(tool.index, tool)
    }
  }
  return { answers, found: [...found.values()] }
}
