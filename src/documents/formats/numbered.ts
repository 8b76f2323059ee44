/** Lines that head records with a word, a number and a title: `Option 1: Direct flight`, `Result 3 - Title`. */
import { type JsonObject, own, setOwn } from '../../protocol/json.ts'

const NUMBERED = /^(\p{L}[\p{L} _]{0,30}?) ?#?(\d{1,9})(?:(?:[:.)]| [-–—|])[ \t]+(\S.*))?$/u
const LONGEST = 1_000

/** True for a line of a word and a number, be there a title or none. */
export function isNumbered(line: string): boolean {
  return line.length <= LONGEST && NUMBERED.test(line)
}

/** The records with `number` and `title` in place of their heading, where each is headed by the same word. */
export function withNumbers(records: readonly JsonObject[], heading: string): JsonObject[] {
  const words = new Set<string | undefined>()
  for (const record of records) words.add(partsOf(record, heading)?.[1])
  if (words.size !== 1 || words.has(undefined)) return [...records]
  return records.map((record) => {
    const [, , number, title] = partsOf(record, heading) ?? []
    const whole: JsonObject = {}
    for (const [key, value] of Object.entries(record))
      if (key === heading) Object.assign(whole, { number: Number(number), title })
      else setOwn(whole, key, value)
    return whole
  })
}

/** Undefined as well where there is no title, or the record has such fields of its own. */
function partsOf(record: JsonObject, heading: string): RegExpExecArray | undefined {
  const said = own(record, heading)
  const isTaken = own(record, 'number') !== undefined || own(record, 'title') !== undefined
  const found =
    typeof said === 'string' && !isTaken && said.length <= LONGEST ? NUMBERED.exec(said) : undefined
  return found?.[3] === undefined ? undefined : found
}
