/** How the tools of the servers are offered: nothing in the way of those that pass through. */
import { ourInstructions } from '../tools/instructions.ts'
import { besideDirect } from './beside.ts'
import type { Exposure, ExposureConfig, ExposureParts } from './exposure-contract.ts'

/** What is hidden by the exposure of the settings, and beside it what servers want to have listed. */
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

/** What an exposure needs is loaded by those alone who want it. */
async function openHiding(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  switch (config.settings.exposure) {
    case 'passthrough':
      return passthrough
    case 'retrieve': {
      const { openRetrieve } = await import('./exposure-retrieve.ts')
      return openRetrieve(config, parts)
    }
    case 'dispatch': {
      const { openDispatch } = await import('./exposure-dispatch.ts')
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
