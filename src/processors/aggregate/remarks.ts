/** What is to be said of the values that a function is computed from. */
import type { Field } from '../fields.ts'
import { shown } from '../refusal.ts'
import type { Call } from './call.ts'
import type { Gathered } from './group.ts'
import type { Numbers } from './numbers.ts'

/** What was read as something else than it is, and what was left out. */
export function remarks(call: Call, { name }: Field, gathered: Gathered, numbers: Numbers): string[] {
  const { census } = gathered
  const ordered = call.name === 'min' || call.name === 'max'
  const read = (): Findings => findings(gathered, numbers)
  const { others, large, example } = census.derived(`findings for ${ordered ? 'order' : 'numbers'}`, read)
  const notes: string[] = []
  if (large && !ordered)
    notes.push(`\`${name}\` has numbers of more than 15 digits: ${call.name} is rounded.`)
  if (example && !ordered)
    notes.push(
      `\`${name}\` holds texts read as numbers: ${shown(JSON.stringify(example.text), 40)} as ${example.number}.`,
    )
  if (others > 0)
    notes.push(
      `${others} of ${census.total} values of \`${name}\` are no ${ordered ? 'such values' : 'numbers'} and were left out.`,
    )
  return notes
}

interface Findings {
  /** Values that are no numbers. */
  others: number
  /** True: some numbers cannot be told from their neighbours. */
  large: boolean
  /** A text that was read as a number and is not plainly one. */
  example: { text: string; number: number } | undefined
}

/** Longer texts are no examples, unless they are the first. */
const longest = 40

function findings({ values: { items }, census: { counts, present } }: Gathered, numbers: Numbers): Findings {
  const found: Findings = { others: 0, large: false, example: undefined }
  let first = true
  for (let nth = 0; nth < present.length; nth++) {
    const id = present[nth] as number
    const number = numbers[id] as number
    if (Number.isNaN(number)) {
      found.others += counts[id] as number
      continue
    }
    if (Math.abs(number) > Number.MAX_SAFE_INTEGER) found.large = true
    const text = items[id]
    if (typeof text !== 'string' || found.example) continue
    if ((first || text.length < longest) && !Number.isFinite(Number(text))) found.example = { text, number }
    first = false
  }
  return found
}
