/** Processes that answer questions, and tasks for them, at this moment. */
export interface Work {
  readonly workers: number
  readonly running: number
  readonly waiting: number
}

/** The engine answers questions about kept results off the event loop. Contract; `pool.ts` runs it. */
import type { UnpackLimits } from '../documents/binary/limits.ts'
import type { SmallPicture } from '../documents/binary/picture.ts'
import type { Form } from '../documents/output-schema/conform.ts'
import type { Joined } from '../documents/paging/join.ts'
import type { Rest } from '../documents/paging/next.ts'
import type { Dialect, Template } from '../documents/template.ts'
import type { ReadbackAnswer, ReadbackLimits, ReadbackParams } from '../processors/readback.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Signal } from '../protocol/message.ts'
import type { GrowingBytes } from '../protocol/stream.ts'
import type { TextChange } from '../text/change/change-rules.ts'
import type { Found, KeyPath } from './arguments.ts'

export interface Engine {
  /**
   * A message begins to arrive, and its result begins at byte `start`. Returns a function to call whenever more bytes came: they are read
   * then, so that less is left for `digest`.
   */
  arriving(bytes: GrowingBytes, start: number): () => void
  /**
   * Finds blobs over the limits in a result that is not kept yet, and what is inside of them. Rejects as `query` does; without `reads`
   * nothing is looked into, which is sure to be quick.
   */
  unpack(arrival: Arrival, wanted: Unpacking, signal: Signal): Promise<Unpacked>
  /** Workers and tasks of this moment. */
  work(): Work
  /** Measures a first response and, when it is too large, makes its preview. Its views stay warm for the first query. */
  digest(arrival: Arrival, options: DigestOptions, signal: Signal): Promise<Digest>
  /** Answers a query. Rejects with ProxyError QUERY_TIMEOUT, QUERY_BUSY, CANCELLED or QUERY_FAILED; bad parameters are an answer that `failed`. */
  query(sources: readonly Source[], query: Query, signal: Signal): Promise<QueryAnswer>
  /** Gives a part of these kept results as data, for programs. Rejects as `query` does. */
  read(sources: readonly Source[], wanted: Reading, signal: Signal): Promise<ReadAnswer>
  /** The differences between `after` and `before`, in at most `budget` characters. Rejects as `query` does. */
  compare(before: Source, after: Source, budget: number, signal: Signal): Promise<Comparison | Incomparable>
  /** Puts values of these kept results into arguments of a call. Rejects as `query` does. */
  fill(sources: readonly Source[], filling: Filling, signal: Signal): Promise<Filled>
  /**
   * The content of a result, as a file. With `toon` data is written as TOON where that can be. `content`: of a kept result, or one like
   * it.
   */
  export(content: Uint8Array, toon: boolean, signal: Signal): Promise<Export>
  /** Reads a part of a file, or of a result (`isResult`) as a file would hold it. */
  readback(content: Uint8Array, isResult: boolean, wanted: Readback, signal: Signal): Promise<ReadbackResult>
  /** Changes texts of a result that is not kept yet. Rejects as `query` does. */
  change(content: Uint8Array, change: TextChange, signal: Signal): Promise<Changed>
  /** Looks at a page of a collection for what it says of the rest. Rejects as `query` does. */
  page(content: Uint8Array, asked: AskedPage, signal: Signal): Promise<Page>
  /** Joins pages of a collection, in their order. Rejects as `query` does. */
  join(contents: readonly Uint8Array[], place: Page['place'], signal: Signal): Promise<JoinedPages>
  /** Exact tokens of short texts (≤ 4 KB each). */
  countTokens(texts: readonly string[]): Promise<number[]>
  /** Forgets the views of content that is gone, by its hash. */
  forget(hash: string): void
  /** Starts a worker in the background, so that the first large result does not wait for it. */
  warm(): void
  close(): Promise<void>
}

// The questions to the engine, and its answers. Everything here crosses the border to a worker's process.

