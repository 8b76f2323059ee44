/** Readers of response bodies. */

import { STATUS_CODES } from 'node:http'
import { messageOf } from '../../protocol/errors.ts'
import { MessageBytes, type TakenBytes, type Watch } from '../../protocol/stream.ts'

export interface BodyReader {
  /** Given before the first chunk to a reader that may let the rest wait. */
  source?(source: BodySource): void
  data(chunk: Buffer): void
  /** The body is complete. Not called for one that broke off. */
  end(): void
  /** Nothing is wanted any more. */
  stop?(): void
}

/** Where a body comes from. */
export interface BodySource {
  pause(): void
  resume(): void
  /** Gives up the body, and the call with it. */
  fail(error: Error): void
}

/** Reads past a body that says nothing of interest, so that the connection can be used again. */
export const IGNORED: BodyReader = { data: () => {}, end: () => {} }

/** A whole body, when it is complete or, without its middle, as soon as it is longer than the limit. */
export class WholeBody implements BodyReader {
  readonly #bytes: MessageBytes
  readonly #whole: (body: TakenBytes) => void
  #done = false

  constructor(maxBytes: number, whole: (body: TakenBytes) => void, watch?: Watch) {
    this.#bytes = new MessageBytes(maxBytes, watch)
    this.#whole = whole
  }

  data(chunk: Buffer): void {
    if (this.#done) return
    this.#bytes.add(chunk)
    if (this.#bytes.tooLong) this.end()
  }

  end(): void {
    if (this.#done) return
    this.#done = true
    this.#whole(this.#bytes.take())
  }
}

// Words for what goes wrong over HTTP: one line, the status first, never a secret.

/** The server answered with a status that refuses. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number

  constructor(status: number, reason: string) {
    super(`HTTP ${status}: ${reason || STATUS_CODES[status] || 'no reason given'}`)
    this.status = status
  }
}

type Conceal = (text: string) => string

const SHOWN = 200

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEDOUT: 'no answer',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
  EHOSTUNREACH: 'no way to this host',
  ENETUNREACH: 'no way to this network',
  ECONNRESET: 'reset by the other side',
  EPIPE: 'closed by the other side',
  UND_ERR_SOCKET: 'closed by the other side',
}

/** Text of a server in one line. */
export function oneLine(text: string, conceal: Conceal): string {
  return conceal(text)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, SHOWN)
    .trimEnd()
}

/** A connection that could not be had, or broke: host, port, cause. */
export function networkFailure(error: Error, url: URL, connected: boolean, conceal: Conceal): Error {
  const cause = innermost(error)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  const known = code === undefined ? undefined : REASONS[code]
  const reason = known === undefined ? oneLine(messageOf(cause), conceal) : known
  const where = `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port}`
  const what = connected ? `the connection to ${where} broke` : `could not connect to ${where}`
  return new Error(`${what}: ${reason}${code === undefined ? '' : ` (${code})`}`, { cause: error })
}

/** Several addresses fail as one error with an empty message of its own. */
function innermost(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return innermost(error.errors[0])
  if (error.message === '' && error.cause instanceof Error) return innermost(error.cause)
  return error
}
