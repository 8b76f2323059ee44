import type { Config } from '../config/schema.ts'
import type { Access } from '../downstream/auth/open.ts'
import type { Logger } from '../telemetry/log.ts'

/** Who may connect. Over standard input and output there is one client, which started the proxy. */
export async function accessOf(
  settings: Config['settings'],
  logger: Logger,
  now: () => number,
): Promise<Partial<Access>> {
  if (settings.transport === 'stdio') return {}
  const { openAccess } = await import('../downstream/auth/open.ts')
  return openAccess({ settings, logger, now })
}
