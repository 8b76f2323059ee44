/** Which tools have results that can stand for a while: what they say of themselves, and what the configuration says. */
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { originOf } from '../../protocol/origin.ts'
import { fitsGlob } from '../../text/glob.ts'

/** `remember`: the same call can be answered with the same result. `changes`: it may make results of others untrue. */
export interface Verdict {
  readonly remember: boolean
  readonly changes: boolean
}

/**
 * @param names patterns for names as clients see them or as `server/tool`. None: all tools that say they only read. Tools that change
 * something are remembered where they are named and say that doing it again changes nothing more.
 */
export function createJudge(names: readonly string[]): (definition: JsonObject) => Verdict {
  const matches = (name: string): boolean => names.some((pattern) => fitsGlob(name, pattern))
  const isNamed = (definition: JsonObject): boolean => {
    const origin = originOf(definition)
    return matches(String(definition.name)) || (!!origin && matches(`${origin.server}/${origin.name}`))
  }
  return (definition) => {
    const given = own(definition, 'annotations')
    const annotations = isObject(given) ? given : {}
    const reads = annotations.readOnlyHint === true
    const named = names.length > 0 && isNamed(definition)
    return {
      remember: reads ? named || names.length === 0 : named && annotations.idempotentHint === true,
      changes: !reads,
    }
  }
}

/** Of a tool that nobody listed. */
export const UNKNOWN: Verdict = { remember: false, changes: true }
