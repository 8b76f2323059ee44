/** Fields within log messages: key=value pairs (logfmt and its relatives), JSON at the end, what nginx appends. */
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { parseJson } from '../stringify.ts'
import { exactNumber } from './numbers.ts'
import { scanPairs } from './pairs-scan.ts'

const NGINX = /, (client|server|request|upstream|host|referrer|subrequest): (?:"([^"]*)"|([^,\s]+))/g
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
  return scanPairs(message, MAX_PAIRS).map(({ key, value, quoted }) => [
    ALIASES.get(key) ?? key,
    quoted ? unquoted(value) : (exactNumber(value) ?? value),
  ])
}

/** What stands in quotes, as it was before it was quoted: `\"`, `\\` and line breaks. */
function unquoted(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(["\\nt])/g, (_, character: string) =>
    character === 'n' ? '\n' : character === 't' ? '\t' : character,
  )
}

/** The fields of a message: of the JSON object that it ends in, of the pairs before it, of an nginx error. */
export function readFields(message: string): [string, JsonValue][] {
  const json = jsonIn(message)
  if (json) {
    const named = Object.entries(json.value).map(([key, value]): [string, JsonValue] => [
      key === 'msg' ? key : (ALIASES.get(key) ?? key),
      value,
    ])
    return [...named, ...readPairs(message.slice(0, json.start))]
  }
  const pairs = readPairs(message)
  if (message.includes(', client: ')) {
    for (const [, key = '', quoted, bare = ''] of message.matchAll(NGINX)) pairs.push([key, quoted ?? bare])
  }
  return pairs
}

/** The object in braces at the end of a message. */
function jsonIn(message: string): { value: JsonObject; start: number } | undefined {
  const start = message.indexOf('{"')
  if (start < 0 || !/\}\s{0,8}$/.test(message.slice(-12))) return undefined
  const parsed = parseJson(message.slice(start))
  return isObject(parsed?.value) ? { value: parsed.value, start } : undefined
}
