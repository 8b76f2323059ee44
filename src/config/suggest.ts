import { distance } from 'fastest-levenshtein'

/** The known name that was probably meant: at most a third of the letters differ, or two of them. Undefined: none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plainName(name).slice(0, 100)
  let best: string | undefined
  let least = Math.max(wanted.length < 4 ? 1 : 2, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    const changes = distance(wanted, plainName(candidate))
    if (changes < least) {
      least = changes
      best = candidate
    }
  }
  return best
}

/** A name without case, spaces, hyphens and underscores: `max_response_size` and `maxResponseSize` are one name. */
export function plainName(name: string): string {
  return name.replace(/[\s_-]/g, '').toLowerCase()
}
