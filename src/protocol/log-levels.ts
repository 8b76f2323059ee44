/** Log levels of MCP, those of RFC 5424. */
import type { JsonValue } from './json.ts'

/** Least severe first. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type LogLevel = (typeof LEVELS)[number]

export function isLogLevel(value: JsonValue | undefined): value is LogLevel {
  return LEVELS.some((level) => level === value)
}

/** True when a client that asked for `least` wants a message of this level. A message with an unknown level is sent. */
export function reaches(level: JsonValue | undefined, least: LogLevel): boolean {
  return !isLogLevel(level) || LEVELS.indexOf(level) >= LEVELS.indexOf(least)
}

/** The one that lets most messages through; an unknown one lets all through. */
export function leastOf(levels: readonly JsonValue[]): JsonValue | undefined {
  const severity = (level: JsonValue): number => (isLogLevel(level) ? LEVELS.indexOf(level) : -1)
  return levels.toSorted((a, b) => severity(a) - severity(b))[0]
}
