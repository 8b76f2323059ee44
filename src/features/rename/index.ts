/** Gives tools, prompts and resources other names, titles and descriptions, and routes the new names to the old ones. */
import type * as z from 'zod'
import { givenTwice } from '../../config/check.ts'
import type { ModuleConfig } from '../../config/modules.ts'
import type { ModulesConfig } from '../../config/schema.ts'
import { defineModule } from '../../module-runtime/module.ts'
import { type NamingPattern, patternsIn } from '../../module-runtime/patterns.ts'
import { withNames } from '../../module-runtime/withhold.ts'
import type { Result } from '../../protocol/content.ts'
import { ProxyError, RPC, RpcError } from '../../protocol/errors.ts'
import type { Client, Exchange, Lists, ShowList } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { KINDS, type Kind, namesOf } from '../../protocol/lists.ts'
import { originOf } from '../../protocol/origin.ts'
import { mayNameResources, renameInAny, renameViews } from '../../protocol/uri-rewrite.ts'
import { PROXY_TOOL_NAMES, RESERVED_NAMES } from '../../proxy/own-tools.ts'
import { shortHash } from '../../text/short-hash.ts'
import { renameOptions } from './options.ts'

type Options = z.output<typeof renameOptions>

const UPDATED = 'notifications/resources/updated'

