/** The layers around an exchange, in their order. Listing and calling take the same way. */
import type { Config } from '../config/schema.ts'
import { callLog } from '../features/call-log/index.ts'
import type { Code } from '../features/code/index.ts'
import { references } from '../features/references/index.ts'
import type { ResultCache } from '../features/result-cache/index.ts'
import { savings } from '../features/savings/index.ts'
import { shape } from '../features/shape/index.ts'
import { truncation } from '../features/truncate/index.ts'
import type { Stack } from '../module-runtime/stack.ts'
import type { Exchange, ListKind, ListSource, Middleware } from '../protocol/exchange.ts'
import { createDirectory } from '../proxy/catalogue.ts'
import type { Exposure } from '../proxy/exposure.ts'
import type { Feature, FeatureParts } from '../proxy/feature.ts'
import {
  compose,
  createEffectLimit,
  createOwnNames,
  createPages,
  createShortNames,
  type Stage,
  timed,
} from '../proxy/layers.ts'
import {
  callWriter,
  DISPATCH,
  dialectOf,
  type OwnTools,
  PROXY_TOOL_NAMES,
  type ProxyTool,
  RESERVED_NAMES,
} from '../proxy/own-tools.ts'
import type { AddressBook } from '../proxy/resources.ts'
import { createRouter, type Quotas } from '../proxy/router.ts'
import type { ResultStore } from '../store/result-store.ts'
import type { Upstreams } from '../upstream/contract.ts'
import { unavailableServers } from '../upstream/unavailable.ts'
import type { LayerStatus, ModuleStatus, OnionLayer } from './contract.ts'

/** The requests of a client or a program of this machine. */
export interface Onion {
  /** The requests of clients. */
  readonly clients: Stage
  /** The requests of programs: without the layers that are there for models. */
  programs(): Stage
  /** The three tools that ask what this store keeps. */
  questions(store: ResultStore): Promise<readonly ProxyTool[]>
  /** The current layers around an exchange, the client's side first. */
  layers(): OnionLayer[]
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
  /** Absent: the forms of results are not remembered. */
  readonly outputTypes: Middleware | undefined
  /** Absent: no programs of models are run. */
  readonly code: Code['tool'] | undefined
  /** Absent: calls are not counted. */
  readonly count: Middleware | undefined
  /** Notes calls for the console, with how long each part took. Absent: the console is off, and nothing is timed. */
  readonly watch: Middleware | undefined
}

export function createOnion(parts: OnionParts): Onion {
  const { settings, upstreams, book, quotas, middlewares, modules, resultCache, count } = parts
  const directory = createDirectory({
    upstreams,
    naming: settings.naming,
    reserved: [...PROXY_TOOL_NAMES, ...RESERVED_NAMES[settings.exposure]],
  })
  const ownTools = new Set([...PROXY_TOOL_NAMES, DISPATCH])
  const loadQuestions = () => import('../features/query-tools/index.ts')
  const questionsOf = async (resultStore: ResultStore): Promise<readonly ProxyTool[]> =>
    (await loadQuestions()).createProxyTools({
      engine: parts.engine,
      resultStore,
      // A fresh call is a call like any other: it begins where those of clients begin.
      call: (exchange: Exchange) => clients.handler(exchange),
      ownTools,
      freshCalls: settings.freshCalls,
      callFor: callWriter(settings),
      unavailable: (client) => unavailableServers(upstreams, client),
      budget: settings.maxResponseSize,
      most: settings.maxAskedSize ?? 4 * settings.maxResponseSize,
      dialect: dialectOf(settings),
    })
  const { resultStore } = parts
  const loadTools = async (): Promise<readonly ProxyTool[]> => {
    const [{ handlesMeant }, questions] = await Promise.all([loadQuestions(), questionsOf(resultStore)])
    const code = await parts.code?.({
      call: (exchange) => logged.handler(exchange),
      lists: () => logged.lists,
      ownTools,
      meant: ({ words, agent }) =>
        handlesMeant(words, 'proxy_filter', agent, { resultStore, ownTools, dialect: dialectOf(settings) }),
    })
    return [...questions, ...present(code)]
  }
  let loaded: ReturnType<OwnTools> | undefined
  const tools: OwnTools = () => {
    loaded ??= loadTools()
    return loaded
  }
  const router = createRouter({ upstreams, tools, directory, quotas, book })
  const part = (feature: Feature): Middleware[] => present(feature.layer(parts))
  const shaping = part(shape)

  // The layers that every call passes, whether a client or a program makes it.
  const named = [
    createOwnNames({ isGiven: directory.isGiven, servers: (client) => upstreams.serversFor(client) }),
    createEffectLimit({ isNeeded: () => middlewares.length > 0 || !modules.isEmpty }),
  ]
  const outer = [...middlewares, modules.outer]
  const inner = [
    createPages({
      live: parts.live,
      load: async () => (await import('../features/collect/index.ts')).openCollect(parts),
    }),
    ...part(references),
    ...present(resultCache?.remember),
    modules.inner,
  ]
  const remembering = present(resultCache?.mark)

  const short = createShortNames()
  const layers = [
    short,
    ...part(callLog),
    ...present(count),
    ...part(savings),
    ...present(parts.watch),
    ...parts.exposure((exchange, result) => compose(shaping, async () => result).handler(exchange)),
    ...named,
    ...outer,
    ...part(truncation),
    ...remembering,
    ...present(parts.outputTypes),
    ...shaping,
  ]
  const source: ListSource = {
    changes: parts.changes,
    current: async (kind, exchange) =>
      kind === 'tools' || kind === 'prompts' ? directory.list(kind, exchange) : undefined,
  }
  const timedIf = parts.watch ? timed : <T>(these: T): T => these
  const inmost = compose(timedIf(inner), router, source)
  const clients = compose(timedIf(layers), inmost)
  const programs = [...present(count), ...named, ...outer, ...remembering]
  // A call of a program of a model is in the log as a call of the model.
  const logged = compose([...part(callLog), ...present(parts.watch), ...programs], inmost)

  /** Halves of layers that stand elsewhere, and layers that only resolve names. `status` leaves them out. */
  const hidden = new Set<Middleware>([short, ...named, ...remembering])
  return {
    clients,
    programs: () => compose(programs, inmost),
    questions: questionsOf,
    layers: () => [
      ...[...layers, ...inner].flatMap((layer): OnionLayer[] => {
        if (layer === modules.outer) return modules.names.outer.map((name) => ({ name, kind: 'module' }))
        if (layer === modules.inner) return modules.names.inner.map((name) => ({ name, kind: 'module' }))
        if ('listen' in layer || hidden.has(layer)) return []
        return [{ name: layer.name, kind: middlewares.includes(layer) ? 'layer' : 'feature' }]
      }),
      { name: 'router', kind: 'feature' },
    ],
  }
}

