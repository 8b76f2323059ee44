/**
 * Which clients use one process of a server (`instance`). With `auto`, clients of one owner with the same capabilities share it until the
 * server shows that it means one client. It does so when it asks something of a client, or lists tools that keep a state between calls.
 * Then the process stays
 * with the client that it asked or was started for, each other client gets its own, and the next run remembers that.
 */
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { digest } from './memory.ts'
import type { Server } from './servers.ts'

/** To whom a legacy connection belongs: to one client, to clients that are alike, or (undefined) to all or none. */
export type Owner = Client | string | undefined

export function ownerOf(server: Server, client: Client | undefined): Owner {
  if (client === undefined || server.instance === 'shared') return undefined
  return isCommon(server) ? companyOf(client) : client
}

/** Its process may serve several clients. */
export function isCommon({ instance, personal, options }: Server): boolean {
  return instance === 'auto' && !personal && 'command' in options
}

const companies = new WeakMap<Client, string>()

/** Equal for clients that a server cannot tell apart, and that may know of each other: local ones are all of one user. */
function companyOf(client: Client): string {
  const known = companies.get(client)
  if (known !== undefined) return known
  const { agent, capabilities, protocolVersion, via = [] } = client
  const name = digest([agent.kind === 'local' ? 'local' : agent.id, capabilities, protocolVersion, via])
  companies.set(client, name)
  return name
}

/**
 * Names of tools by which a server lets a client come to a place and go on from there: pages, sessions, working directories. If a tool of
 * such a name keeps no state, it costs a process. If a tool with state is missed here, it mixes the actions of two clients. So in doubt a
 * name belongs here.
 */
const STATE = [
  /^(.*_)?(browser|navigate|page|tab|click|hover|scroll|session|terminal|shell|repl|kernel|debug|debugger|breakpoint|cursor|transaction)s?(_.*)?$/,
  /^(.*_)?(login|logout|sign_in|sign_out|connect|disconnect|attach|detach|cd|cwd|chdir|undo|redo|activate|toggle|thinking|sequentialthinking)(_.*)?$/,
  /^(.*_)?(set|switch|change|use|select|open|close|enter|leave)_(.*_)?(dir|directory|folder|project|workspace|repo|repository|context|database|account|profile|tenant|namespace|region|environment|model|current|active|default|document|connection|window)(_.*)?$/,
]

/** The name of a tool that keeps a state between calls, as far as names tell. Undefined: there is none. */
export function statefulTool(tools: readonly JsonObject[]): string | undefined {
  const found = tools.find(({ name }) => {
    const words = String(name)
      .slice(0, 200)
      .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .toLowerCase()
    return STATE.some((pattern) => pattern.test(words))
  })
  return found && String(found.name)
}
