/**
 * Follows the pages of a collection and answers with one result that holds all of them. It does so where the caller asks for it, and for
 * tools that the operator names. Its layer stands inside of shaping, which keeps the whole under one handle. It stands outside of the
 * layers that count calls and answer them, because each page is a call like any other. Only a tool that reads is asked again.
 */
import { LRUCache } from 'lru-cache'
import { withExactNumbers } from '../../documents/json/exact-numbers.ts'
import { parseJson, toJson } from '../../documents/json/stringify.ts'
import { decodeUtf8 } from '../../documents/json/utf8.ts'
import { hashOf } from '../../engine/content.ts'
import type { Engine, JoinedPages, Page } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import {
  asksForInput,
  blocksOf,
  errorResult,
  LargeResult,
  maySayError,
  plain,
  type Result,
  textBlock,
  textIn,
} from '../../protocol/content.ts'
import { Exceeded, type Limit, within } from '../../protocol/effects.ts'
import { ProxyError, RpcError } from '../../protocol/errors.ts'
import type { Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Signal } from '../../protocol/message.ts'
import { originOf } from '../../protocol/origin.ts'
import { abortSignalOf } from '../../protocol/peer.ts'
import type { FeatureParts, ResultSettingsOf } from '../../proxy/feature.ts'
import { PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'
import { ellipsis } from '../../text/shorten.ts'
import type { CollectSettings } from './options.ts'

export interface CollectOptions extends CollectSettings {
  engine: Pick<Engine, 'page' | 'join'>
  logger: Logger
  /** Names of the proxy's own tools, which have no pages. */
  exempt: ReadonlySet<string>
  /** The current settings for results of single tools. */
  settings(): ResultSettingsOf
}

/** Milliseconds for which the pages of a collection that stopped are kept. */
const REMEMBERED_MS = 10 * 60_000

/** The pages of collections that stopped, by who asked and by the call. Together they have no more bytes than one collection may have. */
type Stopped = LRUCache<string, { readonly pages: Map<string, Got>; readonly bytes: number }>

/** `wrap` is for calls that may want all pages: whether one does is decided here. */
export function createCollect(options: CollectOptions): Pick<Middleware, 'wrap'> {
  const stopped: Stopped = new LRUCache({
    maxSize: options.maxBytes,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
    ttl: REMEMBERED_MS,
    ttlAutopurge: true,
  })
  return {
    wrap: (next, inside) => async (exchange) => {
      const { name } = exchange.params
      // A proxy that is our client follows pages itself.
      if (typeof name !== 'string' || options.exempt.has(name) || exchange.client.via !== undefined)
        return next(exchange)
      const { byName } = await inside.current('tools', exchange)
      const item = byName.get(name)
      const origin = item && originOf(item)
      const isAlways = origin !== undefined && options.settings()(origin.server, origin.name).all === true
      const schema = item && own(item, 'inputSchema')
      if ((exchange.all !== true && !isAlways) || !isObject(schema)) return next(exchange)
      return gather(schema, exchange, next, options, stopped)
    },
  }
}

/** A page that came: the JSON of its result. */
type Got = Uint8Array<SharedArrayBuffer>

/** The outcome of a collection. */
interface Gathered {
  /** By their place among the pages; the first is 0. */
  readonly pages: Map<number, Got>
  /** Pages that came, now or before the collection stopped, by the arguments that asked for them. */
  readonly known: Map<string, Got>
  /** Pages that came before it stopped and are in it now. */
  reused: number
  /** Why something is missing, in sentences, each with what was to be called. */
  readonly missing: string[]
  /** The same call later may bring what is missing. */
  mayResume: boolean
  bytes: number
}

async function gather(
  schema: JsonObject,
  exchange: Exchange,
  next: Handler,
  options: CollectOptions,
  stopped: Stopped,
): Promise<Result> {
  const { engine } = options
  const asked = quietly(exchange)
  const first = await next(asked)
  const args = argumentsOf(exchange)
  if (args === undefined || isFailed(first) || asksForInput(first)) return first
  const got = pageOf(first)
  const look = (content: Uint8Array, called: JsonObject, signal: Signal): Promise<Page> =>
    engine.page(content, { args: called, schema }, signal)
  const page = await look(got, args, exchange.signal)
  if (page.rest === undefined) {
    if (page.standing !== undefined) exchange.onCollected?.(unfollowed(page.standing))
    return first
  }
  const start = JSON.stringify(args)
  const key = keyOf(exchange, start)
  const before = key === undefined ? undefined : stopped.get(key)?.pages
  // Another first page is another collection.
  const isSame = isEqual(before?.get(start), got)
  const gathered: Gathered = {
    pages: new Map([[0, got]]),
    known: new Map([...(isSame ? (before ?? []) : []), [start, got]]),
    reused: 0,
    missing: [],
    mayResume: false,
    bytes: got.byteLength,
  }
  const limit = createLimit(exchange.signal, options.timeoutMs)
  try {
    const told = progressOf(exchange, page.rest.known ? page.rest.calls.length + 1 : undefined)
    const ask = createAsker(asked, next, gathered, { ...options, told, signal: limit.signal })
    told(1)
    if (page.rest.known) await numbered(page.rest.calls, ask, gathered, options)
    else
      await oneByOne(page.rest.calls[0] ?? {}, args, ask, gathered, options, (content, called) =>
        look(content, called, limit.signal),
      )
    if (limit.isOver()) {
      gathered.missing.push(`the time of ${options.timeoutMs} ms was over`)
      gathered.mayResume = true
    }
  } finally {
    limit.end()
    if (key !== undefined) {
      const { known, mayResume } = gathered
      if (mayResume || exchange.signal.aborted) stopped.set(key, { pages: known, bytes: bytesOf(known) })
      else stopped.delete(key)
    }
  }
  exchange.signal.throwIfAborted()
  return joined(page, gathered, exchange, engine)
}

/** Bytes of arguments from a file that are read here, on the event loop. */
const MOST_SUPPLIED = 64 * 1024

/** Those of a file are what the server gets. Undefined: they are too long for a page after the other, or no JSON that can be written again. */
function argumentsOf({ params, supplied }: Exchange): JsonObject | undefined {
  if (supplied === undefined) return isObject(params.arguments) ? params.arguments : {}
  if (supplied.byteLength > MOST_SUPPLIED) return undefined
  const text = decodeUtf8(supplied)
  const value = withExactNumbers(text) === text ? parseJson(text)?.value : undefined
  return isObject(value) ? value : undefined
}

/** A call like this one with other arguments, which are no references where they come from a file. */
function withArguments(exchange: Exchange, args: JsonObject): Exchange {
  return exchange.supplied === undefined
    ? { ...exchange, params: { ...exchange.params, arguments: args } }
    : { ...exchange, supplied: sharedBytes(toJson(args)) }
}

/**
 * Undefined: this call cannot be told from others. The content of a file stands in no argument, and an agent that is not known may be
 * several.
 */
function keyOf({ agent, client, params, supplied }: Exchange, args: string): string | undefined {
  if (supplied !== undefined || agent.kind === 'anonymous') return undefined
  return JSON.stringify([agent.kind, agent.id, client.profile ?? '', params.name, args])
}

function bytesOf(pages: ReadonlyMap<string, Got>): number {
  return [...pages.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
}

/** The result says that further pages exist, and no parameter of its tool asks for them. */
function unfollowed(standing: string): string {
  return standing.startsWith('PARTIAL') ? `${standing}; no parameter of the tool asks for the rest` : standing
}

async function joined(
  { place, total }: Page,
  gathered: Gathered,
  exchange: Exchange,
  engine: Pick<Engine, 'join'>,
): Promise<Result> {
  const { pages, missing } = gathered
  const contents = [...pages].sort(([a], [b]) => a - b).map(([, content]) => content)
  const made = await engine.join(contents, place, exchange.signal)
  const standing = standingOf(made, total, gathered)
  exchange.onCollected?.(standing)
  if (missing.length === 0) return new LargeResult(made.content)
  // Where it passes without a preview, and in what is kept, it must say so itself.
  return new LargeResult(withBlock(made.content, textBlock(ellipsis(standing, REMARK))))
}

/** A joined result with one block more. It ends with its blocks, and may have many megabytes: it is not parsed for it. */
function withBlock(content: Got, block: JsonObject): Got {
  const end = Buffer.from(`,${JSON.stringify(block)}]}`)
  const longer = new Uint8Array(new SharedArrayBuffer(content.byteLength - ']}'.length + end.byteLength))
  longer.set(content.subarray(0, -']}'.length))
  longer.set(end, longer.byteLength - end.byteLength)
  return longer
}

/** Characters of a text beside the data that is taken for a remark. */
const REMARK = 240

/** Whether it is all, in a few words; a fault is told before anything else. */
function standingOf(
  { records, repeated, changed, key }: JoinedPages,
  total: number | undefined,
  { pages, missing, reused, mayResume }: Gathered,
): string {
  const isAll = missing.length === 0
  const number = records === undefined ? '' : formatCount(records)
  const of = total !== undefined && (records ?? 0) < total ? ` of ${formatCount(total)}` : ''
  const what =
    records === undefined ? '' : of === '' ? `${formatPlural(records, 'record')} ` : `${number}${of} records `
  return [
    `${isAll ? 'COMPLETE' : 'PARTIAL'}: ${what}from ${formatPlural(pages.size, 'page')}`,
    ...missing.slice(0, 3),
    ...(missing.length > 3 ? [`and ${formatCount(missing.length - 3)} more faults`] : []),
    ...(mayResume ? ['the same call asks only for the first page and what is missing'] : []),
    ...(reused > 0 ? [`${formatPlural(reused, 'page')} came with the call before`] : []),
    ...(isAll && of !== '' ? [`the server says ${formatCount(total ?? 0)}`] : []),
    ...(repeated > 0 ? [`${formatCount(repeated)} came twice (same ${key}) and are in it once`] : []),
    ...(changed > 0
      ? [`${formatCount(changed)} came again with another content (same ${key}), and both are in it`]
      : []),
  ].join('; ')
}

/** Asks for one page. `undefined`: it failed, and why is noted; or nothing more is to be asked for. */
type Ask = (index: number, args: JsonObject) => Promise<Got | undefined>

interface AskerOptions extends Pick<CollectOptions, 'maxBytes'> {
  signal: Signal
  /** Called with the number of pages whenever one came. */
  told(pages: number): void
}

function createAsker(
  exchange: Exchange,
  next: Handler,
  gathered: Gathered,
  { signal, maxBytes, told }: AskerOptions,
): Ask {
  const limit: Limit = { most: 'read', refuse: () => errorResult(NOT_READING) }
  const held = within(
    { ...exchange, signal },
    { ...limit, ...(exchange.limit?.listed && { listed: exchange.limit.listed }) },
  )
  return async (index, args) => {
    const fail = (why: string, mayResume = true): undefined => {
      if (signal.aborted) return undefined
      gathered.missing.push(`page ${index + 1} is missing: ${ellipsis(why, 160)}`)
      gathered.mayResume ||= mayResume
      return undefined
    }
    const take = (got: Got): Got | undefined => {
      if (gathered.bytes + got.byteLength > maxBytes)
        return fail(`all pages together would have more than ${formatCount(maxBytes)} bytes`, false)
      gathered.bytes += got.byteLength
      gathered.pages.set(index, got)
      told(gathered.pages.size)
      return got
    }
    const call = JSON.stringify(args)
    const before = gathered.known.get(call)
    if (before !== undefined) {
      gathered.reused += 1
      return take(before)
    }
    try {
      const result = await next(withArguments(held, args))
      if (signal.aborted) return undefined
      if (asksForInput(result)) return fail('the server asks for input', false)
      if (isFailed(result)) return fail(faultIn(result))
      const got = take(pageOf(result))
      if (got !== undefined) gathered.known.set(call, got)
      return got
    } catch (error) {
      if (error instanceof Exceeded) return fail(NOT_READING, false)
      if (error instanceof RpcError) return fail(error.message)
      if (error instanceof ProxyError) return fail(error.text)
      if (signal.aborted) return undefined
      throw error
    }
  }
}

const NOT_READING = 'the tool does not declare that it only reads'

/** Failures in a row after which nothing more is asked for: a quota that is used up refuses every page. */
const MOST_FAILURES = 3

/** Pages that are known by their numbers, some at a time. */
async function numbered(
  calls: readonly JsonObject[],
  ask: Ask,
  gathered: Gathered,
  { maxPages, parallel }: CollectOptions,
): Promise<void> {
  let left = maxPages - 1
  const end = calls.findIndex((call) => !gathered.known.has(JSON.stringify(call)) && left-- === 0)
  const wanted = end < 0 ? calls : calls.slice(0, end)
  const [first] = [...gathered.pages.values()]
  let at = 0
  let failures = 0
  let isOver: string | undefined
  const worker = async (): Promise<void> => {
    while (at < wanted.length && isOver === undefined) {
      const index = ++at
      const got = await ask(index, wanted[index - 1] ?? {})
      if (got === undefined) {
        if (++failures >= MOST_FAILURES) isOver ??= `pages from ${formatCount(at + 1)} on were not asked for`
        continue
      }
      failures = 0
      if (!isEqual(first, got)) continue
      gathered.pages.delete(index)
      isOver ??= `page ${index + 1} is page 1 again, so the tool does not do as its parameter says`
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, wanted.length) }, worker))
  if (isOver !== undefined && at < calls.length) gathered.missing.push(isOver)
  else if (calls.length > wanted.length) {
    gathered.missing.push(
      `only ${formatCount(wanted.length + 1)} of ${formatCount(calls.length + 1)} pages were asked for`,
    )
    gathered.mayResume = true
  }
}

