/** How much a client may say: in one message, of itself, and all clients together at one time. */

import { metaOf } from '../protocol/content.ts'
import { tooDense } from '../protocol/density.ts'
import { MODERN_META } from '../protocol/eras.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { LIMITS, type LimitName, type Limits, limitWords } from '../protocol/limits.ts'
import type { RequestId } from '../protocol/message.ts'

/** The limit that a message exceeds, before it is parsed; undefined when it keeps to the limits. */
export function excessOf(bytes: Uint8Array, limits: Limits): string | undefined {
  const dense = tooDense(bytes, { values: limits.requestValues, depth: limits.requestDepth })
  if (dense === undefined) return undefined
  const name = dense === 'values' ? 'requestValues' : 'requestDepth'
  return `the message holds too many ${LIMITS[name].unit}: ${limitWords(name, limits)}`
}

const SCALAR = /"(?:[^"\\]|\\.){0,200}"|-?\d{1,20}/.source
const MEMBERS = `(?:"(?:jsonrpc|method|id)"\\s*:\\s*(?:${SCALAR})\\s*`
const HEAD = new RegExp(`^\\s*\\{\\s*${MEMBERS},\\s*){1,3}`)
const TAIL = new RegExp(`,\\s*${MEMBERS}(?:,\\s*)?){1,3}\\}\\s*$`)
const ID = new RegExp(`"id"\\s*:\\s*(${SCALAR})`)
/** Bytes at each end of a message in which its id is looked for. */
const EDGE = 2_000

/** The id of a request that is refused unparsed, when it stands before or behind the parameters; else null. */
export function idUnparsed(bytes: Buffer): RequestId | null {
  const head = HEAD.exec(bytes.toString('latin1', 0, EDGE))?.[0] ?? ''
  const tail = TAIL.exec(bytes.toString('latin1', Math.max(0, bytes.length - EDGE)))?.[0] ?? ''
  const written = ID.exec(head)?.[1] ?? ID.exec(tail)?.[1]
  return written === undefined ? null : (JSON.parse(written) as RequestId)
}

/**
 * The limit that the client's description of itself exceeds, in `initialize` or in the envelope of a modern request; undefined when it
 * keeps to the limit. `length`: bytes of the whole text, because a short one has no need to be looked at.
 */
export function introductionExcess(message: unknown, length: number, limits: Limits): string | undefined {
  if (length <= limits.introductionBytes || !isObject(message) || !isObject(message.params)) return undefined
  const { params, method } = message
  const meta = metaOf(params) ?? {}
  const said = [own(meta, MODERN_META.clientInfo), own(meta, MODERN_META.clientCapabilities)]
  if (method === 'initialize') said.push(own(params, 'clientInfo'), own(params, 'capabilities'))
  const most = limits.introductionBytes
  if (said.reduce((left: number, part) => spend(left, part), most) >= 0) return undefined
  return `clientInfo and capabilities have more than ${most} bytes: ${limitWords('introductionBytes', limits)}`
}

/**
 * The bytes that are left of so many once a value is written as JSON. If they are too few, the result is less than 0, and the rest of the
 * value is not looked at.
 */
function spend(left: number, value: unknown): number {
  if (left < 0 || value === undefined) return left
  if (typeof value !== 'object' || value === null)
    return left - (typeof value === 'string' ? Buffer.byteLength(value) + 2 : String(value).length)
  let rest = left - 2
  for (const key in value) {
    if (rest < 0) return rest
    const name = Array.isArray(value) ? 1 : Buffer.byteLength(key) + 4
    rest = spend(rest - name, own(value as JsonObject, key))
  }
  return rest
}

/** Bytes of a message that is short enough to keep to every limit, whatever it holds. */
export function harmlessBytes({ requestValues, requestDepth, introductionBytes }: Limits): number {
  return Math.min(requestValues, 2 * requestDepth, introductionBytes)
}

/** Something of which there may be so much at one time, of all clients together. */
export class Budget {
  readonly #most: number
  #used = 0

  constructor(name: LimitName, limits: Limits) {
    this.#most = limits[name]
  }

  /** Takes so much, if there is room. */
  take(amount: number): boolean {
    if (this.#used + amount > this.#most) return false
    this.#used += amount
    return true
  }

  give(amount: number): void {
    this.#used -= amount
  }
}
