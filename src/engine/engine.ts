/** The engine answers questions about kept results off the event loop. Contract; `lanes.ts` runs it. */
import type { GrowingBytes } from '../protocol/growing-bytes.ts'
import type { TextChange } from '../text/change.ts'
import type {
  Arrival,
  Changed,
  Digest,
  DigestOptions,
  Export,
  Filled,
  Filling,
  Query,
  QueryAnswer,
  Readback,
  ReadbackResult,
  Source,
} from './operation.ts'

export interface Engine {
  /**
   * A message begins to arrive whose result begins at byte `start` of it. Answers what is called whenever there is more of it: what
   * there is is looked at then, so that less is left for `digest`.
   */
  arriving(bytes: GrowingBytes, start: number): () => void
  /** Measures a first response and, when it is too large, makes its preview. Its views stay warm for the first query. */
  digest(arrival: Arrival, options: DigestOptions, signal: AbortSignal): Promise<Digest>
  /** Answers a query. Rejects with ProxyError QUERY_TIMEOUT, CANCELLED or QUERY_FAILED; bad parameters are an answer that `failed`. */
  query(sources: readonly Source[], query: Query, signal: AbortSignal): Promise<QueryAnswer>
  /** Puts values of these kept results into arguments of a call. Rejects as `query` does. */
  fill(sources: readonly Source[], filling: Filling, signal: AbortSignal): Promise<Filled>
  /** What a result holds, as a file. With `toon` data is written as TOON where that can be. `content`: of a kept result, or one like it. */
  export(content: Uint8Array, toon: boolean, signal: AbortSignal): Promise<Export>
  /** Reads a part of a file, or of a result (`isResult`) as a file would hold it. */
  readback(
    content: Uint8Array,
    isResult: boolean,
    wanted: Readback,
    signal: AbortSignal,
  ): Promise<ReadbackResult>
  /** Changes texts of a result that is not kept yet. Rejects as `query` does. */
  change(content: Uint8Array, change: TextChange, signal: AbortSignal): Promise<Changed>
  /** Exact tokens of short texts (≤ 4 KB each). */
  countTokens(texts: readonly string[]): Promise<number[]>
  /** Forgets the views of content that is gone, by its hash. */
  forget(hash: string): void
  /** Starts a worker in the background, so that the first large result does not wait for it. */
  warm(): void
  close(): Promise<void>
}
