/** Keeps the savings ledger: what every answer cost a model, and what it would have cost. Outermost, so it sees what goes out. */

import type { Ledger, SavingsRecord } from '../../observe/savings.ts'
import {
  isInputRequired,
  LargeResult,
  META,
  type Result,
  textLength,
  textsOf,
} from '../../protocol/content.ts'
import type { Agent, Exchange, Middleware, Savings } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { Feature } from '../../proxy/feature.ts'
import {
  type CalledName,
  calledNameIn,
  EXPOSURE_NAMES,
  PROXY_TOOL_NAMES,
  RESERVED_NAMES,
} from '../../proxy/own-tools.ts'

export interface AccountOptions {
  ledger: Ledger
  /** Names of the proxy's own tools: their definitions and answers are cost. */
  ownTools: ReadonlySet<string>
  /** The proxy's own part of the server instructions, which every client reads. */
  instructions: string
  /** Clients read in `_meta` of a result what it saved them. Default: they do not, as some show that to their model. */
  tells?: boolean
  /** The tool that a call ends at; by default the one it names. */
  calledName?: CalledName | undefined
}

/** Bytes of a large result that are looked at to learn how many characters a token has. */
const SAMPLE_BYTES = 4096

export function createAccount({
  ledger,
  ownTools,
  instructions,
  tells = false,
  calledName = ({ name }) => String(name),
}: AccountOptions): Middleware {
  return {
    name: 'account',
    methods: ['tools/list', 'tools/call'],
    list({ items }, { agent }) {
      ledger.record(definitions(agent, items, ownTools, instructions))
      return items
    },
    wrap: (next) => async (exchange) => {
      let savings: Savings | undefined
      let handle: string | undefined
      const onKept = (kept: string): void => {
        handle = kept
        exchange.onKept?.(kept)
      }
      const onSaved = (counted: Savings): void => {
        savings = counted
        // A call of one of the proxy's own tools is told as a part of what that tool answers.
        if (!exchange.keep) exchange.onSaved?.(counted)
      }
      const result = await next({ ...exchange, onSaved, onKept })
      // A server that asks for input has not answered yet, and what it asks is not for the model.
      const asks = !(result instanceof LargeResult) && isInputRequired(result)
      if (asks) return result
      const record = recordOf(exchange, result, savings, calledName(exchange.params), ownTools)
      const trial = trialOf(exchange, record, savings, handle)
      ledger.record(trial ? { ...record, ...trial } : record)
      return tells && savings !== undefined && !(result instanceof LargeResult)
        ? withSavings(result, savings)
        : result
    },
  }
}

function withSavings(result: JsonObject, savings: Savings): JsonObject {
  const meta = isObject(result._meta) ? result._meta : {}
  return { ...result, _meta: { ...meta, [`${META}savings`]: { ...savings } } }
}

function recordOf(
  exchange: Exchange,
  result: Result,
  savings: Savings | undefined,
  tool: string,
  ownTools: ReadonlySet<string>,
): SavingsRecord {
  const about = { agent: exchange.agent.id, tool, kind: ownTools.has(tool) ? 'proxy-tool' : 'call' } as const
  if (result instanceof LargeResult) {
    const { bytes } = result
    const media = mediaIn(bytes)
    const encoded = media.reduce((sum, [from, to]) => sum + to - from, 0)
    return unshaped(about, bytes.length - encoded, () => sampleOf(bytes, media))
  }
  const characters = textLength(result)
  if (savings === undefined) return unshaped(about, characters, () => textsOf(result).join('\n'))
  const originalTokens = counted(savings.originalTokens)
  const deliveredTokens = counted(savings.deliveredTokens)
  const delivered = {
    ...(deliveredTokens !== undefined && { deliveredTokens }),
    deliveredCharacters: characters,
  }
  if (about.kind === 'proxy-tool') return { ...about, originalTokens: 0, originalCharacters: 0, ...delivered }
  return {
    ...about,
    ...(originalTokens !== undefined && { originalTokens }),
    originalCharacters: savings.originalCharacters ?? characters,
    // A result that a proxy tool asked for goes to that tool, not to the model.
    ...(exchange.keep ? { deliveredTokens: 0, deliveredCharacters: 0 } : delivered),
  }
}

/**
 * The role of the call in the comparison of previews with whole results. The result that a proxy tool asked for is a part of its own
 * answer.
 */