/** A first response, not kept yet: it has neither handle nor hash. */
export interface Arrival {
  /** UTF-8 JSON of the CallToolResult. */
  content: Uint8Array
  /** The tool it came from, for suggestions that call it again. */
  tool: string
  /** The agent that owns the task: agents take turns. Absent: the proxy's own. */
  owner?: string
}

/** A kept result as the engine needs it: an `Entry` is one. */
export interface Source extends Arrival {
  /** Shown in replies that speak of several sources. */
  handle: string
  /** SHA-256 of `content`, hex. Names the views that a worker keeps: equal content is opened once. */
  hash: string
}

/** How blobs are looked for. */
export interface Unpacking {
  limits: UnpackLimits
  reads: boolean
  /** Text that is read out of them is changed by these, one after the other. */
  changes: readonly TextChange[]
  /** `content` is that of `resources/read`, and is to become one of a tool. */
  isResource?: true
}

/** The content that is kept in place of the result, with its parts. Absent: it stays what it is. */
export interface Unpacked {
  content?: Uint8Array<SharedArrayBuffer>
  /** The small forms of pictures that are parts, in their order. */
  pictures?: readonly SmallPicture[]
}

/** A question about one or several kept results. `params` were validated by the tool that asks. */
export interface Query {
  kind: 'filter' | 'search' | 'explore'
  params: JsonObject
  /** The most characters of the answer. */
  budget: number
  /** The same of an answer that holds all rows that were asked for, where `limit` asks for more than a page has. Default: `budget`. */
  most?: number
  /** How suggested calls are written. Default: as tools. */
  dialect?: Dialect
}

export interface QueryAnswer {
  text: Template
  /** An `isError` answer: the parameters do not fit the document. */
  failed: boolean
  /**
   * The whole answer as the JSON of a CallToolResult, when it did not fit the budget. It is kept under a handle of its own, which fills
   * the holes of `text`. Absent: the answer is complete, or goes on with the same question at the next offset; `text` has no holes.
   */
  whole?: { content: Uint8Array<SharedArrayBuffer>; hash: string; shape: string }
  /** Per step: sizes in characters, counts, errors. Goes to `_meta`. */
  steps: JsonObject
  /** Tokens of the sources and of the answer. */
  originalTokens: number
  answerTokens: number
}

/** A part of kept results that a program takes as data. `params` are those of the query tools, and are read as theirs are. */
export type Reading =
  | {
      op: 'rows'
      kind: 'filter' | 'search'
      params: JsonObject
      /** The first row that is wanted, and how many. */
      offset: number
      limit: number
      /** UTF-16 code units of the JSON of a page; one row comes whatever its length. */
      maxLength: number
    }
  /** What a preview tells, as data. */
  | { op: 'info' }
  /** UTF-16 code units `from` to `to` of the text as a reader would see it. */
  | { op: 'text'; from: number; to: number }
  /** The value at a path. */
  | { op: 'at'; path: string | undefined; maxLength: number }

/** `total`: all rows or characters; of a value 1. `error`: what to write instead. */
export type ReadAnswer =
  | { json: string; total: number; count: number; notes: readonly string[] }
  | { error: string }

/** All that one result says otherwise than another: a line for each thing that was added (`+`), removed (`-`) or changed (`~`). */
export interface Comparison {
  text: string
  counts: { added: number; removed: number; changed: number }
  /** The noun of the counted units: `record`, `line`, `node`, `value`. */
  noun: string
  tokens: number
}

/** They differ too much, or in what cannot be told. */
export interface Incomparable {
  text?: never
}

/** The bytes of a file that is found at this place of `found`. */
export interface FoundFile {
  nth: number
  bytes: Uint8Array
}

/** Arguments of a call to be filled: with the references that were `found`, or from a `file` of JSON. */
export type Filling = (
  | { args: JsonObject; found: readonly Found[]; files?: readonly FoundFile[] }
  | { file: Uint8Array<SharedArrayBuffer> }
) & {
  /** The schema of the arguments then: the tool's input schema. */
  schema?: JsonObject
  /** The most that is put in: bytes of JSON in UTF-8. */
  maxBytes: number
}

