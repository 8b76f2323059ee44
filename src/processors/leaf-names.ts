/** The names of the fields that lead to the leaves of a value. */
import type { JsonObject, JsonValue } from '../protocol/json.ts'

/**
 * A function that calls `visit` for each name on the way to a leaf of the value it is given, in order: once for each object
 * that has it, however many leaves are below. Names that lead to none, as to null or to an empty list, are left out.
 */
export function nameReader(visit: (name: string) => void): (value: JsonValue) => void {
  /** Names on the way, the first `waiting` of them with no leaf found below yet. */
  const ways: string[] = []
  let waiting = 0

  function leaf(): void {
    for (let at = 0; at < waiting; at++) visit(ways[at] ?? '')
    waiting = 0
  }

  function read(value: JsonValue): void {
    if (typeof value !== 'object') leaf()
    else if (Array.isArray(value)) for (let at = 0; at < value.length; at++) read(value[at] ?? null)
    else if (value !== null) readFields(value)
  }

  function readFields(object: JsonObject): void {
    for (const name in object) {
      const value = object[name] ?? null
      if (typeof value !== 'object') {
        if (waiting > 0) leaf()
        visit(name)
      } else if (value !== null) {
        ways[waiting++] = name
        const depth = waiting
        read(value)
        if (waiting === depth) waiting--
      }
    }
  }

  return read
}
