/** Brings the keys of a file into the spelling of the schema, and reports unknown ones. */

import { distance } from 'fastest-levenshtein'
import * as z from 'zod'
import { isObject, type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import type { Alias } from './aliases.ts'
import { allowed, example, schemaAt, unwrap } from './option.ts'
import { formatPath, type Path, type Report, showSafely } from './report.ts'

interface KeyRules {
  schema: z.ZodObject
  /** Where the result lies in the schema of the file. */
  at: Path
  /** Where the keys were written. */
  from: Path
  /** By other name, with paths in `schema`: `{ mcplazy: { path: 'connect.lazy' } }`. Absent: none. */
  aliases?: Readonly<Record<string, Alias>>
  /** Keys without meaning here, not worth a word. Absent: none. */
  ignored?: readonly string[]
  /** Keys of a later version. Absent: none. */
  later?: readonly string[]
}

/**
 * Copies `raw` into `into` with canonical keys (`max_response_size` → `maxResponseSize`, aliases to their place).
 * Values are untouched. A value that is already there was given twice.
 */
export function canonicalKeys(
  raw: JsonObject,
  rules: KeyRules,
  report: Report,
  into: JsonObject,
): JsonObject {
  const { at, from, ignored = [], later = [] } = rules
  const aliases = new Map(Object.entries(rules.aliases ?? {}).map(([key, alias]) => [plainName(key), alias]))
  walk(raw, rules.schema, [], from)
  return into

  function walk(object: JsonObject, schema: z.ZodObject, inside: Path, written: Path): void {
    const known = Object.keys(schema.shape)
    const byName = new Map(known.map((key) => [plainName(key), key]))
    for (const [key, value] of Object.entries(object)) {
      const here = [...written, key]
      const canonical = byName.get(plainName(key))
      const alias = aliases.get(plainName([...inside, key].join('.')))
      if (canonical !== undefined) {
        const { type } = unwrap(schema.shape[canonical] as z.ZodType)
        if (type instanceof z.ZodObject && isObject(value)) walk(value, type, [...inside, canonical], here)
        else place([...inside, canonical], below(value, type, [...inside, canonical], here), here)
      } else if (alias !== undefined) {
        const meant = alias.read === undefined ? value : (alias.read(value) as JsonValue | undefined)
        if (meant !== undefined) place(alias.path.split('.'), meant, here)
      } else if (!ignored.includes(key)) unknownKey(key, here, known, report, later)
    }
  }

  /** Objects in lists and maps: their own keys may be misspelt as well. */
  function below(value: JsonValue, type: z.ZodType, inside: Path, written: Path): JsonValue {
    if (Array.isArray(value) && type instanceof z.ZodArray) {
      const schema = objectIn(type.element as z.ZodType)
      return schema === undefined
        ? value
        : value.map((item, index) => object(item, schema, [...inside, index], [...written, index]))
    }
    const schema = type instanceof z.ZodRecord ? objectIn(type.valueType as z.ZodType) : undefined
    if (schema === undefined || !isObject(value)) return value
    const copy: JsonObject = {}
    for (const [key, item] of Object.entries(value))
      setOwn(copy, key, object(item, schema, [...inside, key], [...written, key]))
    return copy
  }

  function object(value: JsonValue, schema: z.ZodObject, inside: Path, written: Path): JsonValue {
    if (!isObject(value)) return value
    return canonicalKeys(value, { schema, at: [...at, ...inside], from: written }, report, {})
  }

  function place(inside: Path, value: JsonValue, written: Path): void {
    const path = [...at, ...inside]
    if (read(into, inside) !== undefined) {
      report.add('error', written, {
        message: `says again what ${formatPath(report.origin(path))} says`,
        remedy: 'Keep one of the two.',
      })
      return
    }
    report.moved(path, written)
    write(into, inside, value)
  }
}

/** The object that may stand there, alone or among other things. */
function objectIn(schema: z.ZodType): z.ZodObject | undefined {
  const { type } = unwrap(schema)
  if (type instanceof z.ZodObject) return type
  return type instanceof z.ZodUnion
    ? (type.options as z.ZodType[]).map(objectIn).find((option) => option !== undefined)
    : undefined
}

/** Warns about a key; `known` are the names that may have been meant. */
export function unknownKey(
  key: string,
  path: Path,
  known: readonly string[],
  report: Report,
  later: readonly string[] = [],
): void {
  if (later.includes(key)) {
    report.add('warning', path, {
      message: 'is not available in this version and is ignored',
      remedy: 'Remove it until it is.',
    })
    return
  }
  const meant = nearest(key, known)
  report.add('warning', path, {
    message: 'is not known and is ignored',
    remedy: meant === undefined ? 'Remove it, or check its name.' : `Did you mean "${meant}"?`,
  })
}

/** The value inside nested objects and lists, own properties only. */
export function read(value: JsonValue, path: Path): JsonValue | undefined {
  let at: JsonValue | undefined = value
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)]
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

/** Sets a value inside nested objects, which are made where they are missing. */
export function write(object: JsonObject, path: Path, value: JsonValue): void {
  const [key, ...rest] = path
  if (key === undefined) return
  if (rest.length === 0) {
    setOwn(object, String(key), value)
    return
  }
  const inner = Object.hasOwn(object, key) ? object[key] : undefined
  const next = isObject(inner) ? inner : {}
  setOwn(object, String(key), next)
  write(next, rest, value)
}

/** The known name that was probably meant: at most a third of the letters differ, or two of them. Undefined: none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plainName(name).slice(0, 100)
  let best: string | undefined
  let least = Math.max(wanted.length < 4 ? 1 : 2, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    const changes = distance(wanted, plainName(candidate))
    if (changes < least) {
      least = changes
      best = candidate
    }
  }
  return best
}

/** A name without case, spaces, hyphens and underscores: `max_response_size` and `maxResponseSize` are one name. */
export function plainName(name: string): string {
  return name.replace(/[\s_-]/g, '').toLowerCase()
}

// Turns what the schema refuses into problems that say path, value, what is allowed and what to do.

/** `value` is what lies at `at` and was parsed with `schema`; the issues' paths start there. */
export function reportIssues(
  issues: readonly z.core.$ZodIssue[],
  value: JsonValue,
  schema: z.ZodType,
  at: Path,
  report: Report,
): void {
  for (const issue of issues) {
    const inside = issue.path.filter((key) => typeof key !== 'symbol')
    const path = [...at, ...inside]
    const target = schemaAt(schema, inside)
    const wrong = read(value, inside)
    if (target === undefined) {
      report.addAt('error', path, {
        message: `is not valid: ${issue.message}`,
        remedy: 'Correct this value.',
      })
      continue
    }
    report.addAt('error', path, {
      message: `is ${showSafely(wrong, path)}, but must be ${allowed(target)}`,
      remedy: remedy(target, wrong),
    })
  }
}

function remedy(target: z.ZodType, wrong: JsonValue | undefined): string {
  if (typeof wrong === 'string' && /^-?\d+$/.test(wrong) && unwrap(target).type instanceof z.ZodNumber) {
    const number = Number(wrong)
    if (target.safeParse(number).success) return `Write ${number} without quotes.`
  }
  const { type } = unwrap(target)
  const meant =
    typeof wrong === 'string' && type instanceof z.ZodEnum
      ? nearest(
          wrong,
          type.options.filter((option) => typeof option === 'string'),
        )
      : undefined
  if (meant !== undefined) return `Did you mean "${meant}"?`
  const sample = example(target)
  return sample === undefined ? 'Correct it, or remove it.' : `Write for example ${sample}, or remove it.`
}
