/** Changes texts of a large result. */
import { changeTexts } from '../documents/change-result.ts'
import { type ChangeText, compileChange, Tally, type TextChange } from '../text/change.ts'
import { decodeResult, encodeResult } from './content.ts'
import type { Changed } from './operation.ts'

/** The last change that was asked for: the next result is changed in the same way, most often. */
let compiled: { written: string; apply: ChangeText } | undefined

/** `content` is absent where nothing was changed; so it is, with `unreadable`, for what is no result. */
export function change(content: Uint8Array, { rules, where }: TextChange): Changed {
  const written = JSON.stringify(rules)
  if (compiled?.written !== written) compiled = { written, apply: compileChange(rules) }
  const { apply } = compiled
  const decoded = decodeResult(content)
  if (decoded === undefined) return { counts: {}, unreadable: true }
  const counts = new Tally(content.length)
  // `sent`: numbers that JavaScript would change are not looked at here; what is changed is written anew.
  const changed = changeTexts(decoded.sent, where, (text, sort, name) => apply(text, counts, sort, name))
  if (changed === decoded.sent) return { counts: {} }
  return { content: encodeResult(changed), counts: Object.fromEntries(counts) }
}
