/** The parts that programs are run with. It is loaded with the first program. */

import type { Finder } from '../../discovery/finder.ts'
import { openFinder } from '../../discovery/open-finder.ts'
import type { Engine } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import type { Ledger } from '../../observe/savings.ts'
import { plain, plainAnswer } from '../../protocol/content.ts'
import type { Agent, Exchange, Lists } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { Cancellation } from '../../protocol/peer.ts'
import type { ExposureConfig, OutputTypesOf } from '../../proxy/exposure.ts'
import { dialectOf } from '../../proxy/own-tools.ts'
import { createToolIndexes, type ToolIndexEvents, type ToolIndexes } from '../../proxy/tool-index.ts'
import type { ResultStore } from '../../store/result-store.ts'
import { goneWords } from '../../text/format.ts'
import { later } from '../../upstream/backoff.ts'
import { createModernClients } from '../../upstream/bridges/modern-client.ts'
import { createAsking } from './asking.ts'
import { type BridgeParts, createBridge } from './bridge.ts'
import type { Params } from './definition.ts'
import { createMachines, type Machines } from './machines.ts'
import type { CodeSettings } from './options.ts'
import type { Ended } from './protocol.ts'
import { type ReplyParts, reply } from './reply.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSubCalls } from './sub-calls.ts'

interface RunParts
  extends Omit<BridgeParts, 'calls' | 'maxCalls' | 'callsAtOnce' | 'asking' | 'subCalls'>,
    Omit<ReplyParts, 'consoleShown'> {
  readonly settings: CodeSettings
  /** The handles that words for kept results mean, or what to answer in their place. */
  meant(asked: {
    words: readonly string[]
    agent: Agent
  }): Promise<{ handles: readonly string[] } | { answer: string }>
  readonly machines: Machines
  readonly sessions: Sessions
  readonly subCalls: ReturnType<typeof createSubCalls>
}

/** The parts that the gateway hands to the tool once there are layers around it. */
export interface CodeWiring extends Pick<RunParts, 'call' | 'meant' | 'ownTools'> {
  /** The lists for programs. */
  lists(): Lists
}

export interface CodeParts {
  readonly engine: Engine
  readonly resultStore: ResultStore
  readonly ledger: Ledger
  readonly outputTypes: OutputTypesOf | undefined
  readonly logger: Logger
  readonly events: ToolIndexEvents
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds by a monotonic clock. */
  elapsed(): number
}

export interface Programs {
  /** @returns a CallToolResult */
  run(params: Params, exchange: Exchange): Promise<JsonObject>
  close(): Promise<void>
}

/** Tools are indexed when the first program asks for them. */
export function openPrograms(
  { settings, servers }: ExposureConfig,
  { engine, resultStore, ledger, outputTypes, logger, events, now, elapsed }: CodeParts,
  { lists, ...wiring }: CodeWiring,
): Programs {
  let finder: Promise<Finder> | undefined
  let indexes: ToolIndexes | undefined
  // Programs wait here for the next round of their modern client while it is asked for something.
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
  const { code } = settings
  const machines = createMachines({ most: code.machines, memoryBytes: code.memoryMb * 1024 * 1024 })
  const parts: RunParts = {
    ...wiring,
    engine,
    resultStore,
    settings: code,
    budget: settings.maxResponseSize,
    previewSize: settings.previewSize,
    dialect: dialectOf(settings),
    outputTypes,
    machines,
    sessions: createSessions(resultStore),
    subCalls: createSubCalls({ settings: code.ask, engine, ledger, now }),
    async index(exchange) {
      finder ??= open()
      const found = await finder
      indexes ??= createToolIndexes(lists(), wiring.ownTools, found, events)
      const { index } = await indexes.of({ ...exchange, params: {} })
      return index
    },
  }
  const mayAsk = code.calls === 'all' || code.ask.by === 'client'
  return {
    async run(params, exchange) {
      const { method, params: asked } = exchange
      const inRounds = mayAsk && exchange.client.era === 'modern'
      return plain(
        await (inRounds
          ? rounds.request({ method, params: asked }, exchange, (_, round) => run(params, round, parts))
          : run(params, exchange, parts)),
      )
    },
    async close() {
      rounds.close()
      await Promise.all([machines.close(), finder?.then((one) => one.close())])
    },
  }
}

/** Compressed bytes of the variables of a session. */
const SESSION_BYTES = 10 * 1024 * 1024

async function run(
  { code, cache_id: words = [], session, timeout_ms: timeout }: Params,
  exchange: Exchange,
  parts: RunParts,
): Promise<JsonObject> {
  const { settings, machines, sessions } = parts
  const { agent } = exchange
  if (session !== undefined && agent.kind === 'anonymous') return plainAnswer(NO_SESSIONS)
  const meant = await parts.meant({ words, agent })
  if ('answer' in meant) return plainAnswer(meant.answer)
  const missing = await firstGone(meant.handles, exchange, parts)
  if (missing !== undefined)
    return plainAnswer(
      `${goneWords(missing)} Nothing was run. Call the tool that gave it again and use the new cache_id.`,
    )
  const snapshot = session === undefined ? undefined : await sessions.find(agent, session)
  // Work that is still under way when the program ends is given up.
  const over = new Cancellation()
  const cancelled = (): void => over.abort(exchange.signal.reason)
  exchange.signal.addEventListener('abort', cancelled)
  const running: Exchange = { ...exchange, signal: over }
  const asking = createAsking(running, settings.personMs)
  const subCalls = parts.subCalls(running, asking)
  const bridge = createBridge(running, {
    ...parts,
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
      { ...parts, consoleShown: settings.consoleShown },
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
  { resultStore }: RunParts,
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
