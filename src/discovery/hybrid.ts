/** Two searches as one, by the ranks that they give: their scores are of different kinds. */
import type { KnownTool } from './catalogue/known-tool.ts'
import type { Found, ToolSearch } from './search.ts'
import type { Near } from './vectors/vector-index.ts'

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), with their constant. It tells how much the first places count
 * more than the following.
 */
const K = 60

/** What a search looks at of each ranking: what both have counts more than a place, so it must be seen in both. */
const DEPTH = 50

/**
 * One ranking out of several, best first, equals in their order. A score is between 0 and 1: 1 is the first place in all rankings.
 * `weights` tell how much each counts; 1 where none is given.
 */
export function fuse(
  rankings: readonly (readonly Pick<Found, 'index'>[])[],
  weights: readonly number[] = [],
): Found[] {
  const scores = new Map<number, number>()
  let most = 0
  for (const [place, ranking] of rankings.entries()) {
    const weight = weights[place] ?? 1
    most += weight / (K + 1)
    for (const [rank, { index }] of ranking.entries())
      scores.set(index, (scores.get(index) ?? 0) + weight / (K + rank + 1))
  }
  return [...scores]
    .filter(([, score]) => score > 0)
    .map(([index, score]) => ({ index, score: score / most }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
}

export interface HybridParts {
  /** What both searches are over, in the order of the lexical index. */
  tools: readonly Pick<KnownTool, 'vectorId'>[]
  lexical: ToolSearch
  /** `Meaning.near`; undefined from it: the words alone decide. */
  near: (question: string, limit: number, signal?: AbortSignal) => Promise<readonly Near[] | undefined>
  /** `meaning`: the words decide only where the meaning cannot. */
  engine: 'hybrid' | 'meaning'
}

/** Like `ToolSearch`, for searches that ask somebody else. */
export type SearchByMeaning = (question: string, limit: number, signal?: AbortSignal) => Promise<Found[]>

export function createHybrid({ tools, lexical, near, engine }: HybridParts): SearchByMeaning {
  const places = new Map(
    tools.flatMap(({ vectorId }, index) => (vectorId === undefined ? [] : [[vectorId, index]])),
  )

  return async (question, limit, signal) => {
    const depth = Math.max(DEPTH, limit)
    const nearest = await near(question, depth, signal)
    if (nearest === undefined) return lexical.search(question, limit)
    // What was removed meanwhile has no place.
    const byMeaning = nearest.flatMap(({ id, similarity }) => {
      const index = places.get(id)
      return index === undefined ? [] : [{ index, score: similarity }]
    })
    if (engine === 'meaning') return byMeaning.slice(0, limit)
    return fuse([lexical.search(question, depth), byMeaning]).slice(0, limit)
  }
}
