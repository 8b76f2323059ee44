/** Logs: lines that begin with a time or a level, and the lines that continue them. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { scanPairs } from '../../text/pairs.ts'
import { packRecords } from '../columns/packed.ts'
import { RecordMaker } from '../columns/record-maker.ts'
import { renewable } from '../columns/renewable.ts'
import { parseJson } from '../json/stringify.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { levelInBrackets, levelOf, levelOfLetter, severityOf } from '../overview/levels.ts'
import { asideOf, exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'
import { KnownHeads } from './known-heads.ts'
import { eachOfPacket, isPacket } from './packets.ts'
import { readPostgres } from './postgres.ts'

const SAMPLE = 200
/** The parsed part of one line. The message of a longer one is still whole. */
const LONGEST_LINE = 16_384

/** The records of shorter logs are kept as they are. */
const PACKED_FROM = 250_000

/**
 * Reads a log as records `{line, time, level, host, logger, message, …}`: `line` is the number of its first line from
 * 1, key=value pairs of the message become fields. Access logs have the fields of `readAccess`. Undefined when the
 * text is no log. `records` keeps those of a short log, and those of a long one while they are used.
 */
function readLog(text: string): FoundLog | undefined {
  const lines = indexLines(text)
  if (lines.count < 2) return undefined
  if (isAccessLog(lines)) return { records: keptRecords(text, lines, () => accessRecords(lines)), asides: [] }
  if (!isLog(sampleLines(lines))) return undefined
  const first = firstLabels(lines)
  const asides = first === undefined ? titlesOf(lines) : aboveLabels(lines, first)
  return {
    records: keptRecords(text, lines, () =>
      entryRecords(text, lines, first ?? asides.length, first !== undefined),
    ),
    asides: asides.filter((line) => line.trim() !== '').map(asideOf),
  }
}

interface FoundLog {
  records: () => JsonValue[]
  /** Lines at the top that say what the entries are. */
  asides: readonly string[]
}

