/** The reply for the model about a program that ended: its value, or the preview of a large one, and beside it the console and remarks. */
import type { Dialect } from '../../documents/template.ts'
import type { Engine } from '../../engine/contract.ts'
import { errorResult, META, plainAnswer, textBlock } from '../../protocol/content.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { PROXY_CODE } from '../../proxy/own-tools.ts'
import type { ResultStore } from '../../store/result-store.ts'
import { formatCount } from '../../text/format.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'
import { ellipsis } from '../../text/shorten.ts'
import { nearest } from '../../text/words/edit-distance.ts'
import { NAMES } from './guest.ts'
import type { Ended } from './protocol.ts'

/** The parts that an answer is made with. */
export interface ReplyParts {
  readonly engine: Engine
  readonly resultStore: ResultStore
  /** The most characters of an answer, of a preview, and of the console that is shown. */
  readonly budget: number
  readonly previewSize: number
  readonly consoleShown: number
  /** How suggested calls are written. Default: as tools. */
  readonly dialect?: Dialect | undefined
}

/** The remarks of the reply about the program beside its outcome. */
export interface Told {
  readonly code: string
  /** Its `cache_id`, as it was written. */
  readonly words: readonly string[]
  readonly notes: readonly string[]
  /** Calls of tools. */
  readonly calls: number
}

/** A large answer is kept, and its preview stands in its place. */
export async function reply(
  ended: Ended,
  told: Told,
  exchange: Exchange,
  parts: ReplyParts,
): Promise<JsonObject> {
  const { done, failed } = ended
  const room = roomOf(exchange, parts)
  const notes = [...told.notes, ...consoleOf(ended, Math.min(parts.consoleShown, Math.floor(room.text / 4)))]
  const beside = notes.length === 0 ? '' : `\n\n${notes.join('\n')}`
  if (failed !== undefined) {
    const calls = told.calls === 0 ? '' : `\nCalls of tools that were made before: ${told.calls}.`
    const text = `${failed.text}${nameMeant(failed)}${lastSeen(ended)}${calls}`
    return errorResult(
      `${room.json === undefined ? text : ellipsis(text, Math.floor(room.json / 4))}${beside}`,
    )
  }
  if (done === undefined || done.length === 0) {
    const nothing = /\breturn\b/.test(told.code) ? UNDEFINED : NOTHING
    return plainAnswer(`${nothing}${lastSeen(ended)}${beside}`)
  }
  if (done.text !== undefined) {
    const answer = plainAnswer(readable(`${done.text}${lastSeen(ended)}${beside}`))
    const fits = done.length <= Math.max(LEAST, room.text - beside.length)
    if (fits && (room.json === undefined || JSON.stringify(answer).length <= room.json)) return answer
  }
  const content = done.bytes ?? sharedBytes(JSON.stringify({ content: [textBlock(done.text ?? '')] }))
  return previewed(content, beside, told, exchange, { ...parts, budget: room.text })
}

/** Characters of an answer that are shown whatever stands beside it. */
const LEAST = 200
/** Characters of a result as JSON beside its text. */
const FRAME = 300

/** Characters of the text, and of the whole as JSON where the client counts those: quotes and line breaks are two each there. */
function roomOf(
  { client }: Exchange,
  { budget }: Pick<ReplyParts, 'budget'>,
): { text: number; json: number | undefined } {
  const limit = client.rule?.jsonLimit
  if (limit === undefined) return { text: budget, json: undefined }
  return { text: Math.min(budget, Math.floor((limit - FRAME) / 2)), json: limit - FRAME }
}

/** Clients that parse a text refuse JSON that is no object: a list, a number. */
function readable(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : `=> ${text}`
  } catch {
    return text
  }
}

const NOTHING = 'The program ran and returned nothing: `return` a value to see it.'
const UNDEFINED = 'The program returned undefined: a member that is not there, or a branch without `return`.'

/** The value is kept under a handle of its own. */
async function previewed(
  content: Uint8Array<SharedArrayBuffer>,
  beside: string,
  { code, words }: Told,
  { agent, signal, onSaved }: Exchange,
  { engine, resultStore, budget, previewSize, dialect }: ReplyParts,
): Promise<JsonObject> {
  const digest = await engine.digest(
    { content, tool: PROXY_CODE, owner: agent.id },
    {
      maxResponseSize: budget,
      maxErrorSize: budget,
      previewSize: Math.max(LEAST, Math.min(previewSize, budget - beside.length)),
      always: true,
      ...(dialect && { dialect }),
    },
    signal,
  )
  const { shaped, hash, tokens, characters } = digest
  if (shaped === undefined) return errorResult('The answer is too large, and no preview of it could be made.')
  const origin = {
    tool: PROXY_CODE,
    arguments: { code: ellipsis(code, 2000), ...(words.length > 0 && { cache_id: words.join(', ') }) },
  }
  const look = { shape: shaped.shape, tokens: tokens || undefined }
  const { handle } = await resultStore.keep(agent, { content, hash, origin, look })
  onSaved?.({ originalCharacters: characters, originalTokens: tokens, deliveredTokens: shaped.tokens })
  return {
    content: [textBlock(`${shaped.text.join(handle)}${beside}`)],
    _meta: { [`${META}cache-id`]: handle },
  }
}

function consoleOf({ console, cut }: Ended, most: number): string[] {
  const text = console.trimEnd()
  if (text === '' || most === 0) return []
  const left = text.length - most
  const shown = left > 0 ? text.slice(0, most) : text
  const missing = Math.max(0, left) + cut
  return [`console:\n${shown}${missing > 0 ? `\n…[${formatCount(missing)} characters left out]` : ''}`]
}

/** The names that may have been meant by a name that is not there. */
function nameMeant({ missing }: NonNullable<Ended['failed']>): string {
  const [near] = missing === undefined ? [] : nearest(missing, NAMES, 1)
  return near === undefined ? '' : `\nDid you mean ${near}?`
}

/** The value that the program may have taken for something else. */
function lastSeen({ seen }: Ended): string {
  if (seen === undefined) return ''
  const { fields, gave } = seen
  const rows =
    fields.length === 0 ? '' : `\nThe rows that were read last have these fields: ${fields.join(', ')}.`
  return `${rows}${gave === '' ? '' : `\nThe tool that was called last: ${gave}.`}`
}
