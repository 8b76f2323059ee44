/** Lets through who is on this machine and has the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BridgeError } from '../../protocol/bridge.ts'
import type { Logger } from '../../telemetry/log.ts'
import { credentialsOf } from '../auth/credentials.ts'
import { createFailures } from '../auth/failures.ts'

export interface TokenGate {
  /** By its headers alone. Throws BridgeError. */
  check(request: IncomingMessage): void
}

export interface TokenGateOptions {
  token: string
  /** Milliseconds. */
  now: () => number
  logger: Logger
}

/** Headers of whoever passes requests of other machines on to this one. */
const PASSED_ON = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const

const FAILURES_PER_MINUTE = 20

export function createTokenGate({ token, now, logger }: TokenGateOptions): TokenGate {
  const wanted = digestOf(token)
  const failures = createFailures({ perMinute: FAILURES_PER_MINUTE, maxAddresses: 100, now })

  function fail(address: string, message: string): never {
    if (failures.wait(address) > 0)
      throw new BridgeError('too_many_requests', 'Too many tokens were refused: try again later.')
    failures.add(address)
    logger.warn({ reason: message }, 'a script was refused')
    throw new BridgeError('unauthorized', message)
  }

  return {
    check(request) {
      const address = request.socket.remoteAddress ?? ''
      if (!/^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/i.test(address))
        throw new BridgeError('forbidden', 'The bridge is for scripts of this machine.')
      if (PASSED_ON.some((name) => request.headers[name] !== undefined))
        throw new BridgeError('forbidden', 'The bridge does not take what a proxy passes on.')
      const credentials = credentialsOf(request)
      if (credentials.kind === 'none')
        throw new BridgeError('unauthorized', 'Send the token: Authorization: Bearer <token>.')
      if (credentials.kind === 'malformed') return fail(address, credentials.reason)
      // Digests have one length, and say nothing of how far two tokens are alike.
      if (!timingSafeEqual(digestOf(credentials.token), wanted)) fail(address, 'the token is not the one')
    },
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
