/** Wires the console: what it sees of calls and clients, its tokens, and its own listener where clients come over standard input. */
import { homedir } from 'node:os'
import { nameOfHost } from '../../config/loopback.ts'
import { holdersOf } from '../../config/modules.ts'
import type { Config } from '../../config/schema.ts'
import { noteConsole } from '../../data/consoles.ts'
import { keptToken, tokenFile } from '../../data/tokens.ts'
import type { Engine } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import { createRedactor, secretsOf } from '../../observe/redact.ts'
import type { Ledger } from '../../observe/savings.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { Client, Middleware } from '../../protocol/exchange.ts'
import { calledNameIn } from '../../proxy/own-tools.ts'
import {
  type Endpoint,
  type HttpListener,
  type HttpOptions,
  listen,
  type Service,
} from '../../server/http/listen.ts'
import { refuse } from '../../server/http/request.ts'
import type { Backend } from '../../server/legacy.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Upstreams } from '../../upstream/contract.ts'
import type { Event } from './api.ts'
import { createCalls } from './calls.ts'
import { createConfigurationFile } from './configuration.ts'
import { createDesk, type DeskParts } from './desk.ts'
import { createConsoleEndpoint, MCP_PATH, PAGE_PATH } from './endpoint.ts'
import { createLogLines } from './log-lines.ts'
import type { ConsoleHost } from './options.ts'

interface EarlyParts {
  now: () => number
}

interface ConsoleParts
  extends EarlyParts,
    Pick<
      DeskParts,
      | 'live'
      | 'questions'
      | 'programs'
      | 'tools'
      | 'layers'
      | 'modules'
      | 'signOut'
      | 'outputTypes'
      | 'resultSettings'
      | 'sharedSavings'
    > {
  logger: Logger
  engine: Engine
  resultStore: ResultStore
  ledger: Ledger
  upstreams: Upstreams
  /** How clients are served. */
  clients: Omit<HttpOptions, 'host' | 'port'>
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
  /** Calls back when lists of servers changed. */
  listChanged(heard: (list: string) => void): void
  host: ConsoleHost | undefined
}

/** The layers on the way of calls, before there is anything to show them. */
export interface Console {
  readonly layer: Middleware
  /** The same logger; its lines about servers are shown. */
  noting(logger: Logger): Logger
  /** The same backend, with its clients noted. */
  watching(backend: Backend): Backend
  serve(parts: ConsoleParts): OpenConsole
}

export interface OpenConsole {
  /** For the listener that clients come to. */
  readonly endpoint: Endpoint
  /** Opens a listener where there is no other. `url`: of that other. Gives where the page is; undefined: it cannot be served. */
  start(url: string | undefined): Promise<string | undefined>
  close(): Promise<void>
}

const ADMIN_FILE = 'console-token'
const READ_FILE = 'console-read-token'

/** Throws ProxyError when the file of a token cannot be used. */
export function openConsole(config: Config, { now }: EarlyParts): Console {
  const { settings } = config
  const { console: options, dataDir, exposure } = settings
  const redactor = createRedactor(secretsOf([...config.servers, ...holdersOf(config.modules)]))
  const calls = createCalls({
    max: options.calls,
    maxBytes: options.callBytes,
    now,
    calledName: calledNameIn({ exposure }),
    redactor,
  })
  const logLines = createLogLines(now, redactor)
  const clients = new Map<Client, number>()
  const listeners = new Set<(event: Event) => void>()
  const tell = (event: Event): void => {
    for (const heard of listeners) heard(event)
  }
  calls.listen((call) => {
    if (listeners.size === 0) return
    tell({ calls: [call] })
    if (call.handle !== undefined) tell({ changed: ['results'] })
  })
  const admin = keptToken(dataDir, ADMIN_FILE, { of: 'the console' })
  const reader = keptToken(dataDir, READ_FILE, { of: 'the console' })

  function serve(parts: ConsoleParts): OpenConsole {
    const { logger, elapsed, listChanged, host, clients: sessions } = parts
    let served: string | undefined
    let listener: HttpListener | undefined
    let forget: (() => void) | undefined
    listChanged((list) => tell({ changed: list === 'tools' ? ['servers', 'tools'] : ['servers'] }))
    const desk = createDesk({
      ...parts,
      config,
      calls,
      logLines,
      redactor,
      clients,
      configuration: createConfigurationFile(config.file, host?.check, now),
      tokenFile: tokenFile(settings, process.cwd(), homedir()).path,
      url: () => served,
      changed: (list) => tell({ changed: [list] }),
      live() {
        const live = parts.live()
        // A server that was added since has secrets of its own.
        redactor.strike(secretsOf(live.servers))
        return live
      },
    })
    const { publicUrl } = settings.auth
    let mcp: Promise<Service> | undefined
    async function openMcp(): Promise<Service> {
      const { streamableAt } = await import('../../server/http/streamable.ts')
      // Its sessions are of this process: another replica has a console of its own.
      return streamableAt(MCP_PATH, {
        ...sessions,
        host: settings.host,
        seal: undefined,
        replicas: undefined,
      })
    }
    const endpoint = createConsoleEndpoint({
      desk,
      mcp() {
        mcp ??= openMcp()
        return mcp
      },
      tokens: { admin: admin.token, read: reader.token },
      remote: options.remote,
      hosts: [nameOfHost(settings.host), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])],
      listen(heard) {
        listeners.add(heard)
        return () => void listeners.delete(heard)
      },
      logger,
      elapsed,
    })

    /** Undefined: it could not. The session of the client is worth more than the console. */
    async function listenAlone(): Promise<string | undefined> {
      try {
        listener = await listen(
          { host: '127.0.0.1', port: options.port, backend: { logger }, endpoints: [endpoint] },
          nothingElse,
        )
        return listener.url
      } catch (error) {
        logger.error({ reason: messageOf(error) }, 'there is no console')
        return undefined
      }
    }

    return {
      endpoint,
      async start(url) {
        served = url === undefined ? await listenAlone() : new URL(PAGE_PATH, url).href
        if (served === undefined) return undefined
        forget = noteConsole(dataDir, { url: served, file: config.file, started: now() }, (reason) =>
          logger.warn({ reason }, 'the address of the console could not be written'),
        )
        logger.info({ url: served, file: admin.path }, 'the console is served')
        return served
      },
      async close() {
        forget?.()
        endpoint.close()
        const closed = mcp?.then((service) => service.closeSessions())
        await Promise.all([listener?.close(), desk.close(), closed])
      },
    }
  }

  return {
    layer: calls.layer,
    noting: logLines.noting,
    serve,
    watching: (backend) => ({
      ...backend,
      opened(client) {
        clients.set(client, now())
        tell({ changed: ['clients'] })
        backend.opened(client)
      },
      closed(client) {
        clients.delete(client)
        tell({ changed: ['clients'] })
        backend.closed(client)
      },
    }),
  }
}

const nothingElse = {
  path: PAGE_PATH,
  handle: async (_: unknown, response: Parameters<typeof refuse>[0]) => refuse(response, 404, 'Not found'),
  closeSessions: async () => {},
}