function present<T>(one: T | undefined): T[] {
  return one === undefined ? [] : [one]
}

// The layers around an exchange, told to people.

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
const GATE = 'Serves no tools to a client when its profile was removed.'

/** The settings there for work that modules can do as well. */
function routing({ settings, servers }: Pick<Config, 'settings' | 'servers'>): string[] {
  const renamed = Object.keys(settings.naming.rename).length
  const limited = servers.flatMap(({ name, quota }) => (quota ? [`${name} ${quota.rps} a second`] : []))
  return [
    ...(renamed > 0 ? [`Names of \`naming.rename\`: ${renamed}.`] : []),
    ...(limited.length > 0 ? [`Quotas: ${limited.join(', ')}.`] : []),
  ]
}

// The features in their order, as `status` and the documentation show them.

/** A feature that is loaded where the settings ask for it: the gateway opens it and hands its layers to the onion. */
type OnDemand = Omit<Feature, 'layer'>

const metrics: OnDemand = {
  name: 'count',
  what: 'Counts calls for `/metrics`.',
  when: 'over HTTP, or with the bridge',
}
const watch: OnDemand = {
  name: 'console',
  what: 'Notes calls for the console.',
  when: '`console.enabled`',
}
const retrieve: OnDemand = {
  name: 'retrieve',
  what: 'Lists a tool that finds tools in place of all tools.',
  when: '`exposure` is `retrieve`',
}
const dispatch: OnDemand = {
  name: 'dispatch',
  what: 'Lists one tool for everything in place of all tools.',
  when: '`exposure` is `dispatch`',
}
const collect: OnDemand = {
  name: 'collect',
  what: 'Follows the pages of a collection, for callers that ask for all of it.',
  when: 'always',
}
const outputTypes: OnDemand = {
  name: 'output-types',
  what: 'Remembers what large results of each tool looked like.',
  when: '`outputTypes.learn` is not `off`',
}
const resultCache: OnDemand = {
  name: 'result-cache',
  what: 'Answers the same call of a tool that only reads with the same result.',
  when: '`toolCache.ttlMs` is set',
}
const router: OnDemand = {
  name: 'router',
  what: 'Makes the servers one: names, quotas of servers, and the server of each name.',
  when: 'always',
}

/** From the client to the servers. */
export const FEATURES: readonly OnDemand[] = [
  callLog,
  metrics,
  savings,
  watch,
  retrieve,
  dispatch,
  truncation,
  outputTypes,
  shape,
  collect,
  references,
  resultCache,
  router,
]

/** Modules stand between these two, or right before `router`. */
const OUTER_MODULES_AFTER = 'dispatch'

/** Markdown: the features, and where modules stand among them. */
export function featuresTable(): string {
  const rows = FEATURES.flatMap(({ name, what, when }) => [
    ...(name === 'router' ? [MODULES_INSIDE] : []),
    `| \`${name}\` | ${what} | ${when} |`,
    ...(name === OUTER_MODULES_AFTER ? [LAYERS, MODULES_OUTSIDE] : []),
  ])
  return ['| layer | what it does | when it is there |', '| --- | --- | --- |', ...rows].join('\n')
}

const LAYERS = '| *layers* | Layers that an embedding program hands in as `middlewares`. | as it says |'
const MODULES_OUTSIDE = '| *modules* | Modules that are listed before `shape`. | as `modules` says |'
const MODULES_INSIDE =
  '| *modules* | Modules that are listed after `shape`, or all without it. | as `modules` says |'
