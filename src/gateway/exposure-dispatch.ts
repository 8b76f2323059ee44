/** Wires the exposure `dispatch`. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { absolutePath } from '../config/sources.ts'
import { createDispatch } from '../exposure/dispatch/dispatch.ts'
import { PROXY_TOOL_NAMES } from '../exposure/names.ts'
import { createSpillDirectory, sweepSpills } from '../spill/directory.ts'
import { createSpills } from '../spill/spills.ts'
import { ourInstructions } from '../tools/instructions.ts'
import { connectionsOf } from './connections.ts'
import type { Exposure, ExposureConfig, ExposureParts } from './exposure-contract.ts'
import { finderOf } from './finder.ts'

/** The longest file that `readresult` and `argumentsFile` read. */
const MAX_READ_BYTES = 256 * 1024 * 1024

/** As the paths of settings are read. */
const placeOf = (path: string): string => absolutePath(path, process.cwd(), homedir())

export async function openDispatch(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  const { settings } = config
  const { engine, keeper, upstreams, logger } = parts
  let { servers } = config
  let lists = settings.dispatch
  const base = placeOf(settings.spill.dir ?? join(settings.dataDir, 'spill'))
  void sweepSpills(base, parts.now())
  const spills = createSpills({
    directory: createSpillDirectory(base),
    allowDirs: settings.spill.allowDirs.map(placeOf),
    ownDirs: [base, settings.dataDir],
    isolation: settings.enableAgentIsolation,
    maxBytes: MAX_READ_BYTES,
    onError: (error) =>
      logger.warn({ err: error, directory: base }, 'a result could not be written to a file'),
  })
  const finder = await finderOf(config, logger)
  return {
    layers: () => [
      createDispatch({
        settings: {
          budget: settings.maxResponseSize,
          splitCalls: settings.dispatch.variants !== 'single',
          spill: settings.spill,
          readback: settings.readback,
        },
        ownTools: PROXY_TOOL_NAMES,
        finder,
        events: parts.events,
        engine,
        keeper,
        spills,
        connections: (client) => connectionsOf(servers, upstreams, parts, client),
        // Its patterns name servers: who does not see all of these is not told.
        toolFilter: (client) =>
          upstreams.serversFor(client).length === upstreams.servers.length
            ? (lists.allow ?? lists.deny) && lists
            : undefined,
        refresh: (names, { client }) => upstreams.refresh('tools', client, names),
      }),
    ],
    instructions: ourInstructions('dispatch'),
    toolsChange: () => false,
    configure(next) {
      servers = next.servers
      lists = next.settings.dispatch
      finder.retain(servers.map(({ name }) => name))
    },
    async close() {
      await Promise.all([finder.close(), spills.close()])
    },
  }
}
