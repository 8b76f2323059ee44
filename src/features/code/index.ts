/** `proxy_code`: a program of the model over what is kept and what may be called, in a sandbox that holds nothing of the host. */
import { setMaxListeners } from 'node:events'
import * as z from 'zod'
import type { Config } from '../../config/schema.ts'
import type { Finder } from '../../discovery/finder.ts'
import { openFinder } from '../../discovery/open-finder.ts'
import type { Engine } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import type { Ledger } from '../../observe/savings.ts'
import { errorResult, plain, plainAnswer, type Result } from '../../protocol/content.ts'
import { annotationsOf } from '../../protocol/effects.ts'
import type { Agent, Exchange, Lists } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ExposureConfig, OutputTypesOf } from '../../proxy/exposure.ts'
import { dialectOf, findable, PROXY_CODE, type ProxyTool } from '../../proxy/own-tools.ts'
import {
  listedByCommas,
  publicSchema,
  readParams,
  renamed,
  saysNothing,
  unlessNothing,
} from '../../proxy/parameters.ts'
import { createToolIndexes, type ToolIndexEvents, type ToolIndexes } from '../../proxy/tool-index.ts'
import type { ResultStore } from '../../store/result-store.ts'
import { later } from '../../upstream/backoff.ts'
import { createModernClients, type ModernClients } from '../../upstream/bridges/modern-client.ts'
import { createAsking } from './asking.ts'
import { type BridgeParts, createBridge } from './bridge.ts'
import { createMachines, type Machines } from './machines.ts'
import type { Ended } from './protocol.ts'
import { type ReplyParts, reply } from './reply.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { LONGEST_CODE } from './source.ts'
import { createSubCalls } from './sub-calls.ts'

type CodeSettings = Config['settings']['code']

interface CodeOptions
  extends Omit<BridgeParts, 'calls' | 'maxCalls' | 'callsAtOnce' | 'asking' | 'subCalls'>,
    Omit<ReplyParts, 'consoleShown'> {
  readonly settings: CodeSettings
  /** The handles that words for kept results mean, or what to answer in their place. */
  meant(asked: {
    words: readonly string[]
    agent: Agent
  }): Promise<{ handles: readonly string[] } | { answer: string }>
  /** Started when they are first asked for. */
  machines(): Machines
  subCalls: ReturnType<typeof createSubCalls>
  /** Programs whose modern client is asked for something: they wait for its next round. */
  rounds: ModernClients
}

/** What the gateway hands to the tool once there are layers around it. */
export interface CodeWiring extends Pick<CodeOptions, 'call' | 'meant' | 'ownTools'> {
  /** What is listed to programs. */
  lists(): Lists
}

/** The feature, made where the settings ask for it. */
export interface Code {
  tool(wiring: CodeWiring): ProxyTool
  close(): Promise<void>
}

interface CodeParts {
  readonly engine: Engine
  readonly resultStore: ResultStore
  readonly ledger: Ledger
  readonly outputTypes: OutputTypesOf | undefined
  readonly logger: Logger
  readonly events: ToolIndexEvents
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since any moment, by a clock that nobody sets. */
  elapsed(): number
}

/** Threads start, and tools are indexed, when the first program asks for it. */
export function openCode(
  { settings, servers }: ExposureConfig,
  { engine, resultStore, ledger, outputTypes, logger, events, now, elapsed }: CodeParts,
): Code {
  let machines: Machines | undefined
  let finder: Promise<Finder> | undefined
  const subCalls = createSubCalls({ settings: settings.code.ask, engine, ledger, now })
  const rounds = createModernClients(elapsed, later)
  // Nothing of it is written down: the exposures have a catalogue of their own.
  const open = (): Promise<Finder> =>
    openFinder({
      engine: 'static',
      model: undefined,
      vectorStore: undefined,
      dataDir: undefined,
      part: '',
      reset: false,
      servers: servers.map(({ name }) => name),
      environment: {},
      logger,
    })
  return {
    tool({ lists, ...wiring }) {
      let indexes: ToolIndexes | undefined
      return createCodeTool({
        ...wiring,
        engine,
        resultStore,
        settings: settings.code,
        budget: settings.maxResponseSize,
        previewSize: settings.previewSize,
        dialect: dialectOf(settings),
        outputTypes,
        subCalls,
        rounds,
        machines() {
          machines ??= createMachines({
            most: settings.code.machines,
            memoryBytes: settings.code.memoryMb * 1024 * 1024,
          })
          return machines
        },
        async index(exchange) {
          finder ??= open()
          const found = await finder
          indexes ??= createToolIndexes(lists(), wiring.ownTools, found, events)
          const { index } = await indexes.of({ ...exchange, params: {} })
          return index
        },
      })
    },
    async close() {
      rounds.close()
      await Promise.all([machines?.close(), finder?.then((one) => one.close())])
    },
  }
}

