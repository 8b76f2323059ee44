/** The layers around an exchange, in their order. */

import type { Config } from '../config/schema.ts'
import type { Dialect } from '../documents/template.ts'
import type { Engine } from '../engine/engine.ts'
import { calledName, EXPOSURE_NAMES, PROXY_TOOL_NAMES, RESERVED_NAMES } from '../exposure/names.ts'
import { createAccount } from '../modules/account.ts'
import { createCallLog } from '../modules/call-log.ts'
import { createOwnNames } from '../modules/own-names.ts'
import { createReferences } from '../modules/references.ts'
import type { ResultCache } from '../modules/result-cache/result-cache.ts'
import { createShape } from '../modules/shape.ts'
import type { Stack } from '../modules/stack.ts'
import { createTruncate } from '../modules/truncate.ts'
import type { AddressBook } from '../pipeline/address-book.ts'
import { createDirectory } from '../pipeline/directory.ts'
import { compose } from '../pipeline/onion.ts'
import type { Quotas } from '../pipeline/quotas.ts'
import { createRouter } from '../pipeline/router.ts'
import type { Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import type { Result } from '../protocol/result.ts'
import type { Keeper } from '../store/keeper.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Ledger } from '../telemetry/savings.ts'
import { createProxyTools } from '../tools/index.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { Bounded } from './exposure-contract.ts'

/** What references of one call may stand for: servers built on the MCP SDK close a pipe at messages of 10 MiB. */
const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

export interface Onion {
  /** What clients ask. */
  readonly handler: Handler
  /** What programs ask: without what is there for models. */
  plain(): Handler
  /** What stands around an exchange now, the client's side first. */
  layers(): OnionLayer[]
}

/** `feature`: part of the proxy. `layer`: of the embedder. */
export interface OnionLayer {
  readonly name: string
  readonly kind: 'feature' | 'layer' | 'module'
}

export interface OnionParts {
  engine: Engine
  keeper: Keeper
  ledger: Ledger
  upstreams: Upstreams
  book: AddressBook
  logger: Logger
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  quotas: Quotas
  /** How tools are offered, where it is not as they come. */
  exposure: (bounded: Bounded) => readonly Middleware[]
  /** The proxy's own part of the server instructions. */
  instructions: string
  middlewares: readonly Middleware[]
  modules: Stack
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
    middlewares,
    modules,
    resultCache,
    count,
  } = parts
  const dialect = dialectOf(settings)
  const tools = createProxyTools({
    engine,
    keeper,
    call: (exchange: Exchange): Promise<Result> => handler(exchange),
    ownTools: PROXY_TOOL_NAMES,
    budget: settings.maxResponseSize,
    dialect,
  })
  const shape = createShape({
    engine,
    keeper,
    logger,
    enabled: settings.enableAutoTruncation && !cutsBelow(settings),
    exempt: PROXY_TOOL_NAMES,
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
    exact: () => !modules.isEmpty,
  })
  const own = createOwnNames({ alias: directory.alias, isNeeded: () => !modules.isEmpty })
  const counting = count ? [count] : []
  const telling = settings.log.level === 'debug' ? [createCallLog({ logger, calledName, elapsed })] : []
  const remembering = resultCache ? [resultCache.mark] : []
  const inner = [
    createReferences({ engine, keeper, exempt: PROXY_TOOL_NAMES, maxBytes: MAX_REFERENCED_BYTES }),
    ...(resultCache ? [resultCache.remember] : []),
    modules.inner,
    modules.door,
  ]
  const layers = [
    ...telling,
    ...counting,
    createAccount({
      ledger,
      ownTools: new Set([...PROXY_TOOL_NAMES, ...EXPOSURE_NAMES, ...ownNamesOf(settings.exposure)]),
      instructions,
      calledName,
    }),
    ...exposure((exchange, result) => shape.wrap(async () => result)(exchange)),
    ...middlewares,
    own,
    modules.outer,
    ...(settings.truncateOutputLength === undefined
      ? []
      : [createTruncate({ max: settings.truncateOutputLength, exempt: PROXY_TOOL_NAMES })]),
    ...remembering,
    shape,
    ...inner,
  ]
  const router = createRouter({ upstreams, tools, directory, quotas, book })
  const handler: Handler = compose(layers, router)
  const standing = (): OnionLayer[] => [
    ...layers.flatMap((layer): OnionLayer[] => {
      if (layer === modules.outer) return named(modules.names.outer, 'module')
      if (layer === modules.inner) return named(modules.names.inner, 'module')
      // Halves of what stands elsewhere, which nobody would look for.
      if (layer === modules.door || layer === own || layer === resultCache?.mark) return []
      return named([layer.name], middlewares.includes(layer) ? 'layer' : 'feature')
    }),
    { name: 'router', kind: 'feature' },
  ]
  return {
    handler,
    plain: () => compose([...counting, ...middlewares, own, modules.outer, ...remembering, ...inner], router),
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

function dialectOf({ exposure, retrieve }: Config['settings']): Dialect {
  if (exposure === 'dispatch') return 'dispatch'
  const isFound = exposure === 'retrieve' && retrieve.routing === 'call' && retrieve.variants === 'single'
  return isFound ? 'call_tool' : 'tools'
}

/** Who asks for texts that are shorter than what passes whole anyway gets them cut, not a preview in their place. */
function cutsBelow({ truncateOutputLength, maxResponseSize }: Config['settings']): boolean {
  return truncateOutputLength !== undefined && truncateOutputLength <= maxResponseSize
}
