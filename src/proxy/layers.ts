/**
 * How layers around an exchange are composed, and the layers that every call passes. They put the listed name in the call, and hold the
 * call to its limit.
 */
import type { Result } from '../protocol/content.ts'
import { covers, Exceeded, effectOf, type Limit } from '../protocol/effects.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type {
  Client,
  Exchange,
  Handler,
  Listed,
  ListSource,
  Lists,
  Middleware,
} from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { createLists, LIST_METHODS, showList } from '../protocol/lists.ts'
import { originOf } from '../protocol/origin.ts'
import { listedNames, type Meaning, type Spelled, spellingsOf } from '../protocol/spellings.ts'
import { timing } from '../protocol/timing.ts'
import { shortHash } from '../text/short-hash.ts'
import type { LiveResultSettings } from './feature.ts'

/** A place of the onion: the part that answers requests there, and the lists there. */
export interface Stage {
  readonly handler: Handler
  readonly lists: Lists
  readonly source: ListSource | undefined
}

/** Layers that are exchanged for others while requests are under way. */
export interface LayerGroup {
  /** Those of now. */
  readonly layers: readonly Middleware[]
  /** Calls back when they are others. */
  listen(changed: () => void): void
}

/**
 * Wraps the innermost handler in layers. The first middleware is outermost: for `[a, b]` a call runs
 * `a > b > handler > b > a`. A layer that names its methods is passed by every other method. Lists are made here, from layer to layer, and
 * remembered wherever a layer may change them. `source` tells whether they are still true.
 */
export function compose(
  layers: readonly (Middleware | LayerGroup)[],
  innermost: Handler | Stage,
  source?: ListSource,
): Stage {
  const inmost = typeof innermost === 'function' ? outside(innermost, innermost, source) : innermost
  return layers.reduceRight<Stage>(
    (inner, layer) => ('listen' in layer ? grouped(layer, inner) : wrapped(layer, inner)),
    inmost,
  )
}

/** Where lists may be others than further in. */
function outside(calls: Handler, answer: Handler, source: ListSource | undefined): Stage {
  const lists = createLists(answer, source)
  const list: Handler = async (exchange) => (await lists.ask(exchange)).passing
  const listing = new Map([...LIST_METHODS.keys()].map((method) => [method, list]))
  return {
    handler: (exchange) => (listing.get(exchange.method) ?? calls)(exchange),
    lists,
    source,
  }
}

function wrapped({ methods, list, wrap }: Middleware, { handler, lists, source }: Stage): Stage {
  const inside = wrap(handler, lists)
  const wanted = methods && new Set(methods)
  const calls: Handler = wanted
    ? (exchange) => (wanted.has(exchange.method) ? inside(exchange) : handler(exchange))
    : inside
  if (wanted && ![...LIST_METHODS.keys()].some((method) => wanted.has(method)))
    return { handler: calls, lists, source }
  const shown: Handler = list
    ? (exchange) =>
        wanted?.has(exchange.method) === false ? handler(exchange) : showList(exchange, handler, lists, list)
    : calls
  return outside(calls, shown, source)
}

function grouped(group: LayerGroup, inner: Stage): Stage {
  let stage = compose(group.layers, inner)
  group.listen(() => {
    stage = compose(group.layers, inner)
  })
  const handler: Handler = (exchange) => stage.handler(exchange)
  return outside(handler, handler, inner.source)
}

// How long each part of an exchange takes, for who looks at calls.

/** The same layers; each tells an exchange that wants to know how long it took. */
export function timed(layers: readonly (Middleware | LayerGroup)[]): (Middleware | LayerGroup)[] {
  return layers.map((layer) =>
    'listen' in layer
      ? {
          get layers() {
            return layer.layers.map(timedLayer)
          },
          listen: layer.listen,
        }
      : timedLayer(layer),
  )
}

function timedLayer(layer: Middleware): Middleware {
  return {
    ...layer,
    wrap(next, inside) {
      const inner = layer.wrap(next, inside)
      return (exchange) => timing(exchange, { part: layer.name }, () => inner(exchange))
    },
  }
}

// Short names.

