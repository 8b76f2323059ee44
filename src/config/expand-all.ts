/** Fills in variables in every text below a value of the configuration. */
import type { ZodType } from 'zod'
import { isObject, type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import { expand, type Surroundings } from './expand.ts'
import { fromText, schemaAt } from './option.ts'
import type { Path } from './problem.ts'
import type { Report } from './report.ts'

/** Keys of a server's entry whose texts mean nothing to the proxy. */
const PASSED_ON: ReadonlySet<unknown> = new Set(['args', 'env', 'headers'])

/**
 * A copy of `root`, which `schema` describes and which lies at `at`. A text that came from variables becomes the number
 * or boolean that is wanted there; words of an option with fixed values are read in any case. An unset variable is an
 * error, but for what is the server's to judge: that is passed on, and stops no other server. Without `surroundings` texts are final: only words are read.
 */
export function expandAll(
  root: JsonObject,
  schema: ZodType,
  at: Path,
  surroundings: Surroundings | undefined,
  report: Report,
): JsonObject {
  return object(root, [])

  function object(value: JsonObject, inside: Path): JsonObject {
    const copy: JsonObject = {}
    for (const [key, child] of Object.entries(value)) setOwn(copy, key, walk(child, [...inside, key]))
    return copy
  }

  function walk(value: JsonValue, inside: Path): JsonValue {
    if (Array.isArray(value)) return value.map((child, index) => walk(child, [...inside, index]))
    if (isObject(value)) return object(value, inside)
    if (typeof value !== 'string') return value
    const plain = { text: value, missing: [], inputs: [] }
    const { text, missing, inputs } = surroundings === undefined ? plain : expand(value, surroundings)
    for (const name of missing) {
      const passes = PASSED_ON.has(inside[0])
      report.addAt(passes ? 'warning' : 'error', [...at, ...inside], {
        message: `uses \${${name}}, which is not set in the environment${passes ? '; it is passed on as it is' : ''}`,
        remedy: `Set ${name}, or write \${${name}:-} for an empty value or \${${name}:-default} for another.`,
      })
    }
    for (const name of inputs) {
      report.addAt('warning', [...at, ...inside], {
        message: `uses \${input:${name}}, which only VS Code can ask for; it is passed on as it is`,
        remedy: `Write an environment variable instead, for example \${${name.replace(/\W/g, '_').toUpperCase()}}.`,
      })
    }
    const target = schemaAt(schema, inside)
    if (target === undefined) return text
    return text === value ? wordOnly(target, text) : (fromText(target, text) as JsonValue)
  }
}

/** A plain text in a file is never read as a number or boolean: `"8000"` is a mistake worth telling. */
function wordOnly(schema: ZodType, text: string): string {
  const read = fromText(schema, text)
  return typeof read === 'string' ? read : text
}
