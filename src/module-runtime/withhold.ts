/** Keeps items of servers from clients: they are not listed, cannot be used, and no reply says that they exist. */
import { LargeResult, plain, type Result } from '../protocol/content.ts'
import type { Destination } from '../protocol/effects.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Listed, Lists, ShowList } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { KINDS, type Kind } from '../protocol/lists.ts'
import { originOf } from '../protocol/origin.ts'
import { tidyUri, uriMatcherOf } from '../text/patterns/uri-readings.ts'
import type { Module, Notice } from './module.ts'

/** The deciding functions. All return true for an item that no client may see. */
interface Withheld {
  /** False: all items of this kind may be seen. */
  concerns(kind: Kind): boolean
  /** A listed item under its names. */
  listed(item: JsonObject, kind: Kind): boolean
  /** A name that no list has: it may be a server's own name for something, or what a template stands for. */
  unlisted(name: string, kind: Kind): boolean
  /**
   * Where a request ends. `isListed`: what the client named is listed and may be used. Absent: what is listed decides, and what
   * the client calls it.
   */
  reached?(destination: Destination, kind: Kind, isListed: boolean): boolean
  /**
   * True: a resource of a visible template may be read although `unlisted` says no. The readable parts of a resource come with it, and
   * their updates are passed on.
   */
  readonly opens?: boolean
}

/** The messages that a layer of `withhold` has to see, by the kinds that concern it. */
export function messagesOf(concerns: (kind: Kind) => boolean): string[] {
  const resources = concerns('resources') || concerns('resourceTemplates')
  return [
    ...(concerns('tools') ? ['tools/*'] : []),
    ...(concerns('prompts') ? ['prompts/*'] : []),
    ...(resources ? ['resources/*', UPDATED] : []),
    ...(resources || concerns('prompts') ? ['completion/complete'] : []),
  ]
}

const UPDATED = 'notifications/resources/updated'

/** The use of an item: the kind, and the name in its params. */
interface Use {
  kind: Kind
  name: string
}

