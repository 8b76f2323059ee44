/** What it means that a module fails, and what a client is told of it. */
import { ProxyError, RPC, RpcError } from '../protocol/errors.ts'

/** A module refuses by an error that crosses the wire; anything else that it throws is a failure of its own. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RpcError || error instanceof ProxyError
}

export class ModuleTimeout extends Error {
  override readonly name = 'ModuleTimeout'
}

/** What a client is told of a module that failed. */
export function failure(name: string, error: unknown): RpcError {
  const why = error instanceof ModuleTimeout ? 'did not answer in time' : 'failed'
  return new RpcError(RPC.internalError, `The message was refused because the module \`${name}\` ${why}.`, {
    module: name,
  })
}
