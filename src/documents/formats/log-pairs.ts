/** key=value pairs of log messages (logfmt and its relatives). */
import type { JsonValue } from '../../protocol/json.ts'
import { exactNumber } from './numbers.ts'

// A key follows a separator; a value is quoted or ends at white space, comma, semicolon or bracket.
const PAIR = /(?:^|[\s,;([{])([A-Za-z_][\w.-]{0,39})=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s",;)\]}]+))/g
const MAX_PAIRS = 24

/** Names that other tools use for ours. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['msg', 'message'],
  ['ts', 'time'],
  ['timestamp', 'time'],
  ['lvl', 'level'],
  ['severity', 'level'],
])

/** Pairs in their order, keys as they are written except for the aliases of `message`, `time` and `level`. */
export function readPairs(message: string): [string, JsonValue][] {
  const pairs: [string, JsonValue][] = []
  if (!message.includes('=')) return pairs
  for (const match of message.matchAll(PAIR)) {
    const [, key = '', quoted, bare = ''] = match
    const value = quoted ?? bare
    pairs.push([ALIASES.get(key) ?? key, quoted === undefined ? (exactNumber(value) ?? value) : value])
    if (pairs.length === MAX_PAIRS) break
  }
  return pairs
}
