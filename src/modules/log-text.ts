/** The beginning of a message as one text for a log line. */
import { toJson } from '../documents/stringify.ts'
import { type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'

/**
 * Characters behind the cut that are looked at for secrets. More is not needed: what the cut goes through is left out whole, up to the
 * blank or quote before it.
 */
const MARGIN = 64

/** Longer than any word that is one secret. */
const LONGEST_WORD = 4_096

/** As minified JSON, cut to `most` characters with `…`. `clean` takes secrets out; of half a secret nobody sees that it is one. */
export function shownText(value: JsonValue, most: number, clean?: (text: string) => string): string {
  const left = { characters: most + MARGIN }
  const json = toJson(beginning(value, left, 0))
  if (left.characters >= 0 && json.length <= most) return clean ? clean(json) : json
  const text = clean ? clean(json.slice(0, most + MARGIN)) : json
  return `${text.slice(0, clean ? endBefore(text, most) : most)}…`
}

/** Deeper nesting tells nothing to whoever reads a log. */
const DEEPEST = 100

/** What comes first of a value, so that no more than needed is written as JSON. The same value where it is short. */
function beginning(value: JsonValue, left: { characters: number }, depth: number): JsonValue {
  if (typeof value === 'string') {
    const room = Math.max(0, left.characters)
    left.characters -= value.length
    return value.length > room ? value.slice(0, room) : value
  }
  left.characters -= 1
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '…'
  if (Array.isArray(value)) {
    let items: JsonValue[] | undefined
    for (let index = 0; index < value.length; index++) {
      if (left.characters < 0) return (items ?? value).slice(0, index)
      const item = value[index] as JsonValue
      const now = beginning(item, left, depth + 1)
      if (now === item) continue
      items ??= [...value]
      items[index] = now
    }
    return items ?? value
  }
  return beginningOf(value, left, depth)
}

function beginningOf(object: JsonObject, left: { characters: number }, depth: number): JsonObject {
  let copy: JsonObject | undefined
  for (const key in object) {
    if (left.characters < 0) return before(copy ?? object, key)
    left.characters -= key.length
    const inner = object[key] as JsonValue
    const now = beginning(inner, left, depth + 1)
    if (now === inner) continue
    copy ??= { ...object }
    setOwn(copy, key, now)
  }
  return copy ?? object
}

/** The members before this one. */
function before(object: JsonObject, end: string): JsonObject {
  const copy: JsonObject = {}
  for (const key in object) {
    if (key === end) break
    setOwn(copy, key, object[key] as JsonValue)
  }
  return copy
}

/** Where the last word begins that the cut goes through. */
function endBefore(text: string, most: number): number {
  let end = most
  while (end > 0 && most - end < LONGEST_WORD && !BETWEEN.has(text.charCodeAt(end))) end--
  return end
}

/** Blank, line feed, `"`, `'`, `\\`. */
const BETWEEN: ReadonlySet<number> = new Set([32, 10, 34, 39, 92])
