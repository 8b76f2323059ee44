import type * as z from 'zod'
import type { ZodObject } from 'zod'
import type { JsonObject } from '../protocol/json.ts'
import { nearest } from '../text/edit-distance.ts'

/** Reads a proxy tool's arguments; a mistake becomes a text that says what to write instead. */
export function readParams<S extends ZodObject>(
  tool: string,
  schema: S,
  args: JsonObject,
): { params: z.infer<S> } | { failure: string } {
  const known = Object.keys(schema.shape)
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
  const parsed = schema.safeParse(given)
  if (parsed.success) return { params: parsed.data }
  const lines = parsed.error.issues.slice(0, 5).map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys
        .slice(0, 5)
        .map((key) => unknownParam(key, known))
        .join('\n')
    const path = issue.path.join('.')
    return `${path}: ${issue.message}${got(issue.path[0], args)}`
  })
  return { failure: `${tool} cannot read its parameters.\n${lines.join('\n')}` }
}

function unknownParam(key: string, known: readonly string[]): string {
  const [near] = nearest(key, known, 1)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return `${key.slice(0, 60)}: no such parameter.${hint} There are: ${known.join(', ')}.`
}

function got(key: PropertyKey | undefined, args: JsonObject): string {
  if (typeof key !== 'string' || !Object.hasOwn(args, key)) return ''
  const shown = JSON.stringify(args[key])
  return ` (got ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown})`
}
