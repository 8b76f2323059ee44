/** Words that have an order of their own: levels of logs, grades of how bad something is, days of a week and months. */

/** From harmless to severe, from the first to the last; words in one place mean the same. */
const SCALES = {
  level: [
    ['trace', 'trc', 'verbose', 'vrb', 'finest', 'silly'],
    ['debug', 'dbg', 'finer', 'fine'],
    ['info', 'inf', 'information', 'informational', 'http', 'config'],
    ['notice'],
    ['warn', 'wrn', 'warning'],
    ['err', 'error', 'severe'],
    ['crit', 'critical', 'fatal', 'ftl'],
    ['alert'],
    ['emerg', 'emergency', 'panic', 'pnc'],
  ],
  grade: [
    ['none', 'info', 'informational', 'negligible', 'trivial', 'lowest'],
    ['low', 'minor'],
    ['medium', 'moderate', 'normal'],
    ['high', 'important', 'major'],
    ['critical', 'highest', 'urgent'],
    ['blocker'],
  ],
  weekday: [
    ['monday', 'mon'],
    ['tuesday', 'tue', 'tues'],
    ['wednesday', 'wed'],
    ['thursday', 'thu', 'thur', 'thurs'],
    ['friday', 'fri'],
    ['saturday', 'sat'],
    ['sunday', 'sun'],
  ],
  month: [
    ['january', 'jan'],
    ['february', 'feb'],
    ['march', 'mar'],
    ['april', 'apr'],
    ['may'],
    ['june', 'jun'],
    ['july', 'jul'],
    ['august', 'aug'],
    ['september', 'sep', 'sept'],
    ['october', 'oct'],
    ['november', 'nov'],
    ['december', 'dec'],
  ],
} as const

export type Scale = keyof typeof SCALES

export const SCALE_NAMES = Object.keys(SCALES) as Scale[]

const RANKS = new Map<Scale, ReadonlyMap<string, number>>(
  SCALE_NAMES.map((name) => [
    name,
    new Map(SCALES[name].flatMap((words, rank) => words.map((word): [string, number] => [word, rank]))),
  ]),
)

const LONGEST = 13

/** The place of a word on a scale, from 0. Undefined: the scale does not have it. */
export function rankOn(scale: Scale, word: string): number | undefined {
  return word.length > LONGEST ? undefined : RANKS.get(scale)?.get(word.trim().toLowerCase())
}

/** The place of a text on each of the scales. */
export const SCALE_READERS = {
  level: (text: string) => rankOn('level', text),
  grade: (text: string) => rankOn('grade', text),
  weekday: (text: string) => rankOn('weekday', text),
  month: (text: string) => rankOn('month', text),
} as const satisfies Record<Scale, unknown>

/** How two words lie on the scale that has both: negative, 0 or positive; undefined when none has. `wanted` is lower case. */
export function orderOfLevels(value: string, wanted: string): number | undefined {
  for (const scale of SCALE_NAMES) {
    const [one, other] = [rankOn(scale, value), rankOn(scale, wanted)]
    if (one !== undefined && other !== undefined) return one - other
  }
  return undefined
}

/** The first letters that klog, glog and Android write. */
const LETTERS: Readonly<Record<string, string>> = {
  v: 'verbose',
  t: 'trace',
  d: 'debug',
  i: 'info',
  n: 'notice',
  w: 'warn',
  e: 'error',
  c: 'critical',
  f: 'fatal',
}

/** True when two words mean one level; a letter is the level that begins so. `wanted` is lower case. */
export function isSameLevel(value: string, wanted: string): boolean {
  const [one, other] = [value.trim().toLowerCase(), wanted].map((word) =>
    Object.hasOwn(LETTERS, word) ? (LETTERS[word] ?? word) : word,
  )
  return orderOfLevels(one ?? '', other ?? '') === 0
}

/** The numbers that pino and bunyan write for levels. */
const NUMBERS: Readonly<Record<string, number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  warning: 40,
  error: 50,
  err: 50,
  fatal: 60,
  critical: 60,
}

/** The number of a level among NUMBERS that are levels themselves; undefined where they are others. */
export function levelAsNumber(word: string, among: readonly number[]): number | undefined {
  const isLevel = (value: number): boolean => value >= 10 && value <= 60 && value % 10 === 0
  return Object.hasOwn(NUMBERS, word) && among.every(isLevel) ? NUMBERS[word] : undefined
}

const LEVEL_NAMES = /(?:^|[._@-])(?:log_?level|level(?:_?name)?|lvl|severity(?:_?text)?|sev)["'\]]*$/i

/** True for fields that hold a level, so that `WARN` and `WARNING` are one. */
export function holdsLevels(field: string): boolean {
  return LEVEL_NAMES.test(field)
}
