/** The address of a server and how requests get there. */
import type { Dispatcher } from 'undici'
import type { Authorizer } from '../authorizer.ts'
import { dispatcherFor } from './connector.ts'
import { type HeaderList, ownHeaders } from './headers.ts'
import type { HttpOptions } from './options.ts'

export interface Endpoint {
  readonly url: URL
  readonly dispatcher: Dispatcher
  /** Path and query, where a permanent redirect may have moved it. */
  path: string
  /** Absent too when the configuration says how to authorise. */
  readonly authorizer: Authorizer | undefined
  readonly postHeaders: HeaderList
  readonly streamHeaders: HeaderList
  conceal(text: string): string
}

/** Rejects when a configured header cannot be sent. */
export async function createEndpoint(options: HttpOptions): Promise<Endpoint> {
  const { url, headers, authorizer, environment, conceal } = options
  const { post, stream, authorized } = ownHeaders(url, headers)
  return {
    url,
    dispatcher: await dispatcherFor(url, environment),
    path: `${url.pathname}${url.search}`,
    authorizer: authorized ? undefined : authorizer,
    postHeaders: post,
    streamHeaders: stream,
    conceal,
  }
}