/** Pages of which each tells the next. */
async function oneByOne(
  start: JsonObject,
  args: JsonObject,
  ask: Ask,
  gathered: Gathered,
  { maxPages }: CollectOptions,
  look: (content: Uint8Array, called: JsonObject) => Promise<Page>,
): Promise<void> {
  const seen = new Set([JSON.stringify(args)])
  const hashes = new Set([...gathered.pages.values()].map(hashOf))
  let called: JsonObject | undefined = start
  for (let index = 1; called !== undefined; index++) {
    const written = JSON.stringify(called)
    if (seen.has(written))
      return void gathered.missing.push('the server goes round: it named a page that it gave before')
    if (index - gathered.reused >= maxPages && !gathered.known.has(written)) {
      gathered.mayResume = true
      return void gathered.missing.push(
        `${formatCount(maxPages)} pages are the most; the next is asked for with ${ellipsis(written, 160)}`,
      )
    }
    seen.add(written)
    const got = await ask(index, called)
    if (got === undefined) return
    const hash = hashOf(got)
    if (hashes.has(hash)) {
      gathered.pages.delete(index)
      return void gathered.missing.push('the server goes round: it gave the same page again')
    }
    hashes.add(hash)
    const page: Page = await look(got, called)
    // A page without records is the end, whatever it names as the next one.
    called = page.shown === 0 ? undefined : page.rest?.calls[0]
  }
}

