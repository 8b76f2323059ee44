/** JSON text of values as deep as a hostile server makes them. */

import { isObject, type JsonValue } from '../../protocol/json.ts'
import { withExactNumbers } from './exact-numbers.ts'

/** Minified JSON. `JSON.stringify` where it can, an own stack where nesting would overflow that of the engine. */
export function toJson(value: JsonValue): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    const text = (isContainer(value) && written.get(value)) || deepJson(value)
    if (isContainer(value)) written.set(value, text)
    return text
  }
}

/** Of values that are too deep for `JSON.stringify`: they take long to write, and are never changed. */
const written = new WeakMap<object, string>()

const isContainer = (value: JsonValue): value is Exclude<JsonValue, string | number | boolean | null> =>
  typeof value === 'object' && value !== null

/** An array or object that is being written. */
interface Frame {
  readonly values: readonly JsonValue[]
  /** Of an object. */
  readonly keys: readonly string[] | undefined
  /** How many of its values are written or begun. */
  at: number
}

/** Characters that are put together before they join the others: a single text of very many small ones takes much memory. */
const PIECE = 4096

function deepJson(root: JsonValue): string {
  const pieces: string[] = []
  let piece = ''
  const stack: Frame[] = []
  const write = (value: JsonValue): void => {
    if (piece.length > PIECE) {
      pieces.push(piece)
      piece = ''
    }
    if (Array.isArray(value)) {
      piece += '['
      stack.push({ values: value, keys: undefined, at: 0 })
    } else if (isObject(value)) {
      piece += '{'
      stack.push({ values: Object.values(value), keys: Object.keys(value), at: 0 })
    } else piece += JSON.stringify(value) ?? 'null'
  }
  write(root)
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const { values, keys, at } = frame
    if (at === values.length) {
      piece += keys === undefined ? ']' : '}'
      stack.pop()
      continue
    }
    frame.at = at + 1
    if (at > 0) piece += ','
    if (keys !== undefined) piece += `${JSON.stringify(keys[at])}:`
    write(values[at] ?? null)
  }
  pieces.push(piece)
  return pieces.join('')
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
