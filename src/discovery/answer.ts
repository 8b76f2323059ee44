/** What of a question each tool answers, added up word by word, and whether that is enough to be an answer. */
import type { Postings } from './postings.ts'
import type { Found } from './search.ts'

/** How much a tool that has only a like word counts among those that make a word a common one. */
const alikeShare = 0.1

/**
 * Below this the best tool has a common word of the question and no more: nothing fits. It is compared with what the best tool answers:
 * the mean (geometric) of its share of the question and its share of one rare word, so that a long question needs no more words than
 * a short one. Measured, like the three that follow, by `npm run bench -- retrieval`.
 */
const leastFit = 0.13
/** How much of that words take away that no tool has, if all are. */
const strangeness = 0.7
/** What an action counts towards it: most tools that do something else have one of those as well. */
const actionShare = 0.5
/** What is asked for comes first, its circumstances later: each word counts so much less towards it than the one before. */
const fading = 0.1

/** A word of the question and what is known of it. */
export interface Asked {
  /** Says what is done, not to what. */
  action: boolean
  /** `known` where tools have it or a like word; `guessed`: one that it may be misspelt of; `strange`: nothing, or a vague guess. */
  standing: 'known' | 'guessed' | 'strange'
  /** Worth of a word that so many tools have. */
  worth(tools: number): number
}

/** For one question at a time; used again for the next, as its arrays are as long as the list of tools. */
export interface Answer {
  /** Tools have this word of the question, or one that may stand for it and counts `weight`. */
  take(postings: Postings | undefined, weight: number): void
  /** What follows of this word are others that may stand for it. */
  same(): void
  /** That was all of one word. */
  next(word: Asked): void
  /** The best of all, `named` ones in any case and first; then all is as before the question. */
  best(limit: number, named: readonly number[]): Found[]
}

export function createAnswer(tools: number): Answer {
  /** Of the word in work: how much each tool is about it, and the tools that are. */
  const strongest = new Float64Array(tools)
  const having = new Int32Array(tools)
  let count = 0
  let same = 0
  /** Of all words so far: what tells the order, and what tells whether anything fits. */
  const totals = new Float64Array(tools)
  const evidence = new Float64Array(tools)
  const touched = new Int32Array(tools)
  let reached = 0
  let possible = 0
  const seen = { words: 0, known: 0, guessed: 0, weight: 0, strange: 0, possible: 0, rarest: 0 }

  function clear(): void {
    for (let at = 0; at < reached; at++) totals[touched[at] ?? 0] = evidence[touched[at] ?? 0] = 0
    reached = possible = 0
    for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] = 0
  }

  function fits(): boolean {
    if (reached === 0) return false
    // Guesses alone are noise, unless most words are misspelt.
    if (seen.known === 0 && 2 * seen.guessed < seen.words) return false
    if (seen.words === 1) return true
    let most = 0
    for (let at = 0; at < reached; at++) most = Math.max(most, evidence[touched[at] ?? 0] ?? 0)
    const fit = most / Math.sqrt(seen.possible * seen.rarest)
    return fit * (1 - (strangeness * seen.strange) / seen.weight) > leastFit
  }

  return {
    take(postings, weight) {
      if (postings === undefined) return
      const { places, strengths } = postings
      for (let at = 0; at < places.length; at++) {
        const place = places[at] ?? 0
        const strength = (strengths[at] ?? 0) * weight
        const before = strongest[place] ?? 0
        if (before === 0) having[count++] = place
        if (strength > before) strongest[place] = strength
      }
    },

    same() {
      same = count
    },

    next({ action, standing, worth }) {
      // A word that only stands for others is as rare as any.
      const value = worth(count === 0 ? 0 : Math.max(1, same) + alikeShare * (count - same))
      const weight = 1 / (1 + fading * seen.words)
      const counted = value * weight * (action ? actionShare : 1)
      for (let at = 0; at < count; at++) {
        const place = having[at] ?? 0
        const strength = strongest[place] ?? 0
        if (totals[place] === 0) touched[reached++] = place
        totals[place] = (totals[place] ?? 0) + strength * value
        evidence[place] = (evidence[place] ?? 0) + strength * counted
        strongest[place] = 0
      }
      possible += value
      seen.words++
      seen.possible += value * weight
      seen.rarest = worth(1)
      seen.weight += weight
      if (count === 0 || standing === 'strange') seen.strange += weight
      else seen[standing]++
      count = same = 0
    },

    best(limit, named) {
      const top = new Top(limit)
      for (const place of named) top.offer(place, 1)
      if (fits()) {
        for (let at = 0; at < reached; at++) {
          const place = touched[at] ?? 0
          if (!named.includes(place)) top.offer(place, (totals[place] ?? 0) / possible)
        }
      }
      clear()
      return top.found
    },
  }
}

/** The first of a ranking, best first, equals by their places; nothing else is kept, as most of what is found is not shown. */
class Top {
  readonly found: Found[] = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(index: number, score: number): void {
    const { found } = this
    let at = found.length
    while (at > 0 && follows(found[at - 1], index, score)) at--
    if (at >= this.#limit) return
    found.splice(at, 0, { index, score })
    if (found.length > this.#limit) found.pop()
  }
}

function follows(found: Found | undefined, index: number, score: number): boolean {
  return found !== undefined && (found.score < score || (found.score === score && found.index > index))
}
