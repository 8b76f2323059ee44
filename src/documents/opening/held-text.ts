/** Data in a text inside something else: between two marks, or in the one long string of a JSON object. */
import { isText } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'

/** A long string of an object, and the object with something else in its place. */
interface HeldText {
  readonly text: string
  readonly with: (value: JsonValue) => JsonValue
}

/** A shorter string is no list of records; objects hold each other to this depth, with as many members in all. */
const LONG = 240
const DEEPEST = 4
const MOST_MEMBERS = 100
/** All else in the object is smaller than the string by this factor. */
const SMALLER = 4

/** The string that nearly all of an object consists of: `{"result": "…"}`, `{"content": [{"type": "text", "text": "…"}]}`. */
export function heldText(value: JsonValue): HeldText | undefined {
  const longest: { path: readonly (string | number)[]; text: string } = { path: [], text: '' }
  let [members, others] = [0, 0]
  const isSmall = (inside: JsonValue, path: readonly (string | number)[], mayHold: boolean): boolean => {
    members += 1
    if (members > MOST_MEMBERS || path.length > DEEPEST) return false
    if (typeof inside === 'string') {
      others += inside.length
      if (mayHold && inside.length > longest.text.length) Object.assign(longest, { path, text: inside })
      return true
    }
    if (Array.isArray(inside)) {
      const [only] = inside
      const isBlock = inside.length === 1 && isObject(only) && isText(only)
      return inside.every((one, at) => isSmall(one, [...path, at], mayHold && isBlock))
    }
    if (!isObject(inside)) return true
    return Object.keys(inside).every((key) => isSmall(own(inside, key) ?? null, [...path, key], mayHold))
  }
  if (!isObject(value) || !isSmall(value, [], true)) return undefined
  const { path, text } = longest
  if (text.length < LONG || (others - text.length) * SMALLER > text.length) return undefined
  return { text, with: (held) => replaced(value, path, held) }
}

function replaced(
  value: JsonValue,
  [step, ...further]: readonly (string | number)[],
  held: JsonValue,
): JsonValue {
  if (step === undefined) return held
  if (Array.isArray(value)) return value.map((one, at) => (at === step ? replaced(one, further, held) : one))
  const object = value as JsonObject
  return { ...object, [step]: replaced(own(object, String(step)) ?? null, further, held) }
}

/** The words around marked data end within as many characters. */
const AROUND = 4_096
/** Marks have a name of several words: `<answer>` and the elements of pages hold anything. */
const OPENING = /^<([A-Za-z]\w{0,40}(?:-\w{1,60}){1,12})>[ \t]*\n\s*(?=[^\s<])/m
/** A heading, or another mark. */
const OF_PAGE = /^(?:#{1,6} |<)/m

/** The text between two marks on lines of their own, as servers put them around data that others wrote: `<untrusted-data-7>`. */
export function betweenMarks(text: string): { inside: string; before: string; after: string } | undefined {
  const opening = OPENING.exec(text.slice(0, AROUND))
  if (!opening) return undefined
  const from = opening.index + opening[0].length
  const tail = Math.max(from, text.length - AROUND)
  const mark = new RegExp(`^</${opening[1]}>[ \\t]*$`, 'gm')
  const closing = [...text.slice(tail).matchAll(mark)].at(-1)
  if (!closing) return undefined
  const to = tail + closing.index
  const after = text.slice(to + closing[0].length)
  const isMost = (to - from) * 2 >= text.length
  if (!isMost || OF_PAGE.test(text.slice(0, opening.index)) || OF_PAGE.test(after)) return undefined
  return { inside: text.slice(from, to), before: text.slice(0, from), after: text.slice(to) }
}
