/** The modern era (MCP 2026-07-28): every request says who asks, goes into the onion, and gets its result completed. */

import { createHash } from 'node:crypto'
import { refuseLoop } from '../protocol/chain.ts'
import { clientRule } from '../protocol/client-rules.ts'
import { LargeResult, type Result } from '../protocol/content.ts'
import { MODERN_META, MODERN_VERSIONS } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Agent, Client, Exchange, Lists } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { LIMIT_DEFAULTS, type Limits } from '../protocol/limits.ts'
import { onceForEach } from '../protocol/lists.ts'
import { type LogLevel, reaches } from '../protocol/log-levels.ts'
import type { Notification, Request } from '../protocol/message.ts'
import type { Audience } from './audience.ts'
import type { ModernService, Requester } from './backend.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import { toRpcError } from './errors.ts'
import { type Asker, type Backend, beginExchange } from './legacy.ts'
import { createSubscriptions } from './subscriptions.ts'

interface ModernServiceOptions {
  backend: Omit<Backend, 'notified'>
  /** The lists for clients. */
  lists: Lists
  audience: Audience
  /** Milliseconds by a monotonic clock. */
  now(): number
  limits?: Limits
}

export function createModernService({
  backend,
  lists,
  audience,
  now,
  limits = LIMIT_DEFAULTS,
}: ModernServiceOptions): ModernService {
  /** By profile. */
  const ourselves = new Map<string | undefined, JsonObject>()
  const subscriptions = createSubscriptions({ backend, audience, limits })
  const clients = createModernClients({
    now,
    notify: subscriptions.notify,
    opened: (client) => {
      const { info, protocolVersion, profile } = client
      const fields = { client: info, protocolVersion, ...(profile !== undefined && { profile }) }
      backend.logger.info(fields, 'client connected')
      backend.opened(client)
    },
    closed: backend.closed,
  })
  let closed = false
  audience.listen(() => ourselves.clear())

  const serverInfo = (profile: string | undefined): JsonObject => {
    const known = ourselves.get(profile) ?? backend.describe({ profile }).serverInfo
    ourselves.set(profile, known)
    return known
  }

  /** Runs for the client that asks, which stays as long as it takes. */
  async function on<T>(
    envelope: Envelope,
    { agent, profile }: Requester,
    run: (client: Client) => Promise<T>,
  ): Promise<T> {
    const lease = clients.use(agent, envelope, profile)
    try {
      return await run(lease.client)
    } finally {
      clients.rest(lease)
    }
  }

  /** No client is met for this: who only looks which revisions are spoken may go on in the other era. */
  function discover(asker: Asker): JsonObject {
    const { capabilities: all, instructions } = backend.describe(asker)
    // Tasks are an extension in this era, and none of ours.
    const { tasks: _, ...capabilities } = all
    return { supportedVersions: [...MODERN_VERSIONS], capabilities, instructions }
  }

  async function answer(request: Request, requester: Requester): Promise<Result> {
    const { method, params = {} } = request
    const envelope = readEnvelope(params)
    refuseLoop(envelope.via, backend.identity)
    refuseForeign(method, envelope)
    if (closed) throw new RpcError(RPC.connectionClosed, 'the proxy is shutting down')
    const { profile } = requester
    if (method === DISCOVER)
      return toModernResult(method, discover({ via: envelope.via, profile }), serverInfo(profile))
    return on(envelope, requester, async (client) => {
      if (method === LISTEN) return subscriptions.listen(client, params, requester)
      const exchange = exchangeOf({ method, params }, client, requester, envelope.logLevel)
      return toModernResult(method, await backend.handler(exchange), serverInfo(profile))
    })
  }

  return {
    async serve(request, requester) {
      try {
        return await answer(request, requester)
      } catch (error) {
        throw toModernError(request.method, request.params ?? {}, toRpcError(error))
      }
    },
    async toolSchema(name, { params = {} }, requester) {
      try {
        const list = { method: 'tools/list', params: { _meta: own(params, '_meta') ?? {} } }
        return await on(readEnvelope(params), requester, async (client) => {
          const exchange = exchangeOf(list, client, requester, undefined)
          return schemasOf(await lists.unchanged('tools', exchange)).get(name)
        })
      } catch (error) {
        throw toRpcError(error)
      }
    },
    async close() {
      closed = true
      subscriptions.close()
      // Results of subscriptions are on their way before anything else is closed.
      await new Promise((resolve) => setImmediate(resolve))
      clients.close()
    },
  }
}

