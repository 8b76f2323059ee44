/** Makes one thing of chosen items of several servers, with a title and instructions of its own. What does not belong to it is not there. */
import { packageOptions } from '../config/modules/package.ts'
import { originOf } from '../protocol/origin.ts'
import { matcherOf } from '../text/glob.ts'
import { uriMatcherOf } from '../text/uri-readings.ts'
import { defineModule } from './module.ts'
import { type Kind, namesOf } from './roster.ts'
import { messagesOf, patternOfTemplate, withhold } from './withhold.ts'

export const bundle = defineModule({
  name: 'package',
  options: packageOptions,
  messages: ({ tools, prompts, resources, templates }) => {
    const chosen = { tools, prompts, resources, resourceTemplates: templates }
    return messagesOf((kind) => chosen[kind] !== undefined)
  },
  create({ title, instructions, tools, prompts, resources, templates }) {
    const chosen: Record<Kind, readonly string[] | undefined> = {
      tools,
      prompts,
      resources,
      resourceTemplates: templates,
    }
    const belongs = (globs: readonly string[] | undefined): ((name: string) => boolean) =>
      globs ? matcherOf(globs) : () => true
    const listed: Record<Kind, (name: string) => boolean> = {
      tools: belongs(tools),
      prompts: belongs(prompts),
      resources: belongs(resources),
      resourceTemplates: belongs(templates),
    }
    /** What a template of the package stands for may be read, listed or not. */
    const stoodFor = uriMatcherOf([...(resources ?? []), ...(templates ?? []).map(patternOfTemplate)])
    return {
      ...withhold({
        concerns: (kind) => chosen[kind] !== undefined,
        // Large results need the proxy's own tools, which no server lists.
        listed: (item, kind) =>
          !(kind === 'tools' && originOf(item) === undefined) && !namesOf(item, kind).some(listed[kind]),
        unlisted: (name, kind) => (kind === 'resources' ? !stoodFor.sure(name) : !listed[kind](name)),
      }),
      describe: (said) => ({
        ...said,
        serverInfo: { ...said.serverInfo, ...(title !== undefined && { title }) },
        ...(instructions !== undefined && { servers: [], instructions }),
      }),
    }
  },
})
