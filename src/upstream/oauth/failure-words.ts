/** Why a sign-in failed, in one line. What a server said in it is cut, and holds no secrets and no control characters. */
import { messageOf } from '../../protocol/errors.ts'
import { createRedactor } from '../../telemetry/redact.ts'
import type { Sdk } from './sdk.ts'

const LONGEST = 300

/** No token could be had. The message follows "server `x`: ". */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed'

  constructor(reason: string) {
    super(`wants a sign-in, and that failed: ${reason}`)
  }
}

/** `secrets` are struck out, whoever repeats them. */
export function failureWords(sdk: Sdk, error: unknown, secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter((secret) => secret !== undefined)
  const text = createRedactor(known).text(reason(sdk, error))
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, LONGEST)
}

function reason(sdk: Sdk, error: unknown): string {
  if (error instanceof sdk.RegistrationRejectedError) {
    return (
      `the authorization server does not register the proxy (HTTP ${error.status}); ` +
      `set "oauth": { "clientId": … } to an id that was registered by hand. It said: ${error.body}`
    )
  }
  if (error instanceof sdk.OAuthError) {
    const { code, message } = error
    return `the authorization server said ${code}${message === code ? '' : `: ${message}`}`
  }
  const below = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : ''
  return `${messageOf(error)}${below}`
}
