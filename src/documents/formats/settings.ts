/** Settings: `.env`, INI, properties, `sysctl -a`, `git config -l`, `pip freeze`, and TOML that is as plain. A record for each. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

const PAIR = /^\s*(?:export +)?([A-Za-z_][\w.\-/:@]{0,199}) ?={1,2} ?(.*)$/
const SECTION = /^\s*\[{1,2}([^[\]=]{1,200})\]{1,2}\s*(?:[#;].*)?$/
const COMMENT = /^\s*(?:[#;]|$)/
const LEAST = 6
/** Lines of which one may be the rest of a value above it. */
const REST = 0.05
const LONGEST = 16_384
/** The signs of programs that settings do not have. */
const CODE =
  /^\s*(?:const|let|var|def|if|for|return|import|from|class|function|public|private)\b|[{};]\s*$|\($/

/**
 * Records `{line, section?, key, value}`, values without their quotes, numbers where they come back as written. A line that is no pair goes
 * on with the value above it. Undefined unless nearly all lines are pairs, sections and comments.
 */
function readSettings(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  let [pairs, others] = [0, 0]
  for (let index = 0; index < lines.count; index++) {
    const line = at(lines, index)
    if (COMMENT.test(line) || SECTION.test(line)) continue
    if (CODE.test(line)) return undefined
    if (PAIR.test(line)) pairs += 1
    else if (pairs === 0 || ++others > Math.max(1, lines.count * REST)) return undefined
  }
  return pairs < LEAST ? undefined : () => records(lines)
}

function at(lines: LineIndex, index: number): string {
  return lines.end(index) - lines.start(index) > LONGEST ? '{' : lines.at(index)
}

function records(lines: LineIndex): JsonValue[] {
  const found: JsonObject[] = []
  let section: string | undefined
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const pair = PAIR.exec(line)
    const last = found.at(-1)
    if (pair) {
      const value = bare((pair[2] ?? '').trim())
      found.push({
        line: index + 1,
        ...(section === undefined ? {} : { section }),
        key: pair[1] ?? '',
        value: exactNumber(value) ?? value,
      })
    } else if (SECTION.test(line)) section = SECTION.exec(line)?.[1]?.trim()
    else if (last && !COMMENT.test(line)) last.value = `${String(last.value)}\n${line}`
  }
  return found
}

function bare(value: string): string {
  const [, , inner] = /^(["'])((?:(?!\1).)*)\1$/.exec(value) ?? []
  return inner ?? value
}

/** Tried after logs: their lines may be pairs. Never takes programs. */
export const settings = defineFormat({
  name: 'settings',
  family: 'entries',
  line: 'entry',
  detect: readSettings,
  read: (_, read) => read(),
  overview: overviewOfEntries,
})
