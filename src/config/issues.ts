/** Turns what the schema refuses into problems that say path, value, what is allowed and what to do. */
import * as z from 'zod'
import { isObject, type JsonValue } from '../protocol/json.ts'
import { allowed, example, schemaAt, unwrap } from './option.ts'
import { type Path, showSafely } from './problem.ts'
import type { Report } from './report.ts'
import { nearest } from './suggest.ts'

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
    const wrong = valueAt(value, inside)
    if (target === undefined) {
      report.addAt('error', path, {
        message: `is not valid: ${issue.message}`,
        remedy: 'Correct this value.',
      })
      continue
    }
    const { facts } = unwrap(target)
    if (typeof wrong === 'string' && facts.later?.includes(wrong)) {
      report.addAt('error', path, {
        message: `is "${wrong}", which is not available in this version`,
        remedy: `Write ${allowed(target)}, or remove the option.`,
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

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let at: JsonValue | undefined = value
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)]
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}
