/** The engine answers questions about kept results off the event loop. Contract; `lanes.ts` runs it. */
import type { Digest, DigestOptions, Query, QueryAnswer, Source } from './operation.ts'

export interface Engine {
  /** Measures a first response and, when it is too large, makes its preview. */
  digest(source: Source, options: DigestOptions, signal: AbortSignal): Promise<Digest>
  /** Answers a query. Rejects with ProxyError QUERY_TIMEOUT or CANCELLED; bad parameters are an answer that `failed`. */
  query(sources: readonly Source[], query: Query, signal: AbortSignal): Promise<QueryAnswer>
  /** Exact tokens of short texts (≤ 4 KB each). */
  countTokens(texts: readonly string[]): Promise<number[]>
  /** Forgets the views of a result that is gone. */
  forget(handle: string): void
  close(): Promise<void>
}
