/** The form of a module: one layer around all that passes between clients and servers. Public API. */

import type * as z from 'zod'
import type { Logger } from '../observe/log.ts'
import type { Result } from '../protocol/content.ts'
import type * as embedding from '../protocol/embedding.ts'
import { ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler, Lists, ShowList } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Signal } from '../protocol/message.ts'
import type { Rate, Take } from '../protocol/rate.ts'
import type { SharedMap } from '../protocol/shared-map.ts'
import type { TextChange } from '../text/change/change-rules.ts'
import type { NamingPattern } from './patterns.ts'

/** A notification under way. */
export interface Notice {
  readonly method: string
  readonly params?: JsonObject | undefined
  readonly toward: 'client' | 'server'
  /** The peer that gets it, or sent it. */
  readonly client: Client
  /** The server it comes from, where that is known. */
  readonly server?: string | undefined
}

/** Passes a notification on. A notification that is not passed on is dropped. A promise delays the notifications that follow. */
export type Notify = (notice: Notice) => void | Promise<void>

/** The instructions that a client gets when it connects. */
export interface Described {
  /** `name`, `title`, `version`. */
  readonly serverInfo: JsonObject
  /** The proxy's own instructions. */
  readonly instructions: string
  /** Those of servers, by name. */
  readonly servers: readonly { readonly server: string; readonly instructions: string }[]
}

/** How a module is. Shown by `doctor` and `status`. */
export interface ModuleHealth {
  state: 'ok' | 'starting' | 'failed'
  /** In words: what it is, or what is wrong. */
  message: string
}

/** A module at work. All members are optional: one that does nothing is a module as well. */
export interface Module {
  /**
   * A layer around requests and their results: `(next) => async (exchange) => next(exchange)`. Requests of servers (sampling,
   * elicitation, roots, ping) come here as well, with `toward: 'client'`. May be called more than once: what lasts belongs
   * into `create`. `inside`: what is listed inside of the module, remembered. No module needs to ask for lists on its own.
   */
  wrap?(next: Handler, inside: Lists): Handler
  /** The lists that it wants to see, as it changes them. Absent: `wrap` sees the requests for them, and answers as it likes. */
  list?: ShowList
  /** A layer around notifications of both directions. */
  notify?(next: Notify): Notify
  /**
   * The proxy's description of itself for a client that connects with this profile. The module nearest to the client has the last
   * word.
   */
  describe?(said: Described, profile: string | undefined): Described
  /**
   * False: this server is none for clients that chose this profile. It is not connected for them, and they hear nothing of it.
   * Asked often: it has to be quick. Absent: all servers are there.
   */
  reaches?(server: string, profile: string | undefined): boolean
  health?(): ModuleHealth
  /** Waits until it would work, and says how it is. Absent: it always is. */
  check?(): Promise<ModuleHealth>
  close?(): Promise<void>
}

/** The parts that a module is handed. */
export interface ModuleContext {
  /** Its name in the list. */
  readonly name: string
  /** Writes to the proxy's log, with the module's name in each line. */
  readonly logger: Logger
  /** Milliseconds by a monotonic clock. */
  readonly elapsed: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A folder of its own for what lasts. Made on use: it may not be there. */
  readonly dataDir: string
  /**
   * Changes texts of a result. Large results, which must not be parsed on the event loop, are changed in a worker. The result
   * itself where nothing had to be changed. `counts`: how often each change was made, by its name.
   */
  change(result: Result, change: TextChange, signal: Signal): Promise<{ result: Result; counts: Counts }>
  /** Buckets of calls by key, for the module alone. Replicas that share a store count together. */
  buckets(rate: Rate): Take
  /** Texts by key that replicas have in common, for the module alone. Undefined: each replica is by itself. */
  readonly shared: SharedMap | undefined
  /** True for the name of a tool of the proxy's own: what it answers comes from kept results, which passed the modules before. */
  isOwnTool(name: string): boolean
  /**
   * To be called when the module would list something else than before: clients are told, and lists that the proxy remembers are made
   * again. A list that depends only on what is listed inside needs no call.
   */
  listsChanged(): void
}

/** How often, by name. */
export type Counts = Readonly<Record<string, number>>

