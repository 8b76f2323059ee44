/** Every option as one row: what the table in the documentation, `--help` and the environment are made from. */

import * as z from 'zod'
import { OPTION_NAMES, variableOf } from './aliases.ts'
import { range, unwrap } from './option.ts'
import { settingsSchema } from './schema.ts'
import { serverSchema } from './servers.ts'

export interface OptionRow {
  /** `naming.prefix`, as written under `proxySettings` or in a server's entry. */
  path: string
  description: string
  /** The allowed values, in short: `1–65535`. Empty where there is nothing to say. */
  range: string
  /** Undefined: it has none. */
  default: unknown
  env: readonly string[]
  /** As declared: `--port <number>`. */
  flag: string | undefined
  schema: z.ZodType
}

let rows: readonly OptionRow[] | undefined

/** The options of `proxySettings`, in the order of the schema. A start asks for them three times. */
export function settingRows(): readonly OptionRow[] {
  rows ??= rowsOf(settingsSchema, '')
  return rows
}

/** The keys of a server's entry. */
export function serverRows(): OptionRow[] {
  return rowsIn(serverSchema)
}

/** The options that are a schema's own, for pages: they have no other names. */
export function rowsIn(schema: z.ZodObject): OptionRow[] {
  return rowsOf(schema, '').map((row) => ({ ...row, env: [], flag: undefined }))
}

function rowsOf(schema: z.ZodObject, prefix: string): OptionRow[] {
  return Object.entries(schema.shape).flatMap(([key, inner]): OptionRow[] => {
    const path = `${prefix}${key}`
    const option = inner as z.ZodType
    const { type, default: fallback } = unwrap(option)
    if (type instanceof z.ZodObject) return rowsOf(type, `${path}.`)
    const names = Object.hasOwn(OPTION_NAMES, path) ? OPTION_NAMES[path] : undefined
    return [
      {
        path,
        // A start needs neither.
        get description() {
          return type.meta()?.description ?? ''
        },
        get range() {
          return range(option)
        },
        default: fallback,
        env: names?.env ?? (takesOne(type) ? [variableOf(path)] : []),
        flag: names?.flag,
        schema: option,
      },
    ]
  })
}

/** A variable is one value. */
function takesOne(type: z.ZodType): boolean {
  return !(type instanceof z.ZodArray || type instanceof z.ZodRecord)
}
