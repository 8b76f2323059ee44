/** The layers around an exchange, in their order. */

import type { Config } from '../config/schema.ts'
import type { Dialect } from '../documents/template.ts'
import type { Engine } from '../engine/contract.ts'
import { createCallLog } from '../features/call-log/index.ts'
import { createProxyTools } from '../features/query-tools/index.ts'
import { createReferences } from '../features/references/index.ts'
import type { ResultCache } from '../features/result-cache/index.ts'
import { createAccount } from '../features/savings/index.ts'
import { createShape } from '../features/shape/index.ts'
import { createTruncate } from '../features/truncate/index.ts'
import type { Stack } from '../module-runtime/stack.ts'
import type { Logger } from '../observe/log.ts'
import type { Ledger } from '../observe/savings.ts'
import type { Result } from '../protocol/content.ts'
import type { Exchange, Handler, ListKind, ListSource, Middleware } from '../protocol/exchange.ts'
import { createDirectory } from '../proxy/catalogue.ts'
import { createEffectLimit } from '../proxy/effect-limit.ts'
import type { Bounded } from '../proxy/exposure.ts'
import { compose } from '../proxy/onion.ts'
import { createOwnNames } from '../proxy/own-names.ts'
import {
  calledName,
  callWriter,
  DISPATCH,
  EXPOSURE_NAMES,
  PROXY_TOOL_NAMES,
  RESERVED_NAMES,
} from '../proxy/own-tools.ts'
import type { Quotas } from '../proxy/quotas.ts'
import { createRouter } from '../proxy/router.ts'
import { createShortNames } from '../proxy/short-names.ts'
import type { AddressBook } from '../proxy/uris.ts'
import type { Keeper } from '../store/result-store.ts'
import type { Upstreams } from '../upstream/contract.ts'
import { unavailableServers } from '../upstream/unavailable.ts'
import { FEATURES } from './features.ts'
import type { ModuleStatus } from './modules.ts'
import type { KeepsStructured } from './servers.ts'

/** What references of one call may stand for: servers built on the MCP SDK close a pipe at messages of 10 MiB. */
const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

interface Onion {
  /** What clients ask. */
  readonly handler: Handler
  /** What programs ask: without what is there for models. */
  plain(): Handler
  /** For who remembers lists outside of the handlers. */
  readonly lists: ListSource
  /** What stands around an exchange now, the client's side first. */
  layers(): OnionLayer[]
}

/** `feature`: part of the proxy. `layer`: of the embedder. */
interface OnionLayer {
  readonly name: string
  readonly kind: 'feature' | 'layer' | 'module'
}

interface OnionParts {
  engine: Engine
  keeper: Keeper
  ledger: Ledger
  upstreams: Upstreams
  book: AddressBook
  logger: Logger
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  quotas: Quotas
  keepsStructured: KeepsStructured
  /** How tools are offered, where it is not as they come. */
  exposure: (bounded: Bounded) => readonly Middleware[]
  /** The proxy's own part of the server instructions. */
  instructions: string
  middlewares: readonly Middleware[]
  modules: Stack
  /** How often changes of lists were announced. */
  changes(kind: ListKind): number
  /** Absent: no results are remembered. */
  resultCache?: ResultCache | undefined
  /** Absent: nobody reads how many calls there are. */
  count?: Middleware | undefined
}

/**
 * client → count → account → exposure → the embedder's layers → modules → truncate → shape → references → result cache → modules → router.
 * Listing and calling take the same way.
 */
