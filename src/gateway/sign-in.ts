/** How the proxy signs in to servers. */
import type { Config } from '../config/schema.ts'
import type { ServerConfig } from '../config/servers.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Authorizer } from '../upstream/authorizer.ts'
import type { SignedOut } from '../upstream/oauth/authorizer-oauth.ts'
import type { Authorizers, ProtectedServer } from '../upstream/oauth/authorizers.ts'

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

/** Signs in at the servers of the configuration, whichever they are. */
export interface SignIn {
  for(server: string): Authorizer | undefined
  signOut(server: string): Promise<SignedOut>
  configure(servers: readonly ServerConfig[]): Promise<void>
  close(): Promise<void>
}

/** What it needs is loaded with the first server that has an address. */
export async function openSignIn(
  { servers, settings }: Config,
  parts: SignInParts = {},
  logger: Logger,
  now: () => number,
): Promise<SignIn> {
  const {
    dataDir = settings.dataDir,
    environment = process.env,
    platform = process.platform,
    ...rest
  } = parts
  let authorizers: Authorizers | undefined

  async function configure(all: readonly ServerConfig[]): Promise<void> {
    const remote = all.flatMap((server): ProtectedServer[] => ('url' in server ? [server] : []))
    if (authorizers !== undefined) return authorizers.configure(remote)
    if (remote.length === 0) return
    const { createAuthorizers } = await import('../upstream/oauth/authorizers.ts')
    authorizers = createAuthorizers({
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

  await configure(servers)
  return {
    for: (server) => authorizers?.for(server),
    signOut: async (server) => (await authorizers?.signOut(server)) ?? 'nothing kept',
    configure,
    close: async () => authorizers?.close(),
  }
}
