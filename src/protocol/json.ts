/** JSON as TypeScript sees it (RFC 8259). */

/** A value that holds no other. */
export type JsonPrimitive = string | number | boolean | null
/** Whatever `JSON.parse` gives. */
export type JsonValue = JsonPrimitive | JsonValue[] | JsonObject
/** Read it with `own`: a name may be one that every object inherits. */
export interface JsonObject {
  [key: string]: JsonValue
}

/** True for what JSON calls an object: no array, no null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a text that is JSON; undefined for any other. */
export function valueOfJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/**
 * Reads an own property. Names come from servers and models: `constructor` or `__proto__` must find data or
 * nothing, never what every object inherits.
 */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a property under any name, `__proto__` included, as data. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    object[key] = value
  }
}

/** A copy with its members under the names they should have, by what else they are called. A name that is right wins. */
export function renamed(object: JsonObject, others: Readonly<Record<string, string>>): JsonObject {
  const named: JsonObject = {}
  for (const [key, value] of Object.entries(object)) {
    const right = Object.hasOwn(others, key) ? others[key] : undefined
    if (right === undefined) setOwn(named, key, value)
    else if (!Object.hasOwn(object, right) && !Object.hasOwn(named, right)) setOwn(named, right, value)
  }
  return named
}

// Values that are sent as they are written, without being parsed and written again on the event loop.

/** Where values are gathered while a message is written. */
let gathered: RawJson[] | undefined

/** One JSON value in the form in which it goes out. To all other code it is an object without members. */
export class RawJson {
  /** UTF-8 JSON of one value, without line breaks between its parts. */
  readonly #bytes: Uint8Array
  /** Stands for the value in the text around it. It is random, so no other text can contain it. */
  readonly #mark = crypto.randomUUID()

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** As a member of arguments. */
  static in(bytes: Uint8Array): JsonValue {
    return new RawJson(bytes) as unknown as JsonObject
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  get mark(): string {
    return this.#mark
  }

  /** Where a message is written whole, without `jsonParts`, the value is read for it. */
  toJSON(): JsonValue {
    if (gathered === undefined) return JSON.parse(Buffer.from(this.#bytes).toString('utf8'))
    gathered.push(this)
    return this.#mark
  }
}

/** The JSON of a value, in parts where it holds such values. Throws what `JSON.stringify` throws. */
export function jsonParts(value: unknown): [string, ...(string | Uint8Array)[]] {
  const met: RawJson[] = []
  let rest: string
  gathered = met
  try {
    rest = JSON.stringify(value)
  } finally {
    gathered = undefined
  }
  if (met.length === 0) return [rest]
  const [first = rest, ...others] = met.flatMap(({ mark, bytes }) => {
    const quoted = `"${mark}"`
    const at = rest.indexOf(quoted)
    const before = rest.slice(0, at)
    rest = rest.slice(at + quoted.length)
    return [before, bytes]
  })
  return [String(first), ...others, rest]
}
