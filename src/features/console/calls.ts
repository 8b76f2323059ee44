/** The calls of this run: noted as they end, bounded in number and bytes, and shown as each client's model read them. */
import { LRUCache } from 'lru-cache'
import { callerOf, lengthAbout } from '../../observe/log.ts'
import type { Redactor } from '../../observe/redact.ts'
import { CLIENT_RULES, type ClientRule, type Shows } from '../../protocol/client-rules.ts'
import { blocksOf, dataIn, LargeResult, type Result, textIn } from '../../protocol/content.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { Exchange, Middleware, Savings } from '../../protocol/exchange.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { Timed } from '../../protocol/timing.ts'
import type { CalledName } from '../../proxy/own-tools.ts'
import { formatBytes } from '../../text/format.ts'
import type { Call, CallDetail } from './api.ts'

interface CallsOptions {
  /** The most calls, and the most bytes of what is remembered of them, about. */
  max: number
  maxBytes: number
  /** Milliseconds since 1970. */
  now: () => number
  /** The tool that a call ends at. */
  calledName?: CalledName | undefined
  /** All shown text goes through it: arguments and replies may hold secrets. */
  redactor: Pick<Redactor, 'fields' | 'text' | 'whole'>
}

export interface Calls {
  /** Notes what goes through it. Just inside of the ledger of savings: it sees what goes out. */
  readonly layer: Middleware
  readonly total: number
  /** How many calls came to each layer and module, forgotten calls included. */
  readonly hits: ReadonlyMap<string, number>
  /** Those after this id, the newest last, at most `limit`. */
  since(id: number, limit: number): Call[]
  detail(id: number): CallDetail | undefined
  /** Of this server, or of this tool. */
  figures(of: Partial<Pick<Call, 'server' | 'tool'>>): Figures
  /** Calls back with each call that ended; gives what ends that. */
  listen(heard: (call: Call) => void): () => void
}

interface Figures {
  calls: number
  errors: number
  p50?: number
  p95?: number
  meanTokens?: number
}

/** A remembered call. It holds the objects themselves, which never change, and they are read when the page asks. */
interface Noted {
  call: Call
  args: JsonValue | undefined
  result: JsonObject | undefined
  message: string | undefined
  began: number
  timing: readonly Timed[]
}

/** Characters of a result above which its size alone is remembered. */
const LARGEST = 400_000
/** Characters of a text that are shown. */
const SHOWN = 40_000
/** Bytes that a call takes without arguments and reply, about. */
const BARE = 600

export function createCalls({
  max,
  maxBytes,
  now,
  calledName = ({ name }) => String(name),
  redactor,
}: CallsOptions): Calls {
  const noted = new LRUCache<number, Noted>({ max, maxSize: maxBytes })
  const listeners = new Set<(call: Call) => void>()
  const hits = new Map<string, number>()
  let total = 0

  function note(
    exchange: Exchange,
    began: number,
    seen: Seen,
    result: Result | undefined,
    error: unknown,
  ): void {
    const size = result === undefined ? 0 : sizeOf(result)
    const { arguments: args } = exchange.params
    const { savings, handle, timing, server } = seen
    for (const part of new Set(timing.map(({ part }) => part))) hits.set(part, (hits.get(part) ?? 0) + 1)
    const isError = !(result instanceof LargeResult) && result?.isError === true
    const call: Call = {
      id: ++total,
      at: now(),
      tool: calledName(exchange.params).slice(0, 200),
      ...(server !== undefined && { server }),
      ...callerOf(exchange.client),
      ...(exchange.client.profile !== undefined && { profile: exchange.client.profile }),
      ...(exchange.keep && { inner: true }),
      ms: round(performance.now() - began),
      status: result === undefined ? 'failed' : isError ? 'error' : 'ok',
      asked: lengthAbout(args),
      answered: size,
      ...(savings?.originalTokens !== undefined && { originalTokens: savings.originalTokens }),
      ...(savings?.deliveredTokens !== undefined && { deliveredTokens: savings.deliveredTokens }),
      ...(handle !== undefined && { handle }),
    }
    const fits = result !== undefined && !(result instanceof LargeResult) && size <= LARGEST
    noted.set(
      call.id,
      {
        call,
        args: call.asked > LARGEST ? undefined : args,
        result: fits ? result : undefined,
        message: result === undefined ? messageOf(error) : undefined,
        began,
        timing,
      },
      { size: BARE + Math.min(call.asked, LARGEST) + (fits ? size : 0) },
    )
    for (const heard of listeners) heard(call)
  }

  const layer: Middleware = {
    name: 'console',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const began = performance.now()
      const timing: Timed[] = []
      const seen: Seen = { timing }
      const watched: Exchange = {
        ...exchange,
        onTimed: (part) => void timing.push(part),
        // Told before the quota, the modules at the server and the connection, so that a call that they refuse has its server.
        admit(destination) {
          seen.server = destination.server
          return exchange.admit?.(destination)
        },
        onSaved(savings) {
          seen.savings = savings
          exchange.onSaved?.(savings)
        },
        onKept(handle) {
          seen.handle = handle
          exchange.onKept?.(handle)
        },
      }
      let result: Result | undefined
      let failure: unknown
      try {
        result = await next(watched)
        return result
      } catch (error) {
        failure = error
        throw error
      } finally {
        note(exchange, began, seen, result, failure)
      }
    },
  }

  /** In the order of their ids. */
  const all = (): Noted[] => [...noted.rvalues()].filter((one) => one !== undefined)
  return {
    layer,
    hits,
    get total() {
      return total
    },
    since(id, limit) {
      const found = all().flatMap(({ call }) => (call.id > id ? [call] : []))
      return found.slice(-limit)
    },
    detail(id) {
      const found = noted.peek(id)
      if (found === undefined) return undefined
      const { call, args, result, message, began, timing } = found
      return {
        call,
        arguments: typeof args === 'object' && args !== null ? redactor.fields({ ...args }) : null,
        ...(result && { reply: repliesOf(result, (text) => struck(text, redactor)) }),
        ...(message !== undefined && { message: redactor.text(message) }),
        timing: [...timing]
          // Of two that begin at one moment the longer one is further out.
          .sort((a, b) => a.from - b.from || b.to - a.to)
          .map(({ from, to, ...part }) => ({ ...part, from: round(from - began), to: round(to - began) })),
        followUps: followUpsOf(call, all()),
      }
    },
    figures({ server, tool }) {
      const found = all().filter(
        ({ call }) =>
          (server === undefined || call.server === server) && (tool === undefined || call.tool === tool),
      )
      const of = found.map(({ call }) => call)
      // A call that was refused before it came to its server says nothing of how quick that is.
      const times = found
        .flatMap(({ call: { ms }, timing }) => (timing.some((part) => part.server !== undefined) ? [ms] : []))
        .sort((a, b) => a - b)
      const tokens = of.flatMap(({ originalTokens }) => originalTokens ?? [])
      // The nearest rank: of two calls 95 % are within the slower one.
      const at = (share: number): number | undefined => times[Math.ceil(share * times.length) - 1]
      const [p50, p95] = [at(0.5), at(0.95)]
      return {
        calls: of.length,
        errors: of.filter(({ status }) => status !== 'ok').length,
        ...(p50 !== undefined && { p50 }),
        ...(p95 !== undefined && { p95 }),
        ...(tokens.length > 0 && {
          meanTokens: Math.round(tokens.reduce((sum, one) => sum + one, 0) / tokens.length),
        }),
      }
    },
    listen(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
  }
}

