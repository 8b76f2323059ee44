/** `${VAR}` and `${VAR:-default}` in texts of the configuration, and the variables VS Code and Cursor know. */

import { basename, sep } from 'node:path'
import type { ZodType } from 'zod'
import { isObject, type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import { fromText, schemaAt } from './option.ts'
import type { Path, Report } from './report.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where a program runs: what texts of a configuration may refer to. */
export interface Surroundings {
  env: Environment
  cwd: string
  home: string
}

interface Expansion {
  text: string
  /** Variables that are not set and have no default; they stay as written. */
  missing: string[]
  /** Names in `${input:…}`, which VS Code would ask the user for; they stay as written. */
  inputs: string[]
}

const REFERENCE = /\$(\$?)\{([^{}]*)\}/g
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-([\s\S]*))?$/

/**
 * Fills in the variables. `$${VAR}` is the text `${VAR}` itself; what has another form than a variable's
 * (`${a.b}`, `${x%y}`) is left alone, so shell snippets in arguments survive.
 */
export function expand(text: string, { env, cwd, home }: Surroundings): Expansion {
  const missing: string[] = []
  const inputs: string[] = []
  const editor: Readonly<Record<string, string>> = {
    userHome: home,
    workspaceFolder: cwd,
    workspaceFolderBasename: basename(cwd),
    pathSeparator: sep,
    '/': sep,
  }
  const expanded = text.replace(REFERENCE, (whole, escaped: string, body: string) => {
    if (escaped !== '') return whole.slice(1)
    if (Object.hasOwn(editor, body)) return editor[body] ?? whole
    if (body.startsWith('input:')) {
      inputs.push(body.slice('input:'.length))
      return whole
    }
    const [, name, fallback] = VARIABLE.exec(body) ?? []
    if (name === undefined) return whole
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
    if (value === undefined) missing.push(name)
    return value ?? whole
  })
  return { text: expanded, missing, inputs }
}

// Fills in variables in every text below a value of the configuration.

/** Keys of a server's entry with texts that the proxy does not read. */
const PASSED_ON: ReadonlySet<unknown> = new Set(['args', 'env', 'headers'])

/**
 * A copy of `root`, which `schema` describes and which lies at `at`. A text that came from variables becomes the number or boolean that
 * is wanted there. Words of an option with fixed values are read in any case. An unset variable is an error, but for what is the server's
 * to judge: that is passed on, and stops no other server. Without `surroundings` texts are final: only words are read.
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
