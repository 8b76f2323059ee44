/** JSON text of values as deep as a hostile server makes them. */

import { isObject, type JsonValue } from '../protocol/json.ts'
import { withExactNumbers } from './exact-numbers.ts'

/** Minified JSON. `JSON.stringify` where it can, an own stack where nesting would overflow that of the engine. */
export function toJson(value: JsonValue): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return deepJson(value)
  }
}

type Frame = { close: string; entries: Iterator<[string | undefined, JsonValue]>; first: boolean }

function deepJson(root: JsonValue): string {
  const parts: string[] = []
  const stack: Frame[] = []
  const write = (value: JsonValue) => {
    if (Array.isArray(value)) {
      parts.push('[')
      stack.push({ close: ']', entries: elements(value), first: true })
    } else if (isObject(value)) {
      parts.push('{')
      stack.push({ close: '}', entries: Object.entries(value).values(), first: true })
    } else {
      parts.push(JSON.stringify(value) ?? 'null')
    }
  }
  write(root)
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const next = frame.entries.next()
    if (next.done) {
      parts.push(frame.close)
      stack.pop()
      continue
    }
    if (!frame.first) parts.push(',')
    frame.first = false
    const [key, value] = next.value
    if (key !== undefined) parts.push(JSON.stringify(key), ':')
    write(value)
  }
  return parts.join('')
}

function* elements(values: readonly JsonValue[]): Generator<[undefined, JsonValue]> {
  for (const value of values) yield [undefined, value]
}

/** Parses a text, or says that it is no JSON. Numbers that JavaScript would change are strings (`withExactNumbers`). */
export function parseJson(text: string): { value: JsonValue } | undefined {
  try {
    const value: JsonValue = JSON.parse(withExactNumbers(text))
    return { value }
  } catch {
    return undefined
  }
}
