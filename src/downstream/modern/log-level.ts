/** Log levels of MCP, those of RFC 5424. */
import type { JsonValue } from '../../protocol/json.ts'

/** Least severe first. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type LogLevel = (typeof LEVELS)[number]

export function isLogLevel(value: JsonValue | undefined): value is LogLevel {
  return LEVELS.some((level) => level === value)
}

/** True when a message of this level is wanted by who asked for `least`. A level that nobody knows is no reason to lose it. */
export function reaches(level: JsonValue | undefined, least: LogLevel): boolean {
  return !isLogLevel(level) || LEVELS.indexOf(level) >= LEVELS.indexOf(least)
}
