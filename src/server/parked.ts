/**
 * Calls that wait for a client of the modern era to answer a question. Such a call is at one replica, and the client's answer may come to
 * another one: its `requestState` says where it belongs.
 */
import { isInputRequired, LargeResult, PARKED, type Result } from '../protocol/content.ts'
import { own } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'
import type { ModernService, Requester } from './backend.ts'

/** Carries requests between replicas. */
export interface Courier {
  /** The name of this replica: letters, digits, `-` and `_`. */
  readonly self: string
  /** Has another replica answer. Undefined: it does not; it has ended, for example. Rejects as `ModernService.serve` does. */
  send(replica: string, request: Request, requester: Requester): Promise<Result | undefined>
  /** Answers what other replicas send. */
  receive(serve: ModernService['serve']): void
}

/** The prefix of a state that a replica has handed out. */
const STATE = /^mcp-rlm-proxy@([\w-]{1,64})\.(.+)$/s

/** The same service. The next round of a call that is parked at another replica is answered there. */
export function acrossReplicas(service: ModernService, courier: Courier): ModernService {
  async function serve(request: Request, requester: Requester): Promise<Result> {
    const state = request.params && own(request.params, 'requestState')
    const [, replica, inner] = (typeof state === 'string' && STATE.exec(state)) || []
    if (replica === undefined || inner === undefined) return named(await service.serve(request, requester))
    const plain = { ...request, params: { ...request.params, requestState: inner } }
    const elsewhere = replica !== courier.self && (await courier.send(replica, plain, requester))
    // Where that replica is gone, the refusal says to call again.
    return elsewhere || named(await service.serve(plain, requester))
  }

  function named(result: Result): Result {
    if (result instanceof LargeResult || !isInputRequired(result)) return result
    const { requestState } = result
    if (typeof requestState !== 'string' || !requestState.startsWith(PARKED)) return result
    return { ...result, requestState: `mcp-rlm-proxy@${courier.self}.${requestState}` }
  }

  courier.receive(serve)
  return { ...service, serve }
}
