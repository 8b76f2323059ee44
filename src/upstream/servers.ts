/** The facts of each configured server, over all its connections. */
import type { CompleteOptions } from './contract.ts'
import type { ServerOptions } from './dial.ts'
import { nameOfServer } from './memory.ts'
import type { Instance } from './transport.ts'

export interface Server {
  readonly name: string
  readonly options: ServerOptions
  readonly instance: Instance
  /** It was seen to mean one client: none shares its process, whatever `instance` says but `shared`. */
  personal: boolean
  connectTimeoutMs: number
  timeoutMs: number
  lazy: boolean
  /** How many tools it listed last. */
  tools: number | undefined
  /** When, in milliseconds by the monotonic clock. */
  listed: number | undefined
  /** The last thing that went wrong, without its secrets, until it connects again. */
  lastError: string | undefined
  /** It gave no list in time, in this run or the one before, and none since: lists do not wait for it. */
  silent: boolean
  /** It was connected in this run. */
  met: boolean
  /** How often it was connected again in this run. */
  restarts: number
  /** Requests under way at it. */
  calls: number
  /** The configuration has it no more, or another in its place: nothing new is begun at it. */
  retired: boolean
}

/** By name, in the order of the configuration. One of `before` that is still the same stays the same object, with its new limits. */
export function serversOf(
  { servers, defaults }: Pick<CompleteOptions, 'servers' | 'defaults'>,
  before: ReadonlyMap<string, Server> = new Map(),
): ReadonlyMap<string, Server> {
  return new Map(
    Object.entries(servers).map(([name, options]) => {
      const limits = {
        connectTimeoutMs: options.connectTimeoutMs ?? defaults.connectTimeoutMs,
        timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
        lazy: options.lazy ?? defaults.lazy,
      }
      const instance = options.instance ?? defaults.instance
      const known = before.get(name)
      if (known?.instance === instance && nameOfServer(known.options) === nameOfServer(options))
        return [name, Object.assign(known, limits)]
      const server = {
        name,
        options,
        instance,
        personal: false,
        tools: undefined,
        listed: undefined,
        lastError: undefined,
        silent: false,
        met: false,
        restarts: 0,
        calls: 0,
        retired: false,
      }
      return [name, { ...server, ...limits }]
    }),
  )
}
