/** The words that logs use for how bad something is. */

const LEVEL =
  /^(?:TRACE|DEBUG|VERBOSE|INFO|INFORMATION|NOTICE|WARN|WARNING|ERR|ERROR|CRIT|CRITICAL|FATAL|SEVERE|ALERT|EMERG|EMERGENCY|PANIC)$/i
/** As Serilog and zerolog shorten them. In small letters only what is no word of its own. */
const SHORT = /^(?:TRC|DBG|VRB|INF|WRN|FTL|PNC|trc|dbg|wrn|ftl)$/

/** The letters that they begin with: looking is much cheaper than matching. */
const BEGINNINGS = 'TDVINWECFSAPtdvinwecfsap'

/** The word itself when it is a level, undefined for any other. */
export function levelOf(word: string): string | undefined {
  if (word.length < 3 || word.length > 11 || !BEGINNINGS.includes(word.charAt(0))) return undefined
  return LEVEL.test(word) || SHORT.test(word) ? word : undefined
}

const BRACKETS = /^(?:<([^<>]{1,11})>|\(([^()]{1,11})\)|\[([^[\]]{1,11})\]|\{([^{}]{1,11})\})$/
const LETTER = /^([VTDINWECF])\1?$/

/** The level in brackets: `<ERR>`, `(W)`, `[E]`, Xorg's `(EE)`, the priority `<3>`. Undefined for anything else. */
export function levelInBrackets(written: string): string | undefined {
  const [whole, pointed, ...others] = BRACKETS.exec(written) ?? []
  if (whole === undefined) return undefined
  if (pointed !== undefined && /^[0-7]$/.test(pointed)) return severityOf(Number(pointed))
  const inner = pointed ?? others.find((one) => one !== undefined) ?? ''
  const [, letter] = LETTER.exec(inner) ?? []
  return letter === undefined ? levelOf(inner) : levelOfLetter(letter)
}

const SERIOUS = /^(?:ERR|ERROR|CRIT|CRITICAL|FATAL|FTL|SEVERE|ALERT|EMERG|EMERGENCY|PANIC|PNC)$/i

/** True for a level that says something failed. */
export function isSerious(level: string): boolean {
  return SERIOUS.test(level)
}

/** True for a level that says something failed or may fail. */
export function isBad(level: string): boolean {
  return SERIOUS.test(level) || /^(?:WARN|WARNING|WRN)$/i.test(level)
}

const SEVERITIES = ['EMERG', 'ALERT', 'CRIT', 'ERROR', 'WARNING', 'NOTICE', 'INFO', 'DEBUG']

/** The severity in the priority of a syslog line (RFC 5424, 6.2.1). */
export function severityOf(priority: number): string {
  return SEVERITIES[priority % 8] ?? 'DEBUG'
}

const LETTERS: Readonly<Record<string, string>> = {
  V: 'VERBOSE',
  T: 'TRACE',
  D: 'DEBUG',
  I: 'INFO',
  N: 'NOTICE',
  W: 'WARNING',
  E: 'ERROR',
  C: 'CRITICAL',
  F: 'FATAL',
}

/** `I` of klog, logcat, Tornado. */
export function levelOfLetter(letter: string): string {
  return LETTERS[letter] ?? letter
}