const DESCRIPTION = `Run a JavaScript program over kept results and tools: for several steps at once, joins, computing, loops. Body of an async \
function; \`return\` is the answer (small; a large one is kept). d is the result of cache_id, doc(id) another: await d.count(where), \
d.rows({where, fields, sort, limit}), d.group(by, "sum(price)"), d.each(fn), d.search(pattern), d.text(), d.at(path). tools.search(words), \
tools.call(name, args) for tools that only read. keep(value) gives a cache_id. help() tells all. No import, fetch, files. console.log is shown.
{"cache_id":"…","code":"const rows = await d.rows({where:['state = open'],fields:['user','price']}); return rows.reduce((s,r)=>s+r.price,0)"}`

function descriptionOf({ calls, ask }: CodeSettings): string {
  const reading = calls === 'all' ? DESCRIPTION.replace(' for tools that only read', '') : DESCRIPTION
  return ask.by === 'nobody' ? reading : reading.replace('keep(value)', `${ASKS} keep(value)`)
}

const ASKS = 'ask(prompt, data), askEach(rows, prompt, {schema}) ask a model.'

const params = z.strictObject({
  code: z
    .string()
    .max(LONGEST_CODE * 2)
    .meta({ type: 'string', description: '' }),
  cache_id: unlessNothing(
    z.preprocess(
      (value) => {
        const read = listedByCommas(value)
        return Array.isArray(read) ? read.filter((one) => !saysNothing(one)) : read
      },
      z.array(z.string().max(200)).min(1).max(16),
    ),
  ).meta({ type: 'string', description: 'What d is; several: "a, b".' }),
  session: unlessNothing(z.string().max(100)).meta({
    type: 'string',
    description: 'A name: variables last until the next program with it.',
  }),
  timeout_ms: z
    .preprocess((value) => (typeof value === 'string' ? Number(value) : value), z.number().min(1))
    .optional()
    .meta({ type: 'integer', description: '' }),
})

/** What models call them. */
const OTHER_NAMES = {
  script: 'code',
  program: 'code',
  javascript: 'code',
  js: 'code',
  source: 'code',
  cacheId: 'cache_id',
  cache_ids: 'cache_id',
  handle: 'cache_id',
  timeout: 'timeout_ms',
  timeoutMs: 'timeout_ms',
  session_id: 'session',
}

/** Compressed bytes of the variables of a session. */
const SESSION_BYTES = 10 * 1024 * 1024

function createCodeTool(options: CodeOptions): ProxyTool {
  const { settings } = options
  const sessions = createSessions(options.resultStore)
  const mayAsk = settings.calls === 'all' || settings.ask.by === 'client'
  return {
    name: PROXY_CODE,
    definition: {
      name: PROXY_CODE,
      title: 'Run a program over kept results',
      description: descriptionOf(settings),
      inputSchema: { ...publicSchema(params), required: ['code'] },
      annotations:
        settings.calls === 'all' ? annotationsOf('destructive', 'open') : annotationsOf('read', 'open'),
      _meta: findable(
        'run code, JavaScript, program over large results; join, compute, several steps, loops over tools in one call',
      ),
    },
    async call(args, exchange) {
      const read = readParams(PROXY_CODE, params, renamed(args, OTHER_NAMES))
      if ('failure' in read) return errorResult(read.failure)
      if (exchange.keep) return errorResult(`${PROXY_CODE} cannot be called by another tool of the proxy.`)
      const running = (round: Exchange): Promise<Result> =>
        run(read.params, round, options.machines(), sessions, options)
      const { method, params: asked } = exchange
      const inRounds = mayAsk && exchange.client.era === 'modern'
      return plain(
        await (inRounds
          ? options.rounds.request({ method, params: asked }, exchange, (_, round) => running(round))
          : running(exchange)),
      )
    },
  }
}

