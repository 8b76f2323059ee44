/** Strikes secrets and personal data out of what comes from servers, before anything is kept or sent. The log has counts, never values. */
import { redactOptions } from '../config/modules/redact.ts'
import { changeTexts } from '../documents/change-result.ts'
import { RpcError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Notification } from '../protocol/message.ts'
import { compileChange, type TextChange } from '../text/change.ts'
import { defineModule } from './module.ts'

export const redact = defineModule({
  name: 'redact',
  options: redactOptions,
  create({ kinds, patterns, entropy, replacement, allow, arguments: inArguments }, { change, logger }) {
    const whole: TextChange = {
      where: 'strings',
      rules: [{ kind: 'sensitive', kinds, patterns, entropy, replacement, allow }],
    }
    const apply = compileChange(whole.rules)

    function struck(message: JsonObject, about: string): JsonObject {
      const counts = new Map<string, number>()
      const changed = changeTexts(message, 'strings', (text) => apply(text, counts))
      told(about, Object.fromEntries(counts))
      return changed
    }

    function told(message: string, counts: Readonly<Record<string, number>>): void {
      if (Object.keys(counts).length > 0) logger.info({ message, counts }, 'redacted')
    }

    function error(thrown: unknown, method: string): unknown {
      if (!(thrown instanceof RpcError)) return withoutSecrets(thrown, (text) => apply(text, new Map()))
      const { code, data } = thrown
      const { message, ...rest } = struck(
        { message: thrown.message, ...(data !== undefined && { data }) },
        method,
      )
      return new RpcError(code, String(message), rest.data)
    }

    return {
      wrap: (next) => async (exchange) => {
        const { method, params, signal, toward } = exchange
        const mayLeave = toward === 'client' || inArguments
        const changed = mayLeave ? struck(params, method) : params
        try {
          const result = await next(changed === params ? exchange : { ...exchange, params: changed })
          // The answer of a client goes to a server.
          if (toward === 'client' && !inArguments) return result
          const done = await change(result, whole, signal)
          told(method, done.counts)
          return done.result
        } catch (thrown) {
          throw error(thrown, method)
        }
      },
      notify: (next) => (notice) => {
        const { params } = notice
        if (!isObject(params) || (notice.toward === 'server' && !inArguments)) return next(notice)
        const changed: Notification['params'] = struck(params, notice.method)
        return next(changed === params ? notice : { ...notice, params: changed })
      },
    }
  },
})

/** Errors of the proxy's own may quote what a server said. Their kind stays what it is. */
function withoutSecrets(thrown: unknown, apply: (text: string) => string): unknown {
  if (!(thrown instanceof Error)) return thrown
  const message = apply(thrown.message)
  if (message !== thrown.message)
    Object.defineProperty(thrown, 'message', { value: message, configurable: true, writable: true })
  return thrown
}
