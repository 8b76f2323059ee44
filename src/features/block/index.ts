/** Takes tools, prompts, resources and templates away. */
import { defineModule } from '../../module-runtime/module.ts'
import { mayStandFor, type NamingPattern, patternsIn } from '../../module-runtime/patterns.ts'
import { messagesOf, patternOfTemplate, withhold } from '../../module-runtime/withhold.ts'
import type { Destination } from '../../protocol/effects.ts'
import type {} from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { type Kind, namesAt, namesOf } from '../../protocol/lists.ts'
import { matcherOf } from '../../text/patterns/glob.ts'
import { uriMatcherOf } from '../../text/patterns/uri-readings.ts'
import { blockOptions } from './options.ts'

export const block = defineModule({
  name: 'block',
  options: blockOptions,
  messages: ({ tools, prompts, resources, templates }) => {
    const globs: Record<Kind, readonly string[]> = { tools, prompts, resources, resourceTemplates: templates }
    return messagesOf((kind) => globs[kind].length > 0)
  },
  patterns: ({ tools, prompts, resources, templates }) => [
    ...patternsIn('tools', tools, ['tools'], (glob) => by(namesRule([glob]))),
    ...patternsIn('prompts', prompts, ['prompts'], (glob) => by(namesRule([glob]))),
    ...patternsIn('resources', resources, ['resources', 'resourceTemplates'], (glob) => {
      const meant = by(urisRule([glob]))
      return (item, kind) => (kind === 'resources' ? meant(item, kind) : mayStandFor(item, glob))
    }),
    ...patternsIn('templates', templates, ['resourceTemplates'], (glob) => by(urisRule([glob]))),
  ],
  create({ tools, prompts, resources, templates }) {
    const rules: Record<Kind, Rule> = {
      tools: namesRule(tools),
      prompts: namesRule(prompts),
      resources: urisRule(resources),
      resourceTemplates: urisRule(templates),
    }
    /** The resources of blocked templates, which are not listed one by one. */
    const stoodFor = urisRule(templates.map(patternOfTemplate))
    return withhold({
      concerns: (kind) => rules[kind].isThere,
      listed: (item, kind) => fitsItem(rules[kind], item, kind),
      unlisted: (name, kind) => rules[kind].fits(name) || (kind === 'resources' && stoodFor.fits(name)),
      reached: (destination, kind, isListed) =>
        fits(rules[kind], destination) || (kind === 'resources' && !isListed && fits(stoodFor, destination)),
    })
  },
})

interface Rule {
  isThere: boolean
  fits(name: string, server?: string): boolean
}

function fits(rule: Rule, { server, name }: Destination): boolean {
  return rule.fits(name, server)
}

function fitsItem(rule: Rule, item: JsonObject, kind: Kind): boolean {
  return namesOf(item, kind).some((name) => rule.fits(name))
}

function by(rule: Rule): NamingPattern['fits'] {
  return (item, kind) => fitsItem(rule, item, kind)
}

function namesRule(globs: readonly string[]): Rule {
  const matches = matcherOf(globs)
  return {
    isThere: globs.length > 0,
    fits: (name, server) => namesAt(server === undefined ? undefined : { server, name }, name).some(matches),
  }
}

function urisRule(globs: readonly string[]): Rule {
  return { isThere: globs.length > 0, fits: uriMatcherOf(globs).any }
}
