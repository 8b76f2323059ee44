/** The common parts of the `retrieve` exposure. */
import type { ToolPools } from '../../discovery/pool.ts'
import type { Result } from '../../protocol/content.ts'
import type { Client, Exchange } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Listing } from '../../proxy/tool-index.ts'

export type Routing = 'call' | 'dynamic'

export interface RetrieveSettings {
  routing: Routing
  /** Tools a question gives, or as many as their scores deserve. */
  topK: number | 'adaptive'
  /** Tokens of definitions below which every tool is listed. 0: never. */
  listWithinTokens: number
  /** The detail of a tool in a reply: its signature, or its whole input schema. */
  detail: 'compact' | 'full'
  /** One call tool, or one for what reads, one for what writes, one for what destroys. */
  variants: 'single' | 'readWriteDestructive'
  /** The most characters of a reply. */
  budget: number
  /** The score below which no tool is a close match. Absent: scores of the engine do not tell. */
  closeFrom?: number | undefined
}

/** A call tool for each effect, told apart by the tools' annotations. */
export function isSplit({ variants }: Pick<RetrieveSettings, 'variants'>): boolean {
  return variants === 'readWriteDestructive'
}

/** The servers of a client. */
export interface Servers {
  readonly names: readonly string[]
  /** The servers that cannot be reached now, with the reason. */
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[]
}

/** Tools that are registered for an agent, in the dynamic routing. */
export interface Registry {
  readonly pools: ToolPools
  /** The list of this client changed by what it asked. */
  changed(client: Client): void
}

/** A tool of this exposure, which is answered by what the client could call. */
export interface ExposureTool {
  readonly name: string
  /** The definition in `tools/list` (MCP specification, server/tools, "Tool"). */
  readonly definition: JsonObject
  /** A mistake of the model is an `isError` result, never a throw. */
  call(args: JsonObject, exchange: Exchange, listing: Listing): Promise<Result>
}