/**
 * The arguments, with null at the places of values that are long or that parsing would change. These values are in `written`, as UTF-8
 * JSON on one line. `error`: why they cannot be filled, for the model.
 */
export type Filled =
  | { args: JsonObject; written: readonly { place: KeyPath; bytes: Uint8Array<SharedArrayBuffer> }[] }
  | { error: string }

/** The content of a kept result, as a file. */
export interface Export {
  /** UTF-8. */
  content: Uint8Array<SharedArrayBuffer>
  /** `text`: neither of them. */
  format: 'json' | 'toon' | 'text'
  /** The first names at the top of an object, and how many there are. */
  keys?: string[]
  keyCount?: number
  /** Of a list at the top. */
  elements?: number
  /** The result is an error. */
  failed?: true
  /** Of the file: UTF-16 code units, and their tokens. */
  characters: number
  tokens: number
  /** The beginning. */
  preview: string
}

/** A result with other texts. */
export interface Changed {
  /** Absent: nothing had to be changed. */
  content?: Uint8Array<SharedArrayBuffer>
  /** The bytes are no JSON object. */
  unreadable?: true
  /** How often each change was made, by its name. */
  counts: Record<string, number>
}

/** The part of a file to read. */
export type Readback = ReadbackParams & ReadbackLimits

/** `lineCount` and `tokens`: of the whole file. `error`: what to write instead, for the model. */
export type ReadbackResult =
  | ReadbackAnswer
  | { error: string }
  | { byteSize: number; lineCount: number; tokens: number }

/** How a page was asked for. */
export interface AskedPage {
  args: JsonObject
  /** The tool's input schema. */
  schema?: JsonObject
  /** The rest may be asked for: the tool only reads. */
  follows?: boolean
}

/** The facts in a page about the collection that it is a part of. */
export interface Page {
  /** Steps from the root to its records. */
  place?: readonly (string | number)[]
  /** Records in it, and in all. */
  shown?: number
  total?: number
  /** `PARTIAL: 30 of 1,214`. Absent: it does not tell. */
  standing?: string
  /** The calls for the rest. Absent: nothing follows, or it cannot be asked for. */
  rest?: Rest
}

/** Several pages as one result. */
export type JoinedPages = Omit<Joined, 'result' | 'value'> & {
  /** The JSON of a CallToolResult. */
  content: Uint8Array<SharedArrayBuffer>
  /** Of content that is open already. */
  hash?: string
}

/** How a first response is measured and cut. All sizes in characters, tokens where it says so. */
export interface DigestOptions {
  maxResponseSize: number
  maxResponseTokens?: number
  /** Errors are shaped only above this. */
  maxErrorSize: number
  previewSize: number
  /**
   * The most tokens of what passes whole although it is over the limit: text without parts to ask for, and records as a table. Default 0:
   * nothing does.
   */
  wholeTokens?: number
  /** Keep and preview whatever its size (a fresh call by a proxy tool), unless it is an error: that is the answer. */
  always: boolean
  /** The most characters of a whole result as JSON that the client does not cut. Absent: it does not count them. */
  jsonLimit?: number
  /** A result over `maxResponseSize` passes whole up to here alone: the client cuts longer texts. Default: no limit. */
  textLimit?: number
  /** The client was promised `structuredContent`, which stays beside texts that say the same. */
  keeps?: boolean
  /** The form of a shaped result in place of that. Absent: none. */
  form?: Form
  /** The content was unpacked: its parts are listed, and none of them is sent. */
  hasParts?: true
  /** How it was asked for: tells whether it is a part of more. Absent: that is not looked for. */
  asked?: AskedPage
  /** Whether it is all, in words, where that is known better than by looking. */
  standing?: string
  /** Replaces the first line; `{cache_id}`, `{size}`, `{tokens}`, `{limit}` are filled in. */
  truncationMessage?: string
  /** How suggested calls are written. Default: as tools. */
  dialect?: Dialect
  /** False: nothing is read ahead of parsing. The digest is the same. Default: true. */
  readAhead?: boolean
}

