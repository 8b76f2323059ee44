/**
 * The server of a listed item, known inside the proxy alone. The key is a symbol: a layer that changes an item copies it, and no JSON
 * ever holds it.
 */
import type { JsonObject } from './json.ts'

/** Where an item of a list comes from. */
export interface Origin {
  readonly server: string
  /** The name the server gave it. */
  readonly name: string
  /** All that the server said of it, before anybody changed it. */
  readonly said?: JsonObject
  /** The name under which it is listed where no module gives it another. Absent: the server's own. */
  readonly listed?: string
}

const ORIGIN = Symbol('origin')

type Marked = { [ORIGIN]?: Origin }

/** A copy of the item that knows it. `name`: what it is called from now on. */
export function withOrigin(item: JsonObject, origin: Origin, name?: string): JsonObject {
  const copy = name === undefined ? { ...item, [ORIGIN]: origin } : { ...item, name, [ORIGIN]: origin }
  return copy as JsonObject
}

/** Undefined for what no server listed. */
export function originOf(item: JsonObject): Origin | undefined {
  return (item as Marked)[ORIGIN]
}
