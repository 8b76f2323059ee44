/** Logs: lines that begin with a time or a level, and the lines that continue them. */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { packRecords } from '../packed.ts'
import { renewable } from '../renewable.ts'
import { readAccess } from './log-access.ts'
import { type Entry, readEntry, readService } from './log-entry.ts'
import { levelOf } from './log-level.ts'
import { readFields } from './log-pairs.ts'

const SAMPLE = 200
/** What is parsed of one line. The message of a longer one is still whole. */
const LONGEST = 16_384

/** The records of shorter logs are kept as they are. */
const PACKED_FROM = 250_000

/**
 * Reads a log as records `{line, time, level, host, logger, message, …}`: `line` is the number of its first line from
 * 1, key=value pairs of the message become fields. Access logs have the fields of `readAccess`. Undefined when the
 * text is no log. What is returned keeps the records of a short log, and those of a long one while they are used.
 */
export function readLog(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  if (lines.count < 2) return undefined
  if (isAccessLog(lines)) return kept(text, lines, () => accessRecords(lines))
  const sampled = sample(lines)
  const share = (test: (line: string) => unknown) =>
    sampled.filter((line) => test(line)).length / sampled.length
  const continued = share((line) => !readEntry(line) && /^(\s|at |Caused by|Traceback|\.\.\. )/.test(line))
  const entries = share(readEntry)
  if (sampled.length < 2 || entries < 0.08 || entries + continued < 0.6) return undefined
  return kept(text, lines, () => entryRecords(text, lines))
}

function kept(text: string, lines: LineIndex, read: () => JsonObject[]): () => JsonObject[] {
  const startOf = ({ line }: JsonObject): number | undefined =>
    typeof line === 'number' ? lines.start(line - 1) : undefined
  return renewable(read, (records) =>
    text.length < PACKED_FROM ? undefined : packRecords(records, text, startOf),
  )
}

/** True for a log of requests: each line is one. */
export function isAccessLog(lines: LineIndex): boolean {
  const sampled = sample(lines)
  return sampled.filter((line) => readAccess(line)).length >= sampled.length * 0.7 && sampled.length > 0
}

/**
 * How the heads of this log are read. Where entries have a time, a line without one goes on with the entry before it,
 * such as the `Error: …` above a stack trace.
 */
export function headReader(lines: LineIndex): (line: string) => Entry | undefined {
  const heads = sample(lines).flatMap((line) => readEntry(line) ?? [])
  const timed = heads.filter(({ fields }) => Object.hasOwn(fields, 'time')).length
  if (timed < heads.length / 2) return readEntry
  return (line) => {
    const entry = readEntry(line)
    const isBare = entry && !Object.hasOwn(entry.fields, 'time') && entry.message > 0
    return isBare ? undefined : entry
  }
}

function sample(lines: LineIndex): string[] {
  const picked: string[] = []
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = 0; index < lines.count; index += step) {
    const line = beginning(lines, index)
    if (line.trim() !== '') picked.push(line)
  }
  return picked
}

/** The part of a line that is parsed, without slicing a huge one whole. */
function beginning(lines: LineIndex, index: number): string {
  return lines.end(index) - lines.start(index) <= LONGEST
    ? lines.at(index)
    : lines.at(index).slice(0, LONGEST)
}

function accessRecords(lines: LineIndex): JsonObject[] {
  const records: JsonObject[] = []
  for (let index = 0; index < lines.count; index++) {
    const line = beginning(lines, index)
    if (line === '') continue
    const access = readAccess(line)
    records.push(access ? { line: index + 1, ...access } : { line: index + 1, message: lines.at(index) })
  }
  return records
}

function entryRecords(text: string, lines: LineIndex): JsonObject[] {
  const records: JsonObject[] = []
  let open: { line: number; entry: Entry | undefined } | undefined
  const close = (before: number) => {
    if (!open) return
    const from = lines.start(open.line) + (open.entry?.message ?? 0)
    records.push(once(recordOf(open.line, open.entry, text.slice(from, lines.end(before - 1)))))
  }
  const readHead = headReader(lines)
  const once = repeated()
  for (let index = 0; index < lines.count; index++) {
    const line = beginning(lines, index)
    const entry = readHead(line) ?? ofOther(line, open?.entry)
    if (!entry && (open || lines.at(index).trim() === '')) continue
    close(index)
    open = { line: index, entry }
  }
  close(lines.count)
  return oneSpelling(records)
}

/** Strings that are looked up: levels, loggers, names, but no prose; and how many are known. */
const LONGEST_REPEATED = 40
const MOST_REPEATED = 5_000

/** A log says the same again and again: equal short strings become one, which halves what its records take. */
function repeated(): (record: JsonObject) => JsonObject {
  const known = new Map<string, string>()
  return (record) => {
    for (const key in record) {
      const value = record[key]
      if (
        typeof value !== 'string' ||
        value.length > LONGEST_REPEATED ||
        key === 'time' ||
        key === '__proto__'
      )
        continue
      const before = known.get(value)
      if (before !== undefined) record[key] = before
      else if (known.size < MOST_REPEATED) known.set(value, value)
    }
    return record
  }
}

/** A level that is written in several ways in one log is written in capitals everywhere. */
function oneSpelling(records: JsonObject[]): JsonObject[] {
  const written = new Set<string>()
  for (const { level } of records) if (typeof level === 'string' && written.size < 1_000) written.add(level)
  const levels = [...written].flatMap((level) => levelOf(level)?.toUpperCase() ?? [])
  if (new Set(levels).size === levels.length) return records
  for (const record of records)
    if (typeof record.level === 'string') record.level = levelOf(record.level)?.toUpperCase() ?? record.level
  return records
}

/** A line without a head goes on with the entry before it, unless another service wrote it. */
function ofOther(line: string, open: Entry | undefined): Entry | undefined {
  const service = open && own(open.fields, 'service')
  if (service === undefined) return undefined
  const found = readService(line)
  return found === undefined || found.service === service
    ? undefined
    : { fields: { service: found.service }, message: found.start }
}

function recordOf(line: number, entry: Entry | undefined, message: string): JsonObject {
  const record: JsonObject = { line: line + 1, ...entry?.fields }
  const fields = message.length <= LONGEST ? readFields(message) : []
  // The message of logfmt is one of its pairs; elsewhere it is more than its pairs, and stays whole.
  const isPairs = entry?.message === 0 || /^[A-Za-z_][\w.-]*=/.test(message)
  for (const [key, value] of fields) {
    if (!Object.hasOwn(record, key) && (isPairs || key !== 'message')) setOwn(record, key, value)
  }
  if (!Object.hasOwn(record, 'message')) record.message = message
  return record
}
