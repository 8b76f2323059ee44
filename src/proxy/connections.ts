/** The servers as connections: what they are called, and how a model may name them. */

import { createHash } from 'node:crypto'
import type { ServerConfig } from '../config/servers.ts'
import { concealArgs, createRedactor, secretsOf } from '../observe/redact.ts'
import type { Client } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { didYouMean } from '../text/words/edit-distance.ts'
import type { Upstreams } from '../upstream/contract.ts'

/** Tools that may be used, and tools that may not, by name or pattern. */
export interface ToolFilter {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** Patterns of a list that are told. */
const mostPatterns = 50

/** The filter as data. */
export function filterData({ allow, deny }: ToolFilter): JsonObject {
  return {
    ...(allow && { allow: allow.slice(0, mostPatterns) }),
    ...(deny && { deny: deny.slice(0, mostPatterns) }),
  }
}

/** One server, as the gateway knows it. */
export interface ConnectionInfo {
  /** Its name in the configuration. */
  readonly server: string
  /** MD5 of its configuration, hex: the same after a restart. */
  readonly id: string
  /** How it is reached, without credentials; a copy each time. */
  descriptor(): JsonObject
  readonly serverInfo?: JsonObject | undefined
  readonly lastError?: string | undefined
  /** Which of its tools may be used, where not all may. */
  readonly toolFilter?: ToolFilter | undefined
  /** When its tools were last listed, in milliseconds since 1970. Absent: not in this run. */
  readonly refreshed?: number | undefined
}

/** `alias`: `c1` for the first server of the configuration, and so on. */
export interface Connection extends ConnectionInfo {
  readonly alias: string
}

export function withAliases(infos: readonly ConnectionInfo[]): Connection[] {
  return infos.map((info, index) => ({ ...info, alias: `c${index + 1}` }))
}

/** By alias, name or id; `default` and `primary` are the first. A name counts before an alias: somebody chose it. */
export function findConnection(wanted: string, connections: readonly Connection[]): Connection | undefined {
  const name = wanted.trim()
  return (
    connections.find(({ server }) => server === name) ??
    connections.find(({ alias, id }) => alias === name.toLowerCase() || id === name.toLowerCase()) ??
    (/^(?:default|primary)$/i.test(name) ? connections[0] : undefined)
  )
}

export function unknownConnection(wanted: string, connections: readonly Connection[]): string {
  const names = connections.map(({ alias, server }) => `${alias} (${server})`)
  const hint = didYouMean(
    wanted,
    connections.map(({ server }) => server),
  )
  return `There is no connection "${wanted.slice(0, 100)}".${hint} There are: ${names.slice(0, 30).join(', ')}${names.length > 30 ? `, and ${names.length - 30} more` : ''}.`
}

// The servers as the dispatch tool tells of them.

/**
 * The servers that this client has; undefined: all. `now` and `elapsed`: the same moment by two clocks. The upstreams tell by the second
 * when lists were fetched.
 */
export function connectionsOf(
  servers: readonly ServerConfig[],
  upstreams: Upstreams,
  { now, elapsed }: { now: () => number; elapsed: () => number },
  client?: Client,
): ConnectionInfo[] {
  const reached = client && new Set(upstreams.serversFor(client))
  const states = new Map(upstreams.status().map((status) => [status.server, status]))
  const apart = now() - elapsed()
  return servers.flatMap((server) => {
    if (reached?.has(server.name) === false) return []
    const { initialize, lastError, listed } = states.get(server.name) ?? {}
    return {
      server: server.name,
      id: createHash('md5').update(JSON.stringify(server)).digest('hex'),
      descriptor: () => descriptorOf(server),
      serverInfo: isObject(initialize?.serverInfo) ? initialize.serverInfo : undefined,
      toolFilter: server.tools,
      lastError: lastError === undefined ? undefined : createRedactor(secretsOf([server])).text(lastError),
      refreshed: listed === undefined ? undefined : apart + listed,
    }
  })
}

/** The text in place of a value. */
const STRUCK = '***'

/** A copy without credentials: nothing of what headers and environment hold, of secret options, of the address what is not its place. */
function descriptorOf(server: ServerConfig): JsonObject {
  const { name: _, ...rest } = server
  const bare = {
    ...rest,
    ...('args' in rest && { args: concealArgs(rest.args, STRUCK) }),
    ...('env' in rest && { env: namesOf(rest.env) }),
    ...('headers' in rest && { headers: namesOf(rest.headers) }),
  }
  return JSON.parse(JSON.stringify(createRedactor(secretsOf([server])).fields(bare))) as JsonObject
}

function namesOf(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, STRUCK]))
}
