/** What an HTTP transport is handed. */
import type { Era } from '../../protocol/eras.ts'
import type { Logger } from '../../telemetry/log.ts'
import type { Authorizer } from '../authorizer.ts'
import type { Later } from '../backoff.ts'
import type { Arriving } from '../envelope.ts'

export interface HttpOptions {
  /** Without name and password. */
  url: URL
  headers: Readonly<Record<string, string>>
  /** `auto`: streamable HTTP, and SSE when the server answers initialize as one that does not know it. */
  type: 'streamable-http' | 'sse' | 'auto'
  era: Era
  /** A response longer than this many bytes is not parsed here. */
  largeBytes: number
  /** A message longer than this many bytes is thrown away; the request it answers fails. */
  maxMessageBytes: number
  /** Told of long responses while they come. */
  arriving?: Arriving | undefined
  /** Milliseconds to wait for the server to end the session. */
  graceMs: number
  /** Strikes this server's secrets out of messages, which are told to clients and models. */
  conceal(text: string): string
  logger: Logger
  /** Who signs in at the server. A configured `Authorization` header is sent in its place. */
  authorizer?: Authorizer | undefined
  /** Where `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are looked up. */
  environment: Readonly<Record<string, string | undefined>>
  later: Later
  /** Yields [0, 1). */
  random(): number
}
