/** Parameters as models write them: under like names, one where several may be, a list or a number as a text. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'

/** The arguments under the names they should have, by what else they are called. A name that is right wins. */
export function renamed(args: JsonObject, others: Readonly<Record<string, string>>): JsonObject {
  const named: JsonObject = {}
  for (const [key, value] of Object.entries(args)) {
    const right = Object.hasOwn(others, key) ? others[key] : undefined
    if (right === undefined) setOwn(named, key, value)
    else if (!Object.hasOwn(args, right) && !Object.hasOwn(named, right)) setOwn(named, right, value)
  }
  return named
}

/** One text is a list of one, unless it is a list written as JSON. */
export function listed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (!value.trimStart().startsWith('[')) return [value]
  try {
    const read = JSON.parse(value) as JsonValue
    return Array.isArray(read) ? read : [value]
  } catch {
    return [value]
  }
}

/** A whole number that was written as a text; a larger one than `most` means as many as there may be. */
export function counted(most: number): (value: unknown) => unknown {
  return (value) => {
    const number = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) ? Math.min(most, number) : number
  }
}
