/** Messages of compilers, linters and grep: a place in a file, and a message about it. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { asideOf, exactNumber } from './cells.ts'
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
// `7:text`, `7:12:text`, below a line with the file; `8-text` is a line around it.
const FOUND = /^(\d{1,9}):(?:(\d{1,6}):)?(.*)$/
const AROUND = /^\d{1,9}-|^--$/
const FILE = /^(?=[^\n]*[./\\])(?=[^\n]*[A-Za-z])(?:[A-Za-z]:)?[^\s:*?"<>|][^:*?"<>|]{0,300}$/
// `error[E0382]: borrow of moved value`, `F401 [*] imported but unused`, above the line with the place.
const HEAD = /^(?:(error|warning|note|help)(?:\[([\w:-]{1,60})\])?: |([A-Z]{1,4}\d{2,5}) )(.*)$/
const ARROW = /^ *(?:-->|┌─|╭─\[) ?((?:[A-Za-z]:)?[^\s:]{1,300}):(\d{1,9}):(\d{1,6})\]?$/
// The source as a compiler quotes it, with marks and help below: ` 12 |  let x = 5;`, `    |      ^`, `    = help: …`.
const FRAME = /^ *\d{0,9} *[|│]|^ *= \w|^ *[\^~]/
// The sum of a run is none of its messages: `error: could not compile … due to 2 previous errors`.
const SUM = /\bprevious errors?\b|\b\d+ (?:errors?|warnings?)\b/
/** A line of a log. */
const CLOCK = /^.{0,24}\d\d:\d\d:\d\d/
const LONGEST = 4_096
const SAMPLE = 400
const MOST_LOOKED = 4_000
/** Characters in which the first place below a message has to be. */
const LOOKED = 262_144
/** Lines between a message and its place. */
const MOST_BETWEEN = 8
const MOST_ASIDES = 8

/**
 * Records `{line, file, file_line, column?, level?, code?, message, excerpt?}`: `line` counts the lines of the output from 1. Lines that
 * are no place of their own go on with the message before them, and quoted source is its excerpt. Undefined when the text is something else.
 */
function readDiagnostics(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  if (areFound(lines)) return () => records(lines, FOUND)
  let [places, stylish, indented, seen, quoted] = [0, 0, 0, 0, 0]
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = 0; index < lines.count; index += step) {
    const line = lines.at(index).slice(0, LONGEST)
    if (line.trim() === '') continue
    if (FRAME.test(line)) {
      quoted += 1
      continue
    }
    seen += 1
    if (STYLISH.test(line)) stylish += 1
    else if (placeOf(line)) places += 1
    else if (/^\s/.test(line)) indented += 1
  }
  if (seen + quoted < 3) return undefined
  // Of quoted source there may be much, or it makes up for lines such as "In function".
  const isPlaces =
    places > 0 &&
    ((places >= seen * 0.25 && places + indented >= seen * 0.8) ||
      (places >= (seen + quoted) * 0.25 && places + indented + quoted >= (seen + quoted) * 0.8))
  if (!isPlaces && (stylish < 3 || stylish < seen * 0.5)) return undefined
  return () => records(lines, stylish > places ? STYLISH : undefined)
}

/** True for lines with numbers that rise below each file, as `rg --heading` prints them. */
function areFound(lines: LineIndex): boolean {
  let [found, files, last, isFirst, hasGap] = [0, 0, 0, true, false]
  for (let index = 0; index < Math.min(lines.count, MOST_LOOKED); index++) {
    const line = lines.at(index).slice(0, LONGEST)
    const number = Number(FOUND.exec(line)?.[1] ?? 0)
    if (line.trim() === '') isFirst = true
    else if (isFirst && FILE.test(line) && !/\.$|^[^/\\]* [^/\\]*$/.test(line)) {
      files += 1
      last = 0
      isFirst = false
    } else if (files > 0 && number > last) {
      found += 1
      hasGap ||= number !== last + 1
      last = number
    } else if (files === 0 || number > 0 || !AROUND.test(line)) return false
  }
  return hasGap && files > 0 && found >= 3 && found >= files
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

/** Messages with their place before them; where a form is given, those of that form, below lines with the file. */
function records(lines: LineIndex, below: RegExp | undefined): JsonValue[] {
  const found: JsonObject[] = []
  let file = ''
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    if (line.trim() === '') continue
    const place = below ? placeBelow(below.exec(line), file) : placeOf(line)
    const last = found.at(-1)
    if (place) found.push({ line: index + 1, ...place })
    else if (below && /^\S/.test(line) && !AROUND.test(line)) file = line.trim()
    else if (last && below !== STYLISH) goOn(last, line)
  }
  return found
}

