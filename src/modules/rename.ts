/** Gives tools, prompts and resources other names, titles and descriptions, and routes the new names to the old ones. */
import type * as z from 'zod'
import { givenTwice } from '../config/given-twice.ts'
import { renameOptions } from '../config/modules/rename.ts'
import { ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Result } from '../protocol/result.ts'
import { defineModule } from './module.ts'
import { createRoster, KINDS, type Kind, kindOfList, namesOf } from './roster.ts'

type Options = z.output<typeof renameOptions>
type Renamed = Exclude<Kind, 'resourceTemplates'>

interface Change {
  name?: string | undefined
  title?: string | undefined
  description?: string | undefined
}

export const rename = defineModule({
  name: 'rename',
  options: renameOptions,
  messages: ['tools/*', 'prompts/*', 'resources/*', 'completion/complete', 'notifications/resources/updated'],
  create(options, { name: module, logger }) {
    const changes: Record<Renamed, ReadonlyMap<string, Change>> = {
      tools: changesOf('tools', options.tools, module),
      prompts: changesOf('prompts', options.prompts, module),
      resources: changesOf('resources', options.resources, module),
    }
    const names = { tools: createNames(), prompts: createNames(), resources: createNames() }

    const warned = new Set<string>()
    /** Once for each name: lists come again and again. */
    const taken: Taken = (kind, name, item) => {
      if (warned.size > MAX_WARNED || warned.has(`${kind}/${name}`)) return
      warned.add(`${kind}/${name}`)
      logger.warn({ kind, name, item }, 'the new name is taken; the item keeps its own')
    }

    function listed(kind: Renamed, passing: Result, exchange: Exchange): Result {
      const { result, items } = names[kind].roster.learn(kind, passing, exchange.client)
      const { renamed, way } = apply(kind, items, changes[kind], taken)
      names[kind].ways.set(exchange.client, way)
      return renamed === items ? result : { ...result, [kind]: [...renamed] }
    }

    /** The name further in; for what was not renamed the name itself. The old name of what was renamed is nobody's. */
    async function inward(kind: Renamed, name: string, exchange: Exchange, next: Handler): Promise<string> {
      const { ways, roster } = names[kind]
      let way = ways.get(exchange.client)
      const isLate = way !== undefined && newNames(changes[kind]).has(name) && !way.inward.has(name)
      if (way === undefined || isLate) {
        // Not seen yet by this client: its list tells whose name it is.
        if (isLate) roster.forget(kind, exchange.client)
        const items = [...(await roster.all(kind, exchange, next)).values()]
        way = apply(kind, items, changes[kind], taken).way
        ways.set(exchange.client, way)
      }
      const inside = way.inward.get(name)
      if (inside === undefined && way.old.has(name)) throw unknown(kind, name)
      return inside ?? name
    }

    async function renamedParams(exchange: Exchange, next: Handler): Promise<JsonObject> {
      const { method, params } = exchange
      const put = async (kind: Renamed, holder: JsonObject): Promise<JsonObject> => {
        const { key } = KINDS[kind]
        const name = own(holder, key)
        if (changes[kind].size === 0 || typeof name !== 'string') return holder
        const inside = await inward(kind, name, exchange, next)
        return inside === name ? holder : { ...holder, [key]: inside }
      }
      if (method === 'tools/call') return put('tools', params)
      if (method === 'prompts/get') return put('prompts', params)
      if (/^resources\/(?:read|subscribe|unsubscribe)$/.test(method)) return put('resources', params)
      const ref = own(params, 'ref')
      if (method !== 'completion/complete' || !isObject(ref) || ref.type !== 'ref/prompt') return params
      const inside = await put('prompts', ref)
      return inside === ref ? params : { ...params, ref: inside }
    }

    return {
      wrap: (next) => async (exchange) => {
        const kind = kindOfList(exchange.method)
        if (kind !== undefined) {
          const result = await next(exchange)
          return kind === 'resourceTemplates' || changes[kind].size === 0
            ? result
            : listed(kind, result, exchange)
        }
        const params = await renamedParams(exchange, next)
        const result = await next(params === exchange.params ? exchange : { ...exchange, params })
        return exchange.method === 'resources/read' && params !== exchange.params
          ? withUri(result, params.uri, exchange.params.uri)
          : result
      },
      notify: (next) => (notice) => {
        const uri = notice.params && own(notice.params, 'uri')
        const outward = [...(names.resources.ways.get(notice.client)?.inward ?? [])].find(
          ([, inside]) => inside === uri,
        )
        return next(outward ? { ...notice, params: { ...notice.params, uri: outward[0] } } : notice)
      },
    }
  },
})