function exchangeOf(
  { method, params = {} }: Request,
  client: Client,
  requester: Requester,
  logLevel: LogLevel | undefined,
): Exchange {
  return beginExchange({
    method,
    params,
    client,
    agent: requester.agent,
    signal: requester.signal,
    notify: (notification) => {
      if (NEVER_ON_A_REQUEST.test(notification.method)) client.notify(notification)
      else if (isWanted(notification, logLevel)) requester.notify(notification)
    },
  })
}

/** The notifications that only subscriptions get, and notifications that this era does not have. */
const NEVER_ON_A_REQUEST =
  /^notifications\/(?:\w+\/list_changed|resources\/updated|elicitation\/complete|tasks\/status|initialized|cancelled)$/

/** Log messages go only to requests that asked for them (server/utilities/logging). */
function isWanted({ method, params }: Notification, least: LogLevel | undefined): boolean {
  if (method !== 'notifications/message') return true
  return least !== undefined && reaches(params && own(params, 'level'), least)
}

// Clients of an era without sessions: all requests that say the same of who asks are one client. It is known
// from its first request until nothing was heard of it for a while.

/** A client with something under way. */
interface Lease {
  readonly client: Client
}

interface ModernClients {
  /** The client that says this of itself and chose this profile; it stays until `rest` was called as often. */
  use(agent: Agent, envelope: Envelope, profile?: string): Lease
  rest(lease: Lease): void
  close(): void
}

interface ModernClientsOptions {
  /** Milliseconds by a monotonic clock. */
  now(): number
  /** Sends what belongs to no request. */
  notify(client: Client, notification: Notification): void
  opened(client: Client): void
  closed(client: Client): void
}

/** Milliseconds without a request or a subscription after which a client is given up. */
const IDLE_MS = 30 * 60_000
/** More clients than these push out the longest idle, never one that waits for something. */
const MAX_CLIENTS = 1000
/** The characters that all of them may use to describe themselves: the same goes for more. */
const MAX_CHARACTERS = 16 * 1024 * 1024
const SWEEP_MS = 60_000

interface Entry extends Lease {
  readonly key: string
  /** Requests and subscriptions under way. */
  busy: number
  lastUsed: number
}

