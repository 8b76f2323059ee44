/** Checks an entry of the list of modules that names one of the proxy or of its embedder. */
import type * as z from 'zod'
import { isObject, type JsonObject, own, setOwn } from '../protocol/json.ts'
import type { ModuleSources } from './check.ts'
import type { Surroundings } from './expand.ts'
import { expandAll } from './expand-all.ts'
import { reportIssues } from './issues.ts'
import { canonicalKeys } from './keys.ts'
import { type ModuleOptions, type UsedModule, useSchema } from './modules/entry.ts'
import { type Path, showSafely } from './problem.ts'
import type { Report } from './report.ts'
import { nearest } from './suggest.ts'

const NAMES = { aliases: {}, ignored: [], later: [] }
const COMMON = new Set(Object.keys(useSchema.shape))

/** Undefined: it is left out, or is not valid. */
export function checkUsedModule(
  written: JsonObject,
  path: Path,
  known: readonly ModuleOptions[],
  { surroundings }: ModuleSources,
  report: Report,
): UsedModule | undefined {
  const entry = expandAll(
    only(written, (key) => COMMON.has(key)),
    useSchema,
    path,
    surroundings,
    report,
  )
  const parsed = useSchema.safeParse(entry)
  if (!parsed.success) {
    reportIssues(parsed.error.issues, entry, useSchema, path, report)
    return undefined
  }
  const { use, name = use, disabled, timeoutMs, ...basics } = parsed.data
  if (disabled) return undefined
  const module = known.find((one) => one.name === use)
  if (!module) {
    const names = known.map((one) => one.name)
    const meant = nearest(use, names)
    report.add('error', [...path, 'use'], {
      message: `is "${use}", which is no module`,
      remedy: `${meant === undefined ? '' : `Did you mean "${meant}"? `}There are: ${names.join(', ')}.`,
    })
    return undefined
  }
  const options = readOptions(written, module.options, path, surroundings, report)
  return options && { kind: 'use', use, name, options, timeoutMs, ...basics }
}

/** Options may stand in the entry itself or in its `config`. */
function readOptions(
  written: JsonObject,
  schema: z.ZodObject,
  path: Path,
  surroundings: Surroundings | undefined,
  report: Report,
): JsonObject | undefined {
  const inner = own(written, 'config')
  const hasOwnConfig = Object.hasOwn(schema.shape, 'config')
  const into: JsonObject = {}
  const plain = only(written, (key) => !COMMON.has(key) && (hasOwnConfig || key !== 'config'))
  canonicalKeys(plain, { schema, at: path, from: path, ...NAMES }, report, into)
  if (!hasOwnConfig && inner !== undefined) {
    if (!isObject(inner)) {
      report.add('error', [...path, 'config'], {
        message: `is ${showSafely(inner, path)}, but must be an object { … }`,
        remedy: 'Write the options of the module into it, or beside "use".',
      })
      return undefined
    }
    canonicalKeys(inner, { schema, at: path, from: [...path, 'config'], ...NAMES }, report, into)
  }
  const options = expandAll(into, schema, path, surroundings, report)
  const parsed = schema.safeParse(options)
  if (parsed.success) return options
  reportIssues(parsed.error.issues, options, schema, path, report)
  return undefined
}

function only(object: JsonObject, wanted: (key: string) => boolean): JsonObject {
  const part: JsonObject = {}
  for (const [key, value] of Object.entries(object)) if (wanted(key)) setOwn(part, key, value)
  return part
}
