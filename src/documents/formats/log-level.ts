/** The words that logs use for how bad something is. */

const LEVEL =
  /^(?:TRACE|DEBUG|VERBOSE|INFO|INFORMATION|NOTICE|WARN|WARNING|ERR|ERROR|CRIT|CRITICAL|FATAL|SEVERE|ALERT|EMERG|EMERGENCY|PANIC)$/i

/** The word itself when it is a level, undefined for any other. */
export function levelOf(word: string): string | undefined {
  return word.length >= 3 && word.length <= 11 && LEVEL.test(word) ? word : undefined
}

const SEVERITIES = ['EMERG', 'ALERT', 'CRIT', 'ERROR', 'WARNING', 'NOTICE', 'INFO', 'DEBUG']

/** The severity in the priority of a syslog line (RFC 5424, 6.2.1). */
export function severityOf(priority: number): string {
  return SEVERITIES[priority % 8] ?? 'DEBUG'
}

const LETTERS: Readonly<Record<string, string>> = {
  V: 'VERBOSE',
  D: 'DEBUG',
  I: 'INFO',
  W: 'WARNING',
  E: 'ERROR',
  C: 'CRITICAL',
  F: 'FATAL',
}

/** `I` of klog, logcat, Tornado. */
export function levelOfLetter(letter: string): string {
  return LETTERS[letter] ?? letter
}
