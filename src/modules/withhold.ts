/** Keeps items of servers from clients: they are neither listed nor can they be used, and nobody is told that they exist. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Result } from '../protocol/result.ts'
import { createRoster, KINDS, type Kind, kindOfList, namesOf } from './roster.ts'

/** What decides. */
export interface Withheld {
  /** False: all items of this kind may be seen. */
  concerns(kind: Kind): boolean
  /** A listed item under its names. */
  listed(item: JsonObject, kind: Kind): boolean
  /** A name that nobody lists: it may be a server's own name for something, or what a template stands for. */
  unlisted(name: string, kind: Kind): boolean
  /** Why, where a client is to know. Absent: as for a name that nobody has. */
  refusal?(item: JsonObject | undefined, name: string, kind: Kind): RpcError | undefined
}

/** The messages that a layer of `withhold` has to see. */
export const WITHHOLDS = ['tools/*', 'prompts/*', 'resources/*', 'completion/complete'] as const

/** What uses an item: the kind, and the name in its params. */
interface Use {
  kind: Kind
  name: string
}

export function withhold(withheld: Withheld): (next: Handler) => Handler {
  const roster = createRoster()

  function listing(kind: Kind, passing: Result, { client }: Exchange): Result {
    // Resources are judged by templates as well: whether one is listed has to be known.
    if (!withheld.concerns(kind) && !(kind === 'resources' && withheld.concerns('resourceTemplates')))
      return passing
    const { result, items } = roster.learn(kind, passing, client)
    const left = items.filter((item) => !withheld.listed(item, kind))
    return left.length === items.length ? result : { ...result, [kind]: left }
  }

  /** Undefined: it may be used. */
  async function refused(use: Use, exchange: Exchange, next: Handler): Promise<RpcError | undefined> {
    const { kind, name } = use
    const found = roster.find(kind, name, exchange, next)
    const item = found instanceof Promise ? await found : found
    const isRefused =
      item !== undefined
        ? withheld.listed(item, kind)
        : withheld.unlisted(name, kind) || (await isAlias(use, exchange, next))
    if (!isRefused) return undefined
    return withheld.refusal?.(item, name, kind) ?? unknown(use, exchange)
  }

  /** Servers' own names work as well where one server has them. */
  async function isAlias({ kind, name }: Use, exchange: Exchange, next: Handler): Promise<boolean> {
    const all = await roster.all(kind, exchange, next)
    return [...all.values()].some(
      (item) => withheld.listed(item, kind) && namesOf(item, kind).some((one) => one.endsWith(`/${name}`)),
    )
  }

  return (next) => async (exchange) => {
    const kind = kindOfList(exchange.method)
    if (kind !== undefined) return listing(kind, await next(exchange), exchange)
    const use = useOf(exchange)
    if (use === undefined || !isConcerned(withheld, use.kind)) return next(exchange)
    const refusal = await refused(use, exchange, next)
    if (refusal) throw refusal
    return next(exchange).catch((error: unknown) => {
      throw withoutHints(error, use)
    })
  }
}

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

/** As for a name that nobody has. */
function unknown({ kind, name }: Use, { client, params }: Exchange): RpcError {
  const shown = name.slice(0, 200)
  if (kind === 'tools') return new RpcError(RPC.invalidParams, `Unknown tool: ${shown}.`)
  if (kind === 'prompts') return new RpcError(RPC.invalidParams, `Unknown prompt: ${shown}.`)
  const code = client.era === 'modern' ? RPC.invalidParams : RPC.resourceNotFound
  return new RpcError(code, 'Resource not found', { uri: params.uri ?? name })
}

/** "Did you mean …?" further in does not know what is withheld. */
function withoutHints(error: unknown, { kind }: Use): unknown {
  if (!(error instanceof RpcError) || KINDS[kind].key !== 'name') return error
  const hint = / Did you mean .+?\?/.exec(error.message)
  return hint ? new RpcError(error.code, error.message.replace(hint[0], ''), error.data) : error
}

/** What a template stands for, as a pattern: a variable may hold anything. */
export function patternOfTemplate(template: string): string {
  return template.replaceAll(/\{[^{}]*\}/g, '*')
}