/** `Logs for container 'web-1':`, `=== web-1 ===`, `-- Logs begin at … --`. */
const TITLE = /^(?:[^\s].*:|([-=#*])\1+ .* ?\1{2,})\s*$/
const MOST_TITLES = 3

function titlesOf(lines: LineIndex): string[] {
  const titles: string[] = []
  while (titles.length < Math.min(MOST_TITLES, lines.count)) {
    const line = lines.at(titles.length).slice(0, LONGEST_TITLE)
    if (!TITLE.test(line) || CONTINUES.test(line) || readEntry(line) !== undefined) break
    titles.push(line)
  }
  return titles.length < lines.count && readEntry(beginning(lines, titles.length)) ? titles : headingOf(lines)
}

const RULE = /^([-=*_#~])\1{2,}\s*$/

/** A few lines with a rule or an empty line below them, above the first entry. */
function headingOf(lines: LineIndex): string[] {
  const heading: string[] = []
  for (let index = 0; index < Math.min(MOST_ABOVE, lines.count); index++) {
    const line = beginning(lines, index)
    if (readEntry(line)) return isApart(heading.at(-1)) ? heading : []
    if (CONTINUES.test(line) && line.trim() !== '') return []
    heading.push(line)
  }
  return []
}

function isApart(line: string | undefined): boolean {
  return line !== undefined && (line.trim() === '' || RULE.test(line))
}

const LONGEST_TITLE = 200

/** `{app="api", env="prod"}` alone in a line, also behind a word: the labels of the entries below it, up to the next such line. */
const LABELS =
  /^(?:[A-Z][A-Za-z ]{0,30}: ?)?\{((?:[A-Za-z_][\w.]{0,100}="(?:[^"\\]|\\.)*"(?:, ?(?=[A-Za-z_])|(?=\}))){1,100})\}\s*$/

function labelsIn(line: string): JsonObject | undefined {
  const [, labels] = (line.includes('{') && LABELS.exec(line)) || []
  if (labels === undefined) return undefined
  const found: JsonObject = {}
  scanPairs(labels, MOST_LABELS, (key, value) => setOwn(found, key, withoutEscapes(value)))
  return found
}

const MOST_LABELS = 100

/** The index of the line of labels that stands above all entries. */
function firstLabels(lines: LineIndex): number | undefined {
  for (let index = 0; index < Math.min(MOST_ABOVE, lines.count); index++) {
    const line = beginning(lines, index)
    if (labelsIn(line)) return index
    if (readEntry(line)) return undefined
  }
  return undefined
}

/** The lines above those labels; empty ones and the title of the labels among them. */
function aboveLabels(lines: LineIndex, first: number): string[] {
  return Array.from({ length: first }, (_, index) => beginning(lines, index)).slice(
    0,
    first - titled(lines, first, 0),
  )
}

/** How many lines above labels belong to them: their title, such as `Stream 2:`, and empty lines. */
function titled(lines: LineIndex, at: number, least: number): number {
  let above = at
  if (above > least && TITLE.test(beginning(lines, above - 1).slice(0, LONGEST_TITLE))) above -= 1
  while (above > least && beginning(lines, above - 1).trim() === '') above -= 1
  return at - above
}

const MOST_ABOVE = 8

/** Whether these lines begin entries or go on with one. It stops where too many do neither, which is soon in a text. */
function isLog(sampled: readonly string[]): boolean {
  const most = isOfServices(sampled) ? Infinity : sampled.length * MOST_OTHERS
  let [entries, others] = [0, 0]
  for (const line of sampled)
    if (readEntry(line)) entries += 1
    else if (!CONTINUES.test(line) && !labelsIn(line) && ++others > most) return false
  return sampled.length >= 2 && entries >= sampled.length * FEWEST_ENTRIES
}

const CONTINUES = /^(\s|at |Caused by|Traceback|\.\.\. )/
/** Shares of a log: lines that neither begin an entry nor go on with one, and lines that begin one. */
const MOST_OTHERS = 0.4
const FEWEST_ENTRIES = 0.08

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

/** Reads the head of a line below another. Undefined: the line begins no entry. */
type HeadReader = (line: string, above: string) => Entry | undefined

/**
 * How the heads of this log are read. Where entries have a time, a line without one goes on with the entry before it,
 * such as the `Error: …` above a stack trace.
 */
function headReader(lines: LineIndex): HeadReader {
  const sampled = sampleLines(lines)
  if (isOfServices(sampled)) return readServed
  const heads = sampled.flatMap((line) => readEntry(line) ?? [])
  const times = heads.flatMap(({ fields }) => (typeof fields.time === 'string' ? fields.time : []))
  const isYearFirst = yearComesFirst(times)
  const known = new KnownHeads()
  if (times.length < heads.length / 2 && !isYearFirst) return (line) => readEntry(line, known)
  return (line) => {
    const entry = readEntry(line, known)
    if (!entry) return undefined
    const { time } = entry.fields
    if (isYearFirst && typeof time === 'string') entry.fields.time = withCentury(time)
    const isBare = time === undefined && entry.message > 0
    return isBare ? undefined : entry
  }
}

/** Whether services share this log: most of its lines say which one wrote them. */
function isOfServices(sampled: readonly string[]): boolean {
  const served = sampled.filter((line) => readService(line))
  return served.length > sampled.length / 2 && served.some((line) => readEntry(line)?.fields.service)
}

/** A line in a log of services goes on with the line above only where the same service wrote both, and it looks like that. */
function readServed(line: string, above: string): Entry | undefined {
  const { service, start } = readService(line) ?? { start: 0 }
  const said = line.slice(start)
  const isSame = service === undefined || service === readService(above)?.service
  if (isSame && (CONTINUES.test(said) || said.trim() === '')) return undefined
  return readEntry(line) ?? { fields: service === undefined ? {} : { service }, message: start }
}

/** `24/05/03 08:00:00` of Spark, `240503 080000` of Hadoop, `240503 08:00:00` of MySQL. */
const TWO_DIGITS = /^(\d\d)(\/?)(\d\d)\2(\d\d) (\d\d):?(\d\d):?(\d\d)/

/** Whether the first number of two digits is the year in all of these times. It stays, and the others can be a month and a day. */
function yearComesFirst(times: readonly string[]): boolean {
  const years = new Set<string>()
  const days = new Set<string>()
  for (const time of times) {
    const [, year, , month = '', day = ''] = TWO_DIGITS.exec(time) ?? []
    if (year === undefined) return false
    const isDate = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31
    if (!isDate || fullYear(year) > new Date().getFullYear() + 1) return false
    years.add(year)
    days.add(day)
  }
  return years.size === 1 || (years.size > 0 && years.size < days.size)
}

function fullYear(year: string): number {
  return Number(year) + (Number(year) < 70 ? 2000 : 1900)
}

function withCentury(time: string): string {
  return time.replace(
    TWO_DIGITS,
    (_, year: string, __, month: string, day: string, hour: string, minute: string, second: string) =>
      `${fullYear(year)}-${month}-${day} ${hour}:${minute}:${second}`,
  )
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
  return lines.at(index).slice(0, LONGEST_LINE)
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

/** `first`: the index of the line that the entries begin at. `areLabelled`: lines of labels stand above them. */
function entryRecords(text: string, lines: LineIndex, first: number, areLabelled: boolean): JsonObject[] {
  const readHead = headReader(lines)
  const entries = new Entries({
    requests: text.includes('Completed '),
    objects: text.includes('{"'),
    parts: text.includes(' ; '),
    clients: text.includes(', client: '),
    below: areFieldsBelow(lines),
  })
  /** The line that the open entry begins at, and its head; -1: none is open. */
  let open = -1
  let head: Entry | undefined
  let labels: JsonObject | undefined
  const close = (before: number) => {
    if (open < 0) return
    const from = lines.start(open) + (head?.message ?? 0)
    entries.add(open, head, text.slice(from, lines.end(before - 1)))
  }
  let above = ''
  for (let index = first; index < lines.count; index++) {
    const line = beginning(lines, index)
    const entry = readHead(line, above)
    above = line
    const next = areLabelled && !entry ? labelsIn(line) : undefined
    if (next) {
      close(index - titled(lines, index, open < 0 ? index : open + 1))
      labels = next
      open = -1
      continue
    }
    if (!entry && (open >= 0 || line.trim() === '')) continue
    close(index)
    open = index
    head = labels ? { fields: { ...labels, ...entry?.fields }, message: entry?.message ?? 0 } : entry
  }
  close(lines.count)
  return entries.records()
}

/** Strings that are looked up: levels, loggers, names, but no prose; and the places that they are kept in, by a hash of some characters. */
const LONGEST_REPEATED = 40
const PLACES = 1024
const MOST_LEVELS = 1_000

/** Makes the records of entries. */
class Entries {
  readonly #records: JsonObject[] = []
  readonly #maker = new RecordMaker()
  readonly #known = new Array<string>(PLACES).fill('')
  readonly #levels = new Set<string>()
  readonly #marks: Marks
  /** One for all messages: to make one for each takes time. */
  readonly #tellers: Tellers
  #head: Entry | undefined
  #message = ''

  constructor(marks: Marks) {
    this.#marks = marks
    this.#tellers = tellersOf((key, value) => {
      if (!this.#maker.has(key) && (key !== 'message' || this.#isPairs())) this.#put(key, value)
    })
  }

  add(line: number, entry: Entry | undefined, message: string): void {
    const maker = this.#maker
    maker.add('line', line + 1)
    for (const key in entry?.fields) this.#put(key, entry.fields[key] ?? null)
    if (message.length <= LONGEST_LINE) {
      this.#head = entry
      this.#message = message
      eachField(message, this.#marks, this.#tellers)
      if (this.#marks.below) this.#putBelow(message)
    }
    if (!maker.has('message')) this.#put('message', message)
    this.#records.push(maker.finish())
  }

  #putBelow(message: string): void {
    const [, ...below] = message.split('\n')
    for (const line of below) {
      const [, key = '', value = ''] = FIELD_BELOW.exec(line) ?? []
      if (value !== '' && !TAKEN.has(key) && !this.#maker.has(key))
        this.#put(key, exactNumber(value) ?? value.trimEnd())
    }
  }

  /** The message of logfmt is one of its pairs; elsewhere it is more than its pairs, and stays whole. */
  #isPairs(): boolean {
    return this.#head?.message === 0 || /^[A-Za-z_][\w.-]*=/.test(this.#message)
  }

  /** A level that is written in several ways in one log is written in capitals everywhere. */
  records(): JsonObject[] {
    const levels = [...this.#levels].flatMap((level) => levelOf(level)?.toUpperCase() ?? [])
    if (new Set(levels).size === levels.length) return this.#records
    for (const record of this.#records)
      if (typeof record.level === 'string')
        record.level = levelOf(record.level)?.toUpperCase() ?? record.level
    return this.#records
  }

  #put(key: string, value: JsonValue): void {
    const held = typeof value === 'string' && key !== 'time' ? this.#once(value) : value
    if (key === 'level' && typeof held === 'string' && this.#levels.size < MOST_LEVELS) this.#levels.add(held)
    this.#maker.add(key, held)
  }

  /** A log says the same again and again: equal short strings become one, which halves what its records take. */
  #once(value: string): string {
    const { length } = value
    if (length > LONGEST_REPEATED || length === 0) return value
    const ends = value.charCodeAt(0) * 7 + value.charCodeAt(length - 1) * 31
    const place = (ends + value.charCodeAt(length >> 1) * 17 + length) % PLACES
    const before = this.#known[place] as string
    if (before === value) return before
    this.#known[place] = value
    return value
  }
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
/** `build\tRun tests\t`, the job and the step, as the client of GitHub prints them before each line. */
const STEP = /^([^\t]{1,100})\t([^\t]{1,100})\t\ufeff?(?=\d{4}-\d\d-\d\dT)/
/** Levels of workflow logs: `##[error]`, `::warning file=a::`. */
const COMMAND = /^\s*(?:##\[([a-z]{3,9})\]|::([a-z]{3,9})(?: [^:]{0,200})?::)/
const PHP = /^ PHP (?:(Fatal|Parse|Recoverable fatal) error|(Warning|Notice|Deprecated))\b/
/** Words between the time and the message. */
const MOST_WORDS = 6
/** Characters behind one that are looked at: a level in capitals with its blanks. */
const LONGEST_NEXT = 11
/** Characters that are looked at for one of them. */
const LONGEST_WORD = 256

/** Reads the head of a line. Undefined: the line begins no entry. `known`: heads of the lines above. */
export function readEntry(line: string, known?: KnownHeads): Entry | undefined {
  const first = line.charCodeAt(0)
  // An indented line continues another.
  if (first === 32 || first === 9) return undefined
  return (
    dated(line, known) ??
    readForm(line) ??
    levelFirst(line) ??
    logfmt(line) ??
    ofService(line) ??
    ofProgram(line) ??
    ofStep(line)
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

/** A line of a workflow, with the job and the step that it is of. */
function ofStep(line: string): Entry | undefined {
  const [head, job, step] = STEP.exec(line.slice(0, LONGEST_WORD)) ?? []
  const entry = head === undefined ? undefined : dated(line.slice(head.length))
  if (!entry || head === undefined || job === undefined || step === undefined) return undefined
  return { fields: { job, step, ...entry.fields }, message: head.length + entry.message }
}

/** The service of the line where several share a log; the offset of the line itself. */
export function readService(line: string): { service: string; start: number } | undefined {
  const match = SERVICE.exec(line.slice(0, 96))
  return match ? { service: match[1] ?? '', start: match[0].length } : undefined
}

function ofService(line: string): Entry | undefined {
  const found = readService(line)
  if (!found) return undefined
  const rest = line.slice(found.start)
  const entry = dated(rest) ?? readForm(rest) ?? levelFirst(rest) ?? logfmt(rest) ?? ofObject(rest)
  return (
    entry && { fields: { service: found.service, ...entry.fields }, message: found.start + entry.message }
  )
}

/** An object is a line of a log where a service wrote it. */
function ofObject(said: string): Entry | undefined {
  return said.startsWith('{"') && OBJECT_END.test(said.slice(-12)) ? { fields: {}, message: 0 } : undefined
}

function logfmt(line: string): Entry | undefined {
  return LOGFMT.test(line) ? { fields: {}, message: 0 } : undefined
}

function dated(line: string, known?: KnownHeads): Entry | undefined {
  const first = line.charCodeAt(0)
  // A digit, a bracket, or the capital of a day of the week.
  if (!((first >= 48 && first <= 57) || first === 91 || (first >= 65 && first <= 90))) return undefined
  const found = readTime(line)
  if (!found) return undefined
  const { time, end, short } = found
  const head = short ? undefined : known?.at(line, end)
  if (head) return { fields: { time, ...head.fields }, message: end + head.written.length }
  const rest = line.slice(end, end + LONGEST_WORD)
  const [whole, host, logger, pid] = (short ? null : processIn(rest)) ?? []
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
  if (!short) known?.keep(line, end, entry.message, entry.fields)
  // It takes a level, brackets or a packet to be the time of an entry.
  const isTold = entry.fields.level !== undefined || first === 91 || isPacket(rest.slice(1))
  return short && !isTold ? undefined : entry
}

/** Looking for a mark is much cheaper than matching, and most lines have none. */
function processIn(rest: string): RegExpExecArray | null {
  if (rest.includes(']:')) return JOURNAL.exec(rest)
  return rest.includes(' kernel:') ? KERNEL.exec(rest) : null
}

/** A line of a container has a head of its own; the time of the runtime stays. */
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

const [BLANK, HASH, COMMA, DASH, POINT, COLON] = [0x20, 0x23, 0x2c, 0x2d, 0x2e, 0x3a]
const [LETTER_T, LETTER_Z, OPEN_BRACKET, BAR] = [0x54, 0x5a, 0x5b, 0x7c]
const HEAD_END = /^(?:\]?\s*[-:|]\s+|\]\s*|\s+)/
const HEAD_WORD = /^(?:[\s|-]*)(?:\[([^\]]{0,80})\]|([^\s[\]|]{1,120}))/

/**
 * The words between a time and the message: a level, a thread or process in brackets, a logger. Only what comes with
 * a level or in brackets is taken; a message without either stays whole.
 */
function withHead(line: string, from: number, fields: JsonObject): Entry {
  let at = from
  const said = line.slice(from, from + LONGEST_WORD)
  const second = said.charCodeAt(1)
  const [command, marked, called] = ((second === HASH || second === COLON) && COMMAND.exec(said)) || []
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
  const session = readPostgres(said, fields)
  if (session !== undefined) return { fields, message: from + session }
  const lettered = letterAfter(said, fields)
  if (lettered !== undefined) return { fields, message: from + lettered }
  for (let words = 0; words < MOST_WORDS; words++) {
    const plain = plainWord(line, at)
    if (plain > at) {
      if (!take(fields, line.slice(at + 1, plain), false, line.slice(plain, plain + LONGEST_NEXT))) break
      at = plain
      continue
    }
    if (fields.level !== undefined && fields.logger !== undefined && !mayGoOn(line, at)) break
    const match = HEAD_WORD.exec(line.slice(at, at + LONGEST_WORD))
    if (!match) break
    const [whole, bracketed, bare] = match
    const word = (bracketed ?? bare ?? '').trim()
    const after = line.slice(at + whole.length, at + whole.length + LONGEST_NEXT)
    if (!take(fields, word, bracketed !== undefined, after)) break
    at += whole.length
  }
  return { fields, message: at + endOfHead(line, at) }
}

/** Behind a level and a logger only brackets and digits belong to the head. */
function mayGoOn(line: string, from: number): boolean {
  let at = from
  while (isBetween(line.charCodeAt(at))) at += 1
  const code = line.charCodeAt(at)
  return code === OPEN_BRACKET || isDigit(code)
}

/** The length of what parts the head from the message. One blank, or a dash between two, is told without matching. */
function endOfHead(line: string, at: number): number {
  if (line.charCodeAt(at) === BLANK) {
    if (isWord(line.charCodeAt(at + 1))) return 1
    if (line.startsWith(' - ', at) && isWord(line.charCodeAt(at + 3))) return 3
  }
  return HEAD_END.exec(line.slice(at, at + 32))?.[0].length ?? 0
}

function isWord(code: number): boolean {
  return isLetter(code) || isDigit(code)
}

/** A character outside of ASCII may be white space. */
function isBetween(code: number): boolean {
  return code <= BLANK || code === BAR || code === DASH || code > 127
}

/** Behind blanks there is a number, or a letter alone: looking is much cheaper than matching. */
function mayHaveLetter(said: string): boolean {
  let at = 0
  while (said.charCodeAt(at) === 32) at += 1
  const first = said.charCodeAt(at)
  if (at === 0 || (first >= 48 && first <= 57)) return at > 0
  const second = said.charCodeAt(at + 1)
  return second === 32 || second === 47 || (second >= 48 && second <= 57)
}

/**
 * The end of a blank and a word of ASCII letters, digits and points that a blank follows. `HEAD_WORD` finds such a word as well. -1: it
 * is another.
 */
function plainWord(line: string, from: number): number {
  if (line.charCodeAt(from) !== BLANK) return -1
  let end = from + 1
  for (let code = line.charCodeAt(end); ; code = line.charCodeAt(++end)) {
    if (isWord(code) || code === POINT) continue
    return code === BLANK && end > from + 1 && end - from < LONGEST_PLAIN ? end : -1
  }
}

const LONGEST_PLAIN = 100

/** Fields of a head with a letter as its level, and its length; undefined for other heads. */
function letterAfter(said: string, fields: JsonObject): number | undefined {
  if (!mayHaveLetter(said)) return undefined
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

/** Only what is no word of its own may be a level in brackets. */
function levelIn(bare: string, bracketed: boolean): string | undefined {
  const level = levelOf(bare)
  if (level !== undefined || (!bracketed && isLetter(bare.charCodeAt(0)))) return level
  return levelInBrackets(bracketed ? `[${bare}]` : bare)
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** Makes a field of a word of the head, such as `12#34:` of nginx; false when the word belongs to the message. */
function take(fields: JsonObject, word: string, bracketed: boolean, after: string): boolean {
  const bare = word.endsWith(':') ? word.slice(0, -1) : word
  const level = fields.level === undefined ? levelIn(bare, bracketed) : undefined
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
  const process = word.includes('#') ? /^(\d{1,10})#(\d{1,10}):$/.exec(word) : null
  if (process) {
    Object.assign(fields, { pid: Number(process[1]), tid: Number(process[2]) })
    return true
  }
  if (fields.logger === undefined && isLogger(word, after)) {
    fields.logger = bare
    return true
  }
  if (!/^\d+$/.test(word) || !(/^\s*(?:---|\[|- )/.test(after) || beforeLevel(fields, after))) return false
  fields.pid ??= exactNumber(word) ?? word
  return true
}

/** A number is the process where a level in capitals comes next: `25746 INFO`. */
function beforeLevel(fields: JsonObject, after: string): boolean {
  const [, word] = /^ {1,2}([A-Z]{4,8})(?= |$)/.exec(after) ?? []
  return fields.level === undefined && word !== undefined && levelOf(word) !== undefined
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

// `syslogd 1.4.1: restart.` and `-- root[2421]: ROOT LOGIN ON tty2` stand among the others.
const SYSLOG =
  /^(?:<(\d{1,3})>)?([A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d) (\S+) {1,2}(?:-- )?([^\s:[\]]{1,64})(?:\[(\d+)\](?: \([^()\s]{1,160}\))?)?(?:: ?| (?=v?\d[\w.-]{0,16}: ))/
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

/** The level in the priority of syslog, and its parts as numbers, unless the line has a facility or severity of its own. */
function ofPriority(priority: string | undefined, line: string): JsonObject {
  if (priority === undefined) return {}
  const pri = Number(priority)
  const level = severityOf(pri)
  return /\b(?:facility|severity)=/.test(line)
    ? { level, pri }
    : { level, pri, facility: pri >> 3, severity: pri % 8 }
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

type Form = (line: string) => Entry | undefined

/** The form of the lines that a pattern matches. */
function form(pattern: RegExp, read: (match: RegExpExecArray, line: string) => Entry | undefined): Form {
  return (line) => {
    const match = pattern.exec(line)
    return match ? read(match, line) : undefined
  }
}

const HEADS: readonly Form[] = [
  form(RFC5424, ([whole, priority, time = '', host = '', logger = '', pid = '', id = '', data], line) => {
    const fields: JsonObject = { time, ...ofPriority(priority, line) }
    for (const [name, value] of Object.entries({ host, logger, pid, msgid: id }))
      if (value !== '-') fields[name] = name === 'pid' ? (exactNumber(value) ?? value) : value
    for (const [, name = '', value = ''] of (data ?? '').matchAll(PARAMETER))
      if (!Object.hasOwn(fields, name)) setOwn(fields, name, value.replace(/\\(["\\\]])/g, '$1'))
    return { fields, message: whole.length }
  }),
  form(SYSLOG, ([whole, priority, time = '', host = '', logger = '', pid], line) => {
    return withProcess(line, whole.length, { time, ...ofPriority(priority, line) }, { host, logger, pid })
  }),
  form(KLOG, ([whole, level = '', time = '', , logger = '']) => {
    return { fields: { time, level: levelOfLetter(level), logger }, message: whole.length }
  }),
  form(LOGCAT, ([whole, time = '', pid, thread, level = '', logger = '']) => {
    const fields = { time, level: levelOfLetter(level), logger, pid: Number(pid), thread: Number(thread) }
    return { fields, message: whole.length }
  }),
  (line) => {
    const [day = ''] = DAY.exec(line) ?? []
    const brief = readBrief(line.slice(day.length))
    if (!brief || day === '') return brief
    return { fields: { time: day.trimEnd(), ...brief.fields }, message: day.length + brief.message }
  },
  form(TORNADO, ([whole, level = '', time = '', logger = '']) => {
    return { fields: { time, level: levelOfLetter(level), logger }, message: whole.length }
  }),
  form(RUBY, ([whole, time = '', pid, level = '', logger = '']) => {
    const fields = {
      time,
      level,
      pid: Number(pid),
      ...(logger.trim() === '' ? {} : { logger: logger.trim() }),
    }
    return { fields, message: whole.length }
  }),
  form(REDIS, ([whole, pid, time = '', mark = '']) => {
    return { fields: { time, level: REDIS_LEVELS[mark] ?? mark, pid: Number(pid) }, message: whole.length }
  }),
  form(PYTHON, ([whole, level = '', logger = '']) => {
    return { fields: { level, logger }, message: whole.length }
  }),
  form(DOTNET, ([, level = '', logger = '']) => {
    return { fields: { level: DOTNET_LEVELS[level] ?? level, logger }, message: level.length + 2 }
  }),
  form(STRACE, ([whole, one, other, time = '']) => {
    const pid = one ?? other
    return { fields: { ...(pid === undefined ? {} : { pid: Number(pid) }), time }, message: whole.length }
  }),
  form(DMESG, ([whole, priority, time = ''], line) => {
    const [marked = '', mark = ''] =
      /^(\([A-Z]{2}\)) ?/.exec(line.slice(whole.length, whole.length + 8)) ?? []
    const level = priority === undefined ? levelInBrackets(mark) : severityOf(Number(priority))
    const fields = { time: exactNumber(time) ?? time, ...(level !== undefined && { level }) }
    return { fields, message: whole.length + (level === undefined ? 0 : marked.length) }
  }),
]

/** The source: a host and a process on it. */
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
  /** Written so shortly that other things begin alike. */
  short?: true
}

const TIMES = [
  // 2024-05-03T08:00:00.123Z, 2024/05/03 08:00:00,123 +0200
  /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)(?:\]|,(?= ))?/,
  // 03-May-2024 08:00:00.123 UTC, 03/May/2024:08:00:00 +0200, 03 May 2024 08:00:00.123
  /^\[?(\d\d[-/ ][A-Z][a-z]{2}[-/ ]\d{4}[ :]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: (?:UTC|GMT|[A-Z][a-z]+\/[A-Z]\w+|[+-]\d{4}))?)\]?/,
  // 03.05.2024 08:00:00,123
  /^\[?(\d\d\.\d\d\.\d{4},? \d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]?/,
  // Fri May  3 08:00:00.123456 2024
  /^\[?([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: [A-Z]{3,4})? \d{4})\]?/,
]
/**
 * 08:00:00,123, also in brackets and there with a day and a month; 24/05/03 08:00:00 of Spark, 240503 080000 of Hadoop and 240503 08:00:00 of
 * MySQL. Which number is the year the other entries say.
 */
const SHORT =
  /^(?:\[((?:\d\d\.\d\d )?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]|((?:\d\d\/\d\d\/\d\d |\d{6} )?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\d{6} \d{6})(?=[ \t|]))/
/** Characters that a time may have. */
const LONGEST_TIME = 64

/** Where the digits of `2024-05-03T08:00:00` are, how long it is, and how many digits of a second may follow. */
const DIGITS = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]
const SECONDS = 19
const MOST_FRACTION = 9

/** The end of such a time at the start of a line, which the first of `TIMES` finds as well; 0: that has to say. */
function isoEnd(line: string): number {
  if (line.charCodeAt(4) !== DASH || line.charCodeAt(7) !== DASH) return 0
  if (line.charCodeAt(13) !== COLON || line.charCodeAt(16) !== COLON) return 0
  if (line.charCodeAt(10) !== BLANK && line.charCodeAt(10) !== LETTER_T) return 0
  for (const at of DIGITS) if (!isDigit(line.charCodeAt(at))) return 0
  let at = SECONDS
  if (line.charCodeAt(at) === POINT || line.charCodeAt(at) === COMMA) {
    do at += 1
    while (isDigit(line.charCodeAt(at)) && at <= SECONDS + MOST_FRACTION)
    if (at === SECONDS + 1) return 0
  }
  if (line.charCodeAt(at) === LETTER_Z) at += 1
  else if (MAY_BE_ZONE.includes(line.charAt(at + 1))) return 0
  return line.charCodeAt(at) === BLANK ? at : 0
}

/** The characters that a zone behind a blank begins with; the empty text is in it, too. */
const MAY_BE_ZONE = 'ZUG+-'

/** The time at the start of a line; undefined when there is none. */
export function readTime(line: string): LogTime | undefined {
  const iso = isoEnd(line)
  if (iso > 0) return { time: line.slice(0, iso), end: iso }
  const start = line.slice(0, LONGEST_TIME)
  for (const form of TIMES) {
    const match = form.exec(start)
    if (match) return { time: match[1] ?? '', end: match[0].length }
  }
  const match = SHORT.exec(start)
  return match ? { time: match[1] ?? match[2] ?? '', end: match[0].length, short: true } : undefined
}

const NGINX = /, (client|server|request|upstream|host|referrer|subrequest): (?:"([^"]*)"|([^,\s]+))/g
const MAX_PAIRS = 24

/** Our name for one that other tools use. To compare it takes less time than to look it up. */
function ourName(key: string): string {
  if (key === 'msg') return 'message'
  if (key === 'ts' || key === 'timestamp') return 'time'
  return key === 'lvl' || key === 'severity' ? 'level' : key
}

/** Told of a field. */
type Tell = (key: string, value: JsonValue) => void

/** The same told of a pair as it is written. */
type TellPair = (key: string, value: string, quoted: boolean) => void

interface Tellers {
  readonly tell: Tell
  readonly tellPair: TellPair
}

/** Keys are told as they are written, except for the aliases of `message`, `time` and `level`. */
function tellersOf(tell: Tell): Tellers {
  const tellPair: TellPair = (key, value, quoted) =>
    tell(ourName(key), quoted ? withoutEscapes(value) : (exactNumber(value) ?? value))
  return { tell, tellPair }
}

/** Pairs in their order. */
function eachPair(message: string, tell: TellPair, mayBeParted = true): void {
  if (mayBeParted && message.includes(' ; ') && eachParted(message, tell)) return
  scanPairs(message, MAX_PAIRS, tell)
}

/** A key behind a semicolon between blanks, and a key at all. */
const PARTED = / ; (?=[A-Za-z_][\w.-]{0,39}=)/
const KEYS = /(?:^|\s)([A-Za-z_][\w.-]{0,39})=/g
const FEWEST_PARTED = 3

/**
 * `TTY=pts/0 ; USER=root ; COMMAND=/usr/bin/apt update` of sudo: each part is a pair, and a value may have blanks. False, and nothing is
 * told, where a part has several pairs in it. A command, the last part, may have some.
 */
function eachParted(message: string, tell: TellPair): boolean {
  const parts = message.split(PARTED)
  if (parts.length < FEWEST_PARTED || parts.length > MAX_PAIRS) return false
  const keys = parts.map((part) => [...part.matchAll(KEYS)])
  const isOne = (found: readonly RegExpExecArray[], at: number): boolean =>
    found.length === 1 || (at === keys.length - 1 && /^[A-Z_]+$/.test(found[0]?.[1] ?? ''))
  if (!keys.every(isOne)) return false
  for (const [at, part] of parts.entries()) {
    const [found] = keys[at] ?? []
    if (!found) continue
    const [before, key = ''] = found
    const value = part.slice(found.index + before.length).trim()
    const [, quoted] = /^"(.*)"$/s.exec(value) ?? []
    if (value !== '') tell(key, quoted ?? value, quoted !== undefined)
  }
  return true
}

/** The text in quotes, as it was before it was quoted: `\"`, `\\` and line breaks. */
function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(["\\nt])/g, (_, character: string) =>
    character === 'n' ? '\n' : character === 't' ? '\t' : character,
  )
}

const UNIT = '(?:[nuµm]?s|secs?|seconds?|[kKMGT]i?B|B|bytes)(?![\\w/])'
/** `duration: 8.4 ms`, that a message begins with. */
const MEASURED = new RegExp(`^([A-Za-z_][\\w-]{0,39}): (\\d+(?:\\.\\d+)? ?${UNIT})`)

/** `Completed 200 OK in 55ms (Views: 16.5ms | ActiveRecord: 29.6ms)`, as Rails ends a request. */
const COMPLETED =
  /^(?:\[[^\]]{1,80}\] )?Completed (\d{3})(?: [A-Z][\w' -]{0,40})? in (\d{1,9}(?:\.\d{1,6})?m?s)(?: \(([^()]{1,300})\))?/

function eachOfRequest(message: string, tell: Tell): void {
  const [, status, duration = '', parts = ''] = COMPLETED.exec(message) ?? []
  if (status === undefined) return
  tell('status', Number(status))
  tell('duration', duration)
  for (const [, key = '', value = ''] of parts.matchAll(/([A-Z]\w{0,30}): ([^\s|]{1,30})/g))
    tell(key, exactNumber(value) ?? value)
}

/** Which signs of fields are anywhere in the text: most logs have few, and no message is looked into for others. */
interface Marks {
  readonly requests: boolean
  readonly objects: boolean
  readonly parts: boolean
  readonly clients: boolean
  /** The lines below heads are fields. */
  readonly below: boolean
}

/** `  duration: 277`, below the head of an entry. */
const FIELD_BELOW = /^(?: {1,4}|\t)([A-Za-z_][\w. -]{0,39}): +(\S.*)$/
const TAKEN: ReadonlySet<string> = new Set(['line', 'message'])
const LEAST_BELOW = 5
const SHARE_BELOW = 0.8

/** Whether nearly all lines that go on with an entry are fields, and of few names. */
function areFieldsBelow(lines: LineIndex): boolean {
  let [fields, others] = [0, 0]
  const keys = new Set<string>()
  for (let index = 0; index < Math.min(2 * SAMPLE, lines.count); index++) {
    const line = beginning(lines, index)
    const [, key] = (CONTINUES.test(line) && FIELD_BELOW.exec(line)) || []
    if (key !== undefined) {
      fields += 1
      keys.add(key)
    } else if (line.trim() !== '' && CONTINUES.test(line)) others += 1
  }
  return fields >= LEAST_BELOW && fields >= (fields + others) * SHARE_BELOW && keys.size * 2 <= fields
}

/** The fields of a message: of the amount at its start, the object at its end, the pairs before that. nginx writes others. */
function eachField(message: string, marks: Marks, { tell, tellPair }: Tellers): void {
  const measured = isDigit(message.charCodeAt(message.indexOf(': ') + 2)) ? MEASURED.exec(message) : null
  if (measured) tell(measured[1] ?? '', measured[2] ?? '')
  if (marks.requests && message.includes('Completed ')) eachOfRequest(message, tell)
  if (isPacket(message)) eachOfPacket(message, tell)
  const json = marks.objects ? jsonIn(message) : undefined
  if (json) {
    for (const [key, value] of Object.entries(json.value)) tell(key === 'msg' ? key : ourName(key), value)
    eachPair(message.slice(0, json.start), tellPair, marks.parts)
    return
  }
  eachPair(message, tellPair, marks.parts)
  if (marks.clients && message.includes(', client: ')) {
    for (const [, key = '', quoted, bare = ''] of message.matchAll(NGINX)) tell(key, quoted ?? bare)
  }
}

const OBJECT_END = /\}\s{0,8}$/

/** The object in braces at the end of a message. */
function jsonIn(message: string): { value: JsonObject; start: number } | undefined {
  const start = message.indexOf('{"')
  if (start < 0 || !OBJECT_END.test(message.slice(-12))) return undefined
  const parsed = parseJson(message.slice(start))
  return isObject(parsed?.value) ? { value: parsed.value, start } : undefined
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

/** The fields that a server appends of its own: times, addresses, ids. */
function addRest(record: JsonObject, rest: string): void {
  const { tellPair } = tellersOf((key, value) => {
    if (!Object.hasOwn(record, key)) setOwn(record, key, value)
  })
  eachPair(rest, tellPair)
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
function entryTest(lines: LineIndex): (line: string, index: number) => boolean {
  if (isAccessLog(lines)) return () => true
  const readHead = headReader(lines)
  if (readHead === readServed)
    return (line, index) => readServed(line, index > 0 ? beginning(lines, index - 1) : '') !== undefined
  let head = ''
  return (line) => {
    if (head !== '' && line.startsWith(head)) return true
    const start = line.slice(0, LONGEST_HEAD)
    if (readHead(start, '') === undefined) return false
    head = /^[^\s]/.test(start) ? start.slice(0, 4) : ''
    return true
  }
}

/** The part of a line that is looked at for its head. */
const LONGEST_HEAD = 1_024

/**
 * Tried after the formats with lines that may begin with a date. Never takes a text of which four in ten lines neither begin an entry nor
 * go on with one.
 */
export const log = defineFormat<FoundLog>({
  name: 'log',
  family: 'log',
  line: 'entry',
  renewed: true,
  isOwnFact: (fact) => /^[\d,]+×/.test(fact),
  entryTest,
  detect: readLog,
  read: (_, { records }) => records(),
  asides: (_, { asides }) => asides,
  overview: overviewOfEntries,
})