export function withhold(
  withheld: Withheld,
): Required<Pick<Module, 'wrap' | 'list'>> & Pick<Module, 'notify'> {
  /** Where its lists were made, by client. */
  const places = new WeakMap<Client, Lists>()
  /** Lists are kept: the same items are asked about with every call. */
  const verdicts = new WeakMap<JsonObject, boolean>()

  function isWithheld(item: JsonObject, kind: Kind): boolean {
    const known = verdicts.get(item)
    if (known !== undefined) return known
    const verdict = withheld.listed(item, kind)
    verdicts.set(item, verdict)
    return verdict
  }

  /** By client, what was taken out of its lists: servers' own names, by kind and server. */
  const taken = new WeakMap<Client, Set<string>>()

  const list: ShowList = ({ kind, items }, { client }, inside) => {
    if (!isConcerned(withheld, kind)) return items
    places.set(client, inside)
    const left = items.filter((item) => !isWithheld(item, kind))
    if (left.length === items.length) return items
    note(kind, items, client)
    return left
  }

  /** A server that is away for a while lists nothing, and what it had is still not to be used. */
  function note(kind: Kind, items: readonly JsonObject[], client: Client): void {
    const known = taken.get(client) ?? new Set<string>()
    taken.set(client, known)
    for (const item of items) {
      const origin = originOf(item)
      if (origin === undefined || !isWithheld(item, kind)) continue
      known.add(placeOf(kind, origin))
      const [oldest] = known
      if (known.size > MAX_TAKEN && oldest !== undefined) known.delete(oldest)
    }
  }

  /** Whether it is listed and may be used, listed and withheld, or not listed. */
  async function judge(
    { kind, name }: Use,
    exchange: Exchange,
    inside: Lists,
  ): Promise<'shown' | 'withheld' | 'free'> {
    const found = inside.find(kind, name, exchange)
    const item = found instanceof Promise ? await found : found
    if (item !== undefined) return isWithheld(item, kind) ? 'withheld' : 'shown'
    if (withheld.unlisted(name, kind)) {
      if (kind !== 'resources' || !withheld.opens) return 'withheld'
      return standFor(name, await inside.known('resourceTemplates', exchange)) ? 'free' : 'withheld'
    }
    // Servers' own names work as well where one server has them.
    const all = (await inside.known(kind, exchange)).items
    note(kind, all, exchange.client)
    const isAlias = all.some((one) => originOf(one)?.name === name && isWithheld(one, kind))
    return isAlias ? 'withheld' : 'free'
  }

  /** The exchange with a look at where it ends, which decides when lists could not tell. */
  function watched(exchange: Exchange, use: Use, isListed: boolean): Exchange {
    return {
      ...exchange,
      admit(destination) {
        const isTaken = taken.get(exchange.client)?.has(placeOf(use.kind, destination)) === true
        if (isTaken || withheld.reached?.(destination, use.kind, isListed)) throw unknown(use, exchange)
        return exchange.admit?.(destination)
      },
    }
  }

  function mayRead(uri: string, client: Client, server: string | undefined): boolean {
    const inside = places.get(client)
    const item = inside?.last('resources', client)?.byName.get(uri)
    if (item) return !isWithheld(item, 'resources')
    const templates = withheld.opens ? inside?.last('resourceTemplates', client) : undefined
    if (withheld.unlisted(uri, 'resources') && !(templates && standFor(uri, templates))) return false
    return server === undefined || !withheld.reached?.({ server, name: uri }, 'resources', false)
  }

  /** Templates that may be seen. */
  function standFor(uri: string, { byName: templates }: Listed): boolean {
    const seen = [...templates].filter(([, item]) => !isWithheld(item, 'resourceTemplates'))
    return uriMatcherOf(seen.map(([template]) => patternOfTemplate(template))).sure(uri)
  }

  /** A server may tell of a file of a folder that is subscribed to. */
  function mayHear(uri: string, { client, server }: Notice): boolean {
    if (mayRead(uri, client, server)) return true
    return withheld.opens === true && wholesOf(uri).some((whole) => mayRead(whole, client, server))
  }

  /** Reading one resource may bring others along. */
  function read(result: Result, { params, client }: Exchange): Result {
    const object = result instanceof LargeResult && !isWorthParsing(result) ? undefined : plain(result)
    if (object === undefined || !Array.isArray(object.contents)) return result
    const left = object.contents.filter(
      (item) =>
        !isObject(item) ||
        typeof item.uri !== 'string' ||
        item.uri === params.uri ||
        mayRead(item.uri, client, undefined) ||
        (withheld.opens === true && wholesOf(item.uri).some((whole) => whole === params.uri)),
    )
    return left.length === object.contents.length ? result : { ...object, contents: left }
  }

  /** Errors from further in name others that it may have meant. */
  function withoutHints(error: unknown, { kind }: Use, { client }: Exchange): unknown {
    if (KINDS[kind].key !== 'name') return error
    const all = places.get(client)?.last(kind, client)?.byName
    return withNames(error, (name) => {
      const item = all?.get(name)
      return item !== undefined && !isWithheld(item, kind) ? name : undefined
    })
  }

  return {
    list,
    wrap: (next, inside) => async (exchange) => {
      const use = useOf(exchange)
      if (use === undefined || !isConcerned(withheld, use.kind)) return next(exchange)
      places.set(exchange.client, inside)
      const judged = await judge(use, exchange, inside)
      if (judged === 'withheld') throw unknown(use, exchange)
      const result = await next(watched(exchange, use, judged === 'shown')).catch((error: unknown) => {
        throw withoutHints(error, use, exchange)
      })
      return exchange.method === 'resources/read' ? read(result, exchange) : result
    },
    ...(isConcerned(withheld, 'resources') && {
      notify: (next) => (notice) => {
        const uri = notice.method === UPDATED && notice.params ? own(notice.params, 'uri') : undefined
        if (typeof uri === 'string' && !mayHear(uri, notice)) return
        return next(notice)
      },
    }),
  }
}

