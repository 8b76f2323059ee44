/** The actions of one tool in the place of many, and the input and output of each. */
import type { Engine } from '../../engine/contract.ts'
import { errorResult, textBlock } from '../../protocol/content.ts'
import type { Effect } from '../../protocol/effects.ts'
import type { Client, Exchange, Handler } from '../../protocol/exchange.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { Connection, ConnectionInfo, ToolFilter } from '../../proxy/connections.ts'
import type { Listing } from '../../proxy/tool-index.ts'
import type { Spills } from '../../spill/spills.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { DispatchParams } from './params.ts'

export interface DispatchSettings {
  /** The most characters of a reply. */
  budget: number
  /** A dispatch tool for what reads, one for what writes, one for what destroys, beside the one that lists and searches. */
  splitCalls: boolean
  /** There is an action that runs programs. Default: there is none. */
  code?: boolean
  spill: {
    /** Bytes of a result's text above which it goes to a file. 0: never by itself. */
    threshold: number
    /** `toon`: data is written as TOON before it is measured, while `threshold` is set. */
    format: 'json' | 'toon'
  }
  /** `aliases`: its operations are tools of their own as well. */
  readback: { maxChars: number; grepMaxMatches: number; aliases: boolean }
}

export interface DispatchParts {
  settings: DispatchSettings
  engine: Engine
  resultStore: ResultStore
  spills: Spills
  /** The servers that are there for this client, in the order of the configuration. */
  connections(client: Client): readonly ConnectionInfo[]
  /** Which tools of all servers may be used, as far as this client may know. Undefined: all. */
  toolFilter(client: Client): ToolFilter | undefined
  /** The next list of these servers' tools is fetched again. */
  refresh(servers: readonly string[], exchange: Exchange): void
}

/** The parts that an action works with. */
export interface Situation {
  readonly exchange: Exchange
  readonly listing: Listing
  readonly connections: readonly Connection[]
  /** Answers a call of a server's tool, or of one of the proxy's own. */
  readonly next: Handler
  /** The most that a called tool may do. */
  readonly allowed: Effect
}

export type Action = (
  params: DispatchParams,
  situation: Situation,
  parts: DispatchParts,
) => Promise<JsonObject>

// Replies: what the model reads is the text; the members beside it are for programs.

/** An answer that is data: its JSON is the text, and its small members stand beside that. */
export function dataReply(action: string, data: JsonObject): JsonObject {
  const small = Object.entries(data).filter(([, value]) => typeof value !== 'object' || value === null)
  return {
    action,
    ...(Object.fromEntries(small) as Record<string, JsonValue>),
    content: [textBlock(JSON.stringify({ action, ...data }))],
  }
}

export function failureReply(action: string, text: string): JsonObject {
  return { action, ...errorResult(text) }
}
