/** The headers of a connection of the legacy era: session and revision (MCP 2025-11-25, "Session Management"). */
import type { IncomingHttpHeaders } from 'node:http'
import type { HeaderList } from './headers.ts'

/** Visible ASCII (MCP 2025-11-25): anything else could not be sent back. */
const SESSION_ID = /^[\x21-\x7e]{1,4096}$/

export class LegacySession {
  #id: string | undefined
  #version: string | undefined
  readonly #ownPost: HeaderList
  readonly #ownStream: HeaderList
  #post: HeaderList
  #stream: HeaderList

  constructor(post: HeaderList, stream: HeaderList) {
    this.#ownPost = post
    this.#ownStream = stream
    this.#post = post
    this.#stream = stream
  }

  get id(): string | undefined {
    return this.#id
  }

  /** Of a POST. */
  get post(): HeaderList {
    return this.#post
  }

  /** Of a DELETE. */
  get stream(): HeaderList {
    return this.#stream
  }

  /** Of the GET of an event stream. */
  streamFrom(lastEventId: string | undefined): HeaderList {
    return lastEventId === undefined ? this.#stream : this.#stream.concat('last-event-id', lastEventId)
  }

  /** The answer to initialize began. */
  begin(headers: IncomingHttpHeaders): void {
    const id = headers['mcp-session-id']
    this.#id = typeof id === 'string' && SESSION_ID.test(id) ? id : undefined
    this.#build()
  }

  agree(version: string): void {
    this.#version = version
    this.#build()
  }

  #build(): void {
    const headers: string[] = []
    if (this.#id !== undefined) headers.push('mcp-session-id', this.#id)
    if (this.#version !== undefined) headers.push('mcp-protocol-version', this.#version)
    this.#post = this.#ownPost.concat(headers)
    this.#stream = this.#ownStream.concat(headers)
  }
}
