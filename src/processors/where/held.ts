/** Values without quotes that hold what else joins conditions: `name = Smith, John`, `node = >=17 || 14`, where a record has just that. */
import { cutAtOperator, type Knows } from './operators.ts'

/** The texts of a field that hold a joint, in lower case. */
export type Held = (field: string) => ReadonlySet<string>

/** What may join conditions, in a text. */
export const joint = /\s(?:and|or)\s|[,;&|]/i
const joints = /\s+(?:and|or)\s+|\|\|?|&&?|[,;]|\)/gi
/** Longer texts are not written out in a condition. In characters. */
export const longestHeld = 300
/** Places in one condition at which a value may begin or end. */
const mostPlaces = 24

/** The condition with such values in quotes; the longest one that some record has counts. `note` hears of those that could be two. */
export function withHeldQuoted(
  source: string,
  knows: Knows,
  held: Held,
  note: (text: string) => void = () => undefined,
): string {
  if (!joint.test(source)) return source
  const places = [...source.matchAll(joints)].slice(0, mostPlaces)
  let out = ''
  let done = 0
  for (const begin of [0, ...places.map((place) => place.index + place[0].length)]) {
    if (begin < done) continue
    const value = valueAt(
      source,
      begin,
      places.map(({ index }) => index),
      knows,
      held,
    )
    if (!value) continue
    out += source.slice(done, value.from) + value.quoted
    done = value.to
    const either = value.text.split(/\s+or\s+/i)
    if (either.length > 1)
      note(
        `\`${value.text}\` is one value; for either of them write \`${value.field} in (${either.join(', ')})\`.`,
      )
  }
  return out + source.slice(done)
}

function valueAt(
  source: string,
  begin: number,
  places: readonly number[],
  knows: Knows,
  held: Held,
): { from: number; to: number; quoted: string; field: string; text: string } | undefined {
  const opening = /^\s*(?:not\s+|[!(]\s*)*/i.exec(source.slice(begin, begin + 40))?.[0].length ?? 0
  const piece = source.slice(begin + opening, begin + opening + longestHeld).trimEnd()
  const cut = cutAtOperator(piece, knows)
  if (cut?.operator !== '=' || cut.rest === '' || /^["'`]/.test(cut.rest) || knows(cut.field) === undefined)
    return undefined
  const texts = held(cut.field)
  if (texts.size === 0) return undefined
  const from = begin + opening + piece.length - cut.rest.length
  for (const end of [...places.filter((place) => place > from), source.length].reverse()) {
    const text = source.slice(from, end).trimEnd()
    const quote = ['"', "'", '`'].find((each) => !text.includes(each))
    if (quote !== undefined && joint.test(text) && texts.has(text.toLowerCase()))
      return { from, to: from + text.length, quoted: `${quote}${text}${quote}`, field: cut.field, text }
  }
  return undefined
}
