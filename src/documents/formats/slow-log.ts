/** The log of slow queries of MySQL and MariaDB: lines of `# Query_time: 2.5  Rows_examined: 10` above each query. A record for each. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { asideOf, exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

const HEAD = /^# (?:Time|User@Host|Query_time): /
const FIRST = /^# Query_time: /m
const PAIR = /([A-Za-z][\w@]{0,60}): {1,4}((?:(?! {1,8}[A-Za-z][\w@]{0,60}: ).){1,200})/g
const USER = /^(\S{0,80}?)\[[^\]]{0,80}\] @ {1,2}(\S{0,200}) ?\[([^\]]{0,80})\]$/
/** The line that the server adds to each query. */
const ADDED = /^SET timestamp=\d+;$/
const LONGEST = 2_000
const SOON = 20_000

interface Found {
  readonly above: readonly string[]
  readonly records: JsonObject[]
}

function readLog(text: string): Found | undefined {
  if (!FIRST.test(text.slice(0, SOON))) return undefined
  const lines = indexLines(text)
  const above: string[] = []
  const found: { record: JsonObject; query: string[] }[] = []
  let isHead = false
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const begins: boolean = line.length < LONGEST && (HEAD.test(line) || (isHead && line.startsWith('# ')))
    if (begins && !isHead) found.push({ record: { line: index + 1 }, query: [] })
    isHead = begins
    const last = found.at(-1)
    if (!last) above.push(line)
    else if (begins)
      for (const [, name = '', value = ''] of line.matchAll(PAIR)) put(last.record, name, value.trim())
    else if (!ADDED.test(line)) last.query.push(line)
  }
  const records = found.map(({ record, query }) => ({ ...record, query: query.join('\n').trim() }))
  return records.length > 1 ? { above, records } : undefined
}

/** The user and the host are fields of their own. */
function put(record: JsonObject, name: string, value: string): void {
  const [, user, host = '', address = ''] = (name === 'User@Host' && USER.exec(value)) || []
  if (user === undefined) return setOwn(record, name === 'Time' ? 'time' : name, exactNumber(value) ?? value)
  record.user = user
  record.host = host || address
}

/** Never takes a text without the times of queries. */
export const slowLog = defineFormat<Found>({
  name: 'slow log',
  family: 'entries',
  detect: readLog,
  read: (_, { records }): JsonValue => records,
  asides: (_, { above }) => above.filter((line) => line.trim() !== '').map(asideOf),
  overview: overviewOfEntries,
})
