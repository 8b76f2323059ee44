/** The signs that no definition of a tool needs: invisible characters, and orders to the model about the user or other tools. */
import { isObject, type JsonValue } from '../protocol/json.ts'

const CONCEALING =
  /\b(?:do not|don['’]t|never|must not|without)\s{1,40}(?:ever\s{1,40})?(?:tell|mention|inform|reveal|disclose|telling|mentioning|informing|notifying|revealing|disclosing)\b.{0,40}\b(?:the|to|any) (?:user|human|person|anyone)\b|\bkeep\b.{0,20}\b(?:secret|hidden) from the user\b|\b(?:do not|don['’]t|never)\s{1,40}(?:tell|inform|notify)\s{1,40}(?:the |any)?(?:user|human|anyone)\b/is

/** Tags, directions that override others, controls. */
const NEVER = String.raw`\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f`
/** One of these is harmless in many scripts, and in emoji; a row of them says something to machines alone. */
const ALONE = String.raw`\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0100}-\u{e01ef}`
const HIDDEN = new RegExp(`[${NEVER}]|[${ALONE}]{3}`, 'u')

const SUSPICIONS: readonly [reason: string, regex: RegExp][] = [
  ['has invisible characters', HIDDEN],
  [
    'tells the model to ignore its instructions',
    /\b(?:ignore|disregard|forget|override)\b[^.!?]{0,40}\b(?:previous|prior|above|earlier|preceding|your|system)\b[^.!?]{0,40}\b(?:instruction|prompt|rule|message|guideline)s?\b|\b(?:ignore|disregard|forget)\s{1,40}(?:all|any|every|other)(?:\s{1,40}(?:of|the|other)){0,2}\s{1,40}(?:instruction|prompt)s?\b/is,
  ],
  ['tells the model to conceal something', CONCEALING],
  [
    'gives orders in the name of the system',
    /<\s{0,40}(?:\/\s{0,40})?(?:important|system|secret|instructions?)\s{0,40}>/i,
  ],
  [
    'asks for keys or files of the user',
    /\b(?:read|send|include|pass|provide|attach|cat|open)\b.{0,60}(?:~\/\.ssh|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws\/credentials|\.(?:cursor|claude)\/\S{0,200}?\.json|(?:^|[\s/'"`])mcp\.json\b)/is,
  ],
]

/** True for characters that only machines read. */
export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text.replace(FLAGS, ''))
}

/** Longer definitions do not help a model, and are not read. */
const MOST_CHARACTERS = 200_000
const DEEPEST = 200

/** Flags of England, Scotland and Wales are written with tags. */
const FLAGS =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu

/** Why a definition is not to be shown to a model, as the end of a sentence about the tool; undefined: it is like any other. */
export function suspicionOf(definition: JsonValue): string | undefined {
  // Escapes of JSON would hide what is looked for.
  const texts: string[] = []
  if (!gather(definition, texts, 0)) return 'is nested too deeply to be checked'
  const text = texts.join('\n')
  if (text.length > MOST_CHARACTERS) return 'says more than can be checked'
  const visible = text.replace(FLAGS, '')
  return SUSPICIONS.find(([, regex]) => regex.test(visible))?.[0]
}

/** Names of members as well: models read them. */
function gather(value: JsonValue, into: string[], depth: number): boolean {
  if (typeof value === 'string') into.push(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth > DEEPEST) return false
  if (!isObject(value)) return value.every((item) => gather(item, into, depth + 1))
  return Object.entries(value).every(([key, inner]) => {
    into.push(key)
    return gather(inner, into, depth + 1)
  })
}