export function createOnion(config: Config, parts: OnionParts): Onion {
  const { settings } = config
  const {
    engine,
    keeper,
    ledger,
    upstreams,
    book,
    logger,
    elapsed,
    exposure,
    instructions,
    quotas,
    keepsStructured,
    middlewares,
    modules,
    changes,
    resultCache,
    count,
  } = parts
  const dialect: Dialect = settings.exposure === 'dispatch' ? 'dispatch' : 'tools'
  const tools = createProxyTools({
    engine,
    keeper,
    call: (exchange: Exchange): Promise<Result> => handler(exchange),
    ownTools: new Set([...PROXY_TOOL_NAMES, DISPATCH]),
    freshCalls: settings.freshCalls,
    callFor: callWriter(settings),
    unavailable: (client) => unavailableServers(upstreams, client),
    budget: settings.maxResponseSize,
    dialect,
  })
  const shape = createShape({
    engine,
    keeper,
    logger,
    enabled: settings.enableAutoTruncation && !cutsBelow(settings),
    exempt: PROXY_TOOL_NAMES,
    keeps: keepsStructured,
    limits: {
      maxResponseSize: settings.maxResponseSize,
      maxErrorSize: settings.maxErrorSize,
      dialect,
      previewSize: Math.min(settings.previewSize, settings.maxResponseSize),
      ...(settings.maxResponseTokens !== undefined && { maxResponseTokens: settings.maxResponseTokens }),
      ...(settings.truncationMessage !== undefined && { truncationMessage: settings.truncationMessage }),
    },
  })
  const directory = createDirectory({
    upstreams,
    naming: settings.naming,
    reserved: [...PROXY_TOOL_NAMES, ...RESERVED_NAMES[settings.exposure]],
  })
  const own = createOwnNames({
    isGiven: directory.isGiven,
    servers: (client) => upstreams.serversFor(client),
  })
  const limit = createEffectLimit({ isNeeded: () => middlewares.length > 0 || !modules.isEmpty })
  const short = createShortNames()
  const counting = count ? [count] : []
  const telling = ['debug', 'info'].includes(settings.log.level)
    ? [createCallLog({ logger, calledName, elapsed })]
    : []
  const remembering = resultCache ? [resultCache.mark] : []
  const inner = [
    createReferences({ engine, keeper, exempt: PROXY_TOOL_NAMES, maxBytes: MAX_REFERENCED_BYTES }),
    ...(resultCache ? [resultCache.remember] : []),
    modules.inner,
    modules.door,
  ]
  const layers = [
    short,
    ...telling,
    ...counting,
    createAccount({
      ledger,
      ownTools: new Set([...PROXY_TOOL_NAMES, ...EXPOSURE_NAMES, ...ownNamesOf(settings.exposure)]),
      instructions,
      tells: settings.savingsInReplies,
      calledName,
    }),
    ...exposure((exchange, result) => shape.wrap(async () => result)(exchange)),
    own,
    limit,
    ...middlewares,
    modules.outer,
    ...(settings.truncateOutputLength === undefined
      ? []
      : [createTruncate({ max: settings.truncateOutputLength, exempt: PROXY_TOOL_NAMES })]),
    ...remembering,
    shape,
    ...inner,
  ]
  const router = createRouter({ upstreams, tools, directory, quotas, book })
  const lists: ListSource = {
    changes,
    current: async (kind, exchange) =>
      kind === 'tools' || kind === 'prompts' ? directory.list(kind, exchange) : undefined,
  }
  const around = (wanted: readonly Middleware[]): Handler => {
    const inner = compose(wanted, router)
    return (exchange) => inner({ ...exchange, lists })
  }
  const handler = around(layers)
  const standing = (): OnionLayer[] => [
    ...layers.flatMap((layer): OnionLayer[] => {
      if (layer === modules.outer) return named(modules.names.outer, 'module')
      if (layer === modules.inner) return named(modules.names.inner, 'module')
      // Halves of what stands elsewhere, which nobody would look for.
      if ([limit, own, short, modules.door, resultCache?.mark].includes(layer)) return []
      return named([layer.name], middlewares.includes(layer) ? 'layer' : 'feature')
    }),
    { name: 'router', kind: 'feature' },
  ]
  return {
    handler,
    plain: () => around([...counting, own, limit, ...middlewares, modules.outer, ...remembering, ...inner]),
    lists,
    layers: standing,
  }
}

function named(names: readonly string[], kind: OnionLayer['kind']): OnionLayer[] {
  return names.map((name) => ({ name, kind }))
}

/** The dispatch tool's answers are the proxy's own, but for those of the tools it calls. */
function ownNamesOf(exposure: Config['settings']['exposure']): readonly string[] {
  return exposure === 'dispatch' ? RESERVED_NAMES.dispatch : []
}

/** Who asks for texts that are shorter than what passes whole anyway gets them cut, not a preview in their place. */
function cutsBelow({ truncateOutputLength, maxResponseSize }: Config['settings']): boolean {
  return truncateOutputLength !== undefined && truncateOutputLength <= maxResponseSize
}

// What stands around an exchange, told to people.

/** A layer around every exchange. */
export interface LayerStatus extends OnionLayer {
  /** What it does; of a module what it is: `use: block`. Empty for layers of the embedder. */
  readonly what: string
}

/** From the client to the servers. */
export function describeLayers(
  layers: readonly OnionLayer[],
  modules: readonly ModuleStatus[],
  config: Pick<Config, 'settings' | 'servers'>,
): LayerStatus[] {
  const features = new Map(FEATURES.map(({ name, what }) => [name, what]))
  const own = new Map(
    modules.map(({ name, what, mode }) => [name, mode === 'audit' ? `${what}, audit` : what]),
  )
  return layers.map(({ name, kind }) => {
    if (kind === 'module') return { name, kind, what: own.get(name) ?? GATE }
    if (kind === 'layer') return { name, kind, what: '' }
    const what = [features.get(name) ?? '', ...(name === 'router' ? routing(config) : [])]
    return { name, kind, what: what.join(' ') }
  })
}

/** The one layer among the modules that is none of the list. */
const GATE = 'Who chose a profile that is gone gets nothing.'

/** What settings do there that modules can do as well. */
function routing({ settings, servers }: Pick<Config, 'settings' | 'servers'>): string[] {
  const renamed = Object.keys(settings.naming.rename).length
  const limited = servers.flatMap(({ name, quota }) => (quota ? [`${name} ${quota.rps} a second`] : []))
  return [
    ...(renamed > 0 ? [`Names of \`naming.rename\`: ${renamed}.`] : []),
    ...(limited.length > 0 ? [`Quotas: ${limited.join(', ')}.`] : []),
  ]
}
