/** Data below a few lines that say what it is: `Query results for account 7:`, then a table. */

/** Lines above the data, as many empty ones between them, and characters that are looked at. */
const MOST_ABOVE = 8
const LOOKED_AT = 65_536
const RULE = /^[-=_*+]{3,}$/

/** Data that was found below words, and the words. */
export interface BelowWords<Evidence> {
  readonly evidence: Evidence
  readonly above: readonly string[]
}

/**
 * Data that `detect` finds in a text below the lines at its top; undefined where it finds none. `mayBegin`: whether the data may begin here,
 * with these lines above it. It is asked for each line and has to be quick, since most texts are no data.
 */
export function belowWords<Evidence>(
  text: string,
  mayBegin: (rest: string, above: readonly string[]) => boolean,
  detect: (body: string) => Evidence | undefined,
): BelowWords<Evidence> | undefined {
  const start = text.slice(0, LOOKED_AT)
  const above: string[] = []
  let at = 0
  for (let line = 0; line < 2 * MOST_ABOVE && above.length < MOST_ABOVE; line++) {
    const end = start.indexOf('\n', at)
    if (end < 0) return undefined
    const said = start.slice(at, end).trim()
    if (said !== '' && !RULE.test(said)) above.push(said)
    at = end + 1
    const evidence = mayBegin(start.slice(at), above) ? detect(text.slice(at)) : undefined
    if (evidence !== undefined) return { evidence, above }
  }
  return undefined
}
