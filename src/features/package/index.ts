/**
 * Makes one thing of chosen items of several servers, with a title and instructions of its own. Items that do not belong to it are not
 * there. With a name it is a profile: it counts for those alone who chose it.
 */

import type * as z from 'zod'
import { type Described, defineModule } from '../../module-runtime/module.ts'
import { ALL_KINDS, byServer, patternsIn } from '../../module-runtime/patterns.ts'
import { messagesOf, patternOfTemplate, withhold } from '../../module-runtime/withhold.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { type Kind, namesOf } from '../../protocol/lists.ts'
import { originOf } from '../../protocol/origin.ts'
import { fitsGlob, matcherOf } from '../../text/patterns/glob.ts'
import { uriMatcherOf } from '../../text/patterns/uri-readings.ts'
import { packageOptions } from './options.ts'

type Options = z.output<typeof packageOptions>

export const bundle = defineModule({
  name: 'package',
  options: packageOptions,
  messages(options) {
    const { chosen, scope } = choiceOf(options)
    return messagesOf((kind) => chosen[kind] !== undefined || !scope.isOpen)
  },
  patterns: ({ servers, tools, prompts, resources, templates }) => [
    ...patternsIn('servers', servers, ALL_KINDS, byServer),
    ...patternsIn('tools', tools, ['tools']),
    ...patternsIn('prompts', prompts, ['prompts']),
    ...patternsIn('resources', resources, ['resources', 'resourceTemplates']),
    ...patternsIn('templates', templates, ['resourceTemplates']),
  ],
  create(options, { isOwnTool }) {
    const { profile, default: isDefault, servers } = options
    const { chosen, scope } = choiceOf(options)
    const { tools = [], prompts = [], resources = [], resourceTemplates = [] } = chosen
    const fits: Record<Kind, (name: string) => boolean> = {
      tools: matcherOf(tools),
      prompts: matcherOf(prompts),
      resources: matcherOf(resources),
      resourceTemplates: matcherOf(resourceTemplates),
    }
    /** Resources of a template of the package may be read, listed or not. */
    const stoodFor = uriMatcherOf([...resources, ...resourceTemplates.map(patternOfTemplate)])

    function belongs(item: JsonObject, kind: Kind): boolean {
      const origin = originOf(item)
      if (origin === undefined && kind === 'tools' && isOwnTool(String(item.name))) return true
      if (servers !== undefined && !scope.holds(origin?.server)) return false
      return chosen[kind] ? namesOf(item, kind).some(fits[kind]) : scope.holds(origin?.server)
    }

    function mayBe(name: string, kind: Kind): boolean {
      if (kind === 'resources' && (chosen.resources ?? chosen.resourceTemplates) !== undefined)
        return stoodFor.sure(name)
      return chosen[kind] === undefined || fits[kind](name)
    }

    /** Whether it is for clients that chose this. */
    const isFor = (choice: string | undefined): boolean =>
      profile === undefined || choice === profile || (choice === undefined && isDefault)
    const { wrap, list, notify } = withhold({
      concerns: (kind) => chosen[kind] !== undefined || !scope.isOpen,
      listed: (item, kind) => !belongs(item, kind),
      unlisted: (name, kind) => !mayBe(name, kind),
      // An item that no list names is known by its server alone.
      reached: ({ server }, kind, isListed) =>
        !isListed && (servers !== undefined || chosen[kind] === undefined) && !scope.holds(server),
      opens: true,
    })
    return {
      wrap(next, inside) {
        const within = wrap(next, inside)
        return (exchange) => (isFor(exchange.client.profile) ? within(exchange) : next(exchange))
      },
      list: (listed, exchange, inside) =>
        isFor(exchange.client.profile) ? list(listed, exchange, inside) : listed.items,
      ...(notify && {
        notify(next) {
          const within = notify(next)
          return (notice) => (isFor(notice.client.profile) ? within(notice) : next(notice))
        },
      }),
      ...(!scope.isOpen && {
        reaches: (server: string, choice: string | undefined) => !isFor(choice) || scope.reaches(server),
      }),
      describe: (said, choice) => (isFor(choice) ? described(said, options) : said),
      ...(profile !== undefined && {
        health: () => ({ state: 'ok', message: `profile ${profile}${isDefault ? ', the default' : ''}` }),
      }),
    }
  },
})

interface Choice {
  /** Patterns by kind. Undefined: all of its servers. */
  readonly chosen: Readonly<Record<Kind, readonly string[] | undefined>>
  readonly scope: Scope
}

function choiceOf({ servers, tools, prompts, resources, templates }: Options): Choice {
  const patterns = [tools, prompts, resources, templates].flatMap((some) => some ?? [])
  return {
    chosen: { tools, prompts, resources, resourceTemplates: templates },
    scope: scopeOf(servers, patterns),
  }
}

/** How to work with what is kept comes after what the package is. */
function described(said: Described, { title, instructions }: Options): Described {
  return {
    ...said,
    serverInfo: { ...said.serverInfo, ...(title !== undefined && { title }) },
    ...(instructions !== undefined && {
      servers: [],
      instructions: [instructions, said.instructions].filter((text) => text !== '').join('\n\n'),
    }),
  }
}

// Which servers a package is about, by what its options name.

interface Scope {
  /** False: nothing of this server belongs to it. */
  reaches(server: string): boolean
  /** True: what no pattern of its own kind decides belongs to it, by its server. */
  holds(server: string | undefined): boolean
  /** True: it is about all servers. */
  readonly isOpen: boolean
}

/** `servers`: as written. `patterns`: those of all kinds, by name or as `server/name`. */
export function scopeOf(servers: readonly string[] | undefined, patterns: readonly string[]): Scope {
  if (servers !== undefined) {
    const fits = matcherOf(servers)
    return { reaches: fits, holds: (server) => server !== undefined && fits(server), isOpen: false }
  }
  const named = patterns.map(serversIn)
  const all = named.flat()
  if (all.length === 0) return { reaches: () => true, holds: () => true, isOpen: true }
  const isNamed = (server: string): boolean => all.some((glob) => fitsGlob(server, glob))
  // A name without its server may be any server's.
  const isExact = named.every((some) => some.length > 0)
  return {
    reaches: isExact ? isNamed : () => true,
    holds: (server) => server !== undefined && isNamed(server),
    isOpen: false,
  }
}

/** The servers that `server/name` may mean, for servers may have a `/` in their names. None: the pattern names none. */
function serversIn(pattern: string): string[] {
  const found: string[] = []
  for (let at = pattern.indexOf('/'); at > 0; at = pattern.indexOf('/', at + 1)) {
    const server = pattern.slice(0, at)
    if (server.includes(':') || at + 1 === pattern.length) break
    found.push(server)
  }
  return found
}
