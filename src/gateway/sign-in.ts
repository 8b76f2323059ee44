/** How the proxy signs in to servers. */
import type { Config } from '../config/schema.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Authorizers } from '../upstream/oauth/authorizers.ts'

/** How the proxy signs in to servers, where that is not as the configuration says. */
export interface SignInParts {
  /** Where tokens are kept, when not in the data directory. */
  dataDir?: string
  /** False: no sign-in begins; an error says which command does it. */
  interactive?: boolean
  /** Told the address of every sign-in that begins. */
  tell?: (server: string, link: string) => void
  /** Environment and system in which a browser is looked for. */
  environment?: Readonly<Record<string, string | undefined>>
  platform?: string
}

/** Loaded only where there is a server with an address. */
export async function openAuthorizers(
  { servers, settings }: Config,
  parts: SignInParts = {},
  logger: Logger,
  now: () => number,
): Promise<Authorizers | undefined> {
  const {
    dataDir = settings.dataDir,
    environment = process.env,
    platform = process.platform,
    ...rest
  } = parts
  const remote = servers.filter((server) => server.transport !== 'stdio')
  if (remote.length === 0) return undefined
  const { createAuthorizers } = await import('../upstream/oauth/authorizers.ts')
  return createAuthorizers({
    servers: remote,
    logger,
    now,
    connectTimeoutMs: settings.connect.timeoutMs,
    open: settings.oauth.open,
    dataDir,
    environment,
    platform,
    ...rest,
  })
}