interface Seen {
  savings?: Savings
  handle?: string
  server?: string
  readonly timing: readonly Timed[]
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}

/** Calls that name what was kept in their arguments. */
function followUpsOf({ id, handle }: Call, all: readonly Noted[]): number[] {
  if (handle === undefined) return []
  return all.flatMap(({ call, args }) => {
    if (call.id <= id || args === undefined || call.asked > SHOWN) return []
    return JSON.stringify(args).includes(handle) ? [call.id] : []
  })
}

function sizeOf(result: Result): number {
  return result instanceof LargeResult ? result.bytes.byteLength : lengthAbout(result)
}

// A reply as models read it: clients differ in what of a result they hand on.

/** One entry for each different text, with the clients that show it to their model. */
function repliesOf(result: JsonObject, shown: (text: string) => string): NonNullable<CallDetail['reply']> {
  const replies = new Map<string, NonNullable<CallDetail['reply']>[number]>()
  for (const { client, shows, jsonLimit } of READERS) {
    const text = readBy(shows, result)
    const isCut = jsonLimit !== undefined && JSON.stringify(result).length > jsonLimit
    const key = `${isCut} ${text}`
    const there = replies.get(key)
    if (there) there.clients.push(client)
    else
      replies.set(key, {
        clients: [client],
        text: shown(text),
        characters: text.length,
        ...(isCut && { cutAt: jsonLimit }),
      })
  }
  return [...replies.values()]
}

/** The specification says that a client reads the content; the others are in the table of rules. */
const READERS: readonly Pick<ClientRule, 'client' | 'shows' | 'jsonLimit'>[] = [
  { client: 'Any client', shows: 'content' },
  ...CLIENT_RULES,
]

function readBy(shows: Shows, result: JsonObject): string {
  const blocks = blocksOf(result).map(blockText).join('\n')
  const { structuredContent } = result
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
  switch (shows) {
    case 'content':
      return blocks
    case 'structured':
      return structured === '' ? blocks : structured
    case 'content-first':
      return blocks === '' ? structured : blocks
    case 'both':
      return [blocks, structured].filter((part) => part !== '').join('\n')
    case 'json':
      return JSON.stringify(result)
  }
}

function blockText(block: JsonObject): string {
  const data = dataIn(block)
  if (data !== undefined) return `[${String(block.type)}, ${formatBytes(Buffer.byteLength(data, 'base64'))}]`
  return textIn(block) ?? JSON.stringify(block)
}

function struck(text: string, redactor: Pick<Redactor, 'whole'>): string {
  const left = text.length - SHOWN
  return redactor.whole(text.slice(0, SHOWN)) + (left > 0 ? `… (${left} more characters)` : '')
}
