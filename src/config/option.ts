/** Building blocks of the schema: every option says in one sentence what it is, its unit and its range. */
import * as z from 'zod'

/** The facts of an option beside its type. Kept as zod metadata, so that schema, table and messages have one source. */
interface OptionFacts {
  /** One plain sentence for the person who writes the file. */
  description?: string | undefined
  /** The unit of a number: `characters`, `seconds`, `bytes`. */
  unit?: string
  /** Other spellings of an option with fixed values: `{ warn: 'warning' }`. */
  spellings?: Readonly<Record<string, string>>
  /** The allowed values, where the type alone does not say them. */
  allowed?: string
}

/**
 * Says what an option is. In place: a start makes some hundred options, and each method of zod that adds something makes a schema again.
 * So ranges are added at once as well.
 */
function told<T extends z.ZodType>(schema: T, facts: OptionFacts): T {
  z.globalRegistry.add(schema, { ...facts })
  return schema
}

/** A whole number from `min` to `max`. */
export function integer(description: string, facts: { unit?: string; min: number; max: number }): z.ZodInt {
  const { min, max, ...rest } = facts
  return told(z.int().check(z.gte(min), z.lte(max)), { description, ...rest })
}

/** A number from `min` to `max`, with decimals. */
export function number(description: string, facts: { unit?: string; min: number; max: number }): z.ZodNumber {
  const { min, max, ...rest } = facts
  return told(z.number().check(z.gte(min), z.lte(max)), { description, ...rest })
}

export function flag(description: string): z.ZodBoolean {
  return told(z.boolean(), { description })
}

/** Text that is not empty. */
export function text(description: string): z.ZodString {
  return told(z.string().min(1), { description })
}

/** A list of texts that are not empty. */
export function names(description: string): z.ZodArray<z.ZodString> {
  return told(z.array(z.string().min(1)), { description })
}

/** One of a few words, read in any case. */
export function oneOf<const T extends readonly [string, ...string[]]>(
  values: T,
  description: string,
  facts: Pick<OptionFacts, 'spellings'> = {},
): z.ZodEnum<{ [K in T[number]]: K }> {
  return told(z.enum(values), { description, ...facts })
}

/** A schema together with everything that was wrapped around it. */
interface Leaf {
  type: z.ZodType
  facts: OptionFacts
  /** Undefined: there is none. */
  default: unknown
}

/** Looks through defaults and optionals at the type itself. */
export function unwrap(schema: z.ZodType): Leaf {
  let type = schema
  let fallback: unknown
  while (type instanceof z.ZodDefault || type instanceof z.ZodPrefault || type instanceof z.ZodOptional) {
    if (!(type instanceof z.ZodOptional)) fallback = type.def.defaultValue
    type = type.unwrap() as z.ZodType
  }
  return {
    type,
    get facts() {
      return type.meta() ?? {}
    },
    default: fallback,
  }
}

/** The schema at a path, through objects, lists and maps. Undefined: the path leaves the schema. */
export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let at: z.ZodType | undefined = schema
  for (const key of path) {
    if (at === undefined) return undefined
    const { type }: Leaf = unwrap(at)
    if (type instanceof z.ZodObject) {
      at = Object.hasOwn(type.shape, key) ? (type.shape[String(key)] as z.ZodType) : undefined
    } else if (type instanceof z.ZodArray) at = type.element as z.ZodType
    else if (type instanceof z.ZodRecord) at = type.valueType as z.ZodType
    else at = undefined
  }
  return at
}

/** The allowed values, in words: `a whole number from 1 to 65535`. */
export function allowed(schema: z.ZodType): string {
  const { type, facts } = unwrap(schema)
  if (facts.allowed !== undefined) return facts.allowed
  if (type instanceof z.ZodNumber) {
    return `${type.format === 'safeint' ? 'a whole number' : 'a number'} from ${type.minValue} to ${type.maxValue}${facts.unit === undefined ? '' : ` (${facts.unit})`}`
  }
  if (type instanceof z.ZodBoolean) return 'true or false'
  if (type instanceof z.ZodEnum)
    return type.options.length === 1 ? `${type.options[0]}` : `one of ${type.options.join(', ')}`
  if (type instanceof z.ZodArray) return 'a list of texts'
  if (type instanceof z.ZodRecord) return 'an object with a text for each name'
  if (type instanceof z.ZodObject) return 'an object { … }'
  return type instanceof z.ZodString && type.minLength !== null ? 'a text that is not empty' : 'a text'
}

/** The range for a table: `1–65535`, `stdio, sse`. Empty where the type says it all. */
export function range(schema: z.ZodType): string {
  const { type, facts } = unwrap(schema)
  if (facts.allowed !== undefined) return facts.allowed
  if (type instanceof z.ZodNumber)
    return `${type.minValue}–${type.maxValue}${facts.unit === undefined ? '' : ` ${facts.unit}`}`
  if (type instanceof z.ZodBoolean) return 'true, false'
  return type instanceof z.ZodEnum ? type.options.join(', ') : ''
}

/** An example that `allowed` permits, for the remedy. Undefined where none says more than the rule does. */
export function example(schema: z.ZodType): string | undefined {
  const { default: fallback, type } = unwrap(schema)
  if (fallback !== undefined && typeof fallback !== 'object') return JSON.stringify(fallback)
  if (type instanceof z.ZodArray) return '["-y", "some-package"]'
  if (type instanceof z.ZodRecord) return '{ "NAME": "value" }'
  return undefined
}

/**
 * Reads what the command line, the environment or an expanded `${VAR}` gives as text. Text that does not fit is
 * returned as it is, for the schema to refuse.
 */
export function fromText(schema: z.ZodType, value: string): unknown {
  const { type, facts } = unwrap(schema)
  if (type instanceof z.ZodNumber)
    return /^\s*-?\d{1,15}(\.\d{1,15})?\s*$/.test(value) ? Number(value) : value
  if (type instanceof z.ZodBoolean) return booleans.get(value.trim().toLowerCase()) ?? value
  if (type instanceof z.ZodEnum) return word(type.options.map(String), facts, value)
  if (type instanceof z.ZodLiteral) return word([...type.values].map(String), facts, value)
  if (type instanceof z.ZodUnion) {
    const readings = (type.options as z.ZodType[]).map((option) => ({
      option,
      read: fromText(option, value),
    }))
    return readings.find(({ option, read }) => option.safeParse(read).success)?.read ?? value
  }
  return value
}

const booleans = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
])

function word(options: readonly string[], facts: OptionFacts, value: string): string {
  const wanted = value.trim().toLowerCase()
  const same = ([known]: readonly [string, string]) => known.toLowerCase() === wanted
  const pairs = [
    ...options.map((option) => [option, option] as const),
    ...Object.entries(facts.spellings ?? {}),
  ]
  return pairs.find(same)?.[1] ?? value
}

// How often something may be done, as it is written in the configuration.

/** `calls`: what `rps` counts, in a sentence. */
export function rate(calls: string) {
  return {
    rps: number(calls, { unit: 'calls', min: 0.001, max: 1_000_000 }),
    burst: integer(
      'The most calls at once after a pause. Not set: the calls of one second, but at least one.',
      {
        unit: 'calls',
        min: 1,
        max: 1_000_000,
      },
    ).optional(),
  }
}

/** A type of which no member, however deep, may be set. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T