function pageOf(result: Result): Got {
  return result instanceof LargeResult ? result.bytes : sharedBytes(JSON.stringify(result))
}

function isEqual(one: Got | undefined, other: Got): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0
}

function isFailed(result: Result): boolean {
  return result instanceof LargeResult
    ? maySayError(result) && plain(result).isError === true
    : result.isError === true
}

function faultIn(result: Result): string {
  const text = blocksOf(plain(result))
    .map(textIn)
    .find((one) => one !== undefined)
  return (text ?? 'the tool answered with an error').replaceAll(/\s+/g, ' ')
}

/** The exchange without a token for progress, which servers would answer page by page. */
function quietly(exchange: Exchange): Exchange {
  const { _meta: meta, ...params } = exchange.params
  if (!isObject(meta)) return exchange
  const { progressToken: _, ...rest } = meta
  return { ...exchange, params: { ...params, _meta: rest } }
}

/** Reports the number of pages to the requester. Without a progress token it does nothing. */
function progressOf(
  { params: { _meta: meta }, notify }: Exchange,
  total: number | undefined,
): (pages: number) => void {
  const progressToken = isObject(meta) ? own(meta, 'progressToken') : undefined
  if (progressToken === undefined) return () => {}
  return (progress) =>
    notify({
      method: 'notifications/progress',
      params: {
        progressToken,
        progress,
        ...(total !== undefined && { total }),
        message: `${formatPlural(progress, 'page')} fetched`,
      },
    })
}

interface TimeLimit {
  readonly signal: Signal
  /** The time is over, and not because the caller left. */
  isOver(): boolean
  end(): void
}

/** Aborts with the caller, or when the time is over. */
function createLimit(caller: Signal, milliseconds: number): TimeLimit {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(), milliseconds)
  timer.unref()
  return {
    signal: AbortSignal.any([abortSignalOf(caller), time.signal]),
    isOver: () => time.signal.aborted && !caller.aborted,
    end: () => clearTimeout(timer),
  }
}

/** The layer with the limits that the settings give. */
export function openCollect({ settings, engine, logger, live }: FeatureParts): Pick<Middleware, 'wrap'> {
  return createCollect({
    ...settings.collect,
    engine,
    logger,
    settings: () => live.resultSettings,
    exempt: PROXY_TOOL_NAMES,
  })
}
