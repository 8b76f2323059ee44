/** What a lane hands to its worker. The answer's type follows from the kind. */
import type {
  Arrival,
  Digest,
  DigestOptions,
  Extract,
  Extraction,
  Query,
  QueryAnswer,
  Source,
} from './operation.ts'

interface DigestTask {
  kind: 'digest'
  arrival: Arrival
  options: DigestOptions
}

interface QueryTask {
  kind: 'query'
  sources: readonly Source[]
  query: Query
}

interface ExtractTask {
  kind: 'extract'
  source: Source
  extraction: Extraction
}

interface CountTask {
  kind: 'count'
  texts: readonly string[]
}

interface ForgetTask {
  kind: 'forget'
  hash: string
}

/** Opens a result before it is asked about. */
interface OpenTask {
  kind: 'open'
  source: Pick<Source, 'hash' | 'content'>
}

/** The tokens of a result that is not open yet. */
interface CountedTask {
  kind: 'counted'
  hash: string
  tokens: number
}

/** Loads and compiles what the first result would wait for. */
interface RehearseTask {
  kind: 'rehearse'
}

export type Task =
  | DigestTask
  | QueryTask
  | ExtractTask
  | CountTask
  | ForgetTask
  | CountedTask
  | OpenTask
  | RehearseTask

export type Answer<T extends Task> = T extends DigestTask
  ? Digest
  : T extends QueryTask
    ? QueryAnswer
    : T extends ExtractTask
      ? Extract
      : T extends CountTask
        ? number[]
        : null
