/** Names that look like a given one: for "did you mean". */
import { distance } from 'fastest-levenshtein'

/** Longer names are compared by their beginning: enough to recognise one, and a bound on the time. */
const longestCompared = 64
/** More candidates than a reader could tell apart are not looked at. */
const mostCompared = 5_000

/** Levenshtein distance (insertions, deletions, substitutions), blind to case. Quadratic: for names, not for texts. */
export function editDistance(a: string, b: string): number {
  return distance(comparable(a), comparable(b))
}

/**
 * The candidates nearest to `word`, best first. They contain it, are contained in it, or are within two edits or a third of their length.
 * Empty when nothing is alike, so that no far-fetched name is offered.
 */
export function nearest(word: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = comparable(word)
  if (wanted === '') return []
  const found: { name: string; score: number }[] = []
  let looked = 0
  for (const name of candidates) {
    if (looked++ >= mostCompared) break
    const score = unlikeness(wanted, comparable(name))
    if (score <= 1) found.push({ name, score })
  }
  found.sort((a, b) => a.score - b.score || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
  return found.slice(0, limit).map(({ name }) => name)
}

/** ` Did you mean a, b?` with the nearest candidates, best first. Empty when nothing is alike. */
export function didYouMean(word: string, candidates: Iterable<string>, limit = 1): string {
  const near = nearest(word, candidates, limit)
  return near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
}

/** 0: the same; up to 1: alike; more: not alike. */
function unlikeness(wanted: string, name: string): number {
  const longer = Math.max(wanted.length, name.length)
  if (longer === 0 || name === '') return 2
  const apart = distance(wanted, name)
  // No letter in common is no likeness, however short the names.
  if (apart === longer) return 2
  const edits = apart / Math.max(longer < 4 ? 1 : 2, longer / 3)
  const shorter = Math.min(wanted.length, name.length)
  const contained = shorter >= 3 && (name.includes(wanted) || wanted.includes(name))
  return contained ? Math.min(edits, 1 - shorter / (2 * longer)) : edits
}

function comparable(name: string): string {
  return name.slice(0, longestCompared).toLowerCase()
}
