/** A modern service in front of a backend that the test writes. */

import { onTestFinished } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import type { Result } from '../../../src/protocol/content.ts'
import type { Agent, Client, Exchange } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { LIMIT_DEFAULTS } from '../../../src/protocol/limits.ts'
import type { Notification, RequestId } from '../../../src/protocol/message.ts'
import { compose } from '../../../src/proxy/layers.ts'
import { type Audience, createAudience } from '../../../src/server/audience.ts'
import type { ModernService, Requester } from '../../../src/server/backend.ts'
import type { Backend } from '../../../src/server/legacy.ts'
import { createModernService } from '../../../src/server/modern.ts'

export const VERSION = '2026-07-28'
export const OURS = { name: 'proxy', version: '1' }
export const LOCAL: Agent = { id: 'local', kind: 'local' }

/** `_meta` of a request as a client sends it. */
export function envelope(more: JsonObject = {}): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more,
  }
}

export interface Asked {
  agent?: Agent
  address?: string
  id?: RequestId
  meta?: JsonObject
}

export interface World {
  service: ModernService
  audience: Audience
  clock: { time: number }
  /** The requests to the onion, in order. */
  exchanges: Exchange[]
  opened: Client[]
  closed: Client[]
  /** Sends a request, and what comes on its stream is in `told`. */
  ask(method: string, params?: JsonObject, asked?: Asked): Asking
}

export interface Asking {
  result: Promise<Result>
  told: Notification[]
  leave(): void
}

/** A class, as transports may have it: its methods need their object. */
class Stream implements Requester {
  readonly told: Notification[] = []
  readonly agent: Agent
  readonly address: string | undefined
  readonly id: RequestId
  readonly signal: AbortSignal

  constructor({ agent, address, id }: Pick<Requester, 'agent' | 'address' | 'id'>, signal: AbortSignal) {
    this.address = address
    this.agent = agent
    this.id = id
    this.signal = signal
  }

  notify(notification: Notification): void {
    this.told.push(notification)
  }
}

export const ALL: JsonObject = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
}

export function world(
  answer: (exchange: Exchange) => JsonObject | Result | Promise<Result> = () => ({}),
  capabilities: JsonObject = ALL,
  toolsChange: (client: Client) => boolean = () => true,
): World {
  const exchanges: Exchange[] = []
  const opened: Client[] = []
  const closed: Client[] = []
  const clock = { time: 0 }
  const audience = createAudience()
  const { handler, lists } = compose(
    [],
    async (exchange) => {
      exchanges.push(exchange)
      return answer(exchange)
    },
    { changes: audience.changes, current: async () => undefined },
  )
  const backend: Backend = {
    handler,
    describe: () => ({ capabilities, serverInfo: OURS, instructions: 'how to' }),
    toolsChange,
    opened: (client) => opened.push(client),
    closed: (client) => closed.push(client),
    notified: () => {},
    logger: silentLogger,
    identity: 'this one',
  }
  const service = createModernService({
    backend,
    lists,
    audience,
    now: () => clock.time,
    limits: { ...LIMIT_DEFAULTS, clientSubscriptions: 64 },
  })
  onTestFinished(() => {
    audience.close()
    return service.close()
  })
  const ask: World['ask'] = (method, params = {}, { agent = LOCAL, address, id = 1, meta = {} } = {}) => {
    const controller = new AbortController()
    const requester = new Stream({ agent, address, id }, controller.signal)
    const result = service.serve({ method, params: { ...params, _meta: envelope(meta) } }, requester)
    result.catch(() => {})
    return { result, told: requester.told, leave: () => controller.abort() }
  }
  return { service, audience, clock, exchanges, opened, closed, ask }
}
