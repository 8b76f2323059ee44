/** One JSON value a line (NDJSON, JSON Lines). */
import type { JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfData } from '../overview/records.ts'
import { parseJson } from '../stringify.ts'
import { defineFormat, PLAIN } from './define.ts'

const SAMPLE = 20
/** The share of lines that must be JSON; the rest is noise among them, such as a stack trace. */
const SHARE = 0.8

/**
 * Reads the lines as an array when nearly all of them are JSON objects or arrays. A line that is none becomes
 * `{_line: "the line"}`, so that nothing is lost.
 */
function readNdjson(text: string): (() => JsonValue[]) | undefined {
  if (!/^\s*[[{]/.test(text.slice(0, 4096))) return undefined
  const lines = indexLines(text)
  if (lines.count < 2) return undefined
  return mostlyJson(lines) ? () => readLines(lines) : undefined
}

function mostlyJson(lines: LineIndex): boolean {
  let seen = 0
  let good = 0
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = 0; index < lines.count && seen < SAMPLE * 2; index += step) {
    // Where every other line is empty, the step may meet those alone.
    const line = lines.at(index).trim() || lines.at(index + 1)
    if (line.trim() === '') continue
    seen += 1
    if (parseLine(line) !== undefined) good += 1
  }
  return good >= 2 && good >= seen * SHARE
}

function readLines(lines: LineIndex): JsonValue[] {
  const values: JsonValue[] = []
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    if (line.trim() !== '') values.push(parseLine(line) ?? { _line: line })
  }
  return values
}

function parseLine(line: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(line)) return undefined
  return parseJson(line)?.value
}

/** Tried where the whole is no JSON. Never takes a text of which every fifth line is none. */
export const ndjson = defineFormat({
  ...PLAIN.ndjson,
  detect: readNdjson,
  read: (_, read) => read(),
  overview: overviewOfData,
})
