/** What is known of each configured server, whoever its connections belong to. */
import type { CompleteOptions, ServerOptions } from './options.ts'

export interface Server {
  readonly name: string
  readonly options: ServerOptions
  readonly connectTimeoutMs: number
  readonly timeoutMs: number
  readonly lazy: boolean
  readonly shared: boolean
  /** How many tools it listed last. */
  tools: number | undefined
  /** When, in milliseconds by the clock that nobody sets. */
  listed: number | undefined
  /** The last thing that went wrong, until it connects again. */
  lastError: string | undefined
}

/** By name, in the order of the configuration. */
export function serversOf({ servers, defaults }: CompleteOptions): ReadonlyMap<string, Server> {
  return new Map(
    Object.entries(servers).map(([name, options]) => [
      name,
      {
        name,
        options,
        connectTimeoutMs: options.connectTimeoutMs ?? defaults.connectTimeoutMs,
        timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
        lazy: options.lazy ?? defaults.lazy,
        shared: (options.instance ?? defaults.instance) === 'shared',
        tools: undefined,
        listed: undefined,
        lastError: undefined,
      },
    ]),
  )
}
