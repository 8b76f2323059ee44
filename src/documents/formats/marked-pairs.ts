/** Lists of names with a value each below headings: `## Lamps (5)`, and below it `- **lamp.hall**: on (Hall lamp)`. */
import type { JsonObject } from '../../protocol/json.ts'
import type { LineIndex } from '../../text/lines.ts'
import { exactNumber } from './cells.ts'

const PAIR =
  /^ {0,3}[-*+•] (?:\*\*([^*\n]{1,200}?):?\*\*|`([^`\n]{1,200})`):? +(?=\S)(?:\*\*([^*]{1,200})\*\*$|`([^`]{1,200})`$|(.*)$)/
const NAMED = /^ {0,3}[-*+•] (?:\*\*[^*\n]{1,200}(?::\*\*|\*\*:)|`[^`\n]{1,200}`:) /
const HEADING = /^ {0,3}#{1,6}[ \t]+(\S.{0,200})$/
const REMARK = /^(.*\S) \(([^()]{1,200})\)$/
const FENCE = /^ {0,3}(?:```|~~~)/
const LONGEST = 1_000
/** Pairs that there must be, and their share among the lines that are neither empty nor headings. */
const LEAST = 10
const COMMON = 0.85
/** A longer value is prose. The shares of short values, of different names, and of values with a remark. */
const SHORT = 60
const NEARLY = 0.9
const SOME = 0.2

interface Pair {
  readonly heading: string
  readonly name: string
  readonly value: string
  readonly line: number
}

/** Records `{heading?, name, value, remark?, line}` of a text that consists of such pairs; none of any other. */
export function markedPairs(lines: LineIndex): JsonObject[] {
  const pairs: Pair[] = []
  let [heading, others] = ['', 0]
  for (let index = 0; index < lines.count; index++) {
    const line = lines.end(index) - lines.start(index) > LONGEST ? '?' : lines.at(index).trimEnd()
    const title = HEADING.exec(line)?.[1]
    if (title !== undefined) heading = title
    if (FENCE.test(line)) return []
    if (line === '' || title !== undefined) continue
    const [, bold, code, ...values] = (NAMED.test(line) && PAIR.exec(line)) || []
    const name = bold ?? code
    const value = values.find((one) => one !== undefined)
    if (name !== undefined && value !== undefined) pairs.push({ heading, name, value, line: index + 1 })
    else others += 1
  }
  const names = new Set(pairs.map(({ name }) => name))
  const short = pairs.filter(({ value }) => (REMARK.exec(value)?.[1] ?? value).length <= SHORT).length
  const isList =
    pairs.length >= LEAST &&
    pairs.length >= (pairs.length + others) * COMMON &&
    names.size >= pairs.length * NEARLY &&
    short >= pairs.length * NEARLY
  return isList ? recordsOf(pairs) : []
}

function recordsOf(pairs: readonly Pair[]): JsonObject[] {
  const isHeaded = new Set(pairs.map(({ heading }) => heading)).size > 1
  const hasRemarks = pairs.filter(({ value }) => REMARK.test(value)).length >= pairs.length * SOME
  return pairs.map(({ heading, name, value, line }) => {
    const [, said = value, remark] = (hasRemarks && REMARK.exec(value)) || []
    return {
      ...(isHeaded && { heading }),
      name,
      value: exactNumber(said) ?? said,
      ...(remark !== undefined && { remark }),
      line,
    }
  })
}
