/** Access logs of Apache and nginx, common and combined (httpd.apache.org/docs/2.4/logs.html). */
import { type JsonObject, setOwn } from '../../protocol/json.ts'
import { readPairs } from './log-pairs.ts'

// The quoted parts are written so that no character can be matched in two ways: linear on any line.
const LINE =
  /^(\S+) (\S+) (\S+(?: \S+){0,2}) \[([^\]]{1,40})\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}|-) (\d+|-)(?: "([^"\\]*(?:\\.[^"\\]*)*)" "([^"\\]*(?:\\.[^"\\]*)*)")?/

/**
 * Reads one line into `ip, user, time, method, path, protocol, status, bytes` and, when combined, `referrer, agent`;
 * `vhost` where the server's name comes first, key=value pairs and `rest` where more follows. `-` is null. `time` is ISO
 * 8601 with the offset of the log. A request that is none stays whole in `path`.
 */
export function readAccess(line: string): JsonObject | undefined {
  const match = LINE.exec(line)
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
