/** How the tools of the servers are offered: tools that pass through need no layer. */
import { plain } from '../protocol/content.ts'
import type { Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import type { Exposure, ExposureConfig, ExposureParts } from '../proxy/exposure.ts'
import { ourInstructions } from '../proxy/instructions.ts'

/** The tools that the exposure of the settings hides, and beside them the tools of servers that ask to be listed. */
export async function openExposure(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  if (config.settings.exposure === 'passthrough') return passthrough
  const hiding = await openHiding(config, parts)
  let direct = directOf(config)
  return {
    ...hiding,
    layers: (bounded) => hiding.layers(bounded).map((layer) => besideDirect(layer, () => direct)),
    toolsChange: (client) => direct.size > 0 || hiding.toolsChange(client),
    configure(next) {
      direct = directOf(next)
      hiding.configure(next)
    },
  }
}

function directOf({ servers }: ExposureConfig): ReadonlySet<string> {
  return new Set(servers.flatMap(({ name, exposure }) => (exposure === 'passthrough' ? [name] : [])))
}

/** The code of an exposure is loaded only where it is used. */
async function openHiding(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  switch (config.settings.exposure) {
    case 'passthrough':
      return passthrough
    case 'retrieve': {
      const { openRetrieve } = await import('../features/retrieve/index.ts')
      return openRetrieve(config, parts)
    }
    case 'dispatch': {
      const { openDispatch } = await import('../features/dispatch/index.ts')
      return openDispatch(config, parts)
    }
  }
}

const passthrough: Exposure = {
  layers: () => [],
  instructions: ourInstructions('passthrough'),
  toolsChange: () => true,
  configure() {},
  close: async () => {},
}

// Tools that are listed as they are, beside an exposure that hides the others.

const LIST = 'tools/list'

/** `direct`: the servers that list their tools. These tools are called by their names, as everywhere. */
export function besideDirect(exposure: Middleware, direct: () => ReadonlySet<string>): Middleware {
  return {
    ...exposure,
    wrap(next, inside) {
      const hiding = exposure.wrap(next, inside)
      return async (exchange) => {
        const servers = direct()
        const isPlain = exchange.method !== LIST || exchange.client.via !== undefined
        if (isPlain || servers.size === 0) return hiding(exchange)
        const before = inside.last('tools', exchange.client)
        const result = plain(await hiding(exchange))
        const shown = toolsOf(result)
        const names = new Set(shown.map(({ name }) => name))
        const last = inside.last('tools', exchange.client)
        // The list that the exposure got while it answered need not be asked for twice.
        const { items } = last && last !== before ? last : await inside.ask(exchange)
        const added = items.filter((tool) => {
          const origin = originOf(tool)
          return origin !== undefined && servers.has(origin.server) && !names.has(tool.name)
        })
        return added.length === 0 ? result : { ...result, tools: [...shown, ...added] }
      }
    },
  }
}

function toolsOf({ tools }: JsonObject): JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isObject) : []
}