function placeBelow(match: RegExpExecArray | null, file: string): JsonObject | undefined {
  if (!match) return undefined
  // Of what is found there is only the message behind the place.
  const [, row, column, level = '', message, code] = match
  const place = { file, file_line: Number(row), ...(column === undefined ? {} : { column: Number(column) }) }
  if (message === undefined) return { ...place, message: level }
  return { ...place, level, ...(code === undefined ? {} : { code }), message }
}

/** Gives a message a line that stands below it. */
function goOn(message: JsonObject, line: string): void {
  const name = FRAME.test(line) ? 'excerpt' : 'message'
  message[name] = message[name] === undefined ? line : `${String(message[name])}\n${line}`
}

interface Framed {
  records: JsonObject[]
  asides: string[]
}

/** Messages above their places: `error[E0382]: …`, then `  --> src/a.rs:3:1`. Undefined where most lines are others. */
function readFramed(text: string): (() => Framed) | undefined {
  if (!/^ *(?:-->|┌─|╭─\[) ?\S[^\n]*:\d+:\d+\]?\r?$/m.test(text.slice(0, LOOKED))) return undefined
  const lines = indexLines(text)
  const looked = Math.min(lines.count, MOST_LOOKED)
  let [heads, arrows, others] = [0, 0, 0]
  for (let index = 0; index < looked; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    if (ARROW.test(line)) arrows += 1
    else if (HEAD.test(line)) heads += 1
    else if (line.trim() === '' || FRAME.test(line)) continue
    else if (CLOCK.test(line)) return undefined
    else others += 1
  }
  const known = heads + arrows
  return arrows > 0 && heads > 0 && arrows >= heads * 0.5 && others <= known ? () => framed(lines) : undefined
}

function framed(lines: LineIndex): Framed {
  const found: JsonObject[] = []
  const asides: string[] = []
  let open: JsonObject | undefined
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    if (line.trim() === '') {
      open = undefined
      continue
    }
    const [head, level, written, alone, message = ''] = HEAD.exec(line) ?? []
    const [, file, row, column] = ARROW.exec(line) ?? []
    // Notes and help belong to the message above them.
    const isPart = head !== undefined && open !== undefined && level !== 'error' && level !== 'warning'
    if (head !== undefined && !isPart) {
      open = undefined
      if (file === undefined && SUM.test(message) && !hasPlace(lines, index)) asides.push(line)
      else {
        const code = written ?? alone
        open = {
          line: index + 1,
          ...(level === undefined ? {} : { level }),
          ...(code === undefined ? {} : { code }),
          message,
        }
        found.push(open)
      }
    } else if (open && open.file === undefined && file !== undefined)
      Object.assign(open, { file, file_line: Number(row), column: Number(column) })
    else if (open && (/^\s/.test(line) || FRAME.test(line) || isPart)) goOn(open, line)
    else {
      open = undefined
      asides.push(line)
    }
  }
  return { records: found, asides }
}

/** True where a place stands below a message. */
function hasPlace(lines: LineIndex, head: number): boolean {
  for (let index = head + 1; index <= head + MOST_BETWEEN; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    if (ARROW.test(line)) return true
    if (line.trim() === '' || HEAD.test(line)) return false
  }
  return false
}

/** Tried before logs, which take its levels. Never takes messages of which most have no place below. */
export const framedDiagnostics = defineFormat({
  name: 'framed diagnostics',
  family: 'entries',
  detect: (text) => {
    const read = readFramed(text)
    let result: Framed | undefined
    return read && (() => (result ??= read()))
  },
  read: (_, read) => read().records,
  asides: (_, read) => read().asides.slice(0, MOST_ASIDES).map(asideOf),
  overview: overviewOfEntries,
})

/** Never takes dates and clocks for files. */
export const diagnostics = defineFormat({
  name: 'diagnostics',
  family: 'entries',
  detect: readDiagnostics,
  read: (_, read) => read(),
  overview: overviewOfEntries,
})
