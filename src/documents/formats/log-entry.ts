/** The head of a log line: time, level, host, logger; what follows is the message. */
import type { JsonObject } from '../../protocol/json.ts'
import { readBrief, readForm, withProcess } from './log-forms.ts'
import { levelInBrackets, levelOf, levelOfLetter } from './log-level.ts'
import { readTime } from './log-time.ts'
import { exactNumber } from './numbers.ts'

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

const TOKEN = /^(?:[\s|-]*)(?:\[([^\]]{0,80})\]|([^\s[\]|]{1,120}))/

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
    const match = TOKEN.exec(line.slice(at, at + LONGEST_WORD))
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
