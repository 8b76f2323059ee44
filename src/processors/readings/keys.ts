/** Keys of groups that are said behind an aggregate: `count by state`, `sum(price) per region as total`. */
import { scan } from '../../query/language/scanner.ts'
import { safely } from '../../query/refusal.ts'
import type { Asked } from '../parameters.ts'
import { aliasIn, parseCall } from '../steps/group.ts'

/** The parameters with these keys in `group_by`. The same ones where there are none, or where `group_by` has keys of its own. */
export function withKeys(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { group_by = [], aggregate = [] } = params as Asked
  if (group_by.length > 0) return params
  const keys: string[] = []
  const calls: string[] = []
  for (const written of aggregate) {
    const found = keyBehind(written)
    if (found) keys.push(found.key)
    // `count by state, region` is cut at its commas.
    if (found || keys.length === 0 || isCall(written)) calls.push(found?.call ?? written)
    else keys.push(written)
  }
  return keys.length === 0 ? params : { ...params, group_by: [...new Set(keys)], aggregate: calls }
}

function keyBehind(written: string): { call: string; key: string } | undefined {
  const { source, alias } = aliasIn(written)
  const word = scan(source).find(({ depth, text }) => depth === 0 && /^(?:by|per|each)$/i.test(text))
  if (!word) return undefined
  const call = source.slice(0, word.from).replace(/\s+(?:group(?:ed)?|for)\s*$/i, '')
  const key = source.slice(word.to).trim()
  if (key === '' || !isCall(call)) return undefined
  return { call: alias === undefined ? call.trim() : `${call.trim()} as ${alias}`, key }
}

function isCall(written: string): boolean {
  return safely(() => parseCall(written)) !== undefined
}
