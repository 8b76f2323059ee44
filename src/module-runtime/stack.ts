/** The modules as one: the same order around requests, requests of servers, and notifications of both directions. */
import { QUESTIONS, type Result } from '../protocol/content.ts'
import type { Exchange, Handler, Middleware, Reach } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { createLists } from '../protocol/lists.ts'
import type { Notification, Request } from '../protocol/message.ts'
import type { Described, Module, Notice, Notify } from './module.ts'
import type { PatternWatch } from './patterns.ts'
import { type Answer, type Asking, createRounds } from './rounds.ts'

/** A module in its place. */
export interface Layer {
  readonly name: string
  /** Decides by the method whether it sees a message. */
  wants(method: string): boolean
  /** True where what servers say and ask may be something for it. */
  readonly hears: boolean
  readonly module: Module
  /** Of a module with options that name items of servers. */
  readonly watch?: PatternWatch | undefined
}

/** Layers that are exchanged for others while requests are under way. */
export interface Segment {
  readonly layers: readonly Middleware[]
  /** Calls back when they are others. */
  listen(changed: () => void): void
}

export interface Stack {
  /** Layers between the client and shaping. */
  readonly outer: Segment
  /** Layers between shaping and the servers. Innermost of all: what a server says while it works on a request goes through the modules. */
  readonly inner: Segment
  /** True while there are no layers. */
  readonly isEmpty: boolean
  /** Names of the layers outside and inside of shaping, now. */
  readonly names: { readonly outer: readonly string[]; readonly inner: readonly string[] }
  /** A request of a server to a client, which `answer` asks; as it came where no module wants it. */
  ask(asking: Asking, answer: Answer): Promise<Result>
  /** A notification; `deliver` is called with what happens to it, unless a module keeps it. */
  notify(notice: Notice, deliver: Notify): void | Promise<void>
  /** The proxy's description of itself, as the modules change it for clients that chose this profile. */
  describe(said: Described, profile?: string): Described
  /**
   * The statement of each module that keeps servers from some clients, about a server and a profile. A plain property: every call reads
   * it.
   */
  readonly reach: Reach
  /** Whether a client with this profile may use this server. */
  reaches(server: string, profile: string | undefined): boolean
  /** These from now on. A call that is under way ends where it began. */
  set(outer: readonly Layer[], inner: readonly Layer[]): void
  /** Gives up what still waits for an answer of a client. */
  close(): void
}

/** Params that a request does not have. An unchanged request goes out without them. */
const NO_PARAMS: JsonObject = Object.freeze({})

/** The innermost function of a chain is known only when a message comes: the chain ends in what the message brings along. */
interface Asked extends Exchange {
  readonly answer: Handler
}
interface Told extends Notice {
  readonly deliver: Notify
}

export function createStack(): Stack {
  const outer = createSegment()
  const inner = createSegment()
  /** Modules outside and inside of shaping. */
  let names: Stack['names'] = { outer: [], inner: [] }
  let ask: Handler = answered
  let toClient: Notify = delivered
  let toServer: Notify = delivered
  let isHearing = false
  let layers: readonly Layer[] = []
  const reach: { limits: Reach['limits'] } = { limits: [] }

  const rounds = createRounds({
    ask: put,
    isWanted: () => layers.some(({ module, wants }) => module.wrap !== undefined && QUESTIONS.some(wants)),
  })

  /** Functions that go through the modules already: a call that a tool of the proxy's own makes has them. */
  const doors = new WeakSet<object>()

  function notify(notice: Notice, deliver: Notify): void | Promise<void> {
    if (!isHearing) return deliver(notice)
    const told: Told = { ...notice, deliver }
    return notice.toward === 'client' ? toClient(told) : toServer(told)
  }

  function through(exchange: Exchange): { exchange: Exchange; settled(): Promise<void> | undefined } {
    const { client, agent } = exchange
    let queue: Promise<void> | undefined
    const deliver: Notify = ({ method, params }) => exchange.notify(messageOf(method, params))
    const heard = (notification: Notification, server?: string): void => {
      const tell = (): void | Promise<void> =>
        notify({ ...notification, toward: 'client', client, server }, deliver)
      // In the order in which they came, and before the result.
      const told = queue === undefined ? tell() : queue.then(tell)
      if (told instanceof Promise) queue = told.catch(() => {})
    }
    doors.add(heard)
    const { ask: asked } = exchange
    if (asked === undefined) return { exchange: { ...exchange, notify: heard }, settled: () => queue }
    const asking = (request: Request, signal = exchange.signal, server?: string): Promise<Result> =>
      put({ request, client, agent, signal, server, notify: (said) => exchange.notify(said) }, asked)
    return { exchange: { ...exchange, notify: heard, ask: asking }, settled: () => queue }
  }

  function put({ request, server, ...about }: Asking, answer: Answer): Promise<Result> {
    if (!isHearing) return answer(request, about.signal)
    const asked: Asked = {
      ...about,
      method: request.method,
      params: request.params ?? NO_PARAMS,
      toward: 'client',
      ...(server !== undefined && { server }),
      answer: ({ method, params, signal }) =>
        answer(messageOf(method, params === NO_PARAMS ? undefined : params), signal),
    }
    return ask(asked)
  }

  const door: Middleware = {
    name: 'door',
    wrap: (next) => (exchange) => {
      const inRounds = exchange.client.era === 'modern'
      if (!isHearing && !(inRounds && rounds.isNext(exchange))) return next(exchange)
      if (doors.has(exchange.notify)) return next(exchange)
      if (!isHearing) return rounds.run(exchange, next)
      const opened = through(exchange)
      const result = inRounds ? rounds.run(opened.exchange, next) : next(opened.exchange)
      return result.finally(() => opened.settled())
    },
  }

  return {
    outer,
    inner,
    get isEmpty() {
      return layers.length === 0
    },
    get names() {
      return names
    },
    ask: put,
    notify,
    describe: (said, profile) =>
      layers.reduceRight((text, { module }) => module.describe?.(text, profile) ?? text, said),
    reach,
    reaches: (server, profile) => reach.limits.every((limit) => limit(server, profile)),
    set(outside, inside) {
      names = { outer: outside.map(({ name }) => name), inner: inside.map(({ name }) => name) }
      outer.set(outside.flatMap(layerOf))
      // Rounds that began go on when there are no modules any more.
      if (layers.length + outside.length + inside.length > 0) inner.set([...inside.flatMap(layerOf), door])
      const all = [...outside, ...inside]
      layers = all
      reach.limits = all.flatMap(({ module }) => (module.reaches ? [module.reaches.bind(module)] : []))
      isHearing = all.some(({ hears }) => hears)
      // From a server the last of the list is the first: it stands nearest to it.
      const reversed = all.toReversed()
      ask = requests(reversed, answered)
      toClient = notices(reversed, delivered)
      toServer = notices(all, delivered)
    },
    close: () => rounds.close(),
  }
}