function trialOf(
  { keep, params }: Exchange,
  { kind }: SavingsRecord,
  savings: Savings | undefined,
  handle: string | undefined,
): Pick<SavingsRecord, 'large' | 'about'> | undefined {
  if (kind === 'proxy-tool')
    return { about: namedIn(isObject(params.arguments) ? params.arguments.cache_id : undefined) }
  const { originalTokens = 0, isHeldOut = false } = savings ?? {}
  if (keep || originalTokens === 0 || (handle === undefined && !isHeldOut)) return undefined
  return { large: { originalTokens, isWhole: isHeldOut, handle } }
}

/** The words of a `cache_id`. */
function namedIn(id: JsonValue | undefined): readonly string[] {
  return [id].flat().flatMap((one) => (typeof one === 'string' ? one.slice(0, 1_000).split(/[\s,]+/) : []))
}

/** Where base64 of images, audio and blobs stands in the JSON of a result. Their price for a model has nothing to do with their length. */
function mediaIn(bytes: Uint8Array<SharedArrayBuffer>): [from: number, to: number][] {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const places: [number, number][] = []
  for (const key of ['"data"', '"blob"'])
    for (let at = json.indexOf(key); at >= 0; at = json.indexOf(key, at + 1)) {
      const [colon = ''] = /^\s*:\s*"/.exec(json.toString('latin1', at + 6, at + 26)) ?? []
      const from = at + 6 + colon.length
      const to = colon === '' ? -1 : json.indexOf(QUOTE, from)
      if (to - from < LEAST_MEDIA) continue
      const isBase64 = /^[A-Za-z0-9+/_-]+$/.test(json.toString('latin1', from, from + LEAST_MEDIA))
      if (isBase64) places.push([from, to])
    }
  return places.sort(([a], [b]) => a - b)
}

/** Characters of base64 that are not taken for a word; all of them are looked at. */
const LEAST_MEDIA = 256
const QUOTE = 0x22

/** The beginning of the bytes without these places. */
function sampleOf(bytes: Uint8Array, without: readonly [from: number, to: number][]): string {
  const parts: Uint8Array[] = []
  let room = SAMPLE_BYTES
  let at = 0
  for (const [from, to] of [...without, [bytes.length, bytes.length] as const]) {
    const part = bytes.subarray(at, Math.min(from, at + room))
    parts.push(part)
    room -= part.length
    at = to
  }
  return Buffer.concat(parts).toString('utf8')
}

/** A result that passed as it came. Most calls come here, so nothing is copied but what is needed. */
function unshaped(
  { agent, tool, kind }: Pick<SavingsRecord, 'agent' | 'tool' | 'kind'>,
  characters: number,
  sample: () => string,
): SavingsRecord {
  return { agent, tool, kind, originalCharacters: characters, deliveredCharacters: characters, sample }
}

function definitions(
  agent: Agent,
  tools: readonly JsonObject[],
  ownTools: ReadonlySet<string>,
  instructions: string,
): SavingsRecord {
  const mine = tools.filter(({ name }) => typeof name === 'string' && ownTools.has(name))
  const text = `[${mine.map(writtenOnce).join()}]${instructions}`
  return {
    agent: agent.id,
    tool: '(definitions)',
    kind: 'definitions',
    originalTokens: 0,
    originalCharacters: 0,
    deliveredCharacters: text.length,
    sample: () => text,
  }
}

/** Clients ask for lists again and again, and definitions of the proxy's own tools stay the same objects. */
const written = new WeakMap<JsonObject, string>()

function writtenOnce(definition: JsonObject): string {
  const known = written.get(definition) ?? JSON.stringify(definition)
  written.set(definition, known)
  return known
}

/** Undefined when it was not counted. */
function counted(tokens: number | undefined): number | undefined {
  return tokens === 0 ? undefined : tokens
}

export const savings: Feature = {
  name: 'account',
  what: 'Notes what answers cost and what was saved, for `stats`.',
  when: 'always',
  layer: ({ settings: { exposure, savingsInReplies }, ledger, instructions }) =>
    createAccount({
      ledger,
      // The answers of the dispatch tool are the proxy's own, but for the results of the tools that it calls.
      ownTools: new Set([
        ...PROXY_TOOL_NAMES,
        ...EXPOSURE_NAMES,
        ...(exposure === 'dispatch' ? RESERVED_NAMES.dispatch : []),
      ]),
      instructions,
      tells: savingsInReplies,
      calledName: calledNameIn({ exposure }),
    }),
}
