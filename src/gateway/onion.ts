/** The layers around an exchange, in their order. Listing and calling take the same way. */
import type { Config } from '../config/schema.ts'
import { callLog } from '../features/call-log/index.ts'
import { createProxyTools } from '../features/query-tools/index.ts'
import { references } from '../features/references/index.ts'
import type { ResultCache } from '../features/result-cache/index.ts'
import { savings } from '../features/savings/index.ts'
import { shape } from '../features/shape/index.ts'
import { truncation } from '../features/truncate/index.ts'
import type { Stack } from '../module-runtime/stack.ts'
import type { Exchange, Handler, ListKind, ListSource, Middleware } from '../protocol/exchange.ts'
import { createDirectory } from '../proxy/catalogue.ts'
import { createEffectLimit } from '../proxy/effect-limit.ts'
import type { Exposure } from '../proxy/exposure.ts'
import type { Feature, FeatureParts } from '../proxy/feature.ts'
import { compose } from '../proxy/onion.ts'
import { createOwnNames } from '../proxy/own-names.ts'
import { callWriter, DISPATCH, dialectOf, PROXY_TOOL_NAMES, RESERVED_NAMES } from '../proxy/own-tools.ts'
import type { Quotas } from '../proxy/quotas.ts'
import { createRouter } from '../proxy/router.ts'
import { createShortNames } from '../proxy/short-names.ts'
import type { AddressBook } from '../proxy/uris.ts'
import type { Upstreams } from '../upstream/contract.ts'
import { unavailableServers } from '../upstream/unavailable.ts'
import { FEATURES } from './features.ts'
import type { ModuleStatus } from './modules.ts'

/** What a client or a program of this machine asks. */
export interface Onion {
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

interface OnionParts extends FeatureParts {
  readonly upstreams: Upstreams
  readonly book: AddressBook
  readonly quotas: Quotas
  /** How tools are offered, where it is not as they come. */
  readonly exposure: Exposure['layers']
  readonly middlewares: readonly Middleware[]
  readonly modules: Stack
  /** How often changes of lists were announced. */
  changes(kind: ListKind): number
  /** Absent: no results are remembered. */
  readonly resultCache: ResultCache | undefined
  /** Absent: nobody reads how many calls there are. */
  readonly count: Middleware | undefined
}

export function createOnion(parts: OnionParts): Onion {
  const { settings, upstreams, book, quotas, middlewares, modules, resultCache, count } = parts
  const directory = createDirectory({
    upstreams,
    naming: settings.naming,
    reserved: [...PROXY_TOOL_NAMES, ...RESERVED_NAMES[settings.exposure]],
  })
  const tools = createProxyTools({
    engine: parts.engine,
    keeper: parts.keeper,
    // A fresh call is a call like any other: it begins where those of clients begin.
    call: (exchange: Exchange) => handler(exchange),
    ownTools: new Set([...PROXY_TOOL_NAMES, DISPATCH]),
    freshCalls: settings.freshCalls,
    callFor: callWriter(settings),
    unavailable: (client) => unavailableServers(upstreams, client),
    budget: settings.maxResponseSize,
    dialect: dialectOf(settings),
  })
  const router = createRouter({ upstreams, tools, directory, quotas, book })
  const part = (feature: Feature): Middleware[] => present(feature.layer(parts))
  const shaping = part(shape)

  // What every call passes, whether a client or a program makes it.
  const named = [
    createOwnNames({ isGiven: directory.isGiven, servers: (client) => upstreams.serversFor(client) }),
    createEffectLimit({ isNeeded: () => middlewares.length > 0 || !modules.isEmpty }),
  ]
  const outer = [...middlewares, modules.outer]
  const inner = [...part(references), ...present(resultCache?.remember), modules.inner, modules.door]
  const remembering = present(resultCache?.mark)

  const short = createShortNames()
  const layers = [
    short,
    ...part(callLog),
    ...present(count),
    ...part(savings),
    ...parts.exposure((exchange, result) => compose(shaping, async () => result)(exchange)),
    ...named,
    ...outer,
    ...part(truncation),
    ...remembering,
    ...shaping,
    ...inner,
  ]
  const lists: ListSource = {
    changes: parts.changes,
    current: async (kind, exchange) =>
      kind === 'tools' || kind === 'prompts' ? directory.list(kind, exchange) : undefined,
  }
  const around = (wanted: readonly Middleware[]): Handler => {
    const inside = compose(wanted, router)
    return (exchange) => inside({ ...exchange, lists })
  }
  const handler = around(layers)

  /** Halves of what stands elsewhere, and what only gives a name its meaning: nobody would look for them. */
  const hidden = new Set<Middleware>([short, ...named, ...remembering, modules.door])
  return {
    handler,
    plain: () => around([...present(count), ...named, ...outer, ...remembering, ...inner]),
    lists,
    layers: () => [
      ...layers.flatMap((layer): OnionLayer[] => {
        if (layer === modules.outer) return modules.names.outer.map((name) => ({ name, kind: 'module' }))
        if (layer === modules.inner) return modules.names.inner.map((name) => ({ name, kind: 'module' }))
        if (hidden.has(layer)) return []
        return [{ name: layer.name, kind: middlewares.includes(layer) ? 'layer' : 'feature' }]
      }),
      { name: 'router', kind: 'feature' },
    ],
  }
}

function present<T>(one: T | undefined): T[] {
  return one === undefined ? [] : [one]
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
