/** One JSON value after the other: each on a line (NDJSON, JSON Lines), or each over several, as `jq` and `go list -json` print them. */
import { randomInt } from 'node:crypto'
import type { JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { parseJson } from '../json/stringify.ts'
import { asideOf } from './cells.ts'
import { defineFormat, PLAIN } from './define.ts'
import { type BelowWords, belowWords } from './words-above.ts'

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
  if (mostlyJson(lines)) return () => readLines(text, lines)
  return isSequence(lines)
    ? () => [...sequence(lines)].map(({ value, text }) => value ?? { _line: text })
    : undefined
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

/** Characters of lines that are parsed in one go. */
const AT_ONCE = 262_144

function readLines(text: string, lines: LineIndex): JsonValue[] {
  const values: JsonValue[] = []
  for (let from = 0; from < lines.count; ) {
    const end = lines.start(from) + AT_ONCE
    const to = end < text.length ? Math.max(from + 1, lines.lineAt(end)) : lines.count
    const read =
      together(text.slice(lines.start(from), lines.end(to - 1)), to - from) ?? oneByOne(lines, from, to)
    for (const value of read) values.push(value)
    from = to
  }
  return values
}

function oneByOne(lines: LineIndex, from: number, to: number): JsonValue[] {
  const all = Array.from({ length: to - from }, (_, at) => lines.at(from + at))
  return all.filter((line) => line.trim() !== '').map((line) => parseLine(line) ?? { _line: line })
}

/** The values of lines that are all JSON, in a fraction of the time. A number that no line knows stands between them and says so. */
function together(lines: string, count: number): JsonValue[] | undefined {
  const mark = randomInt(2 ** 30)
  const values = parseJson(`[${lines.replaceAll('\n', `,${mark},`)}]`)?.value
  if (!Array.isArray(values) || values.length !== count * 2 - 1) return undefined
  const found: JsonValue[] = []
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? null
    if (at % 2 === 1 ? value !== mark : typeof value !== 'object' || value === null) return undefined
    if (at % 2 === 0) found.push(value)
  }
  return found
}

/** Values that are looked at to decide. */
const LEAST_VALUES = 2

/** True when the text begins with several values that each begin and end at the margin. */
function isSequence(lines: LineIndex): boolean {
  let seen = 0
  for (const { value } of sequence(lines)) {
    if (value === undefined) return false
    seen += 1
    if (seen === LEAST_VALUES) return true
  }
  return false
}

/** The values, and what stands between them. The lines of a value are indented but for its first and its last. */
function* sequence(lines: LineIndex): Generator<{ value: JsonValue | undefined; text: string }> {
  for (let first = 0; first < lines.count; first++) {
    const line = lines.at(first)
    if (line.trim() === '') continue
    if (!/^[[{]/.test(line)) {
      yield { value: undefined, text: line }
      continue
    }
    const written = [line]
    const isWhole = parseLine(line) !== undefined
    let last = first
    while (!isWhole && last + 1 < lines.count && !/^[\]}]/.test(written.at(-1) ?? '')) {
      const next = lines.at(last + 1)
      if (/^[[{]/.test(next)) break
      written.push(next)
      last += 1
    }
    const text = written.join('\n')
    yield { value: parseLine(text), text }
    first = last
  }
}

function parseLine(line: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(line)) return undefined
  return parseJson(line)?.value
}

/** Tried where the whole is no JSON. Never takes a text of which every fifth line is none, or that does not begin with values. */
export const ndjson = defineFormat({
  ...PLAIN.ndjson,
  detect(text): BelowWords<() => JsonValue[]> | undefined {
    const evidence = readNdjson(text)
    return evidence
      ? { evidence, above: [] }
      : belowWords(text, (rest) => /^[[{].*\n[[{]/.test(rest), readNdjson)
  },
  read: (_, { evidence }) => evidence(),
  asides: (_, { above }) => above.map(asideOf),
})
