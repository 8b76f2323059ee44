/** What past runs saved, from the ledger in the data directory. */
import { dataDirectory } from '../data/directory.ts'
import { formatSavings, mergeRows, readLedger, totalsOf } from '../observe/savings-report.ts'
import type { Host, Invocation } from './program.ts'
import { settle } from './settle.ts'

/** Tools shown in the table. */
const LARGEST = 15

export async function stats(host: Host, invocation: Invocation, json: boolean): Promise<number> {
  const { config } = await settle(host, invocation, { serversOptional: true })
  const directory = dataDirectory(config, host.cwd, host.home)
  const days = await readLedger(directory)
  const tools = mergeRows(days.flatMap((day) => day.tools))
  if (json) {
    const byDay = days.map(({ day, tools }) => ({ day, ...totalsOf(tools) }))
    host.stdout.write(`${JSON.stringify({ totals: totalsOf(tools), days: byDay, tools }, null, 2)}\n`)
    return 0
  }
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (first === undefined) host.stdout.write(`Nothing was saved yet: there is no ledger in ${directory}.\n`)
  else host.stdout.write(`${first} to ${last}\n${formatSavings(tools, LARGEST)}\n`)
  return 0
}
