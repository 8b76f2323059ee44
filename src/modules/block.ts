/** Takes tools, prompts, resources and templates away: they are neither listed nor can they be used, and nobody is told that they exist. */
import { blockOptions } from '../config/modules/block.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Result } from '../protocol/result.ts'
import { matcherOf } from '../text/glob.ts'
import { defineModule } from './module.ts'
import { createRoster, KINDS, type Kind, kindOfList, namesOf, type Roster } from './roster.ts'

/** What uses an item: the kind, and the name in its params. */
interface Use {
  kind: Kind
  name: string
}

export const block = defineModule({
  name: 'block',
  options: blockOptions,
  messages: ['tools/*', 'prompts/*', 'resources/*', 'completion/complete'],
  create(options) {
    const roster = createRoster()
    const rules: Record<Kind, Rule | undefined> = {
      tools: ruleOf(options.tools),
      prompts: ruleOf(options.prompts),
      resources: ruleOf(options.resources),
      resourceTemplates: ruleOf(options.templates),
    }
    /** A resource can also be one that a blocked template stands for. */
    const byTemplate = matcherOf(options.templates.map(globOfTemplate))

    const isBlocked = (item: JsonObject, kind: Kind): boolean =>
      namesOf(item, kind).some((name) => rules[kind]?.listed(name))

    async function refused({ kind, name }: Use, exchange: Exchange, next: Handler): Promise<boolean> {
      const rule = rules[kind]
      if (kind === 'resources' && options.templates.length > 0 && byTemplate(name)) {
        // What is listed by itself is judged by itself.
        const item = await roster.find(kind, name, exchange, next)
        return item === undefined || isBlocked(item, kind)
      }
      if (rule === undefined) return false
      if (rule.listed(name)) return true
      const found = roster.find(kind, name, exchange, next)
      const item = found instanceof Promise ? await found : found
      if (item !== undefined) return isBlocked(item, kind)
      return rule.unlisted(name) || (await isAlias(kind, name, exchange, next))
    }

    /** Servers' own names work as well where one server has them. */
    async function isAlias(kind: Kind, name: string, exchange: Exchange, next: Handler): Promise<boolean> {
      const all = await roster.all(kind, exchange, next)
      return [...all.values()].some(
        (item) => isBlocked(item, kind) && namesOf(item, kind).some((one) => one.endsWith(`/${name}`)),
      )
    }

    return {
      wrap: (next) => async (exchange) => {
        const kind = kindOfList(exchange.method)
        if (kind !== undefined)
          return withoutBlocked(kind, await next(exchange), exchange, roster, rules[kind] && isBlocked)
        const use = useOf(exchange)
        if (use === undefined || (rules[use.kind] === undefined && options.templates.length === 0))
          return next(exchange)
        if (await refused(use, exchange, next)) throw unknown(use, exchange)
        return next(exchange).catch((error: unknown) => {
          throw withoutHints(error, use, rules[use.kind])
        })
      },
    }
  },
})

interface Rule {
  /** A listed item under one of its names. */
  listed(name: string): boolean
  /** A name that nobody lists: it may be a server's own name for something. */
  unlisted(name: string): boolean
}

function ruleOf(globs: readonly string[]): Rule | undefined {
  if (globs.length === 0) return undefined
  const own = globs.flatMap((glob) => (glob.includes('/') ? [glob.slice(glob.indexOf('/') + 1)] : []))
  return { listed: matcherOf(globs), unlisted: matcherOf([...globs, ...own]) }
}

function withoutBlocked(
  kind: Kind,
  passing: Result,
  { client }: Exchange,
  roster: Roster,
  isBlocked: ((item: JsonObject, kind: Kind) => boolean) | undefined,
): Result {
  if (isBlocked === undefined && kind !== 'resources') return passing
  const { result, items } = roster.learn(kind, passing, client)
  const left = isBlocked === undefined ? items : items.filter((item) => !isBlocked(item, kind))
  return left.length === items.length ? result : { ...result, [kind]: [...left] }
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

/** "Did you mean …?" further in does not know what is blocked. */
function withoutHints(error: unknown, { kind, name }: Use, rule: Rule | undefined): unknown {
  if (!(error instanceof RpcError) || rule === undefined || KINDS[kind].key !== 'name') return error
  const hint = / Did you mean (.+?)\?/.exec(error.message)
  const names = hint?.[1]?.split(', ')
  if (!names?.some((one) => rule.unlisted(one) || one !== name)) return error
  return new RpcError(error.code, error.message.replace(hint?.[0] ?? '', ''), error.data)
}

/** `note://{id}/x` as `note://…/x` with a star for each variable: what a variable stands for may hold anything. */
function globOfTemplate(template: string): string {
  return template.replaceAll(/\{[^{}]*\}/g, '*')
}
