/**
 * The kept results, as resources: `rlm://<cache_id>` is the text of a result, `rlm://<cache_id>/0` its first part, and `from`, `to` and
 * `path` in the query a part of either. For its owner alone: to others it is a resource that is not there.
 */
import { bytesOfPart, type Part, partsIn } from '../../documents/binary/parts.ts'
import type { Engine } from '../../engine/contract.ts'
import { ProxyError, RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { resourceNotFound } from '../../proxy/resources.ts'
import { HANDLE } from '../../store/handles.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry } from '../../store/store.ts'
import { formatCount } from '../../text/format.ts'

/** Characters of a text, and bytes of a part, that are read at once. */
const MOST_CHARACTERS = 1024 * 1024
const MOST_BYTES = 8 * 1024 * 1024

const KEPT = new RegExp(`^rlm://(${HANDLE})(?:/(\\d{1,3}))?/?(?:\\?([^#]{0,2000}))?$`)

/** A part of what is kept. */
interface Wanted {
  readonly uri: string
  readonly handle: string
  /** The number of a part; absent: the text. */
  readonly part?: number
  readonly from: number
  readonly to: number | undefined
  /** To a value of it. */
  readonly path?: string
}

/** Undefined: it is no URI of the proxy's. */
export function keptUri(uri: unknown): Wanted | undefined {
  const [, handle, part, query = ''] = (typeof uri === 'string' && KEPT.exec(uri)) || []
  if (handle === undefined || typeof uri !== 'string') return undefined
  const given = new URLSearchParams(query)
  const numberOf = (name: string): number | undefined => {
    const value = given.get(name)
    return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined
  }
  const path = given.get('path')
  return {
    uri,
    handle,
    from: numberOf('from') ?? 0,
    to: numberOf('to'),
    ...(part !== undefined && { part: Number(part) }),
    ...(path !== null && { path }),
  }
}

/** Answers `resources/read`. */
export async function readKept(
  wanted: Wanted,
  exchange: Exchange,
  { resultStore, engine }: { resultStore: ResultStore; engine: Pick<Engine, 'read'> },
): Promise<JsonObject> {
  const entry = await resultStore.get(exchange.agent, wanted.handle)
  if (!entry) throw resourceNotFound(exchange)
  if (wanted.part !== undefined) return readPart(entry, wanted, wanted.part)
  return readText(entry, wanted, exchange, engine)
}

function readPart({ handle, content }: Entry, { uri, from, to }: Wanted, number: number): JsonObject {
  const parts = partsIn(content)
  const part: Part | undefined = parts[number]
  if (part === undefined) {
    const there =
      parts.length === 0
        ? 'It has none'
        : `It has ${parts.length}, the last is rlm://${handle}/${parts.length - 1}`
    throw new RpcError(RPC.invalidParams, `cache_id ${handle} has no part ${number}. ${there}.`)
  }
  const end = Math.min(to ?? part.bytes, part.bytes, from + MOST_BYTES)
  const blob = bytesOfPart(content, part, from, end).toString('base64')
  return page(
    { uri, mimeType: part.type, blob },
    { handle, number, from, end, total: part.bytes, unit: 'bytes' },
  )
}

async function readText(
  entry: Entry,
  { uri, from, to, path }: Wanted,
  { signal }: Exchange,
  engine: Pick<Engine, 'read'>,
): Promise<JsonObject> {
  const end = Math.min(to ?? Number.POSITIVE_INFINITY, from + MOST_CHARACTERS)
  const reading =
    path === undefined
      ? ({ op: 'text', from, to: end } as const)
      : ({ op: 'at', path, maxLength: MOST_CHARACTERS } as const)
  const answer = await engine.read([entry], reading, signal).catch((error: unknown) => {
    throw error instanceof ProxyError && error.code !== 'CANCELLED'
      ? new RpcError(RPC.internalError, error.text)
      : error
  })
  if ('error' in answer) throw new RpcError(RPC.invalidParams, answer.error)
  if (path !== undefined) return { contents: [{ uri, mimeType: 'application/json', text: answer.json }] }
  const text: unknown = JSON.parse(answer.json)
  return page(
    { uri, mimeType: 'text/plain', text: String(text) },
    { handle: entry.handle, from, end: from + answer.count, total: answer.total, unit: 'characters' },
  )
}

interface Page {
  readonly handle: string
  readonly number?: number
  readonly from: number
  readonly end: number
  readonly total: number
  readonly unit: string
}

/** A cut page says so, beside its text, which stays unchanged. */
function page(content: JsonObject, { handle, number, from, end, total, unit }: Page): JsonObject {
  if (end >= total) return { contents: [content] }
  const uri = `rlm://${handle}${number === undefined ? '' : `/${number}`}?from=${end}`
  const text = `${formatCount(from)} to ${formatCount(end)} of ${formatCount(total)} ${unit}. The rest: ${uri}`
  return { contents: [content, { uri, mimeType: 'text/plain', text }] }
}
