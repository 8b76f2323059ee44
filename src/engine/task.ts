/** What a lane hands to its worker. The answer's type follows from the kind. */
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

interface DigestTask {
  kind: 'digest'
  arrival: Arrival
  options: DigestOptions
  /** What was read while it arrived. */
  ahead?: number
}

/** Reads on in a result that still arrives. */
export interface AheadTask {
  kind: 'ahead'
  id: number
  /** Of `GrowingBytes`. */
  buffer: SharedArrayBuffer
  /** The first byte of the result in its message. */
  start: number
}

interface QueryTask {
  kind: 'query'
  sources: readonly Source[]
  query: Query
}

interface FillTask {
  kind: 'fill'
  sources: readonly Source[]
  filling: Filling
}

interface ExportTask {
  kind: 'export'
  content: Uint8Array
  toon: boolean
}

interface ReadbackTask {
  kind: 'readback'
  content: Uint8Array
  /** A kept result, not a file. */
  isResult: boolean
  wanted: Readback
}

interface ChangeTask {
  kind: 'change'
  content: Uint8Array
  change: TextChange
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
  | AheadTask
  | QueryTask
  | FillTask
  | ExportTask
  | ReadbackTask
  | ChangeTask
  | CountTask
  | ForgetTask
  | CountedTask
  | OpenTask
  | RehearseTask

export type Answer<T extends Task> = T extends { kind: keyof Answers } ? Answers[T['kind']] : null

interface Answers {
  digest: Digest
  ahead: number
  query: QueryAnswer
  fill: Filled
  export: Export
  readback: ReadbackResult
  change: Changed
  count: number[]
}
