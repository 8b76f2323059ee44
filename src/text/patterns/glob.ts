/** Names by a pattern in which `*` stands for any characters, none included, and `?` for one. */

/** True when the whole name fits. Takes at most length of name × length of pattern steps, whatever the pattern. */
export function fitsGlob(name: string, pattern: string): boolean {
  let at = 0
  let place = 0
  /** Where the last `*` stands, and how much of the name it has taken. */
  let star = -1
  let taken = 0
  while (at < name.length) {
    const wanted = pattern[place]
    if (wanted === '*') {
      star = place++
      taken = at
    } else if (wanted === '?' || (wanted !== undefined && wanted === name[at])) {
      at++
      place++
    } else if (star >= 0) {
      place = star + 1
      at = ++taken
    } else return false
  }
  while (pattern[place] === '*') place++
  return place === pattern.length
}

/** True for names that any of the patterns fits. */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !/[*?]/.test(pattern)))
  const open = patterns.filter((pattern) => /[*?]/.test(pattern))
  if (open.length === 0) return (name) => exact.has(name)
  return (name) => exact.has(name) || open.some((pattern) => fitsGlob(name, pattern))
}
