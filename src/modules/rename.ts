/** Gives tools, prompts and resources other names, titles and descriptions, and routes the new names to the old ones. */
import type * as z from 'zod'
import { givenTwice } from '../config/given-twice.ts'
import { renameOptions } from '../config/modules/rename.ts'
import { ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { plain, type Result } from '../protocol/result.ts'
import { mayNameResources, renameInAny, renameViews } from '../protocol/uri-rewrite.ts'
import { defineModule } from './module.ts'
import { withNames } from './name-hints.ts'
import { type NamingPattern, patternsIn } from './patterns.ts'
import { type Change, type Changes, changesOf, type Renamed, renameAll, type Way } from './rename-way.ts'
import { createRoster, KINDS, kindOfList, namesOf } from './roster.ts'

type Options = z.output<typeof renameOptions>

const UPDATED = 'notifications/resources/updated'

export const rename = defineModule({
  name: 'rename',
  options: renameOptions,
  messages: ({ tools, prompts, resources }) => [
    ...(isThere(tools) ? ['tools/*'] : []),
    ...(isThere(prompts) ? ['prompts/*', 'completion/complete'] : []),
    // What tools and prompts answer may name resources.
    ...(isThere(resources) ? ['resources/*', 'tools/list', 'tools/call', 'prompts/get', UPDATED] : []),
  ],
  patterns: ({ tools, prompts, resources }) => [
    ...patternsIn('tools', Object.keys(tools), ['tools'], exactly),
    ...patternsIn('prompts', Object.keys(prompts), ['prompts'], exactly),
    ...patternsIn('resources', Object.keys(resources), ['resources'], exactly),
  ],
  create(options, { name: module, logger }) {
    const changes: Record<Renamed, Changes> = {
      tools: changesIn('tools', options.tools, module),
      prompts: changesIn('prompts', options.prompts, module),
      resources: changesIn('resources', options.resources, module),
    }
    const roster = createRoster()
    const ways: Record<Renamed, WeakMap<Client, Way>> = {
      tools: new WeakMap(),
      prompts: new WeakMap(),
      resources: new WeakMap(),
    }
    const warned = new Set<string>()

    function learn(kind: Renamed, items: readonly JsonObject[], client: Client): readonly JsonObject[] {
      const { renamed, way } = renameAll(
        kind,
        items,
        changes[kind],
        ways[kind].get(client),
        (name, item, instead) => {
          // Once for each name: lists come again and again.
          if (warned.size > MAX_WARNED || warned.has(`${kind}/${name}`)) return
          warned.add(`${kind}/${name}`)
          const whose = namesOf(item, kind).at(-1)
          logger.warn({ kind, name, item: whose, instead }, 'the name was given to another one')
        },
      )
      ways[kind].set(client, way)
      return renamed
    }

    async function wayOf(kind: Renamed, exchange: Exchange, next: Handler): Promise<Way> {
      const known = ways[kind].get(exchange.client)
      if (known) return known
      learn(kind, [...(await roster.all(kind, exchange, next)).values()], exchange.client)
      return ways[kind].get(exchange.client) ?? NOWHERE
    }

    /** The name further in; for what was not renamed the name itself. */
    async function inward(kind: Renamed, name: string, exchange: Exchange, next: Handler): Promise<string> {
      const isGiven = changes[kind].given.has(name)
      let way = await wayOf(kind, exchange, next)
      if (isGiven && !way.inward.has(name)) {
        // It may be listed by now.
        roster.forget(kind, exchange.client)
        learn(kind, [...(await roster.all(kind, exchange, next)).values()], exchange.client)
        way = ways[kind].get(exchange.client) ?? way
      }
      const inside = way.inward.get(name)
      // Else what is blocked by its new name could be had by the old one, and what a new name stands for by another's own.
      if (inside === undefined && (isGiven || way.gone.has(name))) throw unknown(kind, name, exchange.client)
      return inside ?? name
    }

    /** The item that the params name, under its name further in. */
    async function renamedParams(exchange: Exchange, next: Handler): Promise<JsonObject> {
      const { params } = exchange
      const kind = USES.get(exchange.method)
      if (kind !== undefined) return renamedIn(kind, params, exchange, next)
      const ref = own(params, 'ref')
      if (exchange.method !== 'completion/complete' || !isObject(ref) || ref.type !== 'ref/prompt')
        return params
      const inside = await renamedIn('prompts', ref, exchange, next)
      return inside === ref ? params : { ...params, ref: inside }
    }

    async function renamedIn(
      kind: Renamed,
      holder: JsonObject,
      exchange: Exchange,
      next: Handler,
    ): Promise<JsonObject> {
      const { key } = KINDS[kind]
      const name = own(holder, key)
      if (changes[kind].byName.size === 0 || typeof name !== 'string') return holder
      const inside = await inward(kind, name, exchange, next)
      return inside === name ? holder : { ...holder, [key]: inside }
    }

    /** Links lead to where clients can go: under its old URI nothing is read. */
    async function withUris(
      result: Result,
      asked: unknown,
      exchange: Exchange,
      next: Handler,
    ): Promise<Result> {
      const isRead = exchange.method === 'resources/read'
      if (changes.resources.byName.size === 0 || !(isRead || mayNameResources(result))) return result
      const { outward } = await wayOf('resources', exchange, next)
      const { uri } = exchange.params
      if (outward.size === 0) return result
      return renameInAny(result, (found) =>
        isRead && found === asked && typeof uri === 'string' ? uri : (outward.get(found) ?? found),
      )
    }

    function listed(kind: Renamed, passing: Result, { client }: Exchange): Result {
      const { result, items } = roster.learn(kind, passing, client)
      const renamed = learn(kind, items, client)
      return renamed === items ? result : { ...result, [kind]: [...renamed] }
    }

    function withViews(result: JsonObject, { outward }: Way): JsonObject {
      if (outward.size === 0 || !Array.isArray(result.tools)) return result
      const tools = result.tools.map((tool) =>
        isObject(tool) ? renameViews(tool, (uri) => outward.get(uri) ?? uri) : tool,
      )
      return { ...result, tools }
    }

    async function list(exchange: Exchange, next: Handler): Promise<Result> {
      const kind = kindOfList(exchange.method)
      const passing = await next(exchange)
      if (kind === undefined || kind === 'resourceTemplates') return passing
      const result = changes[kind].byName.size === 0 ? passing : listed(kind, passing, exchange)
      if (kind !== 'tools' || changes.resources.byName.size === 0) return result
      const { tools } = plain(result)
      const hasViews = Array.isArray(tools) && tools.some((tool) => isObject(tool) && isObject(tool._meta))
      return hasViews ? withViews(plain(result), await wayOf('resources', exchange, next)) : result
    }

    return {
      wrap: (next) => async (exchange) => {
        if (kindOfList(exchange.method) !== undefined) return list(exchange, next)
        const params = await renamedParams(exchange, next)
        const sent = params === exchange.params ? exchange : { ...exchange, params }
        const kind = exchange.method === 'completion/complete' ? 'prompts' : USES.get(exchange.method)
        const result = await next(sent).catch((error: unknown) => {
          const outward = kind && ways[kind].get(exchange.client)?.outward
          throw outward ? withNames(error, (name) => outward.get(name) ?? name) : error
        })
        return withUris(result, params.uri, exchange, next)
      },
      ...(changes.resources.byName.size > 0 && {
        notify: (next) => (notice) => {
          const uri = notice.method === UPDATED && notice.params ? own(notice.params, 'uri') : undefined
          if (typeof uri !== 'string') return next(notice)
          const way = ways.resources.get(notice.client)
          const { byName } = changes.resources
          // Who subscribed before the configuration was this one has seen no list by it.
          const known =
            way?.outward.get(uri) ?? byName.get(`${notice.server}/${uri}`)?.name ?? byName.get(uri)?.name
          return next(known === undefined ? notice : { ...notice, params: { ...notice.params, uri: known } })
        },
      }),
    }
  },
})

const NOWHERE: Way = { inward: new Map(), outward: new Map(), gone: new Set() }
const MAX_WARNED = 1000

const USES: ReadonlyMap<string, Renamed> = new Map([
  ['tools/call', 'tools'],
  ['prompts/get', 'prompts'],
  ['resources/read', 'resources'],
  ['resources/subscribe', 'resources'],
  ['resources/unsubscribe', 'resources'],
])

function exactly(name: string): NamingPattern['fits'] {
  return (item, kind) => namesOf(item, kind).includes(name)
}

function isThere(changes: object): boolean {
  return Object.keys(changes).length > 0
}

function unknown(kind: Renamed, name: string, { era }: Client): RpcError {
  if (kind === 'resources') {
    const code = era === 'modern' ? RPC.invalidParams : RPC.resourceNotFound
    return new RpcError(code, 'Resource not found', { uri: name })
  }
  return new RpcError(
    RPC.invalidParams,
    `Unknown ${kind === 'tools' ? 'tool' : 'prompt'}: ${name.slice(0, 200)}.`,
  )
}

/** Two that want one name cannot both have it, whatever is listed. Throws ProxyError CONFIG_INVALID. */
function changesIn(kind: Renamed, written: Options[Renamed], module: string): Changes {
  const changes = Object.entries(written).map(([old, change]): [string, Change] => [
    old,
    typeof change === 'string' ? { name: change } : change,
  ])
  const twice = givenTwice(changes.flatMap(([old, { name }]) => (name === undefined ? [] : [[old, name]])))
  if (twice)
    throw new ProxyError(
      'CONFIG_INVALID',
      `The module \`${module}\` gives the name "${twice.name}" to two ${kind}: ${twice.first} and ${twice.second}.`,
      'Choose another name for one of them.',
    )
  return changesOf(changes)
}
