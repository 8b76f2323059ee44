/** Messages of compilers, linters and grep: a place in a file, and a message about it. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

// `src/a.ts(12,3): error TS2345: …`, `a.cpp(12) : …`, `src/a.c:12:3: warning: …`, `src/a.py:12: …`.
const PLACE =
  /^((?:[A-Za-z]:)?[^\s:()[\],]{1,300})(?:\((\d+)(?:,(\d+))?\) ?:|:(\d+)(?::(\d+))?(?::| -)) ?(.*)$/
const LEVELLED =
  /^(fatal error|error|warning|note|info|information|hint)\b(?:[ :[]+([A-Z]{1,6}[-_]?\d{1,6})\]?)?:? ?/i
const CODED = /^([A-Z]{1,4}\d{2,5})\b:? /
// The check that a message names at its end: ` [-Wunused-variable]`, ` [arg-type]`, `  [whitespace/tab] [1]`.
const CHECK = /( {1,3})\[([A-Za-z-][\w@/.+=-]{1,60})\](?: +\[\d\])?\s*$/
// `  12:3  error  Unexpected console statement  no-console`, below a line with the file.
const STYLISH = /^ +(\d+):(\d+) +(error|warning) +(.*?)(?: {2,}([@\w/-]+))?$/
const LONGEST = 4_096
const SAMPLE = 400

/**
 * Records `{line, file, file_line, column?, level?, code?, message}`: `line` counts the lines of the output from 1. Lines
 * that are no place of their own go on with the message before them. Undefined when the text is something else.
 */
function readDiagnostics(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  let [places, stylish, indented, seen] = [0, 0, 0, 0]
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = 0; index < lines.count; index += step) {
    const line = lines.at(index).slice(0, LONGEST)
    if (line.trim() === '') continue
    seen += 1
    if (STYLISH.test(line)) stylish += 1
    else if (placeOf(line)) places += 1
    else if (/^\s/.test(line)) indented += 1
  }
  if (seen < 3) return undefined
  const isPlaces = places >= seen * 0.25 && places + indented >= seen * 0.8
  if (!isPlaces && (stylish < 3 || stylish < seen * 0.5)) return undefined
  return () => records(lines, stylish > places)
}

function placeOf(line: string): JsonObject | undefined {
  const match = PLACE.exec(line)
  if (!match) return undefined
  const [, file = '', line1, column1, line2, column2, said = ''] = match
  // A file has a name with a dot or a folder; a clock has neither.
  if (!/[./\\]/.test(file) || /^\d[\d.-]*$/.test(file) || /^\d{4}-\d\d-\d\d/.test(file)) return undefined
  const column = column1 ?? column2
  const [level, word, written] = LEVELLED.exec(said) ?? []
  const rest = said.slice(level?.length ?? 0)
  const [coded, alone] = (level === undefined ? CODED.exec(rest) : null) ?? []
  const [, gap = '', check] = CHECK.exec(rest) ?? []
  const code = written ?? alone ?? (level !== undefined || gap.length > 1 ? check : undefined)
  return {
    file,
    file_line: exactNumber(line1 ?? line2 ?? '') ?? line1 ?? line2 ?? null,
    ...(column === undefined ? {} : { column: exactNumber(column) ?? column }),
    ...(word === undefined ? {} : { level: word.toLowerCase() }),
    ...(code === undefined ? {} : { code }),
    message: rest.slice(coded?.length ?? 0),
  }
}

function records(lines: LineIndex, stylish: boolean): JsonValue[] {
  const found: JsonObject[] = []
  let file = ''
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    const [, row, column, level = '', message = '', rule] = (stylish && STYLISH.exec(line)) || []
    const place =
      row === undefined
        ? stylish
          ? undefined
          : placeOf(line)
        : {
            file,
            file_line: Number(row),
            column: Number(column),
            level,
            ...(rule === undefined ? {} : { code: rule }),
            message,
          }
    const last = found.at(-1)
    if (place) found.push({ line: index + 1, ...place })
    else if (stylish && /^\S/.test(line)) file = line.trim()
    else if (!stylish && last && line.trim() !== '') last.message = `${String(last.message)}\n${line}`
  }
  return found
}

/** Never takes dates and clocks for files. */
export const diagnostics = defineFormat({
  name: 'diagnostics',
  family: 'entries',
  line: 'entry',
  detect: readDiagnostics,
  read: (_, read) => read(),
  overview: overviewOfEntries,
})