export const rename = defineModule({
  name: 'rename',
  options: renameOptions,
  messages: ({ tools, prompts, resources }) => [
    ...(isThere(tools) ? ['tools/*'] : []),
    ...(isThere(prompts) ? ['prompts/*', 'completion/complete'] : []),
    // The answers of tools and prompts may name resources.
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
          const [whose] = namesOf(item, kind)
          logger.warn({ kind, name, item: whose, instead }, 'the name was given to another one')
        },
      )
      ways[kind].set(client, way)
      return renamed
    }

    async function wayOf(kind: Renamed, exchange: Exchange, inside: Lists): Promise<Way> {
      const known = ways[kind].get(exchange.client)
      if (known) return known
      learn(kind, (await inside.known(kind, exchange)).items, exchange.client)
      return ways[kind].get(exchange.client) ?? NOWHERE
    }

    /** The name further in; for what was not renamed the name itself. */
    async function inward(kind: Renamed, name: string, exchange: Exchange, inside: Lists): Promise<string> {
      const isGiven = changes[kind].given.has(name)
      let way = await wayOf(kind, exchange, inside)
      if (isGiven && !way.inward.has(name)) {
        // It may be listed by now.
        learn(kind, (await inside.fresh(kind, exchange)).items, exchange.client)
        way = ways[kind].get(exchange.client) ?? way
      }
      const old = way.inward.get(name)
      // Otherwise an item that is blocked by its new name could be reached by the old one, and a new name could reach another item.
      if (old === undefined && (isGiven || way.gone.has(name))) throw unknown(kind, name, exchange.client)
      return old ?? name
    }

    /** The item that the params name, under its name further in. */
    async function renamedParams(exchange: Exchange, inside: Lists): Promise<JsonObject> {
      const { params } = exchange
      const kind = USES.get(exchange.method)
      if (kind !== undefined) return renamedIn(kind, params, exchange, inside)
      const ref = own(params, 'ref')
      if (exchange.method !== 'completion/complete' || !isObject(ref) || ref.type !== 'ref/prompt')
        return params
      const renamed = await renamedIn('prompts', ref, exchange, inside)
      return renamed === ref ? params : { ...params, ref: renamed }
    }

    async function renamedIn(
      kind: Renamed,
      holder: JsonObject,
      exchange: Exchange,
      inside: Lists,
    ): Promise<JsonObject> {
      const { key } = KINDS[kind]
      const name = own(holder, key)
      if (changes[kind].byName.size === 0 || typeof name !== 'string') return holder
      const old = await inward(kind, name, exchange, inside)
      return old === name ? holder : { ...holder, [key]: old }
    }

    /** Links lead to where clients can go: under its old URI nothing is read. */
    async function withUris(
      result: Result,
      asked: unknown,
      exchange: Exchange,
      inside: Lists,
    ): Promise<Result> {
      const isRead = exchange.method === 'resources/read'
      if (changes.resources.byName.size === 0 || !(isRead || mayNameResources(result))) return result
      const { outward } = await wayOf('resources', exchange, inside)
      const { uri } = exchange.params
      if (outward.size === 0) return result
      return renameInAny(result, (found) =>
        isRead && found === asked && typeof uri === 'string' ? uri : (outward.get(found) ?? found),
      )
    }

    const list: ShowList = async ({ kind, items }, exchange, inside) => {
      if (kind === 'resourceTemplates') return items
      const renamed = changes[kind].byName.size === 0 ? items : learn(kind, items, exchange.client)
      const hasViews = kind === 'tools' && renamed.some(({ _meta }) => isObject(_meta))
      if (!hasViews || changes.resources.byName.size === 0) return renamed
      const { outward } = await wayOf('resources', exchange, inside)
      return outward.size === 0
        ? renamed
        : renamed.map((tool) => renameViews(tool, (uri) => outward.get(uri) ?? uri))
    }

    return {
      list,
      wrap: (next, inside) => async (exchange) => {
        const params = await renamedParams(exchange, inside)
        const sent = params === exchange.params ? exchange : { ...exchange, params }
        const kind = exchange.method === 'completion/complete' ? 'prompts' : USES.get(exchange.method)
        const result = await next(sent).catch((error: unknown) => {
          const outward = kind && ways[kind].get(exchange.client)?.outward
          throw outward ? withNames(error, (name) => outward.get(name) ?? name) : error
        })
        return withUris(result, params.uri, exchange, inside)
      },
      ...(changes.resources.byName.size > 0 && {
        notify: (next) => (notice) => {
          const uri = notice.method === UPDATED && notice.params ? own(notice.params, 'uri') : undefined
          if (typeof uri !== 'string') return next(notice)
          const way = ways.resources.get(notice.client)
          const { byName } = changes.resources
          // A client that subscribed under an earlier configuration has seen no list of this one.
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

// Which names items of a list get, and the way back from each to the name it has further in.

type Renamed = Exclude<Kind, 'resourceTemplates'>

/** The change of an item. */
interface Change {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** The changes of items, by the names that a configuration knows them by. */
interface Changes {
  readonly byName: ReadonlyMap<string, Change>
  /** All new names. No other item has them, whether or not their owners are listed. */
  readonly given: ReadonlySet<string>
}

/** From new names to old ones and back. */
interface Way {
  readonly inward: ReadonlyMap<string, string>
  readonly outward: ReadonlyMap<string, string>
  /** Old names that no item has any more. */
  readonly gone: ReadonlySet<string>
}

/** An item that lost its name to another one, and what it is called instead. */
type Displaced = (name: string, item: JsonObject, instead: string) => void

function changesOf(entries: Iterable<readonly [string, Change]>): Changes {
  const byName = new Map(entries)
  const given = [...byName.values()].flatMap(({ name }) => (name === undefined ? [] : [name]))
  return { byName, given: new Set(given) }
}

/**
 * The items under their new names. An item that is not listed this time keeps its entry of `before`. A server that is away for a while
 * comes back, and until then no other item gets its name.
 */
function renameAll(
  kind: Renamed,
  items: readonly JsonObject[],
  changes: Changes,
  before: Way | undefined,
  displaced: Displaced,
): { renamed: readonly JsonObject[]; way: Way } {
  const { key } = KINDS[kind]
  const inward = new Map<string, string>()
  const wanted = items.map((item) => changeOf(item, kind, changes.byName))
  const taken = new Set(changes.given)
  items.forEach((item, at) => {
    if (wanted[at]?.name === undefined) taken.add(String(item[key]))
  })
  let isChanged = false
  const renamed = items.map((item, at) => {
    const { name, ...texts } = wanted[at] ?? {}
    const old = String(item[key])
    let now = name !== undefined && !inward.has(name) ? name : old
    if (now === old && name !== old && changes.given.has(old)) {
      now = instead(kind, item, taken)
      displaced(old, item, now)
    }
    const told = Object.entries(texts).filter(([, text]) => text !== undefined)
    if (now !== old || name === old) inward.set(now, old)
    if (now === old && told.length === 0) return item
    isChanged = true
    return { ...item, ...(Object.fromEntries(told) as JsonObject), [key]: now }
  })
  for (const [name, old] of before?.inward ?? [])
    if (changes.given.has(name) && !inward.has(name)) inward.set(name, old)
  const outward = new Map([...inward].map(([name, old]) => [old, name]))
  const names = new Set(renamed.map((item) => String(item[key])))
  const gone = new Set([...outward.keys()].filter((old) => !names.has(old)))
  return { renamed: isChanged ? renamed : items, way: { inward, outward, gone } }
}

function changeOf(item: JsonObject, kind: Kind, changes: ReadonlyMap<string, Change>): Change | undefined {
  for (const name of namesOf(item, kind)) {
    const change = changes.get(name)
    if (change !== undefined) return change
  }
  return undefined
}

const LONGEST = 60

/** A free name that names its server. */
function instead(kind: Renamed, item: JsonObject, taken: Set<string>): string {
  const old = String(item[KINDS[kind].key])
  const server = originOf(item)?.server ?? ''
  for (let salt = 0; ; salt++) {
    const mark = salt === 0 && server !== '' ? '' : shortHash(`${server}\n${old}\n${salt}`)
    const name = kind === 'resources' ? markedUri(old, server, mark) : markedName(old, server, mark)
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}

function markedName(old: string, server: string, mark: string): string {
  const name = [server.replaceAll(/[^A-Za-z0-9_-]/gu, '_'), old].filter((part) => part !== '').join('_')
  if (mark === '' && name.length <= LONGEST) return name
  const suffix = `_${mark === '' ? shortHash(name) : mark}`
  return name.slice(0, LONGEST - suffix.length) + suffix
}

function markedUri(old: string, server: string, mark: string): string {
  const label = [server.toLowerCase().replaceAll(/[^a-z0-9-]+/gu, '-'), mark].filter((part) => part !== '')
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*(?=:)/iu.exec(old) ?? []
  return scheme === ''
    ? `mcp+${label.join('-')}:${old}`
    : `${scheme}+${label.join('-')}${old.slice(scheme.length)}`
}

// New names that cannot be given, found when the configuration is read.

/** The module that gave a name, and the item. */
interface Given {
  readonly by: string
  readonly to: string
}

/** Checks the new names by the rules for names, and against each other. Throws ProxyError CONFIG_INVALID. */
export function checkRenames({ modules, settings }: ModulesConfig): void {
  const { naming } = settings
  // Nearest to the servers first: those further out see the names that it gives.
  const renaming = modules.filter(isRename).toReversed()
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    let given = new Map<string, Given>()
    if (kind !== 'resources')
      for (const [to, name] of Object.entries(naming.rename)) given.set(name, { by: '`naming.rename`', to })
    for (const { name: module, options } of renaming) {
      const names = namesIn(own(options as JsonObject, kind))
      for (const [old, name] of names) checkName(name, old, kind, module, settings)
      // An item that is renamed once more has left its name.
      const renamedAgain = new Set(names.map(([old]) => old))
      given = new Map([...given].filter(([name, { to }]) => !renamedAgain.has(name) && !renamedAgain.has(to)))
      for (const [to, name] of names) {
        const first = given.get(name)
        if (first)
          throw new ProxyError(
            'CONFIG_INVALID',
            `The module \`${module}\` gives the name "${name}" to ${to}, but ${first.by} gives it to ${first.to}.`,
            'Choose another name for one of them.',
          )
      }
      for (const [to, name] of names) given.set(name, { by: `the module \`${module}\``, to })
    }
  }
}

function isRename(module: ModuleConfig): module is Extract<ModuleConfig, { kind: 'use' }> {
  return module.kind === 'use' && module.use === 'rename'
}

function namesIn(changes: JsonValue | undefined): [old: string, name: string][] {
  return Object.entries(isObject(changes) ? changes : {}).flatMap(([old, change]): [string, string][] => {
    const name = isObject(change) ? own(change, 'name') : change
    return typeof name === 'string' ? [[old, name]] : []
  })
}

function checkName(
  name: string,
  old: string,
  kind: Renamed,
  module: string,
  { naming, exposure }: ModulesConfig['settings'],
): void {
  const wrong = (what: string, remedy: string): ProxyError =>
    new ProxyError(
      'CONFIG_INVALID',
      `The module \`${module}\` gives ${old} the name ${JSON.stringify(name.slice(0, 200))}, ${what}.`,
      remedy,
    )
  if (kind === 'resources') {
    if (!/^[a-z][a-z0-9+.-]*:\S+$/i.test(name))
      throw wrong('which is not a URI', 'Write a whole URI, for example "docs://handbook".')
    return
  }
  const legal = naming.charset === 'gemini' ? /^[a-z_][a-z0-9_]*$/ : /^[A-Za-z0-9_-]+$/
  if (!legal.test(name)) {
    const may = naming.charset === 'gemini' ? 'lower-case letters, digits and _' : 'letters, digits, _ and -'
    throw wrong('which clients would refuse', `Use only ${may}, as \`naming.charset\` has it.`)
  }
  if (name.length > naming.maxLength)
    throw wrong(
      `which has ${name.length} characters`,
      `Choose one of at most ${naming.maxLength}, or set \`naming.maxLength\`.`,
    )
  if (kind === 'tools' && (PROXY_TOOL_NAMES.has(name) || RESERVED_NAMES[exposure].includes(name)))
    throw wrong('which a tool of the proxy itself has', 'Choose another name.')
}