/** A module as it is written. */
export interface ModuleDefinition<Options extends z.ZodObject = z.ZodObject> {
  /** Its name in `use`. */
  readonly name: string
  /** Its options. Unknown keys are reported, and what is missing gets its default. */
  readonly options: Options
  /**
   * The messages it wants, by method: `tools/call`, `tools/*`, `notifications/progress`, `*`. All others pass it without cost.
   * Absent: all.
   */
  readonly messages?: readonly string[] | ((options: z.output<Options>) => readonly string[])
  /** True: `next` gives its `wrap` every result as an object. Absent: large ones come as `LargeResult`, unparsed. */
  readonly seesObjects?: boolean
  /** The patterns in the options that name items of servers. The log tells the operator of patterns that fit no item. */
  patterns?(options: z.output<Options>): readonly NamingPattern[]
  create(options: z.output<Options>, context: ModuleContext): Module | Promise<Module>
}

/** A module with options of its own. Options are parsed by its schema before it is created, so that one type of them does for all who hold it. */
export function defineModule<Options extends z.ZodObject>(
  definition: ModuleDefinition<Options>,
): ModuleDefinition {
  return definition as unknown as ModuleDefinition
}

/** A module that sees every result as an object. */
export interface ObjectModule extends Omit<Module, 'wrap' | 'list'> {
  /** As that of `Module`. Results are not to be changed in place. A large one that it gives back as it came is not written again. */
  wrap?(next: (exchange: Exchange) => Promise<JsonObject>, inside: Lists): embedding.Handler
  /** As that of `Module`. */
  list?: embedding.ShowList
}

/** Such a module as it is written. */
export interface ObjectModuleDefinition<Options extends z.ZodObject = z.ZodObject>
  extends Omit<ModuleDefinition<Options>, 'create' | 'seesObjects'> {
  create(options: z.output<Options>, context: ModuleContext): ObjectModule | Promise<ObjectModule>
}

/**
 * A module of a program that embeds the proxy. Hand it to `createGateway` and `loadConfig` as one of `modules`; then
 * `{ "use": "its name" }` may stand in the list. A large result is parsed for it on the calling thread.
 */
export function defineObjectModule<Options extends z.ZodObject>(
  definition: ObjectModuleDefinition<Options>,
): ModuleDefinition {
  return { ...definition, seesObjects: true } as unknown as ModuleDefinition
}

// The effect of a failure of a module, and the text for the client.

/** A module refuses by an error that crosses the wire; anything else that it throws is a failure of its own. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RpcError || error instanceof ProxyError
}

export class ModuleTimeout extends Error {
  override readonly name = 'ModuleTimeout'
}

/** The error that a client gets for a module that failed. */
export function failure(name: string, error: unknown): RpcError {
  const why = error instanceof ModuleTimeout ? 'did not answer in time' : 'failed'
  return new RpcError(RPC.internalError, `The message was refused because the module \`${name}\` ${why}.`, {
    module: name,
  })
}

/** A message longer than the `maxBytes` of an external module. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** The error for a message that is too large for a module which has to see it. */
export class TooLargeRefusal extends RpcError {
  /** `isResult`: the server has done what it was asked, and its result is withheld. `limit` in bytes. */
  constructor(module: string, { message }: TooLarge, isResult: boolean, limit: number) {
    const what = isResult
      ? 'The server has answered, so whatever the request changes is done. The result is withheld because'
      : 'The message was refused and did not reach the server because'
    const next = isResult
      ? 'Do not repeat a call that changes something. To see a result, ask for less at once (a filter, a limit, a page).'
      : 'Send less at once.'
    const operator = `The person who runs the proxy can raise \`maxBytes\` of the module \`${module}\` (now ${limit}), or set its \`failOpen\` to true. Then messages that are too large pass unchecked.`
    super(
      RPC.internalError,
      `${what} the module \`${module}\` has to check it and ${message}. ${next} ${operator}`,
      {
        module,
        maxBytes: limit,
      },
    )
  }
}

// Which messages a module wants.

/** Methods come from clients and servers: no more of them are remembered. */
const REMEMBERED = 500

/** `*`, `tools/*` or exact names. Absent: every method. */
export function methodFilter(patterns: readonly string[] | undefined): (method: string) => boolean {
  if (patterns === undefined || patterns.includes('*')) return () => true
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')))
  const families = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  if (families.length === 0) return (method) => exact.has(method)
  const known = new Map<string, boolean>()
  return (method) => {
    const before = known.get(method)
    if (before !== undefined) return before
    const wanted = exact.has(method) || families.some((family) => method.startsWith(family))
    if (known.size < REMEMBERED) known.set(method, wanted)
    return wanted
  }
}
