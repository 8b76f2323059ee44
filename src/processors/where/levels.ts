/** Words that have an order of their own: levels of logs, and grades of how bad something is. */

/** From harmless to severe; words in one place mean the same. */
const scales: readonly (readonly (readonly string[])[])[] = [
  [
    ['trace', 'verbose', 'finest', 'silly'],
    ['debug', 'finer', 'fine'],
    ['info', 'information', 'informational', 'http', 'config'],
    ['notice'],
    ['warn', 'warning'],
    ['err', 'error', 'severe'],
    ['crit', 'critical', 'fatal'],
    ['alert'],
    ['emerg', 'emergency', 'panic'],
  ],
  [
    ['none', 'info', 'informational', 'negligible'],
    ['low', 'minor'],
    ['medium', 'moderate'],
    ['high', 'important', 'major'],
    ['critical', 'blocker'],
  ],
]

const ranks: readonly ReadonlyMap<string, number>[] = scales.map(
  (scale) => new Map(scale.flatMap((words, rank) => words.map((word): [string, number] => [word, rank]))),
)

const longest = 13

/** How two words lie on the scale that has both: negative, 0 or positive; undefined when none has. `wanted` is lower case. */
export function orderOfLevels(value: string, wanted: string): number | undefined {
  if (value.length > longest || wanted.length > longest) return undefined
  const lower = value.trim().toLowerCase()
  for (const rank of ranks) {
    const [one, other] = [rank.get(lower), rank.get(wanted)]
    if (one !== undefined && other !== undefined) return one - other
  }
  return undefined
}

const levelNames = /(?:^|[._@-])(?:log_?level|level(?:_?name)?|lvl|severity(?:_?text)?|sev)["'\]]*$/i

/** True for fields that hold a level, so that `WARN` and `WARNING` are one. */
export function holdsLevels(field: string): boolean {
  return levelNames.test(field)
}