/** From new names to old ones. */
interface Way {
  readonly inward: ReadonlyMap<string, string>
  /** Old names that nobody has any more. */
  readonly old: ReadonlySet<string>
}

type Taken = (kind: Renamed, name: string, item: string | undefined) => void

const MAX_WARNED = 1000

function createNames() {
  return { roster: createRoster(), ways: new WeakMap<object, Way>() }
}

function unknown(kind: Renamed, name: string): RpcError {
  if (kind === 'resources') return new RpcError(RPC.resourceNotFound, 'Resource not found', { uri: name })
  return new RpcError(
    RPC.invalidParams,
    `Unknown ${kind === 'tools' ? 'tool' : 'prompt'}: ${name.slice(0, 200)}.`,
  )
}

/** Two that want one name cannot both have it, whatever is listed. Throws ProxyError CONFIG_INVALID. */
function changesOf(kind: Renamed, written: Options[Renamed], module: string): ReadonlyMap<string, Change> {
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
  return new Map(changes)
}

const wantedNames = new WeakMap<ReadonlyMap<string, Change>, ReadonlySet<string>>()

function newNames(changes: ReadonlyMap<string, Change>): ReadonlySet<string> {
  const known = wantedNames.get(changes)
  if (known) return known
  const names = new Set([...changes.values()].flatMap(({ name }) => (name === undefined ? [] : [name])))
  wantedNames.set(changes, names)
  return names
}

/** The items under their new names, and the way back. A new name that somebody else has keeps its owner. */
function apply(
  kind: Renamed,
  items: readonly JsonObject[],
  changes: ReadonlyMap<string, Change>,
  tell: Taken,
): { renamed: readonly JsonObject[]; way: Way } {
  const { key } = KINDS[kind]
  const wanted = items.map((item) => changeOf(item, kind, changes))
  /** Names of those that keep theirs. */
  const taken = new Set(
    items.flatMap((item, at) => (wanted[at]?.name === undefined ? [String(item[key])] : [])),
  )
  const inward = new Map<string, string>()
  let isChanged = false
  const renamed = items.map((item, at) => {
    const change = wanted[at]
    if (change === undefined) return item
    isChanged = true
    const { name, ...texts } = change
    const old = String(item[key])
    const told = Object.fromEntries(
      Object.entries(texts).filter(([, text]) => text !== undefined),
    ) as JsonObject
    if (name === undefined) return { ...item, ...told }
    if (taken.has(name)) {
      tell(kind, name, namesOf(item, kind).at(-1))
      taken.add(old)
      return { ...item, ...told }
    }
    taken.add(name)
    inward.set(name, old)
    return { ...item, ...told, [key]: name }
  })
  const old = new Set([...inward.values()].filter((name) => !taken.has(name)))
  return { renamed: isChanged ? renamed : items, way: { inward, old } }
}

function changeOf(item: JsonObject, kind: Kind, changes: ReadonlyMap<string, Change>): Change | undefined {
  for (const name of namesOf(item, kind).toReversed()) {
    const change = changes.get(name)
    if (change !== undefined) return change
  }
  return undefined
}

/** What was read is called what it was asked for by. */
function withUri(result: Result, inside: unknown, outside: unknown): Result {
  if (!isObject(result) || !Array.isArray(result.contents) || typeof outside !== 'string') return result
  const contents = result.contents.map((item) =>
    isObject(item) && item.uri === inside ? { ...item, uri: outside } : item,
  )
  return { ...result, contents }
}
