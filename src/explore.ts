/** The library without MCP: a large text as something to explore, in answers of a size that a model can read. Public API. */

import { encodeResult, hashOf } from './engine/content.ts'
import type { Engine, Source } from './engine/contract.ts'
import { availableMb, memoryPlan } from './engine/memory.ts'
import { createEngine, ENGINE_DEFAULTS } from './engine/pool.ts'
import { byOwnNames, questionParams } from './processors/parameters.ts'
import { textBlock } from './protocol/content.ts'
import type { JsonObject } from './protocol/json.ts'
import { readParams } from './proxy/parameters.ts'
import { ellipsis } from './text/shorten.ts'

export { type ErrorCode, ProxyError } from './protocol/errors.ts'
export type { JsonObject, JsonPrimitive, JsonValue } from './protocol/json.ts'

/** How a text is opened. */
export interface OpenOptions {
  /** The `cache_id` in the calls that answers suggest. A program that gives its model the tools finds the text by it. Default: `text`. */
  name?: string
}

/** How much an answer may say, and when it is not wanted any more. */
export interface AskOptions {
  /** The most tokens of the answer, by the encoding o200k_base. At least 60. Default: 500 of a preview, 2,000 of other answers. */
  maxTokens?: number
  /** Rejects with ProxyError CANCELLED when it aborts. */
  signal?: AbortSignal
}

/** An answer, written for a model to read. */
export interface Answer {
  /** Says how much there is in all, and what is left out. */
  readonly text: string
  readonly tokens: number
  /** Tokens of the text that was opened; of a large one an estimate from samples. */
  readonly originalTokens: number
  /** The parameters do not fit the text: `text` says what to write instead. */
  readonly failed: boolean
}

/**
 * A text that is open. Parameters are those of `proxy_filter`, `proxy_search` and `proxy_explore`, without `cache_id` and the like
 * (docs/results.md); what a model writes may be handed on as it is. Questions run in processes of their own, with limits of time and
 * memory, and reject with ProxyError: QUERY_TIMEOUT, QUERY_BUSY, QUERY_FAILED, CANCELLED.
 */
export interface Opened {
  /** Its kind, its size, its fields, and a sample. */
  preview(options?: AskOptions): Promise<Answer>
  /** Records: conditions, fields, sorting, grouping, sums, joins. */
  filter(params: JsonObject, options?: AskOptions): Promise<Answer>
  /** Text: by a pattern, by relevance, with typos. */
  search(params: JsonObject, options?: AskOptions): Promise<Answer>
  /** Structure: types, fields, counts, ranges, frequent values. */
  explore(params?: JsonObject, options?: AskOptions): Promise<Answer>
}

const PREVIEW_TOKENS = 500
const ANSWER_TOKENS = 2000
/** With less no answer says anything. */
const LEAST_TOKENS = 60

/** Characters of a token, more than in most texts: an answer that has too many tokens is asked for again, with fewer characters. */
const CHARACTERS = 4.5
const TRIES = 6

/** JSON, NDJSON, CSV, XML, YAML, logs, Markdown, HTML and what else the proxy reads. Bytes are UTF-8; others throw a TypeError. */
export function open(content: string | Uint8Array, { name = 'text' }: OpenOptions = {}): Opened {
  const text = typeof content === 'string' ? content : decoded(content)
  const bytes = encodeResult({ content: [textBlock(text)] })
  const source: Source = { content: bytes, tool: '', handle: name, hash: hashOf(bytes) }

  const preview = async ({ maxTokens = PREVIEW_TOKENS, signal = NEVER }: AskOptions = {}) =>
    within(maxTokens, async (budget) => {
      const options = { ...PREVIEW, previewSize: budget }
      const { shaped, tokens } = await working((engine) => engine.digest(source, options, signal))
      return { text: shaped?.text.join(name) ?? text, failed: false, originalTokens: tokens }
    })

  const ask = async (
    kind: 'filter' | 'search' | 'explore',
    params: JsonObject,
    { maxTokens = ANSWER_TOKENS, signal = NEVER }: AskOptions = {},
  ): Promise<Answer> => {
    const asked = readParams(kind, questionParams[kind].strict(), byOwnNames(kind, params))
    if ('failure' in asked) {
      const { originalTokens } = await preview({ signal })
      return within(maxTokens, async (budget) => ({
        text: ellipsis(asked.failure, budget),
        failed: true,
        originalTokens,
      }))
    }
    return within(maxTokens, async (budget) => {
      const query = { kind, params: asked.params as JsonObject, budget }
      const answer = await working((engine) => engine.query([source], query, signal))
      const { failed, originalTokens } = answer
      return { text: answer.text.join(name), failed, originalTokens }
    })
  }

  return {
    preview,
    filter: (params, options) => ask('filter', params, options),
    search: (params, options) => ask('search', params, options),
    explore: (params = {}, options) => ask('explore', params, options),
  }
}

/** Whatever its size. */
const PREVIEW = { maxResponseSize: 0, maxErrorSize: 0, always: true } as const

const NEVER = new AbortController().signal

function decoded(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (error) {
    throw new TypeError('The bytes are no UTF-8 text. Decode them, and open the string.', { cause: error })
  }
}

/** The first answer that has no more tokens, with fewer characters each time; where none has, the shortest answer that was made. */
async function within(
  maxTokens: number,
  make: (budget: number) => Promise<Omit<Answer, 'tokens'>>,
): Promise<Answer> {
  const most = Math.max(LEAST_TOKENS, maxTokens)
  let budget = Math.floor(most * CHARACTERS)
  for (let tries = 1; ; tries++) {
    const answer = await make(budget)
    const [tokens = 0] = await working((engine) => engine.countTokens([answer.text]))
    if (tokens <= most || tries === TRIES) return { ...answer, tokens }
    budget = Math.floor(Math.min(budget, answer.text.length) * (most / tokens) * 0.97)
  }
}

let engine: Engine | undefined

/** Workers do not hold the process, so a question that is under way does. */
async function working<T>(ask: (engine: Engine) => Promise<T>): Promise<T> {
  const { workers, heapMb, workerMb } = memoryPlan(availableMb())
  engine ??= createEngine({ ...ENGINE_DEFAULTS, workers, heapMb, workerMb, queryTimeout: TIMEOUT_MS })
  const hold = setInterval(() => {}, HOLD_MS)
  try {
    return await ask(engine)
  } finally {
    clearInterval(hold)
  }
}

/** Of one question: as the proxy's default. */
const TIMEOUT_MS = 20_000

/** Any value: the mere presence of a timer counts. */
const HOLD_MS = 60_000