export function createModernClients(options: ModernClientsOptions): ModernClients {
  const { now } = options
  /** The longest unused first. */
  const entries = new Map<string, Entry>()
  let characters = 0
  let sweep: NodeJS.Timeout | undefined

  function giveUp(entry: Entry): void {
    entries.delete(entry.key)
    characters -= entry.key.length
    options.closed(entry.client)
  }

  function makeRoom(): void {
    for (const entry of entries.values()) {
      if (entries.size < MAX_CLIENTS && characters < MAX_CHARACTERS) return
      if (entry.busy === 0) giveUp(entry)
    }
  }

  function giveUpIdle(): void {
    for (const entry of entries.values())
      if (entry.busy === 0 && now() - entry.lastUsed >= IDLE_MS) giveUp(entry)
  }

  function meet(key: string, agent: Agent, envelope: Envelope, profile: string | undefined): Entry {
    const { info, capabilities, protocolVersion, via } = envelope
    makeRoom()
    const client: Client = {
      id: `modern:${createHash('sha256').update(key).digest('hex').slice(0, 32)}`,
      agent,
      era: 'modern',
      info,
      rule: clientRule(info),
      capabilities,
      protocolVersion,
      ...(profile !== undefined && { profile }),
      ...(via.length > 0 && { via }),
      ...(agent.kind !== 'local' && { isListening: () => entry.busy > 0 }),
      notify: (notification) => options.notify(client, notification),
      ask: ({ method }) =>
        Promise.reject(
          new RpcError(
            RPC.methodNotFound,
            `${method}: a client of this protocol revision is asked by a result`,
          ),
        ),
    }
    const entry: Entry = { client, key, busy: 0, lastUsed: now() }
    characters += key.length
    sweep ??= setInterval(giveUpIdle, SWEEP_MS).unref()
    options.opened(client)
    return entry
  }

  return {
    use(agent, envelope, profile) {
      const { protocolVersion, info, capabilities, via } = envelope
      const key = JSON.stringify([
        agent.kind,
        agent.id,
        profile ?? null,
        protocolVersion,
        info,
        capabilities,
        via,
      ])
      const entry = entries.get(key) ?? meet(key, agent, envelope, profile)
      entry.busy++
      // The order of the map is that of use.
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    rest(lease) {
      const entry = lease as Entry
      entry.busy--
      entry.lastUsed = now()
    },
    close() {
      clearInterval(sweep)
      for (const entry of entries.values()) giveUp(entry)
    },
  }
}

// Which methods exist in the modern era (MCP 2026-07-28). The router decides on methods that are not named here.

export const DISCOVER = 'server/discover'
export const LISTEN = 'subscriptions/listen'

/** Methods of MCP up to 2025-11-25 that this era took away, and methods that only servers send. */
const GONE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
])

/** Methods of 2025-11-25 with names that an extension took over. */
const EXTENDED: ReadonlyMap<string, string> = new Map([
  ['tasks/get', 'io.modelcontextprotocol/tasks'],
  ['tasks/cancel', 'io.modelcontextprotocol/tasks'],
])

/** Throws RpcError methodNotFound for a method of the other era. */
function refuseForeign(method: string, { capabilities }: Envelope): void {
  const extension = EXTENDED.get(method)
  const extensions = own(capabilities, 'extensions')
  const extended = extension !== undefined && isObject(extensions) && Object.hasOwn(extensions, extension)
  if (GONE.has(method) || (extension !== undefined && !extended))
    throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
}

// Results as the modern era wants them (MCP 2026-07-28): what is missing is put in, what is there is left
// alone.

/** Methods with results that say how long they may be kept (server/utilities/caching). */
const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  DISCOVER,
])

/** The default for a result without such a word of its server: it is not kept. */
const UNKEPT = { ttlMs: 0, cacheScope: 'private' } as const

/**
 * Gives a result its `resultType`, cache hints and the name of the server (`serverInfo`: ours). Anything but a complete result,
 * such as one that asks for input, passes as it is.
 */
export function toModernResult(method: string, result: Result, serverInfo: JsonObject): Result {
  if (result instanceof LargeResult) return completeLarge(method, result, serverInfo)
  const type = own(result, 'resultType')
  if (typeof type === 'string' && type !== 'complete') return result
  const added: JsonObject = {}
  if (type !== 'complete') added.resultType = 'complete'
  if (CACHEABLE.has(method)) {
    if (!isTtl(own(result, 'ttlMs'))) added.ttlMs = UNKEPT.ttlMs
    if (!isScope(own(result, 'cacheScope'))) added.cacheScope = UNKEPT.cacheScope
  }
  const meta = own(result, '_meta') ?? {}
  if (isObject(meta) && !Object.hasOwn(meta, MODERN_META.serverInfo))
    added._meta = { ...meta, [MODERN_META.serverInfo]: serverInfo }
  return Object.keys(added).length === 0 ? result : { ...result, ...added }
}

