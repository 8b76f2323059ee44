/** A number and a text on each line, as `du`, `wc -l`, `uniq -c` and `find -printf "%s %p"` print them; or three numbers, as `wc` does. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { exactNumber, type FoundTable } from './cells.ts'
import { defineFormat } from './define.ts'

const PAIR = /^ *(\d{1,15}(?:\.\d{1,6})?[KMGTP]?(?:i?B)?)(?:\t| +)(\S.*)$/
const TOTAL = /^ *\d+(?: +\d+){0,2} total$/
/** Lines, words and bytes. */
const THREE = /^ *(\d{1,15}) +(\d{1,15}) +(\d{1,15}) +(\S.*)$/
const LONGEST = 4_096
const LEAST = 8

/** Records `{amount, name}`, or `{lines, words, bytes, name}`; a last line with the total is told beside them. Undefined unless all lines are so, and for lines that are numbered. */
function readCounted(text: string): FoundTable | undefined {
  if (!PAIR.test(text.slice(0, LONGEST).split('\n', 1)[0] ?? '')) return undefined
  const lines = indexLines(text)
  const last = lines.at(lines.count - 1)
  const count = TOTAL.test(last) ? lines.count - 1 : lines.count
  if (count < LEAST) return undefined
  const records: JsonObject[] = []
  const areThree = THREE.test(lines.at(0)) && THREE.test(lines.at(count - 1))
  let [rising, before] = [0, Number.NaN]
  for (let index = 0; index < count; index++) {
    if (lines.end(index) - lines.start(index) > LONGEST) return undefined
    if (areThree) {
      const [, ofLines, words, bytes, name] = THREE.exec(lines.at(index)) ?? []
      if (name === undefined) return undefined
      records.push({ lines: Number(ofLines), words: Number(words), bytes: Number(bytes), name })
      continue
    }
    const [, number = '', name] = PAIR.exec(lines.at(index)) ?? []
    if (name === undefined) return undefined
    const value = exactNumber(number)
    if (value !== undefined && value === before + 1) rising++
    before = value ?? Number.NaN
    records.push({ amount: value ?? number, name })
  }
  // Numbered lines, verses and dates are no counts.
  if (rising > count * 0.3 || !areNames(records)) return undefined
  return { json: (): JsonValue[] => records, asides: count < lines.count ? [last.trim()] : [] }
}

/** Paths or single words: sentences that begin with a number are none. */
function areNames(records: readonly JsonObject[]): boolean {
  const names = records.filter(({ name }) =>
    /^\S+$|^[^\t]*\/[^\t]*$|^[\w.-]+(?: [\w.-]+){0,2}$/.test(String(name)),
  )
  return names.length >= records.length * 0.95
}

/** Tried late: a number before a text begins many things. Never takes numbered lines, verses or sentences. */
export const counted = defineFormat<FoundTable>({
  name: 'counted',
  family: 'table',
  detect: readCounted,
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
})
