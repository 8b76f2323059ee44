/**
 * Makes one thing of chosen items of several servers, with a title and instructions of its own. What does not belong to it is
 * not there. With a name it is a profile: it counts for those alone who chose it.
 */
import type * as z from 'zod'
import { packageOptions } from '../config/modules/package.ts'
import type { JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { matcherOf } from '../text/glob.ts'
import { uriMatcherOf } from '../text/uri-readings.ts'
import { type Described, defineModule } from './module.ts'
import { type Scope, scopeOf } from './package-scope.ts'
import { patternsIn } from './patterns.ts'
import { type Kind, namesOf } from './roster.ts'
import { messagesOf, patternOfTemplate, withhold } from './withhold.ts'

type Options = z.output<typeof packageOptions>

export const bundle = defineModule({
  name: 'package',
  options: packageOptions,
  messages(options) {
    const { chosen, scope } = choiceOf(options)
    return messagesOf((kind) => chosen[kind] !== undefined || !scope.isOpen)
  },
  patterns: ({ tools, prompts }) => [
    ...patternsIn('tools', tools, ['tools']),
    ...patternsIn('prompts', prompts, ['prompts']),
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
    /** What a template of the package stands for may be read, listed or not. */
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

    /** Whether it is for those who chose this. */
    const isFor = (choice: string | undefined): boolean =>
      profile === undefined || choice === profile || (choice === undefined && isDefault)
    const { wrap, notify } = withhold({
      concerns: (kind) => chosen[kind] !== undefined || !scope.isOpen,
      listed: (item, kind) => !belongs(item, kind),
      unlisted: (name, kind) => !mayBe(name, kind),
      // What no list names is known by its server alone.
      reached: ({ server }, kind, isListed) =>
        !isListed && (servers !== undefined || chosen[kind] === undefined) && !scope.holds(server),
      opens: true,
    })
    return {
      ...(wrap && {
        wrap(next) {
          const within = wrap(next)
          return (exchange) => (isFor(exchange.client.profile) ? within(exchange) : next(exchange))
        },
      }),
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
