/** The servers as connections: what they are called, and how a model may name them. */
import type { JsonObject } from '../../protocol/json.ts'
import { nearest } from '../../text/edit-distance.ts'

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
  const [near] = nearest(
    wanted,
    connections.map(({ server }) => server),
    1,
  )
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return `There is no connection "${wanted.slice(0, 100)}".${hint} There are: ${names.slice(0, 30).join(', ')}${names.length > 30 ? `, and ${names.length - 30} more` : ''}.`
}