const answered: Handler = (exchange) => (exchange as Asked).answer(exchange)
const delivered: Notify = (notice) => (notice as Told).deliver(notice)

function messageOf(method: string, params: Notification['params']): Notification {
  return params === undefined ? { method } : { method, params }
}

function createSegment(): Segment & { set(layers: readonly Middleware[]): void } {
  let layers: readonly Middleware[] = []
  const heard: (() => void)[] = []
  return {
    get layers() {
      return layers
    },
    listen: (changed) => heard.push(changed),
    set(wanted) {
      layers = wanted
      for (const changed of heard) changed()
    },
  }
}

/** None where the module sees no requests. */
function layerOf({ name, module, wants }: Layer): Middleware[] {
  const wrap = module.wrap?.bind(module)
  if (wrap === undefined) return []
  return [
    {
      name,
      wrap(next, inside) {
        const handler = wrap(next, inside)
        return (exchange) => (wants(exchange.method) ? handler(exchange) : next(exchange))
      },
    },
  ]
}

/** Requests of servers to clients, which list nothing. */
function requests(layers: readonly Layer[], innermost: Handler): Handler {
  const none = createLists(innermost)
  return layers.flatMap(layerOf).reduceRight((next, { wrap }) => wrap(next, none), innermost)
}

function notices(layers: readonly Layer[], innermost: Notify): Notify {
  return layers.reduceRight((next, { module, wants }) => {
    const handler = module.notify?.(next)
    return handler ? (notice) => (wants(notice.method) ? handler(notice) : next(notice)) : next
  }, innermost)
}

// The calls under way in a module: one that is no longer wanted is closed when it has none.

/** A module that can be let go. */
interface Counted {
  readonly module: Module
  /** Resolves once nothing is in it. It does not wait for later messages. */
  idle(): Promise<void>
}

export function counted(module: Module): Counted {
  let inside = 0
  let waiting: (() => void)[] = []
  const leave = (): void => {
    inside--
    if (inside > 0) return
    for (const heard of waiting) heard()
    waiting = []
  }
  const request =
    (handler: Handler): Handler =>
    async (exchange) => {
      inside++
      try {
        return await handler(exchange)
      } finally {
        leave()
      }
    }
  const notification =
    (handler: Notify): Notify =>
    (notice: Notice) => {
      inside++
      let done: void | Promise<void>
      try {
        done = handler(notice)
      } catch (error) {
        leave()
        throw error
      }
      if (done instanceof Promise) return done.finally(leave)
      leave()
      return undefined
    }
  const { wrap, notify } = module
  return {
    module: {
      ...module,
      ...(wrap && { wrap: (next, inside) => request(wrap(next, inside)) }),
      ...(notify && { notify: (next) => notification(notify(next)) }),
    },
    idle: () => (inside === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(() => resolve()))),
  }
}