/** The most parts of a URI that are looked at. */
const MAX_PARTS = 64

/** The URIs of which this one may be a part. */
function wholesOf(uri: string): string[] {
  const wholes: string[] = []
  for (let at = uri.lastIndexOf('/'); at > 0 && wholes.length < MAX_PARTS; at = uri.lastIndexOf('/', at - 1))
    wholes.push(uri.slice(0, at), uri.slice(0, at + 1))
  return wholes
}

/** Withheld items of a client that are known by their servers. */
const MAX_TAKEN = 10_000

function placeOf(kind: Kind, { server, name }: Destination): string {
  return JSON.stringify([kind, server, KINDS[kind].key === 'name' ? name : tidyUri(name)])
}

/** Longer results are parsed on the event loop where they may hold more than one resource, and only there. */
const SMALL = 256 * 1024

function isWorthParsing({ bytes }: LargeResult): boolean {
  if (bytes.length <= SMALL) return true
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return text.indexOf('"uri"') !== text.lastIndexOf('"uri"')
}

/** Resources are judged by templates as well: whether one is listed has to be known. */
function isConcerned(withheld: Withheld, kind: Kind): boolean {
  return withheld.concerns(kind) || (kind === 'resources' && withheld.concerns('resourceTemplates'))
}

function useOf({ method, params }: Exchange): Use | undefined {
  switch (method) {
    case 'tools/call':
      return named('tools', params.name)
    case 'prompts/get':
      return named('prompts', params.name)
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return named('resources', params.uri)
    case 'completion/complete': {
      const ref = own(params, 'ref')
      if (!isObject(ref)) return undefined
      return ref.type === 'ref/prompt' ? named('prompts', ref.name) : named('resourceTemplates', ref.uri)
    }
    default:
      return undefined
  }
}

function named(kind: Kind, name: unknown): Use | undefined {
  return typeof name === 'string' ? { kind, name } : undefined
}

/** As for a name that does not exist. */
function unknown({ kind, name }: Use, { client, params }: Exchange): RpcError {
  const shown = name.slice(0, 200)
  if (kind === 'tools') return new RpcError(RPC.invalidParams, `Unknown tool: ${shown}.`)
  if (kind === 'prompts') return new RpcError(RPC.invalidParams, `Unknown prompt: ${shown}.`)
  const code = client.era === 'modern' ? RPC.invalidParams : RPC.resourceNotFound
  return new RpcError(code, 'Resource not found', { uri: params.uri ?? name })
}

/** The resources of a template, as a pattern: a variable may hold anything. */
export function patternOfTemplate(template: string): string {
  return template.replaceAll(/\{[^{}]*\}/g, '*')
}

// Names of other items in the errors of the router, as a place further out knows them.

/** `known`: the name there; undefined for what is not to be told. Whatever else was thrown is handed back as it is. */
export function withNames(error: unknown, known: (name: string) => string | undefined): unknown {
  if (!(error instanceof RpcError)) return error
  const told = (names: string): string =>
    names
      .split(', ')
      .flatMap((name) => known(name) ?? [])
      .join(', ')
  const message = error.message
    .replace(/ Did you mean ([\w, -]{1,1000})\?/, (_, names: string) => {
      const left = told(names)
      return left === '' ? '' : ` Did you mean ${left}?`
    })
    .replace(
      /^Ambiguous (\w+: .{0,200}?)\. Several servers have it; call one of ([\w, -]+?)( and \d+ more)?\./s,
      (_, what: string, names: string, more = '') => {
        const left = told(names)
        if (left === '') return `Unknown ${what}.`
        return `Ambiguous ${what}. Several servers have it; call one of ${left}${more}.`
      },
    )
  return message === error.message ? error : new RpcError(error.code, message, error.data)
}
