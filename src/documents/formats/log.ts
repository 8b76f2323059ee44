/** Logs: lines that begin with a time or a level, and the lines that continue them. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { packRecords } from '../packed.ts'
import { renewable } from '../renewable.ts'
import { parseJson } from '../stringify.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'
import { levelInBrackets, levelOf, levelOfLetter, severityOf } from './levels.ts'

const SAMPLE = 200
/** What is parsed of one line. The message of a longer one is still whole. */
const LONGEST_LINE = 16_384

/** The records of shorter logs are kept as they are. */
const PACKED_FROM = 250_000

/**
 * Reads a log as records `{line, time, level, host, logger, message, …}`: `line` is the number of its first line from
 * 1, key=value pairs of the message become fields. Access logs have the fields of `readAccess`. Undefined when the
 * text is no log. What is returned keeps the records of a short log, and those of a long one while they are used.
 */
function readLog(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  if (lines.count < 2) return undefined
  if (isAccessLog(lines)) return keptRecords(text, lines, () => accessRecords(lines))
  const sampled = sampleLines(lines)
  const share = (test: (line: string) => unknown) =>
    sampled.filter((line) => test(line)).length / sampled.length
  const continued = share((line) => !readEntry(line) && /^(\s|at |Caused by|Traceback|\.\.\. )/.test(line))
  const entries = share(readEntry)
  if (sampled.length < 2 || entries < 0.08 || entries + continued < 0.6) return undefined
  return keptRecords(text, lines, () => entryRecords(text, lines))
}

function keptRecords(text: string, lines: LineIndex, read: () => JsonObject[]): () => JsonObject[] {
  const startOf = ({ line }: JsonObject): number | undefined =>
    typeof line === 'number' ? lines.start(line - 1) : undefined
  return renewable(read, (records) =>
    text.length < PACKED_FROM ? undefined : packRecords(records, text, startOf),
  )
}

/** True for a log of requests: each line is one. */
function isAccessLog(lines: LineIndex): boolean {
  const sampled = sampleLines(lines)
  return sampled.filter((line) => readAccess(line)).length >= sampled.length * 0.7 && sampled.length > 0
}

/**
 * How the heads of this log are read. Where entries have a time, a line without one goes on with the entry before it,
 * such as the `Error: …` above a stack trace.
 */
function headReader(lines: LineIndex): (line: string) => Entry | undefined {
  const heads = sampleLines(lines).flatMap((line) => readEntry(line) ?? [])
  const timed = heads.filter(({ fields }) => Object.hasOwn(fields, 'time')).length
  if (timed < heads.length / 2) return readEntry
  return (line) => {
    const entry = readEntry(line)
    const isBare = entry && !Object.hasOwn(entry.fields, 'time') && entry.message > 0
    return isBare ? undefined : entry
  }
}

function sampleLines(lines: LineIndex): string[] {
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
  return lines.end(index) - lines.start(index) <= LONGEST_LINE
    ? lines.at(index)
    : lines.at(index).slice(0, LONGEST_LINE)
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
  const fields = message.length <= LONGEST_LINE ? readFields(message) : []
  // The message of logfmt is one of its pairs; elsewhere it is more than its pairs, and stays whole.
  const isPairs = entry?.message === 0 || /^[A-Za-z_][\w.-]*=/.test(message)
  for (const [key, value] of fields) {
    if (!Object.hasOwn(record, key) && (isPairs || key !== 'message')) setOwn(record, key, value)
  }
  if (!Object.hasOwn(record, 'message')) record.message = message
  return record
}

/** Where a line begins an entry: its fields, and the offset of its message in the line. */
export interface Entry {
  fields: JsonObject
  message: number
}

