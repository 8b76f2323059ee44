/** From the name of a field, as a model writes it, to the field that is meant. */
import { resolveExactly, withoutRoot } from './fields/exactly.ts'
import { type Field, fieldAt } from './fields/field.ts'
import { pair, pairAnywhere } from './fields/in-pairs.ts'
import { shortened } from './fields/shortened.ts'
import { spelledAlike } from './fields/spelled.ts'
import { otherWord } from './fields/synonyms.ts'
import { unknown } from './fields/unknown.ts'
import { parsePath } from './path/parse.ts'
import { formatPath } from './path/path.ts'
import type { Records } from './records.ts'
import { Refusal, shown } from './refusal.ts'

export { resolveExactly } from './fields/exactly.ts'
export type { Field } from './fields/field.ts'

/**
 * In this order: as written within a record (a key with dots in it included); written from the root (`items[].name`);
 * a pair in a list (`Tags.Name`); another case, `_` and `-` aside, levels left out; with leading names dropped; a typo
 * away. Of several that fit, the one that has one of the values `wanted`. Throws a `Refusal` with the nearest names
 * and some of their values.
 */
export function resolveField(records: Records, reference: string, wanted: readonly string[] = []): Field {
  const written = shown(reference)
  const plain = withoutOtherMarks(reference)
  const path = parsePath(plain)
  const exact = resolveExactly(records, parsePath(reference)) ?? resolveExactly(records, path)
  if (exact) return exact
  if (records.whole.length === 0) return fieldAt(path)
  const below = withoutRoot(records, path) ?? path
  const colons = !reference.includes(':') ? undefined : parsePath(plain.replaceAll(':', '.'))
  const found =
    (colons && pair(records, colons, written)) ??
    pair(records, below, written) ??
    spelledAlike(records, below, written, wanted) ??
    shortened(records, below, written) ??
    pairAnywhere(records, below, written) ??
    otherWord(records, below, written)
  if (found) return found
  if (records.names().size === 0 && itself.test(formatPath(path))) {
    return {
      name: '@',
      path: [],
      note: `The records are values without fields: \`${written}\` read as the value itself.`,
    }
  }
  throw new Refusal(unknown(records, written))
}

/** What a value without fields may be called. Any other name would be a field, which it does not have. */
const itself =
  /^(?:_?values?|lines?|text|items?|elements?|entry|record|row|it|self|this|val|string|word|[a-z_])$/i

/** `a?.b`, `a->>'b'`, `/a/b`, `a__b` in dots. */
function withoutOtherMarks(reference: string): string {
  const plain = reference
    .trim()
    .replaceAll('?.', '.')
    .replaceAll(
      /\s*->>?\s*(?:'([^']*)'|"([^"]*)"|(\w+))/g,
      (_, single?: string, double?: string, bare?: string) => `.${single ?? double ?? bare ?? ''}`,
    )
  if (/^\/[^/\s]/.test(plain)) return plain.slice(1).replaceAll('~1', '/').split('/').join('.')
  return /^\w+(?:__\w+)+$/.test(plain) ? plain.replaceAll('__', '.') : plain
}
