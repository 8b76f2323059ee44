/** The layers around an exchange, in their order. */

import { createReferences } from '../arguments/references.ts'
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/engine.ts'
import { calledName, EXPOSURE_NAMES } from '../exposure/names.ts'
import { createAccount } from '../modules/account.ts'
import { createShape } from '../modules/shape.ts'
import { createTruncate } from '../modules/truncate.ts'
import type { AddressBook } from '../pipeline/address-book.ts'
import { compose } from '../pipeline/onion.ts'
import { createQuotas, type Quotas } from '../pipeline/quotas.ts'
import { createRouter } from '../pipeline/router.ts'
import type { Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import type { Result } from '../protocol/result.ts'
import type { Keeper } from '../store/keeper.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Ledger } from '../telemetry/savings.ts'
import { createProxyTools, PROXY_TOOL_NAMES } from '../tools/index.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** What references of one call may stand for: servers built on the MCP SDK close a pipe at messages of 10 MiB. */
const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

export interface OnionParts {
  engine: Engine
  keeper: Keeper
  ledger: Ledger
  upstreams: Upstreams
  book: AddressBook
  logger: Logger
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  /** How tools are offered, where it is not as they come. */
  exposure: readonly Middleware[]
  /** The proxy's own part of the server instructions. */
  instructions: string
  middlewares: readonly Middleware[]
}

/** client → account → exposure → the embedder's layers → shape → references → router. Listing and calling take the same way. */
export function createOnion(config: Config, parts: OnionParts): Handler {
  const { settings } = config
  const { engine, keeper, ledger, upstreams, book, logger, exposure, instructions, elapsed, middlewares } =
    parts
  const dialect = settings.exposure === 'dispatch' ? 'dispatch' : 'tools'
  const tools = createProxyTools({
    engine,
    keeper,
    call: (exchange: Exchange): Promise<Result> => handler(exchange),
    ownTools: PROXY_TOOL_NAMES,
    budget: settings.maxResponseSize,
    dialect,
  })
  const layers = [
    createAccount({
      ledger,
      ownTools: new Set([...PROXY_TOOL_NAMES, ...EXPOSURE_NAMES]),
      instructions,
      calledName,
    }),
    ...exposure,
    ...middlewares,
    ...(settings.truncateOutputLength === undefined
      ? []
      : [createTruncate({ max: settings.truncateOutputLength, exempt: PROXY_TOOL_NAMES })]),
    createShape({
      engine,
      keeper,
      logger,
      enabled: settings.enableAutoTruncation,
      exempt: PROXY_TOOL_NAMES,
      limits: {
        maxResponseSize: settings.maxResponseSize,
        maxErrorSize: settings.maxErrorSize,
        dialect,
        previewSize: Math.min(settings.previewSize, settings.maxResponseSize),
        ...(settings.maxResponseTokens !== undefined && { maxResponseTokens: settings.maxResponseTokens }),
        ...(settings.truncationMessage !== undefined && { truncationMessage: settings.truncationMessage }),
      },
    }),
    createReferences({ engine, keeper, exempt: PROXY_TOOL_NAMES, maxBytes: MAX_REFERENCED_BYTES }),
  ]
  const handler = compose(
    layers,
    createRouter({ upstreams, tools, naming: settings.naming, quotas: quotasOf(config, elapsed), book }),
  )
  return handler
}

function quotasOf({ servers }: Config, now: () => number): Quotas | undefined {
  const limited = servers.flatMap(({ name, quota }) => (quota ? [[name, quota] as const] : []))
  return limited.length === 0 ? undefined : createQuotas(Object.fromEntries(limited), now)
}
