/** What stands around an exchange, told to people. */
import { FEATURES } from '../config/features.ts'
import type { Config } from '../config/schema.ts'
import type { ModuleStatus } from './modules.ts'
import type { OnionLayer } from './onion.ts'

/** A layer around every exchange. */
export interface LayerStatus extends OnionLayer {
  /** What it does; of a module what it is: `use: block`. Empty for layers of the embedder. */
  readonly what: string
}

/** From the client to the servers. */
export function describeLayers(
  layers: readonly OnionLayer[],
  modules: readonly ModuleStatus[],
  config: Pick<Config, 'settings' | 'servers'>,
): LayerStatus[] {
  const features = new Map(FEATURES.map(({ name, what }) => [name, what]))
  const own = new Map(
    modules.map(({ name, what, mode }) => [name, mode === 'audit' ? `${what}, audit` : what]),
  )
  return layers.map(({ name, kind }) => {
    if (kind === 'module') return { name, kind, what: own.get(name) ?? GATE }
    if (kind === 'layer') return { name, kind, what: '' }
    const what = [features.get(name) ?? '', ...(name === 'router' ? routing(config) : [])]
    return { name, kind, what: what.join(' ') }
  })
}

/** The one layer among the modules that is none of the list. */
const GATE = 'Who chose a profile that is gone gets nothing.'

/** What settings do there that modules can do as well. */
function routing({ settings, servers }: Pick<Config, 'settings' | 'servers'>): string[] {
  const renamed = Object.keys(settings.naming.rename).length
  const limited = servers.flatMap(({ name, quota }) => (quota ? [`${name} ${quota.rps} a second`] : []))
  return [
    ...(renamed > 0 ? [`Names of \`naming.rename\`: ${renamed}.`] : []),
    ...(limited.length > 0 ? [`Quotas: ${limited.join(', ')}.`] : []),
  ]
}
