/** Servers whose tools are offered in another way than those of the rest: some are listed as they are, the others hidden in one way. */
import { SERVER_SECTIONS } from './names.ts'
import type { Report } from './report.ts'
import type { ServerConfig } from './servers.ts'
import type { Settings } from './settings.ts'

/**
 * `settings.exposure` becomes the way in which tools are hidden, where a server asks for one; servers that are offered as they
 * come say so. Two ways of hiding are an error: a client would be told two stories.
 */
export function settleExposure(
  settings: Settings,
  servers: readonly ServerConfig[],
  report: Report,
): { settings: Settings; servers: readonly ServerConfig[] } {
  const asked = servers.filter(({ exposure }) => exposure !== undefined && exposure !== 'passthrough')
  const mode = settings.exposure === 'passthrough' ? asked[0]?.exposure : settings.exposure
  for (const { name, exposure } of asked) {
    if (exposure === mode) continue
    report.addAt('error', [SERVER_SECTIONS[0], name, 'exposure'], {
      message: `is ${exposure}, but other tools are behind ${mode}`,
      remedy: `Write ${mode}, or passthrough.`,
    })
  }
  if (mode === undefined || mode === settings.exposure) return { settings, servers }
  return {
    settings: { ...settings, exposure: mode },
    servers: servers.map((server) => ({ ...server, exposure: server.exposure ?? 'passthrough' })),
  }
}
