/** The search for tools, as the configuration wants it. */
import { identityOf } from '../config/identity.ts'
import type { Finder } from '../discovery/finder.ts'
import { openFinder } from '../discovery/open-finder.ts'
import type { Logger } from '../telemetry/log.ts'
import type { ExposureConfig } from './exposure-contract.ts'

export function finderOf({ settings, servers, file }: ExposureConfig, logger: Logger): Promise<Finder> {
  const { index } = settings
  return openFinder({
    engine: index.engine,
    model: index.model,
    vectorStore: index.vectorStore,
    dataDir: settings.dataDir,
    // A file stays the same configuration when servers are added to it; without one the servers are all there is.
    part: file ?? identityOf({ servers }),
    reset: settings.resetData,
    servers: servers.map(({ name }) => name),
    environment: process.env,
    logger,
  })
}
