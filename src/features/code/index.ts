/**
 * `proxy_code`: a program of the model over what is kept and what may be called, in a sandbox that holds nothing of the host. The code
 * that lists it is loaded with the first list, and the code that runs programs with the first one.
 */
import { errorResult } from '../../protocol/content.ts'
import { renamed } from '../../protocol/json.ts'
import { createLists } from '../../protocol/lists.ts'
import type { ExposureConfig } from '../../proxy/exposure.ts'
import { PROXY_CODE, type ProxyTool } from '../../proxy/own-tools.ts'
import { readParams } from '../../proxy/parameters.ts'
import type { CodeParts, CodeWiring, Programs } from './programs.ts'

/** The feature, made where the settings ask for it. */
export interface Code {
  tool(wiring: CodeWiring): Promise<ProxyTool>
  /** The same for a person: its programs have what is kept under handles, and no tools. */
  alone(): Promise<ProxyTool>
  close(): Promise<void>
}

export function openCode(config: ExposureConfig, parts: CodeParts): Code {
  let opened: Promise<Programs> | undefined
  const code: Code = {
    alone: () =>
      code.tool({
        call: async () => errorResult('No tool can be called here.'),
        lists: () => createLists(async () => ({ tools: [] })),
        ownTools: new Set(),
        meant: async ({ words }) => ({ handles: words, told: '' }),
      }),
    async tool(wiring) {
      const { definitionOf, OTHER_NAMES, params } = await import('./definition.ts')
      return {
        name: PROXY_CODE,
        definition: definitionOf(config.settings.code),
        async call(args, exchange) {
          const read = readParams(PROXY_CODE, params, renamed(args, OTHER_NAMES))
          if ('failure' in read) return errorResult(read.failure)
          if (exchange.keep)
            return errorResult(`${PROXY_CODE} cannot be called by another tool of the proxy.`)
          opened ??= import('./programs.ts').then(({ openPrograms }) => openPrograms(config, parts, wiring))
          const programs = await opened
          return programs.run(read.params, exchange)
        },
      }
    },
    async close() {
      await (await opened)?.close()
    },
  }
  return code
}
