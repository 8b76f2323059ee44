/** Heads of PostgreSQL between the time and the message: `[12] ann@shop LOG:  `, of `log_line_prefix` as systems and clouds set it. */
import { type JsonObject, setOwn } from '../../protocol/json.ts'
import { scanPairs } from '../../text/pairs.ts'
import { exactNumber } from './cells.ts'

/** Two blanks stand behind the severity. Details and hints have a line and a head of their own. */
const SEVERITY =
  /(?:^|[ :])(?:(LOG|DEBUG\d?|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC)|DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION): $/
const PID = /^\[(\d{1,10})\]$/
/** The number of a line within its session; the server itself has no user. */
const NOTHING = /^(?:\[\d{1,10}-\d{1,3}\]|@?)$/
const SESSION = /^(\[unknown\]|[^@[\]]{1,63})@(\[unknown\]|[^@[\]]{1,63})$/
const CLIENT = /^(?:([\w-]*[a-z.][\w.-]{0,255})\(\d{1,5}\)|\[local\])$/
const PAIR = /^[a-z_]{1,20}=[^=]{0,64}$/

/** Adds the fields of the head that `said` begins with; the length of the head, and undefined for any other. */
export function readPostgres(said: string, fields: JsonObject): number | undefined {
  const end = said.indexOf(':  ')
  const [marked, level] = (end > 0 && SEVERITY.exec(said.slice(0, end + 2))) || []
  if (marked === undefined) return undefined
  const start = end + 2 - marked.length
  const found: JsonObject = {}
  for (const word of said.slice(0, start).split(/[\s,:]+/)) {
    const [, pid] = PID.exec(word) ?? []
    const [, user, database] = SESSION.exec(word) ?? []
    const [client, host] = CLIENT.exec(word) ?? []
    if (pid !== undefined) found.pid = exactNumber(pid) ?? pid
    else if (user !== undefined) Object.assign(found, { user, database })
    else if (client !== undefined) found.client = host ?? client
    else if (PAIR.test(word)) scanPairs(word, 1, (key, value) => setOwn(found, key, value))
    else if (!NOTHING.test(word)) return undefined
  }
  if (found.pid === undefined) return undefined
  Object.assign(fields, found, level === undefined ? {} : { level })
  return level === undefined ? start + 1 : end + 3
}