/** The same for bytes that are not parsed. A `_meta` that exists stays as it is: our name in it is optional. */
function completeLarge(method: string, result: LargeResult, serverInfo: JsonObject): LargeResult {
  const { buffer, byteOffset, byteLength } = result.bytes
  const json = Buffer.from(buffer, byteOffset, byteLength)
  const type = findMember(json, 'resultType')
  if (type !== undefined && !json.subarray(type, type + 10).equals(COMPLETE)) return result
  const wanted: [name: string, value: JsonValue][] = [
    ['resultType', 'complete'],
    ...(CACHEABLE.has(method) ? Object.entries(UNKEPT) : []),
    ['_meta', { [MODERN_META.serverInfo]: serverInfo }],
  ]
  const missing = wanted.filter(([name]) => findMember(json, name) === undefined)
  if (missing.length === 0) return result
  return new LargeResult(
    withMembers(
      json,
      missing.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ),
  )
}

const COMPLETE = Buffer.from('"complete"')

function isTtl(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isScope(value: JsonValue | undefined): boolean {
  return value === 'public' || value === 'private'
}

/** Resource not found has another code in this era, and names the URI (server/resources, "Error Handling"). */
export function toModernError(method: string, params: JsonObject, error: RpcError): RpcError {
  if (method !== 'resources/read' || error.code !== RPC.resourceNotFound) return error
  const { message, data } = error
  if (data !== undefined && !isObject(data)) return new RpcError(RPC.invalidParams, message, data)
  return new RpcError(RPC.invalidParams, message, { uri: own(params, 'uri') ?? null, ...data })
}

// Members of a JSON object that is too large to be worth parsing.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPENING = new Set([0x7b, 0x5b])
const CLOSING = new Set([0x7d, 0x5d])
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Where the value of a member of the object itself begins, or undefined when it has no such member. `json` is UTF-8, `name` a
 * name that JSON writes without escapes. Bytes are looked at one by one only where the name occurs at all, up to there.
 */
export function findMember(json: Buffer, name: string): number | undefined {
  const quoted = Buffer.from(`"${name}"`)
  let depth = 0
  /** Outside of strings, always. */
  let at = 0
  for (let found = json.indexOf(quoted); found !== -1; found = json.indexOf(quoted, at)) {
    while (at < found) {
      const byte = json[at] ?? 0
      if (byte === QUOTE) at = endOfString(json, at)
      else {
        if (OPENING.has(byte)) depth++
        else if (CLOSING.has(byte)) depth--
        at++
      }
    }
    // A string that only ended with it was stepped over.
    if (at > found) continue
    at += quoted.length
    const next = pastSpace(json, at)
    if (depth === 1 && json[next] === COLON) return pastSpace(json, next + 1)
  }
  return undefined
}

/** The object with these members in front of its own, in memory that threads share. `members` is JSON without braces. */
export function withMembers(json: Buffer, members: readonly string[]): Uint8Array<SharedArrayBuffer> {
  const start = json.indexOf('{') + 1
  const empty = json[pastSpace(json, start)] === 0x7d
  const added = Buffer.from(members.join(',') + (empty ? '' : ','))
  const bytes = new Uint8Array(new SharedArrayBuffer(json.length + added.length))
  bytes.set(json.subarray(0, start))
  bytes.set(added, start)
  bytes.set(json.subarray(start), start + added.length)
  return bytes
}

/** The position behind the closing quote of the string that begins here; the end when it has none. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let slashes = 0
    while (json[end - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return json.length
}

function pastSpace(json: Buffer, start: number): number {
  let at = start
  while (SPACE.has(json[at] ?? 0)) at++
  return at
}

/** The input schemas of the tools of a list, by name. */
const schemasOf = onceForEach(({ items }) => {
  const schemas = new Map<string, JsonObject>()
  for (const tool of items) {
    if (typeof tool.name !== 'string') continue
    const schema = own(tool, 'inputSchema')
    schemas.set(tool.name, isObject(schema) ? schema : {})
  }
  return schemas
})
