/** Logs: each line a record with the fields a user would name: time, level, host or ip, method, path, status, bytes, logger, message. */

const LEVEL = '(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|FATAL|CRITICAL|CRIT|ALERT|EMERG)'
const ISO = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?`
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`

const ACCESS = new RegExp(
  String.raw`^(\S+) \S+ (\S+) \[([^\]]+)\] ${QUOTED} (\d{3}) (\d+|-)(?: ${QUOTED} ${QUOTED})?`,
)
const REQUEST = /^([A-Z]+) (\S+)(?: \S+)?$/
const IP = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:]+)$/i
const PYTHON = new RegExp(String.raw`^(${ISO}) \[?(${LEVEL})\]? +([\w.$/-]+): (.*)$`)
const DASHES = new RegExp(String.raw`^(${ISO}) - ([\w.$/-]+) - (${LEVEL}) - (.*)$`)
const JAVA = new RegExp(
  String.raw`^(${ISO}) +(?:\[([^\]]+)\] +)?(${LEVEL}) +(?:\[[^\]]*\] +)?([\w.$/-]+) +- (.*)$`,
)
const LEVELLED = new RegExp(String.raw`^\[?(${ISO})\]? +\[?(${LEVEL})\]?:? +(.*)$`, 'i')
const TIMED = new RegExp(String.raw`^\[?(${ISO})\]? +(\S.*)$`)
const NGINX = /^(\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d) \[(\w+)\] (?:\d+#\d+: )?(.*)$/
const SYSLOG = /^(?:<\d+>)?([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) ([\w.:-]+) ([^\s:[]+)(?:\[(\d+)\])?: (.*)$/
const PAIR = /(?:^|[\s,;(])([A-Za-z_][\w.-]*)=("(?:[^"\\]|\\.)*"|[^\s,;)"]*)/g

function pairs(text) {
  const found = {}
  for (const [, key, raw] of text.matchAll(PAIR)) {
    // A key said twice in a line has no value one could ask for.
    if (Object.hasOwn(found, key)) found[key] = undefined
    else if (key !== '__proto__')
      found[key] = raw.startsWith('"') ? raw.slice(1, -1).replace(/\\(.)/g, '$1') : raw
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined && value !== ''))
}

const known = (fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '-'))

const FORMATS = {
  access(line) {
    const match = ACCESS.exec(line)
    if (!match) return undefined
    const [, host, user, time, request, status, bytes, referrer, agent] = match
    const [, method, path] = REQUEST.exec(request) ?? []
    return known({
      [IP.test(host) ? 'ip' : 'host']: host,
      user,
      time,
      method,
      path,
      status: Number(status),
      bytes: bytes === '-' ? undefined : Number(bytes),
      referrer,
      agent,
    })
  },
  python(line) {
    const match = PYTHON.exec(line)
    return match && { time: match[1], level: match[2], logger: match[3], message: match[4] }
  },
  dashes(line) {
    const match = DASHES.exec(line)
    return match && { time: match[1], level: match[3], logger: match[2], message: match[4] }
  },
  java(line) {
    const match = JAVA.exec(line)
    return match && known({ time: match[1], level: match[3], logger: match[4], message: match[5] })
  },
  levelled(line) {
    const match = LEVELLED.exec(line)
    return match && { time: match[1], level: match[2], message: match[3] }
  },
  nginx(line) {
    const match = NGINX.exec(line)
    return match && { time: match[1], level: match[2], message: match[3] }
  },
  syslog(line) {
    const match = SYSLOG.exec(line)
    return (
      match && known({ time: match[1], host: match[2], program: match[3], pid: match[4], message: match[5] })
    )
  },
  timed(line) {
    const match = TIMED.exec(line)
    return match && { time: match[1], message: match[2] }
  },
  logfmt(line) {
    if (!/^[A-Za-z_][\w.-]*=/.test(line)) return undefined
    const fields = pairs(line)
    return Object.keys(fields).length >= 3 ? { ...aliases(fields), ...fields } : undefined
  },
}

/** A user says time, level and message whatever the writer of the log called them. */
function aliases({ ts, lvl, msg }) {
  return known({ time: ts, level: lvl, message: msg })
}

/** The format most of the first lines have, or undefined when fewer than six in ten have one. */
export function formatOf(text) {
  const lines = text
    .slice(0, 100_000)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, 200)
  if (lines.length < 5) return undefined
  for (const [name, parse] of Object.entries(FORMATS)) {
    if (lines.filter((line) => parse(line)).length >= 0.6 * lines.length) return name
  }
  return undefined
}

/** Lines of a text without the empty one behind the last line break. */
export function linesOf(text) {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** One line as a record. A line that does not fit the format (a stack trace) is a message and nothing else. */
function recordOf(line, parse) {
  const fields = parse(line)
  if (!fields) return { message: line }
  if (fields.message === undefined || parse === FORMATS.logfmt) return fields
  return { ...pairs(fields.message), ...fields }
}

/**
 * @param {string} name
 * @param {string} text of a known format; throws otherwise
 * @returns {import('../contract.mjs').Payload[]}
 */
export function readLog(name, text) {
  const parse = FORMATS[formatOf(text)]
  if (parse === undefined) throw new Error('no known log format')
  const lines = linesOf(text)
  const records = lines.map((line) => recordOf(line, parse))
  return [{ name, kind: 'log', text, source: name, lines, collections: [{ at: [], keyed: false, records }] }]
}
