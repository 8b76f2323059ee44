/** Operators at the end of a name, as Django, Prisma and Hasura have them: `comments__gte`, `comments_gt`. */
import { operatorNamed } from '../operators.ts'

const SUFFIX =
  /^(.+?)(?:__|_|\.\$|\$)(gte?|lte?|ne|neq|eq|n?in|not_in|i?contains|i?starts_?with|i?ends_?with|isnull|is_null|exists|i?regex|i?exact|not|like|ilike|has|any|between|range)$/i

/** `created_at__year` as `created_at:year`. */
export function partAtEnd(field: string): string | undefined {
  const [, name, part] = /^(.+)__(year|quarter|month|week|day|hour|minute)$/i.exec(field) ?? []
  return part === undefined ? undefined : `${name}:${part.toLowerCase()}`
}

/** The field and the operator as a condition has it; undefined when the name has none at its end. */
export function operatorAtEnd(field: string): { field: string; operator: string } | undefined {
  const [, name, written] = SUFFIX.exec(field) ?? []
  const operator =
    written === undefined ? undefined : written.toLowerCase() === 'range' ? 'between' : operatorNamed(written)
  return name === undefined || operator === undefined ? undefined : { field: name, operator }
}
