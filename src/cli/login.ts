/** Signs in to a server in the terminal, and forgets it again. The tokens lie in the data directory, where `run` finds them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasAuthorization } from '../config/auth-options.ts'
import type { Config } from '../config/schema.ts'
import type { ServerConfig } from '../config/servers.ts'
import { prepareDataDirectory } from '../data/directory.ts'
import type { Gateway, GatewayParts } from '../gateway.ts'
import { silentLogger } from '../observe/log.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Host, Invocation } from './host.ts'
import { settle } from './settle.ts'

/** A person takes their time. */
const PATIENCE_MS = 600_000

/** Connects the server, which asks for a sign-in where it wants one. Exit code 1 when it cannot be connected after all. */
export async function login(host: Host, invocation: Invocation, name: string): Promise<number> {
  let asked = false
  const tell = (_: string, link: string): void => {
    asked = true
    host.stderr.write(`Sign in in the browser: ${link}\n${elsewhere(host, link)}`)
  }
  return await withServer(host, invocation, name, { tell }, async (gateway) => {
    const [status] = await gateway.check()
    if (status?.state !== 'ready') {
      host.stderr.write(`${status?.lastError ?? `server \`${name}\` did not connect`}\n`)
      return 1
    }
    const tools = status.tools === undefined ? '' : ` It offers ${status.tools} tools.`
    host.stdout.write(
      `${asked ? `Signed in to ${name}.` : `${name} answers; no sign-in was asked for.`}${tools}\n`,
    )
    return 0
  })
}

/** Forgets the tokens of the server. */
export async function logout(host: Host, invocation: Invocation, name: string): Promise<number> {
  return await withServer(host, invocation, name, { interactive: false }, async (gateway) => {
    const done = await gateway.signOut(name)
    const words = {
      revoked: `Signed out of ${name}.`,
      forgotten: `Signed out of ${name} here. The server was not told: there, the tokens last as long as they last.`,
      'nothing kept': `Nothing was kept for ${name}.`,
    }
    host.stdout.write(`${words[done]}\n`)
    return 0
  })
}

/** A gateway of this one server, with nothing remembered of earlier runs but who is signed in. */
async function withServer(
  host: Host,
  invocation: Invocation,
  name: string,
  signIn: NonNullable<GatewayParts['signIn']>,
  work: (gateway: Gateway) => Promise<number>,
): Promise<number> {
  const { config: wished } = await settle(host, invocation)
  const server = findServer(wished, name)
  const { config, warning, discard } = prepareDataDirectory(wished, host)
  if (warning !== undefined) {
    discard?.()
    throw new ProxyError(
      'CONFIG_INVALID',
      warning,
      'Correct its permissions, or set dataDir: tokens have to be kept.',
    )
  }
  const dataDir = mkdtempSync(join(host.temporary, 'mcpproxy-login-'))
  const connect = { ...config.settings.connect, lazy: false, timeoutMs: PATIENCE_MS }
  const settings = { ...config.settings, dataDir, connect }
  const parts = {
    dataDir: config.settings.dataDir,
    environment: host.env,
    platform: host.platform,
    ...signIn,
  }
  try {
    const gateway = await host.createGateway(
      { ...config, servers: [server], settings },
      { logger: silentLogger, signIn: parts },
    )
    try {
      return await work(gateway)
    } finally {
      await gateway.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function findServer(config: Config, name: string): ServerConfig {
  const server = config.servers.find((one) => one.name === name)
  if (server === undefined) {
    const names = config.servers.map((one) => one.name).join(', ')
    throw new ProxyError('CONFIG_INVALID', `There is no server ${name}.`, `Servers are: ${names}.`)
  }
  const refuse = (why: string, next: string): never => {
    throw new ProxyError('CONFIG_INVALID', `Server ${name} ${why}.`, next)
  }
  if (!('url' in server)) return refuse('is a command, and needs no sign-in', 'Name a server with a "url".')
  if (server.oauth?.enabled === false) return refuse('has "oauth": false', 'Remove that to sign in.')
  if (hasAuthorization(server.url, server.headers)) {
    return refuse('has an Authorization header, which is sent in place of a sign-in', 'Remove it to sign in.')
  }
  return server
}

/** Over SSH the browser is on another machine, where 127.0.0.1 is not this one. */
function elsewhere({ env }: Host, link: string): string {
  if (env.SSH_CONNECTION === undefined) return ''
  const { port } = new URL(link)
  return `If your browser is on another machine, first run there: ssh -L ${port}:127.0.0.1:${port} <this machine>\n`
}
