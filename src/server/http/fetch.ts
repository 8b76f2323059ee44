/** A handler of Node as one of the web's: `Request` in, `Response` out. The request passes as HTTP, over a connection in memory. */

import { createServer, type IncomingMessage, request as nodeRequest, type RequestListener } from 'node:http'
import { Duplex, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

/** Of this connection alone, which has two ends in this process (RFC 9110, 7.6.1). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'host'])

/** Statuses of responses without a body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304])

/**
 * Answers web requests by a handler of Node. A response begins before its body is complete, so streams of events flow. Rejects when the
 * request is aborted, or its connection ends, before there is a response.
 */
export function webHandler(handle: RequestListener): (request: Request) => Promise<Response> {
  const server = createServer(handle)
  return (request) =>
    new Promise((resolve, reject) => {
      const { host, pathname, search } = new URL(request.url)
      const headers: Record<string, string> = { host }
      for (const [name, value] of request.headers) if (!OF_CONNECTION.has(name)) headers[name] = value
      const createConnection = (): Duplex => {
        const [near, far] = connected()
        server.emit('connection', far)
        return near
      }
      const { method, signal } = request
      const sent = nodeRequest({ method, path: pathname + search, headers, signal, createConnection })
      sent.once('response', (incoming) => resolve(responseOf(incoming)))
      sent.once('error', reject)
      if (request.body === null) sent.end()
      else
        Readable.fromWeb(request.body as ReadableStream)
          .once('error', (error) => sent.destroy(error))
          .pipe(sent)
    })
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode = 500, rawHeaders } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!OF_CONNECTION.has(name.toLowerCase())) headers.append(name, value)
  }
  if (!WITHOUT_BODY.has(statusCode))
    return new Response(Readable.toWeb(incoming) as globalThis.ReadableStream, {
      status: statusCode,
      headers,
    })
  incoming.resume()
  return new Response(null, { status: statusCode, headers })
}

/** The two ends of a connection: what is written at one is read at the other, as fast as it is read. */
function connected(): [Duplex, Duplex] {
  const ends: [Duplex, Duplex] = [end(() => ends[1]), end(() => ends[0])]
  return ends
}

function end(other: () => Duplex): Duplex {
  let goOn: (() => void) | undefined
  const duplex = new Duplex({
    read() {
      const waiting = goOn
      goOn = undefined
      waiting?.()
    },
    write(chunk, _encoding, done) {
      const far = other() as Duplex & { takes(chunk: unknown, done: () => void): void }
      far.takes(chunk, done)
    },
    final(done) {
      other().push(null)
      done()
    },
    destroy(error, done) {
      // As a socket that is closed: the other end reads no more.
      const far = other()
      if (!far.destroyed) setImmediate(() => far.destroy())
      done(error)
    },
  })
  return Object.assign(duplex, {
    takes(chunk: unknown, done: () => void) {
      if (duplex.destroyed || duplex.push(chunk)) done()
      else goOn = done
    },
  })
}
