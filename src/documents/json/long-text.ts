/** The most frequent of large results: one text of megabytes in an envelope of a hundred bytes. */
import { randomUUID } from 'node:crypto'
import { blocksOf } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { withExactNumbers } from './exact-numbers.ts'

/** Where the text of the first block begins, and how far from the end of the result it ends at most. */
export const HEAD = /^\s*\{\s*"content"\s*:\s*\[\s*\{\s*(?:"type"\s*:\s*"text"\s*,\s*)?"text"\s*:\s*"/
const ENDING = 512
/** Shorter results are parsed as any other. */
const LONG = 65_536

/**
 * The result, when its envelope has no number that JavaScript would change; undefined for any other result. Text and
 * envelope are parsed apart, so that numbers are looked for in the envelope alone: the text is none. Text that parses as a string cannot
 * hold an end of it. Text that parses around it has nothing in its place but the string.
 */
export function withLongText(json: string): JsonObject | undefined {
  const head = json.length < LONG ? undefined : HEAD.exec(json.slice(0, ENDING))?.[0]
  if (head === undefined) return undefined
  const end = closingQuote(json, json.length - ENDING)
  const place = randomUUID()
  const envelope = `${head}${place}${json.slice(end)}`
  if (end < 0 || withExactNumbers(envelope) !== envelope) return undefined
  try {
    const result: JsonValue = JSON.parse(envelope)
    const text: JsonValue = JSON.parse(json.slice(head.length - 1, end + 1))
    const [first] = isObject(result) ? blocksOf(result) : []
    if (!isObject(result) || first?.text !== place || typeof text !== 'string') return undefined
    first.text = text
    return result
  } catch {
    return undefined
  }
}

/** The first quote from `from` on that is not escaped; -1 when there is none. */
function closingQuote(json: string, from: number): number {
  let quote = json.indexOf('"', from)
  while (quote >= 0) {
    let backslashes = 0
    while (json.charCodeAt(quote - 1 - backslashes) === 92) backslashes += 1
    if (backslashes % 2 === 0) return quote
    quote = json.indexOf('"', quote + 1)
  }
  return -1
}