/** After a time: ` host process[pid]: ` as the journal prints it, ` process[pid]: ` as routers and relays do. */
const JOURNAL = /^ (?:([\w.-]{1,64}) )?([A-Za-z][\w@/.:-]{0,63}?)\[([\w.-]{1,40})\]: ?/
const KERNEL = /^ ([\w.-]{1,64}) (kernel): ?/
/** After a time: the stream of a container runtime, and whether the line is whole. */
const STREAM = /^ (stdout|stderr) ([FP])(?: |$)/
const PROGRAM = /^([A-Za-z][\w.-]{1,60}) (?=\d{4}-\d\d-\d\d[T ]\d\d:\d\d)/
const LOGFMT = /^(?:time|ts|timestamp|level|lvl)="?[^\s"]/
const LEVEL_FIRST = /^(?:\[([A-Za-z]{3,11})\]|([A-Za-z]{3,11}):|([A-Z]{4,8})) +/
/** A level in brackets before anything else. `(C) 2024` is another thing. */
const MARKED_FIRST = /^(<[^<>\s]{1,11}>|\[[VDIWEF]\](?= )|\((?!C\))[A-Z]{1,8}\)(?= )) */
/** After a time, a letter with what it belongs to: `E/Tag( 12): ` and `12 14 E Tag: ` of Android, `I NETWORK [` of MongoDB. */
const LETTERED = /^ +(?:(\d{1,7}) +(\d{1,7}) +([VDIWEF]) ([^\s:()][^:()]{0,59}?) {0,8}: ?|(?=[VDIWEF]\/))/
const COMPONENT = /^ ([DIWEF])\d? {1,3}([A-Z]{3,12}) +(?=\[)/
/** `[Server thread/INFO]` */
const THREAD_LEVEL = /^([^/]{1,60})\/([A-Z]{4,8})$/
/** `web-1   | `, as Docker Compose prints before each line. */
const SERVICE = /^([\w.-]{1,64}) *\| /
/** Levels of workflow logs: `##[error]`, `::warning file=a::`. */
const COMMAND = /^\s*(?:##\[([a-z]{3,9})\]|::([a-z]{3,9})(?: [^:]{0,200})?::)/
const PHP = /^ PHP (?:(Fatal|Parse|Recoverable fatal) error|(Warning|Notice|Deprecated))\b/
/** Words between the time and the message. */
const MOST_WORDS = 6
/** Characters that are looked at for one of them. */
const LONGEST_WORD = 256

/** Reads the head of a line. Undefined: the line begins no entry. */
export function readEntry(line: string): Entry | undefined {
  const first = line.charCodeAt(0)
  // What is indented goes on with something.
  if (first === 32 || first === 9) return undefined
  return (
    dated(line) ?? readForm(line) ?? levelFirst(line) ?? logfmt(line) ?? ofService(line) ?? ofProgram(line)
  )
}

/** `update-alternatives 2025-06-24 14:36:53: …`, a program that names itself before the time. */
function ofProgram(line: string): Entry | undefined {
  const [named, logger] = PROGRAM.exec(line.slice(0, LONGEST_WORD)) ?? []
  if (named === undefined || logger === undefined) return undefined
  const rest = line.slice(named.length)
  const entry = dated(rest)
  if (!entry) return undefined
  const colon = /^: ?/.exec(rest.slice(entry.message))?.[0].length ?? 0
  return { fields: { logger, ...entry.fields }, message: named.length + entry.message + colon }
}

/** Whose line it is where several services share a log; the offset of the line itself. */
export function readService(line: string): { service: string; start: number } | undefined {
  const match = SERVICE.exec(line.slice(0, 96))
  return match ? { service: match[1] ?? '', start: match[0].length } : undefined
}

function ofService(line: string): Entry | undefined {
  const found = readService(line)
  if (!found) return undefined
  const rest = line.slice(found.start)
  const entry = dated(rest) ?? readForm(rest) ?? levelFirst(rest) ?? logfmt(rest)
  return (
    entry && { fields: { service: found.service, ...entry.fields }, message: found.start + entry.message }
  )
}

function logfmt(line: string): Entry | undefined {
  return LOGFMT.test(line) ? { fields: {}, message: 0 } : undefined
}

function dated(line: string): Entry | undefined {
  const first = line.charCodeAt(0)
  // A digit, a bracket, or the capital of a day of the week.
  if (!((first >= 48 && first <= 57) || first === 91 || (first >= 65 && first <= 90))) return undefined
  const found = readTime(line)
  if (!found) return undefined
  const { time, end, clock } = found
  const rest = line.slice(end, end + LONGEST_WORD)
  const [whole, host, logger, pid] = (clock ? null : processIn(rest)) ?? []
  if (whole !== undefined && logger !== undefined) {
    const process = { ...(host === undefined ? {} : { host }), logger, pid }
    return withProcess(line, end + whole.length, { time }, process)
  }
  const [streamed, stream, part] = (rest.startsWith(' std') && STREAM.exec(rest)) || []
  if (streamed !== undefined && stream !== undefined) {
    const fields: JsonObject = { time, stream, ...(part === 'P' ? { partial: true } : {}) }
    return inContainer(line, end + streamed.length, fields)
  }
  const entry = withHead(line, end, { time })
  // A clock alone begins other things as well: it takes a level or brackets to be the time of an entry.
  return clock && entry.fields.level === undefined && first !== 91 ? undefined : entry
}

/** Looking for a mark is much cheaper than matching, and most lines have none. */
function processIn(rest: string): RegExpExecArray | null {
  if (rest.includes(']:')) return JOURNAL.exec(rest)
  return rest.includes(' kernel:') ? KERNEL.exec(rest) : null
}

/** What a container wrote has a head of its own; the time of the runtime stays. */
function inContainer(line: string, start: number, fields: JsonObject): Entry {
  const inner = readEntry(line.slice(start))
  if (inner) return { fields: { ...inner.fields, ...fields }, message: start + inner.message }
  return withHead(line, start, fields)
}

function levelFirst(line: string): Entry | undefined {
  const match = LEVEL_FIRST.exec(line)
  const level = levelOf(match?.[1] ?? match?.[2] ?? match?.[3] ?? '')
  if (!match || level === undefined) return markedFirst(line)
  const time = readTime(line.slice(match[0].length, match[0].length + 64))
  if (!time) return { fields: { level }, message: match[0].length }
  return withHead(line, match[0].length + time.end, { time: time.time, level })
}

function markedFirst(line: string): Entry | undefined {
  const [whole, marked = ''] = MARKED_FIRST.exec(line) ?? []
  const level = whole === undefined ? undefined : levelInBrackets(marked)
  if (whole === undefined || level === undefined) return undefined
  const inner = dated(line.slice(whole.length))
  if (!inner) return { fields: { level }, message: whole.length }
  return { fields: { level, ...inner.fields }, message: whole.length + inner.message }
}

const HEAD_WORD = /^(?:[\s|-]*)(?:\[([^\]]{0,80})\]|([^\s[\]|]{1,120}))/

/**
 * The words between a time and the message: a level, a thread or process in brackets, a logger. Only what comes with
 * a level or in brackets is taken; a message without either stays whole.
 */
function withHead(line: string, from: number, fields: JsonObject): Entry {
  let at = from
  const said = line.slice(from, from + LONGEST_WORD)
  const [command, marked, called] = (/[#:]/.test(said.charAt(1)) && COMMAND.exec(said)) || []
  if (command !== undefined) {
    const level = levelOf(marked ?? called ?? '')
    if (level !== undefined) fields.level = level
    return { fields, message: from + (/^\s*/.exec(said)?.[0].length ?? 0) }
  }
  const [php, fatal, mild] = (said.startsWith(' PHP ') && PHP.exec(said)) || []
  if (php !== undefined) {
    fields.level = fatal === undefined ? (mild ?? '').toUpperCase() : 'FATAL'
    return { fields, message: from + 1 }
  }
  const lettered = letterAfter(said, fields)
  if (lettered !== undefined) return { fields, message: from + lettered }
  for (let words = 0; words < MOST_WORDS; words++) {
    const match = HEAD_WORD.exec(line.slice(at, at + LONGEST_WORD))
    if (!match) break
    const [whole, bracketed, bare] = match
    const word = (bracketed ?? bare ?? '').trim()
    const after = line.slice(at + whole.length, at + whole.length + 8)
    if (!take(fields, word, bracketed !== undefined, after)) break
    at += whole.length
  }
  const rest = /^(?:\]?\s*[-:|]\s+|\]\s*|\s+)/.exec(line.slice(at, at + 32))
  return { fields, message: at + (rest?.[0].length ?? 0) }
}

/** Fields of a head whose level is a letter, and how long that is; undefined for other heads. */
function letterAfter(said: string, fields: JsonObject): number | undefined {
  const [tagged, pid, thread, letter = '', logger = ''] = LETTERED.exec(said) ?? []
  if (tagged !== undefined && pid !== undefined) {
    Object.assign(fields, { level: levelOfLetter(letter), logger, pid: Number(pid), thread: Number(thread) })
    return tagged.length
  }
  const brief = tagged === undefined ? undefined : readBrief(said.slice(tagged.length))
  if (tagged !== undefined && brief) {
    Object.assign(fields, brief.fields)
    return tagged.length + brief.message
  }
  const [found, level = '', component = ''] = COMPONENT.exec(said) ?? []
  if (found === undefined) return undefined
  fields.level = levelOfLetter(level)
  fields.logger = component
  return found.length
}

/** Makes a field of a word of the head; false when the word belongs to the message. */
function take(fields: JsonObject, word: string, bracketed: boolean, after: string): boolean {
  const bare = word.replace(/:$/, '')
  const level =
    fields.level === undefined
      ? (levelOf(bare) ?? levelInBrackets(bracketed ? `[${bare}]` : bare))
      : undefined
  if (level !== undefined || (word === 'LOG:' && fields.level === undefined)) {
    fields.level = level ?? 'LOG'
    // `Error: it broke` is what is said, as well as how bad it is.
    return !/^[A-Z][a-z]+:$/.test(word)
  }
  // `production.ERROR:`, `proxy:error` in brackets.
  const isPair = fields.level === undefined && (bracketed || word !== bare) && /[.:]/.test(bare)
  const [, module, inside] = (isPair && /^([A-Za-z_][\w-]*)[.:]([A-Za-z]{3,11})$/.exec(bare)) || []
  const of = inside === undefined ? undefined : levelOf(inside)
  if (of !== undefined && module !== undefined) {
    fields.level = of
    fields.logger ??= module
    return true
  }
  if (bracketed) {
    const [, thread, said] = (fields.level === undefined && THREAD_LEVEL.exec(word)) || []
    const how = said === undefined ? undefined : levelOf(said)
    if (how !== undefined && thread !== undefined) {
      fields.level = how
      fields.thread ??= thread
      return true
    }
    name(fields, word)
    return true
  }
  if (fields.logger === undefined && isLogger(word, after)) {
    fields.logger = bare
    return true
  }
  if (!/^\d+$/.test(word) || !/^\s*(?:---|\[|- )/.test(after)) return false
  fields.pid ??= exactNumber(word) ?? word
  return true
}

/** A word in brackets: `pid 12:tid 3`, `client 10.0.0.1:5000`, the logger when it looks like one, otherwise the thread. */
function name(fields: JsonObject, word: string): void {
  if (word === '') return
  if (/^\d+$/.test(word)) {
    fields.pid ??= exactNumber(word) ?? word
    return
  }
  const [, pid, tid] = /^pid (\d+)(?::tid (\d+))?$/.exec(word) ?? []
  if (pid !== undefined) {
    fields.pid ??= exactNumber(pid) ?? pid
    if (tid !== undefined) fields.thread ??= tid
    return
  }
  const [, client] = /^client ([^\s,]+)$/.exec(word) ?? []
  if (client !== undefined) {
    fields.client ??= client
    return
  }
  const key = fields.logger === undefined && /^[a-z][\w$-]*([./:][\w$-]+)+$/i.test(word) ? 'logger' : 'thread'
  if (fields[key] === undefined) fields[key] = word
}

/** Dotted names, names before a colon, and names between dashes are loggers. */
function isLogger(word: string, after: string): boolean {
  // `I/O error: …`
  if (/^\w\/\w:?$/.test(word)) return false
  if (/^[A-Za-z_][\w$-]*(?:(?:[./]|::)[\w$-]+)+:?$/.test(word)) return true
  return /^[A-Za-z_][\w$./-]*$/.test(word) ? /^(?: [-:] ?|\])/.test(after) : /^[A-Za-z_][\w$.-]*:$/.test(word)
}

const SYSLOG =
  /^(?:<(\d{1,3})>)?([A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d) (\S+) ([^\s:[\]]{1,64})(?:\[(\d+)\])?: ?/
// Values in quotes may hold brackets, and quotes behind a backslash.
const RFC5424 =
  /^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) (?:-|((?:\[(?:[^"\]\\]|"(?:[^"\\]|\\.)*")*\])+)) ?/
const PARAMETER = /([^\s=\]"[]{1,64})="((?:[^"\\]|\\.)*)"/g
// glog and CockroachDB write the year as well.
const KLOG = /^([IWEF])(\d{4}(?:\d\d|\d{4})? \d\d:\d\d:\d\d\.\d{1,9}) +(\d+) ([^\]\s]{1,80})(?:\] ?| +)/
const LOGCAT = /^(\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) +(\d+) +(\d+) ([VDIWEF]) ([^:]{1,60}?) *: ?/
// Without a process the tag is one word, and `I/O` is none.
const BRIEF =
  /^([VDIWEF])\/(?:([^\s:()][^:()]{0,59}?) {0,8}\( {0,8}(\d{1,7})\)|([A-Za-z][\w.$-]{1,59}) {0,8}): ?/
const DAY = /^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +(?=[VDIWEF]\/)/
const TORNADO =
  /^\[([DIWEC]) (\d{6} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?|\d\d:\d\d:\d\d(?:\.\d+)?) ([^\]]{1,80})\] ?/
const RUBY = /^[DIWEFA], \[(\S{1,40}) #(\d+)\] +([A-Z]{3,8}) -- ([^:]{0,60}): ?/
const REDIS = /^(\d+):[XCSM] (\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3}) ([.\-*#]) ?/
const PYTHON = /^(DEBUG|INFO|WARNING|ERROR|CRITICAL):([\w.-]{1,80}):/
const DOTNET = /^(trce|dbug|info|warn|fail|crit): ([\w.]{1,120})\[\d+\]\s*$/
const STRACE =
  /^(?:\[pid +(\d+)\] |(\d+) +)?(\d\d:\d\d:\d\d(?:\.\d{6})?) (?=[a-z_]\w*\(|--- SIG|\+\+\+ |<\.\.\. )/
const DMESG = /^(?:<(\d{1,3})>)?\[ *(\d{1,9}\.(?:\d{3}|\d{6}))\] ?/

const REDIS_LEVELS: Readonly<Record<string, string>> = {
  '.': 'DEBUG',
  '-': 'VERBOSE',
  '*': 'NOTICE',
  '#': 'WARNING',
}
const DOTNET_LEVELS: Readonly<Record<string, string>> = {
  trce: 'TRACE',
  dbug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  fail: 'ERROR',
  crit: 'CRITICAL',
}

/** Reads a head in one of these forms; undefined for any other line. */
export function readForm(line: string): Entry | undefined {
  for (const form of HEADS) {
    const entry = form(line)
    if (entry) return entry
  }
  return undefined
}

/** `E/Tag( 123): `, the short forms of logcat. */
export function readBrief(line: string): Entry | undefined {
  const match = BRIEF.exec(line)
  if (!match) return undefined
  const [whole, level = '', tagged, pid, word = ''] = match
  const fields: JsonObject = { level: levelOfLetter(level), logger: tagged ?? word }
  if (pid !== undefined) fields.pid = Number(pid)
  return { fields, message: whole.length }
}

const HEADS: readonly ((line: string) => Entry | undefined)[] = [
  (line) => {
    const match = RFC5424.exec(line)
    if (!match) return undefined
    const [whole, priority, time = '', host = '', logger = '', pid = '', id = '', data] = match
    const fields: JsonObject = { time, level: severityOf(Number(priority)) }
    for (const [name, value] of Object.entries({ host, logger, pid, msgid: id }))
      if (value !== '-') fields[name] = name === 'pid' ? (exactNumber(value) ?? value) : value
    for (const [, name = '', value = ''] of (data ?? '').matchAll(PARAMETER))
      if (!Object.hasOwn(fields, name)) setOwn(fields, name, value.replace(/\\(["\\\]])/g, '$1'))
    return { fields, message: whole.length }
  },
  (line) => {
    const match = SYSLOG.exec(line)
    if (!match) return undefined
    const [whole, priority, time = '', host = '', logger = '', pid] = match
    const level = priority === undefined ? undefined : severityOf(Number(priority))
    return withProcess(
      line,
      whole.length,
      { time, ...(level === undefined ? {} : { level }) },
      { host, logger, pid },
    )
  },
  (line) => {
    const match = KLOG.exec(line)
    if (!match) return undefined
    const [whole, level = '', time = '', , logger = ''] = match
    return { fields: { time, level: levelOfLetter(level), logger }, message: whole.length }
  },
  (line) => {
    const match = LOGCAT.exec(line)
    if (!match) return undefined
    const [whole, time = '', pid, thread, level = '', logger = ''] = match
    const fields = { time, level: levelOfLetter(level), logger, pid: Number(pid), thread: Number(thread) }
    return { fields, message: whole.length }
  },
  (line) => {
    const [day = ''] = DAY.exec(line) ?? []
    const brief = readBrief(line.slice(day.length))
    if (!brief || day === '') return brief
    return { fields: { time: day.trimEnd(), ...brief.fields }, message: day.length + brief.message }
  },
  (line) => {
    const match = TORNADO.exec(line)
    if (!match) return undefined
    const [whole, level = '', time = '', logger = ''] = match
    return { fields: { time, level: levelOfLetter(level), logger }, message: whole.length }
  },
  (line) => {
    const match = RUBY.exec(line)
    if (!match) return undefined
    const [whole, time = '', pid, level = '', logger = ''] = match
    const fields = {
      time,
      level,
      pid: Number(pid),
      ...(logger.trim() === '' ? {} : { logger: logger.trim() }),
    }
    return { fields, message: whole.length }
  },
  (line) => {
    const match = REDIS.exec(line)
    if (!match) return undefined
    const [whole, pid, time = '', mark = ''] = match
    return { fields: { time, level: REDIS_LEVELS[mark] ?? mark, pid: Number(pid) }, message: whole.length }
  },
  (line) => {
    const match = PYTHON.exec(line)
    if (!match) return undefined
    const [whole, level = '', logger = ''] = match
    return { fields: { level, logger }, message: whole.length }
  },
  (line) => {
    const match = DOTNET.exec(line)
    if (!match) return undefined
    const [, level = '', logger = ''] = match
    return { fields: { level: DOTNET_LEVELS[level] ?? level, logger }, message: level.length + 2 }
  },
  (line) => {
    const match = STRACE.exec(line)
    if (!match) return undefined
    const [whole, one, other, time = ''] = match
    const pid = one ?? other
    return { fields: { ...(pid === undefined ? {} : { pid: Number(pid) }), time }, message: whole.length }
  },
  (line) => {
    const match = DMESG.exec(line)
    if (!match) return undefined
    const [whole, priority, time = ''] = match
    const [marked = '', mark = ''] =
      /^(\([A-Z]{2}\)) ?/.exec(line.slice(whole.length, whole.length + 8)) ?? []
    const level = priority === undefined ? levelInBrackets(mark) : severityOf(Number(priority))
    const fields = { time: exactNumber(time) ?? time, ...(level !== undefined && { level }) }
    return { fields, message: whole.length + (level === undefined ? 0 : marked.length) }
  },
]

/** Who said it: a host and a process on it. */
interface Process {
  host?: string
  logger: string
  pid: string | undefined
}

/** The head of syslog and of the journal; the level is the first word of the message, when it is one and none is known. */
export function withProcess(
  line: string,
  message: number,
  fields: JsonObject,
  { host, logger, pid }: Process,
): Entry {
  const level = fields.level === undefined ? levelAtStart(line.slice(message, message + 24)) : undefined
  if (level !== undefined) fields.level = level
  if (host !== undefined) fields.host = host
  fields.logger = logger
  const number = exactNumber(pid ?? '')
  if (number !== undefined) fields.pid = number
  else if (pid !== undefined) fields.process = pid
  return { fields, message }
}

/** The level that a message begins with, by a word, in brackets, or as klog writes it. */
function levelAtStart(message: string): string | undefined {
  const [, letter] = /^([IWEF])\d{4} \d\d:\d\d:\d\d\./.exec(message) ?? []
  if (letter !== undefined) return levelOfLetter(letter)
  const [, word = ''] = /^[<[(]?([a-z]{3,11})\b(?=[\]>):\s]|$)/i.exec(message) ?? []
  const [marked = ''] = /^[<[(][A-Z0-9]{1,2}[\]>)](?=[\s:]|$)/.exec(message) ?? []
  return levelOf(word) ?? levelInBrackets(marked)
}

/** A time as written, and the offset of what follows it. */
export interface LogTime {
  time: string
  end: number
  /** Written without a date. */
  clock?: true
}

const TIMES = [
  // 2024-05-03T08:00:00.123Z, 2024/05/03 08:00:00,123 +0200
  /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)\]?/,
  // 03-May-2024 08:00:00.123 UTC, 03/May/2024:08:00:00 +0200, 03 May 2024 08:00:00.123
  /^\[?(\d\d[-/ ][A-Z][a-z]{2}[-/ ]\d{4}[ :]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: (?:UTC|GMT|[A-Z][a-z]+\/[A-Z]\w+|[+-]\d{4}))?)\]?/,
  // 03.05.2024 08:00:00,123
  /^\[?(\d\d\.\d\d\.\d{4},? \d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]?/,
  // Fri May  3 08:00:00.123456 2024
  /^\[?([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: [A-Z]{3,4})? \d{4})\]?/,
]
const CLOCK = /^(?:\[(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]|(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?=[ \t|]))/
/** Characters that a time may have. */
const LONGEST_TIME = 64

/** The time at the start of a line; undefined when there is none. */
export function readTime(line: string): LogTime | undefined {
  const start = line.slice(0, LONGEST_TIME)
  for (const form of TIMES) {
    const match = form.exec(start)
    if (match) return { time: match[1] ?? '', end: match[0].length }
  }
  const match = CLOCK.exec(start)
  return match ? { time: match[1] ?? match[2] ?? '', end: match[0].length, clock: true } : undefined
}

const NGINX = /, (client|server|request|upstream|host|referrer|subrequest): (?:"([^"]*)"|([^,\s]+))/g
const MAX_PAIRS = 24

/** Names that other tools use for ours. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['msg', 'message'],
  ['ts', 'time'],
  ['timestamp', 'time'],
  ['lvl', 'level'],
  ['severity', 'level'],
])

/** Pairs in their order, keys as they are written except for the aliases of `message`, `time` and `level`. */
export function readPairs(message: string): [string, JsonValue][] {
  return scanPairs(message, MAX_PAIRS).map(({ key, value, quoted }) => [
    ALIASES.get(key) ?? key,
    quoted ? withoutEscapes(value) : (exactNumber(value) ?? value),
  ])
}

/** What stands in quotes, as it was before it was quoted: `\"`, `\\` and line breaks. */
function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(["\\nt])/g, (_, character: string) =>
    character === 'n' ? '\n' : character === 't' ? '\t' : character,
  )
}

/** The fields of a message: of the JSON object that it ends in, of the pairs before it, of an nginx error. */
export function readFields(message: string): [string, JsonValue][] {
  const json = jsonIn(message)
  if (json) {
    const named = Object.entries(json.value).map(([key, value]): [string, JsonValue] => [
      key === 'msg' ? key : (ALIASES.get(key) ?? key),
      value,
    ])
    return [...named, ...readPairs(message.slice(0, json.start))]
  }
  const pairs = readPairs(message)
  if (message.includes(', client: ')) {
    for (const [, key = '', quoted, bare = ''] of message.matchAll(NGINX)) pairs.push([key, quoted ?? bare])
  }
  return pairs
}

/** The object in braces at the end of a message. */
function jsonIn(message: string): { value: JsonObject; start: number } | undefined {
  const start = message.indexOf('{"')
  if (start < 0 || !/\}\s{0,8}$/.test(message.slice(-12))) return undefined
  const parsed = parseJson(message.slice(start))
  return isObject(parsed?.value) ? { value: parsed.value, start } : undefined
}

/** A key follows a separator; a value is quoted or ends at white space, comma, semicolon or bracket. */
export interface FoundPair {
  key: string
  /** As written, without the quotes. */
  value: string
  quoted: boolean
}

const LONGEST_KEY = 40

/** All pairs from left to right, at most `most`. Linear in the length of the text, but for runs of backslashes and quotes. */
export function scanPairs(text: string, most: number): FoundPair[] {
  const found: FoundPair[] = []
  /** The end of the pair before: the separator of the next one lies behind it. */
  let free = 0
  for (let equals = text.indexOf('='); equals >= 0; equals = text.indexOf('=', equals + 1)) {
    const start = keyStart(text, equals, free)
    if (start < 0) continue
    const quoted = text.charCodeAt(equals + 1) === QUOTE
    const end = quoted ? closingQuote(text, equals + 2) : bareEnd(text, equals + 1)
    if (end < 0) continue
    found.push({
      key: text.slice(start, equals),
      value: quoted ? text.slice(equals + 2, end) : text.slice(equals + 1, end),
      quoted,
    })
    if (found.length === most) break
    free = quoted ? end + 1 : end
    equals = free - 1
  }
  return found
}

const QUOTE = 34
const BACKSLASH = 92

/** Bits of what an ASCII character may be. */
const WORD = 1
const FIRST = 2
const BEFORE = 4
const AFTER = 8
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return (
    (/[\w.-]/.test(character) ? WORD : 0) |
    (/[A-Za-z_]/.test(character) ? FIRST : 0) |
    (/[\s,;([{]/.test(character) ? BEFORE : 0) |
    (/[\s",;)\]}]/.test(character) ? AFTER : 0)
  )
})

function isOf(text: string, at: number, what: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 128) return ((classes[code] ?? 0) & what) !== 0
  return (what & (BEFORE | AFTER)) !== 0 && /\s/.test(text.charAt(at))
}

/** Where the key that ends at `equals` begins, with its separator at `free` or behind it; -1 when there is none. */
function keyStart(text: string, equals: number, free: number): number {
  let start = equals
  const least = Math.max(free, equals - LONGEST_KEY - 1)
  while (start > least && isOf(text, start - 1, WORD)) start -= 1
  if (start === equals || equals - start > LONGEST_KEY || !isOf(text, start, FIRST)) return -1
  if (start === 0) return 0
  return start > free && isOf(text, start - 1, BEFORE) ? start : -1
}

function bareEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && !isOf(text, end, AFTER)) end += 1
  return end > from ? end : -1
}

/** The place of the quote that closes; -1 when there is none. A backslash takes the next character with it, but for line breaks. */
function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH && (++at >= text.length || /[\n\r\u2028\u2029]/.test(text.charAt(at)))) return -1
  }
  return -1
}

// The quoted parts are written so that no character can be matched in two ways: linear on any line.
const REQUEST =
  /^(\S+) (\S+) (\S+(?: \S+){0,2}) \[([^\]]{1,40})\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}|-) (\d+|-)(?: "([^"\\]*(?:\\.[^"\\]*)*)" "([^"\\]*(?:\\.[^"\\]*)*)")?/

/**
 * Reads one line into `ip, user, time, method, path, protocol, status, bytes` and, when combined, `referrer, agent`;
 * `vhost` where the server's name comes first, key=value pairs and `rest` where more follows. `-` is null. `time` is ISO
 * 8601 with the offset of the log. A request that is none stays whole in `path`.
 */
export function readAccess(line: string): JsonObject | undefined {
  const match = REQUEST.exec(line)
  if (!match) return undefined
  const [whole, first = '', second = '', third = '', time = '', request = '', status = '', bytes = ''] = match
  const [referrer, agent] = [match[8], match[9]]
  const [method, path, protocol, ...others] = request.split(' ')
  const plain = others.length === 0 && protocol !== undefined
  const { vhost, ip, user } = whose(first, second, third)
  const record: JsonObject = {
    ...(vhost === undefined ? {} : { vhost }),
    ip,
    user: dash(user),
    time: isoTime(time),
    method: plain ? (method ?? null) : null,
    path: plain ? (path ?? null) : request,
    protocol: plain ? protocol : null,
    status: status === '-' ? null : Number(status),
    bytes: bytes === '-' ? null : Number(bytes),
    ...(referrer === undefined ? {} : { referrer: dash(referrer), agent: dash(agent ?? '-') }),
  }
  const rest = line.slice(whole.length).trim()
  if (rest !== '') addRest(record, rest)
  return record
}

/** `host:port ip - user`, as Apache writes for virtual hosts, has one word more than `ip - user`. */
function whose(first: string, second: string, third: string): { vhost?: string; ip: string; user: string } {
  const words = third.split(' ')
  const isAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]+)$/i
  if (words.length === 2 && isAddress.test(second) && !isAddress.test(first))
    return { vhost: first, ip: second, user: words[1] ?? '' }
  return { ip: first, user: third }
}

/** What a server appends of its own: times, addresses, ids. */
function addRest(record: JsonObject, rest: string): void {
  for (const [key, value] of readPairs(rest)) if (!Object.hasOwn(record, key)) setOwn(record, key, value)
  if (!Object.hasOwn(record, 'rest')) record.rest = rest
}

function dash(value: string): string | null {
  return value === '-' || value === '' ? null : value
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `17/May/2015:10:05:03 +0000` → `2015-05-17T10:05:03+00:00`, so that times sort and compare. */
function isoTime(time: string): string {
  const match = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4})[: ](\d\d:\d\d:\d\d)(?: ([+-]\d\d)(\d\d))?$/.exec(time)
  const month = MONTHS.indexOf(match?.[2] ?? '') + 1
  if (!match || month === 0) return time
  const zone = match[5] === undefined ? '' : `${match[5]}:${match[6]}`
  return `${match[3]}-${String(month).padStart(2, '0')}-${match[1]}T${match[4]}${zone}`
}

/** Tells which lines begin an entry. Heads of one log begin alike, so most of its lines are not parsed for it. */
function entryTest(lines: LineIndex): (line: string) => boolean {
  if (isAccessLog(lines)) return () => true
  const readHead = headReader(lines)
  let head = ''
  return (line) => {
    if (head !== '' && line.startsWith(head)) return true
    const start = line.slice(0, LONGEST_HEAD)
    if (readHead(start) === undefined) return false
    head = /^[^\s]/.test(start) ? start.slice(0, 4) : ''
    return true
  }
}

/** What is looked at of a line for its head. */
const LONGEST_HEAD = 1_024

/** Tried after the formats whose lines may begin with a date. Never takes a text of which four in ten lines neither begin an entry nor go on with one. */
export const log = defineFormat({
  name: 'log',
  family: 'log',
  line: 'entry',
  renewed: true,
  isOwnFact: (fact) => /^[\d,]+×/.test(fact),
  entryTest,
  detect: readLog,
  read: (_, read) => read(),
  overview: overviewOfEntries,
})
