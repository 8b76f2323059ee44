/** How the tools of the servers are offered: nothing in the way of those that pass through. */
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/engine.ts'
import type { ShelfEvents } from '../exposure/shelf.ts'
import type { Client, Exchange, Middleware } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Result } from '../protocol/result.ts'
import type { Keeper } from '../store/keeper.ts'
import type { Logger } from '../telemetry/log.ts'
import { ourInstructions } from '../tools/instructions.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { besideDirect } from './beside.ts'

export type ExposureConfig = Pick<Config, 'settings' | 'servers' | 'file'>

export interface ExposureParts {
  engine: Engine
  keeper: Keeper
  upstreams: Upstreams
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  /** The list of tools of one client changed by what it asked. */
  toolsChanged(client: Client): void
  /** What happens beside the exchanges. */
  events: ShelfEvents
}

/** A result as a client may have it: one that is too large becomes a preview of what is kept. */
export type Bounded = (exchange: Exchange, result: JsonObject) => Promise<Result>

export interface Exposure {
  /** `bounded` is how an answer of the proxy's own goes out. */
  layers(bounded: Bounded): readonly Middleware[]
  /** The proxy's own part of the server instructions. */
  instructions: string
  /** False: the list of tools that this client sees stays the same, whatever happens at the servers. */
  toolsChange(client: Client): boolean
  /** The configuration is this from now on. */
  configure(config: ExposureConfig): void
  close(): Promise<void>
}

/** What is hidden by the exposure of the settings, and beside it what servers want to have listed. */
export async function openExposure(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  if (config.settings.exposure === 'passthrough') return passthrough
  const hiding = await openHiding(config, parts)
  let direct = directOf(config)
  return {
    ...hiding,
    layers: (bounded) => hiding.layers(bounded).map((layer) => besideDirect(layer, () => direct)),
    toolsChange: (client) => direct.size > 0 || hiding.toolsChange(client),
    configure(next) {
      direct = directOf(next)
      hiding.configure(next)
    },
  }
}

function directOf({ servers }: ExposureConfig): ReadonlySet<string> {
  return new Set(servers.flatMap(({ name, exposure }) => (exposure === 'passthrough' ? [name] : [])))
}

/** What an exposure needs is loaded by those alone who want it. */
async function openHiding(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  switch (config.settings.exposure) {
    case 'passthrough':
      return passthrough
    case 'retrieve': {
      const { openRetrieve } = await import('./exposure-retrieve.ts')
      return openRetrieve(config, parts)
    }
    case 'dispatch': {
      const { openDispatch } = await import('./exposure-dispatch.ts')
      return openDispatch(config, parts)
    }
  }
}

const passthrough: Exposure = {
  layers: () => [],
  instructions: ourInstructions('passthrough'),
  toolsChange: () => true,
  configure() {},
  close: async () => {},
}