/** The key that the documentation gives the proxy in the configuration of a client. */
const KEY = 'proxy'

/** The longest name, in characters, that reaches the model of this client whole. Infinite: it is not known to cut any. */
function room(client: Client): number {
  const { namePrefix = '', maxNameLength = Number.POSITIVE_INFINITY } = client.rule ?? {}
  return maxNameLength - namePrefix.replace('{server}', KEY).length
}

/**
 * Shortens names for a client that adds a prefix to them and would cut or refuse the result. It is the outermost layer, so that all
 * others know one name for all clients.
 */
export function createShortNames(): Middleware {
  /** A client that is in the table has one limit, and a list belongs to one client. */
  const shortenedOf = new WeakMap<Listed, Shortened>()
  const shortNames = (listed: Listed, most: number): Shortened => {
    const made = shortenedOf.get(listed) ?? shortened(listed.items, most)
    shortenedOf.set(listed, made)
    return made
  }

  return {
    name: 'short-names',
    methods: ['tools/list', 'tools/call'],
    list(listed, { client }) {
      const most = room(client)
      return most === Number.POSITIVE_INFINITY ? listed.items : shortNames(listed, most).tools
    },
    wrap(next, inside) {
      async function call(exchange: Exchange, name: string): Promise<Result> {
        // A client that has got no list knows the name from an earlier run.
        const { names } = shortNames(await inside.known('tools', exchange), name.length)
        const listed = names.get(name)
        return next(
          listed === undefined ? exchange : { ...exchange, params: { ...exchange.params, name: listed } },
        )
      }
      return (exchange) => {
        const { name } = exchange.params
        return typeof name === 'string' && name.length === room(exchange.client)
          ? call(exchange, name)
          : next(exchange)
      }
    },
  }
}

/** A list of tools with short names, and the listed names by the short ones. */
interface Shortened {
  readonly tools: readonly JsonObject[]
  readonly names: ReadonlyMap<string, string>
}

/** A name that is too long gets a hash of itself at its end: the same in every run, and no name that is listed. */
function shortened(tools: readonly JsonObject[], most: number): Shortened {
  const names = new Map<string, string>()
  const taken = new Set(tools.map(({ name }) => name))
  const short = tools.map((tool) => {
    if (typeof tool.name !== 'string' || tool.name.length <= most) return tool
    for (let salt = 0; ; salt++) {
      const suffix = `_${shortHash(`${tool.name}\n${salt || ''}`)}`
      const name = tool.name.slice(0, most - suffix.length) + suffix
      if (taken.has(name)) continue
      taken.add(name)
      names.set(name, tool.name)
      return { ...tool, name }
    }
  })
  return { tools: names.size === 0 ? tools : short, names }
}

// Other spellings of a name.

type Kind = 'tools' | 'prompts'

export interface OwnNamesOptions {
  /** True for a name that is given to something, as far as the lists seen tell. True also for names that nothing of a server may have. */
  isGiven(kind: Kind, name: string, client: Client): boolean
  /** All servers of this client. */
  servers(client: Client): readonly string[]
}

/**
 * Turns another name of a tool or prompt into the one that is listed. So modules that decide by names cannot be passed by with another
 * spelling, and the router looks up listed names only.
 */
export function createOwnNames(options: OwnNamesOptions): Middleware {
  /** The meanings of names in a list of one client, worked out when the first name is not a listed one. */
  const meanings = new WeakMap<Listed, Meaning<Spelled>>()

  function meant(listed: Listed | undefined, kind: Kind, name: string, client: Client): readonly Spelled[] {
    if (listed === undefined) return []
    const meaning =
      meanings.get(listed) ??
      spellingsOf(listed.items.flatMap(spelled), {
        servers: options.servers(client),
        isTaken: (taken) => options.isGiven(kind, taken, client),
      })
    meanings.set(listed, meaning)
    return meaning(name)
  }

  async function byOther(
    kind: Kind,
    name: string,
    exchange: Exchange,
    next: Handler,
    inside: Lists,
  ): Promise<Result> {
    const { client } = exchange
    let found = meant(inside.last(kind, client), kind, name, client)
    if (found.length === 0) found = meant(await inside.current(kind, exchange), kind, name, client)
    const [only, another] = found
    if (only === undefined) return next(exchange)
    if (another !== undefined) {
      const noun = kind === 'tools' ? 'tool' : 'prompt'
      throw new RpcError(
        RPC.invalidParams,
        `Ambiguous ${noun}: ${name.slice(0, 200)}. It may mean several; call one of ${listedNames(found)}.`,
      )
    }
    return next(only.name === name ? exchange : { ...exchange, params: renamed(exchange, only.name) })
  }

  return {
    name: 'own-names',
    methods: ['tools/call', 'prompts/get', 'completion/complete'],
    wrap: (next, inside) => (exchange) => {
      const name = nameIn(exchange)
      const kind = exchange.method === 'tools/call' ? 'tools' : 'prompts'
      if (typeof name !== 'string' || options.isGiven(kind, name, exchange.client)) return next(exchange)
      return byOther(kind, name, exchange, next, inside)
    },
  }
}

