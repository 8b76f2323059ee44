/** The headers that repeat what the body of a modern request says (MCP 2026-07-28, basic/transports, "Standard Headers"). */
import type { IncomingMessage } from 'node:http'
import { MODERN_META, metaOf } from '../../protocol/eras.ts'
import { RPC, type RpcError } from '../../protocol/errors.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import type { Request } from '../../protocol/message.ts'
import { decodeHeaderValue, headerMismatch, nameOf } from '../../protocol/param-headers.ts'
import { readEnvelope } from '../modern/envelope.ts'
import { toRpcError } from '../wire-errors.ts'
import { header } from './headers.ts'

const VERSION = 'MCP-Protocol-Version'
const METHOD = 'Mcp-Method'
const NAME = 'Mcp-Name'

/**
 * What to answer (with HTTP 400) when the envelope of a request is broken, its revision not spoken here, or its headers say
 * something else than its body; undefined when all is well. A header that is missing comes last: what revision to speak is the
 * better answer.
 */
export function checkRequest(request: IncomingMessage, { method, params }: Request): RpcError | undefined {
  const fault = envelopeFault(params)
  if (fault?.code === RPC.invalidParams) return fault
  const claimed = claimOf(params) ?? ''
  const version = header(request, 'mcp-protocol-version')
  if (version !== undefined && version !== claimed) return differs(VERSION, version, claimed)
  const named = header(request, 'mcp-method')
  if (named !== undefined && named !== method) return differs(METHOD, named, method)
  if (fault) return fault
  if (version === undefined) return missing(VERSION, claimed)
  if (named === undefined) return missing(METHOD, method)
  return checkName(request, nameOf(method, params))
}

/** The same for a notification, which needs neither an envelope nor the headers. */
export function checkNotification(
  request: IncomingMessage,
  { method, params }: Request,
): RpcError | undefined {
  const claimed = claimOf(params)
  const version = header(request, 'mcp-protocol-version')
  if (claimed !== undefined && version !== undefined && version !== claimed) {
    return differs(VERSION, version, claimed)
  }
  const named = header(request, 'mcp-method')
  return named !== undefined && named !== method ? differs(METHOD, named, method) : undefined
}

function envelopeFault(params: JsonObject | undefined): RpcError | undefined {
  try {
    readEnvelope(params)
    return undefined
  } catch (thrown) {
    return toRpcError(thrown)
  }
}

function claimOf(params: JsonObject | undefined): string | undefined {
  const meta = metaOf(params)
  const claimed = meta && own(meta, MODERN_META.protocolVersion)
  return typeof claimed === 'string' ? claimed : undefined
}

function checkName(request: IncomingMessage, expected: string | undefined): RpcError | undefined {
  if (expected === undefined) return undefined
  const sent = header(request, 'mcp-name')
  if (sent === undefined) return missing(NAME, expected)
  const decoded = decodeHeaderValue(sent)
  if (decoded === undefined) return headerMismatch(NAME, `${NAME} is not valid Base64 of UTF-8`)
  return decoded === expected ? undefined : differs(NAME, decoded, expected)
}

function missing(name: string, expected: string): RpcError {
  return headerMismatch(name, `${name} is missing; the body says ${quote(expected)}`)
}

function differs(name: string, sent: string, expected: string): RpcError {
  return headerMismatch(name, `${name} says ${quote(sent)}, the body says ${quote(expected)}`)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}
