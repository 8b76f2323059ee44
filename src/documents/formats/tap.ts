/** The output of tests by the Test Anything Protocol: a record for each test. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { defineFormat } from './define.ts'

const TEST =
  /^( {0,40})(not )?ok(?: (\d{1,9}))?(?:\s+-\s|\s|$)((?:\\#|[^#])*)(?:#\s{0,8}(skip|todo)\w{0,8}\b[: ]*(.*))?$/i
const PLAN = /^(?:TAP version \d+|1\.\.\d+)\b/
const LONGEST = 4_096
const MOST_BEFORE = 20
const LEAST = 3

/** True where the text begins with a version or a plan, or with a test, and has a plan. */
function detect(text: string): true | undefined {
  const lines = indexLines(text)
  let [planned, tests] = [false, 0]
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    if (PLAN.test(line.trimStart())) planned = true
    else if (/^ *(?:not )?ok\b/.test(line.slice(0, 60))) tests += 1
    if (planned && tests >= LEAST) return true
    if (tests === 0 && !planned && index >= MOST_BEFORE) return undefined
  }
  return undefined
}

/**
 * Records `{line, number?, status, name, depth?, reason?, diagnostic?}`: `status` is `ok`, `not ok`, `skip` or `todo`; `diagnostic` is what
 * stands below the test.
 */
function read(text: string): JsonValue[] {
  const lines = indexLines(text)
  const found: JsonObject[] = []
  let below: string[] | undefined
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const match = lines.end(index) - lines.start(index) > LONGEST ? null : TEST.exec(lines.at(index))
    if (match) {
      const [, indent = '', failed, number, name = '', directive, reason = ''] = match
      found.push({
        line: index + 1,
        ...(number === undefined ? {} : { number: Number(number) }),
        status: directive?.toLowerCase() ?? (failed === undefined ? 'ok' : 'not ok'),
        name: name.trim(),
        ...(indent === '' ? {} : { depth: Math.ceil(indent.length / 4) }),
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      })
      below = undefined
    } else if (/^\s+---\s*$/.test(line)) below = []
    else if (/^\s+\.\.\.\s*$/.test(line) && below) {
      const last = found.at(-1)
      if (last) last.diagnostic = outdented(below)
      below = undefined
    } else below?.push(line)
  }
  return found
}

function outdented(lines: readonly string[]): string {
  const least = Math.min(...lines.map((line) => line.length - line.trimStart().length))
  return lines.map((line) => line.slice(least)).join('\n')
}

/** Never takes a text without a plan. */
export const tap = defineFormat<true>({
  name: 'tap',
  family: 'entries',
  detect,
  read,
  overview: overviewOfEntries,
})