/** A first response, looked at. */
export interface Digest {
  hash: string
  /** Characters that count against the limit, and their tokens. */
  characters: number
  tokens: number
  /** The bytes are no JSON object: no client could read them. */
  unreadable?: true
  /** Looked at where it is written: it has no hash yet, and no view is open for the questions that may follow. */
  unopened?: true
  /** The result that passes in place of the original: without repetitions, with a text where it had none. */
  read?: JsonObject
  /** Absent: under the limit, or not smaller when shaped; the original passes byte for byte. */
  shaped?: {
    /** The CallToolResult to send, with the preview's text block missing at `at`. */
    result: JsonObject
    at: number
    text: Template
    /** The members of the text block at `at` beside its text: `annotations`, `_meta`. */
    block?: JsonObject
    /** With `form.at`: `structuredContent`, but for the preview that is to be put in. */
    structured?: JsonObject
    tokens: number
    /** The original in a few words: `json: 900 records in $.users`. */
    shape?: string
    /** Whether it is all of its collection: `PARTIAL: 30 of 1,214`. */
    standing?: string
  }
}

// The tasks that the proxy hands to a worker. The answer's type follows from the kind.

interface UnpackTask extends Unpacking {
  kind: 'unpack'
  content: Uint8Array
}

interface DigestTask {
  kind: 'digest'
  arrival: Arrival
  options: DigestOptions
  /** The worker has read the beginning of the result already: `content` is the rest, `bytes` the size of the whole result. */
  ahead?: { id: number; bytes: number }
  /** The result should be open: `content` is left out, and has so many bytes. */
  open?: { hash: string; bytes: number }
  /** The name of its view until its hash is known. */
  name?: string
}

/** Reads on in a result that still arrives. */
export interface ReadAheadTask {
  kind: 'read-ahead'
  id: number
  /** The bytes that came since the last task for it. */
  bytes: Uint8Array
  /** The first byte of the result in its message. */
  start: number
}

interface QueryTask {
  kind: 'query'
  /** Without `content` what the worker should have open. */
  sources: readonly Source[]
  query: Query
}

interface ReadTask {
  kind: 'read'
  sources: readonly Source[]
  wanted: Reading
}

interface CompareTask {
  kind: 'compare'
  sources: readonly Source[]
  budget: number
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

interface PageTask {
  kind: 'page'
  content: Uint8Array
  asked: AskedPage
}

interface JoinTask {
  kind: 'join'
  /** All pages, one behind the other, and the bytes of each. */
  content: Uint8Array
  lengths: readonly number[]
  place: Page['place']
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

/** The hash of a result that has a view with a name. */
interface NamedTask {
  kind: 'named'
  name: string
  hash: string
}

/** The tokens of a result that is not open yet. */
interface CountedTask {
  kind: 'counted'
  hash: string
  tokens: number
}

/** Gives back memory that is not needed, now that nothing was asked for a while. */
interface RestTask {
  kind: 'rest'
}

/** Loads and compiles what the first result of one kind would wait for. */
interface RehearseTask {
  kind: 'rehearse'
  nth: number
}

export type Task =
  | UnpackTask
  | DigestTask
  | ReadAheadTask
  | QueryTask
  | ReadTask
  | CompareTask
  | FillTask
  | ExportTask
  | ReadbackTask
  | ChangeTask
  | PageTask
  | JoinTask
  | CountTask
  | ForgetTask
  | CountedTask
  | NamedTask
  | OpenTask
  | RehearseTask
  | RestTask

/** A source that was left out of a task is not here: it has to be sent. */
export interface Missing {
  missing: true
}

export type Answer<T extends Task> = T extends { kind: keyof Answers } ? Answers[T['kind']] : null

interface Answers {
  unpack: Unpacked
  digest: Digest | Missing
  'read-ahead': number
  query: QueryAnswer | Missing
  read: ReadAnswer | Missing
  compare: Comparison | Incomparable | Missing
  fill: Filled | Missing
  export: Export
  readback: ReadbackResult
  change: Changed
  page: Page
  join: JoinedPages
  count: number[]
  /** Whether there is another one behind it. */
  rehearse: boolean
}
