/**
 * The cost of previews against whole results. A call with a result too large for a reply counts with all that its client was sent
 * afterwards because of it. With `holdout` some of these results pass whole, and the two groups are compared.
 */
import { LRUCache } from 'lru-cache'
import * as z from 'zod'

/** A call with a large result. */
export const trialSchema = z.object({
  tool: z.string(),
  /** Its result passed whole. */
  isWhole: z.boolean(),
  /** The tokens that its server sent. */
  originalTokens: z.number().nonnegative(),
  /**
   * The tokens that its client was sent. They are those of the preview or the whole, and of the answers of the proxy's tools about it.
   * Other answers of the same tool before the next large result count as well.
   */
  costTokens: z.number().nonnegative(),
})
/** A call with a large result, and what it cost. */
export type Trial = z.output<typeof trialSchema>

/** The facts of an exchange for it. */
export interface Trying {
  readonly agent: string
  readonly tool: string
  readonly deliveredTokens?: number
  readonly deliveredCharacters: number
  /** Of a call with a large result. */
  readonly large?: {
    readonly originalTokens: number
    readonly isWhole: boolean
    readonly handle?: string | undefined
  }
  /** Of an answer of the proxy's tools: the words by which it names what it asks. */
  readonly about?: readonly string[]
}

/** Calls of one run, and clients, that are remembered. */
const MOST = 2_000
/** Characters of a token where nothing was counted, as models' tokenizers make of English and JSON. */
const USUAL = 3.5

export interface Trials {
  /** Needed for calls with a large result, and for all that come after one. */
  note(trying: Trying): void
  readonly all: readonly Trial[]
}

export function createTrials(): Trials {
  const all: Trial[] = []
  const byHandle = new LRUCache<string, Trial>({ max: MOST })
  const latest = new LRUCache<string, Trial>({ max: MOST })

  return {
    all,
    note({ agent, tool, deliveredTokens, deliveredCharacters, large, about }) {
      const tokens = deliveredTokens ?? Math.round(deliveredCharacters / USUAL)
      if (large === undefined) {
        const last = latest.get(agent)
        const meant = about?.map((word) => byHandle.get(`${agent} ${word}`)).find((one) => one !== undefined)
        const of = about === undefined ? (last?.tool === tool ? last : undefined) : (meant ?? last)
        if (of) of.costTokens += tokens
        return
      }
      const { originalTokens, isWhole, handle } = large
      const trial = { tool, isWhole, originalTokens, costTokens: tokens }
      if (all.length < MOST) all.push(trial)
      latest.set(agent, trial)
      if (handle !== undefined) byHandle.set(`${agent} ${handle}`, trial)
    },
  }
}

/** Calls of one kind together. */
interface Group {
  calls: number
  originalTokens: number
  costTokens: number
}

export interface Comparison {
  previews: Group
  whole: Group
  /**
   * The part of the cost of whole results that previews saved. Each cost is reckoned for a token that servers sent. `low` and `high`
   * bound the share with a certainty of 95 %. Below 0: previews cost more. Absent where one of the groups has fewer than `LEAST` calls.
   */
  saved?: { share: number; low: number; high: number }
}

/** Calls of a group below which nothing is said. */
const LEAST = 5
const RESAMPLES = 1_000

/** By bootstrap (Efron 1979): the calls of each group are drawn again, and the middle 95 % of what comes out is the interval. */
export function compareTrials(trials: readonly Trial[]): Comparison {
  const [whole, previews] = [true, false].map((isWhole) =>
    trials.filter((trial) => trial.isWhole === isWhole),
  ) as [Trial[], Trial[]]
  const groups = { previews: groupOf(previews), whole: groupOf(whole) }
  if (whole.length < LEAST || previews.length < LEAST) return groups
  const random = createRandom()
  const drawn = (from: readonly Trial[]): Trial[] =>
    from.map(() => from[Math.floor(random() * from.length)] as Trial)
  const shares = Array.from({ length: RESAMPLES }, () =>
    shareOf(groupOf(drawn(previews)), groupOf(drawn(whole))),
  )
  shares.sort((a, b) => a - b)
  const at = (part: number): number => shares[Math.floor(part * (RESAMPLES - 1))] ?? 0
  return {
    ...groups,
    saved: { share: shareOf(groups.previews, groups.whole), low: at(0.025), high: at(0.975) },
  }
}

function groupOf(trials: readonly Trial[]): Group {
  return trials.reduce(
    (sum, { originalTokens, costTokens }) => ({
      calls: sum.calls + 1,
      originalTokens: sum.originalTokens + originalTokens,
      costTokens: sum.costTokens + costTokens,
    }),
    { calls: 0, originalTokens: 0, costTokens: 0 },
  )
}

/** Results differ in size by orders of magnitude, so costs are compared for a token that was sent. */
function shareOf(previews: Group, whole: Group): number {
  const cost = ({ originalTokens, costTokens }: Group): number => costTokens / Math.max(1, originalTokens)
  return 1 - cost(previews) / Math.max(Number.EPSILON, cost(whole))
}

/** The same numbers each time (a linear congruential generator, Numerical Recipes), so that a page that is read again says the same. */
function createRandom(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The savings of previews of each tool with all that came after them, the costliest first. */
export function netByTool(trials: readonly Trial[]): { tool: string; calls: number; savedTokens: number }[] {
  const tools = new Map<string, { tool: string; calls: number; savedTokens: number }>()
  for (const { tool, isWhole, originalTokens, costTokens } of trials) {
    if (isWhole) continue
    const sum = tools.get(tool) ?? { tool, calls: 0, savedTokens: 0 }
    tools.set(tool, {
      tool,
      calls: sum.calls + 1,
      savedTokens: sum.savedTokens + originalTokens - costTokens,
    })
  }
  return [...tools.values()].sort((a, b) => a.savedTokens - b.savedTokens)
}
