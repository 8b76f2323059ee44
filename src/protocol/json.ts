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