async function run(
  { code, cache_id: words = [], session, timeout_ms: timeout }: z.infer<typeof params>,
  exchange: Exchange,
  machines: Machines,
  sessions: Sessions,
  options: CodeOptions,
): Promise<JsonObject> {
  const { settings } = options
  const { agent } = exchange
  if (session !== undefined && agent.kind === 'anonymous') return plainAnswer(NO_SESSIONS)
  const meant = await options.meant({ words, agent })
  if ('answer' in meant) return plainAnswer(meant.answer)
  const missing = await firstGone(meant.handles, exchange, options)
  if (missing !== undefined)
    return plainAnswer(
      `No kept result has cache_id "${missing.slice(0, 40)}": it expired or was never yours. Nothing was run. Call the tool that gave it again and use the new cache_id.`,
    )
  const snapshot = session === undefined ? undefined : await sessions.find(agent, session)
  // What is still under way when the program ends is given up.
  const over = new AbortController()
  // As many listen as things are asked at once.
  setMaxListeners(0, over.signal, exchange.signal)
  const cancelled = (): void => over.abort(exchange.signal.reason)
  exchange.signal.addEventListener('abort', cancelled)
  const running: Exchange = { ...exchange, signal: over.signal }
  const asking = createAsking(running, settings.personMs)
  const subCalls = options.subCalls(running, asking)
  const bridge = createBridge(running, {
    ...options,
    calls: settings.calls,
    maxCalls: settings.maxCalls,
    callsAtOnce: settings.callsAtOnce,
    asking,
    subCalls,
  })
  try {
    const ended = await machines.run(
      {
        code,
        ids: meant.handles,
        ...(session !== undefined && { session }),
        ...(snapshot && { snapshot }),
        cpuMs: Math.min(settings.cpuMs, timeout ?? settings.cpuMs),
        timeoutMs: Math.min(settings.timeoutMs, timeout ?? settings.timeoutMs),
        bridgeLength: settings.bridgeBytes,
        consoleLength: settings.consoleBytes,
        sessionBytes: SESSION_BYTES,
      },
      { agent: agent.id, signal: exchange.signal, waited: asking.waited, answer: bridge.answer },
    )
    const notes = session === undefined ? [] : await keptSession(ended, session, exchange, sessions)
    return await reply(
      ended,
      {
        code,
        words,
        notes: [...(await bridge.partial()), ...subCalls.told(), ...notes],
        calls: bridge.calls,
      },
      exchange,
      { ...options, consoleShown: settings.consoleShown },
    )
  } finally {
    exchange.signal.removeEventListener('abort', cancelled)
    over.abort()
  }
}

const NO_SESSIONS =
  'This proxy cannot tell you from its other clients without a token: all are one owner, so no variables are kept under a name. Leave session out and keep(value) what the next program needs.'

async function firstGone(
  handles: readonly string[],
  { agent }: Exchange,
  { resultStore }: CodeOptions,
): Promise<string | undefined> {
  for (const handle of handles) if ((await resultStore.get(agent, handle)) === undefined) return handle
  return undefined
}

async function keptSession(
  { snapshot, unfrozen, failed }: Ended,
  name: string,
  { agent }: Exchange,
  sessions: Sessions,
): Promise<string[]> {
  if (snapshot !== undefined) await sessions.keep(agent, name, snapshot)
  if (unfrozen !== undefined) return [`The variables of session ${name} were not kept: ${unfrozen}.`]
  return failed === undefined ? [] : [`Session ${name} is as it was before.`]
}
