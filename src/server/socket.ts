/**
 * Clients of this user on a Unix socket or a named pipe: what `connect` joins. Each connection speaks as a client on standard input
 * does, after one line that says who it is. The rights of its folder decide which users may open the socket.
 */
import { randomInt, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { otherProfiles, type Profile } from '../config/profiles.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { ModernService } from './backend.ts'
import type { HttpOptions } from './http/listen.ts'
import type { Session } from './legacy.ts'
import { openEras, StdioTransport } from './stdio.ts'

/** Where the socket is, and how long it is there for. */
export interface SocketOptions {
  readonly path: string
  /** Milliseconds without a client after which it stops. 0: it waits for ever. */
  readonly lingerMs: number
  /** The answer to `{"ask": "status"}`. */
  status(): JsonObject
}

/** Bytes of the first line, and milliseconds in which it comes. */
const HELLO_BYTES = 4096
const HELLO_MS = 10_000

/** The client of this name has the results of clients over standard input. */
const LOCAL = 'local'

/** Rejects with ProxyError when the socket cannot be made. `ended` resolves when no client can come any more. */
export async function serveSocket(
  options: HttpOptions & { modern: ModernService; maxMessageBytes: number },
  socket: SocketOptions,
): Promise<{ url: undefined; ended: Promise<void>; close(): Promise<void> }> {
  const { backend, maxSessions, profiles = () => [] } = options
  const { path, lingerMs, status } = socket
  const sessions = new Map<Session, Socket>()
  const open = new Set<Socket>()
  let end: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let lingering: NodeJS.Timeout | undefined
  const linger = (): void => {
    clearTimeout(lingering)
    if (sessions.size === 0 && lingerMs > 0) lingering = setTimeout(end, lingerMs)
  }

  async function admit(connection: Socket, hello: JsonObject): Promise<void> {
    const say = (answer: JsonObject): void => void connection.write(`${JSON.stringify(answer)}\n`)
    if (hello.ask === 'status') {
      say({ ...status(), clients: sessions.size })
      connection.end()
      return
    }
    const { client, profile } = hello
    const refusal =
      typeof client !== 'string' || !/^[\w.@-]{1,80}$/.test(client)
        ? 'The first line has to name the client.'
        : sessions.size >= maxSessions
          ? `${maxSessions} clients are connected, which is all that maxTotalAgents allows.`
          : unknownProfile(profile, profiles())
    if (refusal !== undefined) {
      say({ refused: refusal })
      connection.end()
      return
    }
    say({ joined: true })
    const transport = new StdioTransport({
      input: connection,
      output: connection,
      maxMessageBytes: options.maxMessageBytes,
      ...(options.limits && { limits: options.limits }),
    })
    const session = await openEras({
      id: `socket-${randomUUID()}`,
      // The command line shares what it keeps with a proxy over standard input, as it does where no gateway runs.
      agent: { id: client === LOCAL ? LOCAL : `client:${String(client)}`, kind: 'local' },
      transport,
      backend,
      modern: options.modern,
      ...(typeof profile === 'string' && { profile }),
      // A client answers old questions of a gateway that crashed: they must not be taken for answers to new ones.
      firstId: randomInt(2 ** 31),
    })
    connection.resume()
    sessions.set(session, connection)
    clearTimeout(lingering)
    void session.ended.then(() => {
      sessions.delete(session)
      connection.destroySoon()
      linger()
    })
  }

  const server = createServer((connection) => {
    open.add(connection)
    connection.once('close', () => open.delete(connection))
    connection.on('error', (error) => backend.logger.debug({ err: error }, 'client connection'))
    firstLine(connection).then(
      (hello) => admit(connection, hello),
      () => connection.destroy(),
    )
  })
  if (process.platform !== 'win32') rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new ProxyError(
          'LISTEN_FAILED',
          `${path} cannot be listened on: ${messageOf(error)}`,
          'Check the data directory.',
          {
            cause: error,
          },
        ),
      ),
    )
    server.listen(path, resolve)
  })
  linger()
  return {
    url: undefined,
    ended,
    async close() {
      clearTimeout(lingering)
      const closed = new Promise((resolve) => server.close(resolve))
      // A client of `connect` starts another gateway at once after a crash, and with its next message after a stop.
      for (const connection of sessions.values()) connection.write('{"leaving":true}\n')
      await Promise.all([...sessions.keys()].map((session) => session.close()))
      for (const connection of open) connection.destroySoon()
      await closed
      end()
    },
  }
}

/** Bytes behind the line stay to be read. */
function firstLine(connection: Socket): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0)
    const late = setTimeout(() => done(new Error('no first line came')), HELLO_MS)
    function done(result: JsonObject | Error): void {
      clearTimeout(late)
      connection.off('data', take)
      connection.off('close', gone)
      connection.pause()
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
    const gone = (): void => done(new Error('the client is gone'))
    function take(chunk: Buffer): void {
      read = Buffer.concat([read, chunk])
      const at = read.indexOf(0x0a)
      if (at < 0 && read.length <= HELLO_BYTES) return
      try {
        const hello: unknown = JSON.parse(read.subarray(0, Math.max(at, 0)).toString('utf8'))
        if (!isObject(hello)) throw new Error('the first line is no object')
        done(hello)
        if (at + 1 < read.length) connection.unshift(read.subarray(at + 1))
      } catch (error) {
        done(error as Error)
      }
    }
    connection.on('data', take)
    connection.once('close', gone)
  })
}

function unknownProfile(wanted: unknown, there: readonly Profile[]): string | undefined {
  if (wanted === undefined || there.some(({ name }) => name === wanted)) return undefined
  const names = there.map(({ name }) => name)
  return `There is no profile ${JSON.stringify(String(wanted).slice(0, 64))}. ${otherProfiles(String(wanted), names)}`
}