function nameIn({ method, params }: Exchange): unknown {
  if (method !== 'completion/complete') return params.name
  return isObject(params.ref) && params.ref.type === 'ref/prompt' ? params.ref.name : undefined
}

function renamed({ method, params }: Exchange, name: string): JsonObject {
  const { ref } = params
  return method === 'completion/complete' && isObject(ref)
    ? { ...params, ref: { ...ref, name } }
    : { ...params, name }
}

/** A module may have given it another name: then its server's own is not offered any more. */
function spelled(item: JsonObject): Spelled[] {
  const { name } = item
  if (typeof name !== 'string') return []
  const origin = originOf(item)
  if (origin === undefined) return [{ name }]
  const isRenamed = origin.listed !== undefined && origin.listed !== name
  return [{ name, server: origin.server, ...(!isRenamed && { original: origin.name }) }]
}

// The effect that a call may have.

export interface EffectLimitOptions {
  /** False: nothing further in changes lists, so what the server says of a tool is what its client reads. */
  isNeeded(): boolean
}

/**
 * Holds calls that one tool makes of another to the effect that the client's list shows. Modules and layers further in may change the
 * effect that a server states for its tools. The router holds them again, to the tool that the call ends at.
 */
export function createEffectLimit({ isNeeded }: EffectLimitOptions): Middleware {
  /** The tool that this call names, as the client's list shows it; undefined: the list has none of that name. */
  async function listedAs(exchange: Exchange, inside: Lists): Promise<JsonObject | undefined> {
    const { items } = await inside.current('tools', exchange)
    return items.find(({ name }) => name === exchange.params.name)
  }

  async function held(exchange: Exchange, limit: Limit, next: Handler, inside: Lists): Promise<Result> {
    try {
      const listed = isNeeded() ? await listedAs(exchange, inside) : undefined
      if (listed === undefined) return await next(exchange)
      const effect = effectOf(listed)
      if (!covers(limit.most, effect)) throw new Exceeded(effect)
      return await next({ ...exchange, limit: { ...limit, listed } })
    } catch (error) {
      if (error instanceof Exceeded) return limit.refuse(error.effect)
      throw error
    }
  }

  return {
    name: 'effect-limit',
    methods: ['tools/call'],
    wrap: (next, inside) => (exchange) =>
      exchange.limit === undefined ? next(exchange) : held(exchange, exchange.limit, next, inside),
  }
}

// Pages of collections.

export interface PagesOptions {
  live: LiveResultSettings
  /** Loads the layer that follows pages. */
  load(): Promise<Pick<Middleware, 'wrap'>>
}

/** Follows the pages of a collection. The code for it is loaded with the first call that may want all of them. */
export function createPages({ live, load }: PagesOptions): Middleware {
  let loading: Promise<Pick<Middleware, 'wrap'>> | undefined
  return {
    name: 'collect',
    methods: ['tools/call'],
    wrap(next, inside) {
      let following: Promise<Handler> | undefined
      return async (exchange) => {
        if (exchange.all !== true && !live.resultSettings.differ) return next(exchange)
        loading ??= load()
        following ??= loading.then(({ wrap }) => wrap(next, inside))
        return (await following)(exchange)
      }
    },
  }
}
