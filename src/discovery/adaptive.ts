/** How many of what was found are worth their tokens, and the answers to several questions as one. */
import type { Found } from './search.ts'

export interface AdaptiveLimit {
  /** Tools that score less than this part of the best are left out. */
  ratio: number
  /** This many stay in any case, if so many exist. */
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

/** The answers to several questions as one: the first of each, then the second ones, and so on; each tool once, with its best score. */
export function mergeAnswers(answers: readonly (readonly Found[])[]): Found[] {
  const found = new Map<number, Found>()
  for (let rank = 0; answers.some((answer) => rank < answer.length); rank++) {
    for (const answer of answers) {
      const tool = answer[rank]
      if (tool === undefined) continue
      const before = found.get(tool.index)
      if (before === undefined || tool.score > before.score) found.set(tool.index, tool)
    }
  }
  return [...found.values()]
}
