/**
 * The parts of classic JSONPath beyond RFC 9535 (Goessner 2007 and jsonpath-plus): scripts `[(@.length-1)]`, parents `^`, names `~`,
 * types `@number()`, and `@property`, `@parent` in conditions. The library jsonpath-plus follows these paths. Conditions and scripts run
 * in our own expression language. It has no calls and no assignment, so they neither change data nor run code.
 */
import { JSONPath } from 'jsonpath-plus'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { Refusal, shown } from '../refusal.ts'
import { newWork, type Work } from '../work.ts'
import type { Reached } from './locate.ts'
import { parseScript } from './path.ts'

const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs
const EXTENSIONS =
  /\[\(|[\]\w*.][\^~](?=$|[.[^~])|@(?:parent|parentProperty|property|root|path)\b|@[a-z]+\(\)/
const LONGEST = 1_000
/** Values reached at most: `*` after `..` multiplies. */
const MOST_REACHED = 500_000

/** True for paths that only this dialect has. */
export function isExtended(source: string): boolean {
  return EXTENSIONS.test(source.replaceAll(QUOTED, '""'))
}

/** The values reached, in document order. Throws a `Refusal` for what is too long, too broad or not understood. */
export function followExtended(root: JsonValue, source: string): Reached[] {
  refuseCostly(source)
  if (typeof root !== 'object' || root === null) return []
  const reached: Reached[] = []
  work = newWork()
  try {
    JSONPath({
      path: source.startsWith('$') ? source : `$.${source}`,
      json: root,
      resultType: 'all',
      eval: Script,
      callback: (found: unknown) => {
        if (reached.length >= MOST_REACHED) throw new Refusal(tooMany(source))
        reached.push(toReached(found))
      },
    })
  } catch (error) {
    throw refusalIn(error) ?? new Refusal(`The path \`${shown(source)}\` is not understood: ${reason(error)}`)
  } finally {
    // Every expression that was ever used would be remembered for good.
    JSONPath.clearCache()
  }
  return reached
}

/** The class by which jsonpath-plus runs conditions and scripts. It caches instances, so they hold no state of a call. */
class Script {
  readonly #expression: ReturnType<typeof parseScript>

  constructor(source: string) {
    this.#expression = parseScript(source.replaceAll('_$_root', '$').replaceAll(/_\$_(\w+)/g, '@.$1'))
  }

  runInNewContext(context: object): unknown {
    const { _$_v, _$_property, _$_parent, _$_parentProperty, _$_root, _$_path } = context as Record<
      string,
      JsonValue
    >
    const here: JsonObject = { v: _$_v ?? null, property: _$_property ?? null, path: _$_path ?? null }
    if (_$_parent !== undefined) here.parent = _$_parent
    if (_$_parentProperty !== undefined) here.parentProperty = _$_parentProperty
    return this.#expression(here, _$_root ?? null, work)
  }
}

/** The work of the one call under way: following a path is synchronous. */
let work: Work = newWork()

function refuseCostly(source: string): void {
  if (source.length > LONGEST) {
    throw new Refusal(`A path may have at most ${LONGEST} characters; this one has ${source.length}.`)
  }
  const bare = source.replaceAll(QUOTED, '""')
  const deep = bare.split('..').length - 1
  if (deep > 1 || (deep > 0 && bare.includes('^'))) throw new Refusal(tooMany(source))
}

function tooMany(source: string): string {
  return `The path \`${shown(source)}\` would reach too much. Write the names in place of \`..\`, and no \`^\` after it.`
}

function toReached(found: unknown): Reached {
  const { value, parentProperty, parent } = found as {
    value: JsonValue
    parentProperty?: unknown
    parent?: JsonValue
  }
  return { value, key: isObject(parent) && typeof parentProperty === 'string' ? parentProperty : undefined }
}

function refusalIn(error: unknown): Refusal | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof Refusal) return at
  return undefined
}

function reason(error: unknown): string {
  if (error instanceof RangeError)
    return 'the data is nested too deeply for it. Write the names in place of `..`.'
  return error instanceof Error ? error.message.slice(0, 200) : String(error)
}
