/** Takes tools, prompts, resources and templates away. */
import { blockOptions } from '../config/modules/block.ts'
import { matcherOf } from '../text/glob.ts'
import { defineModule } from './module.ts'
import { type Kind, namesOf } from './roster.ts'
import { patternOfTemplate, WITHHOLDS, withhold } from './withhold.ts'

export const block = defineModule({
  name: 'block',
  options: blockOptions,
  messages: WITHHOLDS,
  create({ tools, prompts, resources, templates }) {
    const rules: Record<Kind, Rule> = {
      tools: ruleOf(tools),
      prompts: ruleOf(prompts),
      resources: ruleOf(resources, templates.map(patternOfTemplate)),
      resourceTemplates: ruleOf(templates),
    }
    return {
      wrap: withhold({
        concerns: (kind) => rules[kind].isThere,
        listed: (item, kind) => namesOf(item, kind).some(rules[kind].listed),
        unlisted: (name, kind) => rules[kind].unlisted(name),
      }),
    }
  },
})

interface Rule {
  isThere: boolean
  listed(name: string): boolean
  unlisted(name: string): boolean
}

/** `stood`: what is blocked as well where it is not listed by itself. */
function ruleOf(globs: readonly string[], stood: readonly string[] = []): Rule {
  // A server's own name works as well, without the server in front of it.
  const own = globs.flatMap((glob) => (/^[^/:]+\/[^/]/.test(glob) ? [glob.slice(glob.indexOf('/') + 1)] : []))
  return {
    isThere: globs.length > 0,
    listed: matcherOf(globs),
    unlisted: matcherOf([...globs, ...own, ...stood]),
  }
}
