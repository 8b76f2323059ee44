/** Clients that do not come through the gateway's own listener: in this process, or through a server that somebody else has. */

import { randomUUID } from 'node:crypto'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/log.ts'
import type { ModernService } from '../server/backend.ts'
import { copying } from '../server/connected.ts'
import type { HttpOptions, Mounted } from '../server/http/listen.ts'
import { openEras } from '../server/stdio.ts'
import type { Connected, Gateway } from './contract.ts'

/** The parts that all ways to serve are handed. */
type Served = Omit<HttpOptions, 'host' | 'port' | 'modern'> & { modern: ModernService }

/** `close`: ends all of these clients. */
export type Mounting = Pick<Gateway, 'connect' | 'fetch' | 'node' | 'close'>

const READ = 'The body of the request was read before. Mount the gateway before what parses bodies.'

export function createMounting(
  settings: Config['settings'],
  served: Served,
  logger: Logger,
  now: () => number,
): Mounting {
  const connected = new Set<Connected>()
  let mounted: Promise<Mounted> | undefined
  let web: Promise<(request: Request) => Promise<Response>> | undefined
  let closed = false

  /** HTTP is loaded and access is read with the first request. */
  async function mount(): Promise<Mounted> {
    const [{ openAccess }, { mountHttp }] = await Promise.all([
      import('../server/auth/open.ts'),
      import('../server/http/streamable.ts'),
    ])
    const access = await openAccess({ settings, logger, now })
    return mountHttp({ ...served, ...access, host: settings.host })
  }

  const node: Gateway['node'] = (request, response) => {
    if (request.method === 'POST' && request.readableDidRead) {
      logger.error({}, READ)
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`${READ}\n`)
      return
    }
    mounted ??= mount()
    mounted.then(
      ({ handle }) => handle(request, response),
      (error: Error) => {
        logger.error({ err: error }, 'clients cannot be served over HTTP')
        response.writeHead(500, { 'content-type': 'text/plain' }).end(`${error.message}\n`)
      },
    )
  }

  return {
    async connect(transport) {
      if (closed) throw new Error('The gateway is closed. Create another one.')
      const id = `in-process-${randomUUID()}`
      const { backend, modern } = served
      const agent = { id, kind: 'local' } as const
      const session = await openEras({ id, agent, transport: copying(transport), backend, modern })
      connected.add(session)
      void session.ended.then(() => connected.delete(session))
      return session
    },
    async fetch(request) {
      web ??= import('../server/http/fetch.ts').then(({ webHandler }) => webHandler(node))
      return (await web)(request)
    },
    node,
    async close() {
      closed = true
      await Promise.all([...connected].map((client) => client.close()))
      await mounted?.then(
        ({ close }) => close(),
        () => {},
      )
    },
  }
}
