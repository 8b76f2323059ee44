/** Strikes secrets and personal data out of what comes from servers, before anything is kept or sent. The log has counts, never values. */
import { changeTexts } from '../../documents/change/change-result.ts'
import { withoutForms } from '../../documents/output-schema/schema-forms.ts'
import { defineModule } from '../../module-runtime/module.ts'
import { plain, type Result } from '../../protocol/content.ts'
import { ProxyError, RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { type Kind, kindOfList } from '../../protocol/lists.ts'
import { compileChange } from '../../text/change/change.ts'
import { Tally, type TextChange } from '../../text/change/change-rules.ts'
import { redactOptions } from './options.ts'

export const redact = defineModule({
  name: 'redact',
  options: redactOptions,
  create({ kinds, patterns, entropy, replacement, allow, arguments: inArguments }, { change, logger }) {
    const whole: TextChange = {
      where: 'strings',
      rules: [{ kind: 'sensitive', kinds, patterns, entropy, replacement, allow }],
    }
    const apply = compileChange(whole.rules)
    /** Lists are kept further in: the same item comes again and again, and stays the same object for layers that compare by identity. */
    const items = new WeakMap<JsonObject, JsonObject>()

    function struck(message: JsonObject, about: string, counts = new Tally()): JsonObject {
      const changed = changeTexts(message, 'strings', (text, sort, name) => apply(text, counts, sort, name))
      if (counts.size > 0) told(about, Object.fromEntries(counts))
      return changed
    }

    /** Kinds as values: the log strikes out whatever stands under a name such as `secret`. */
    function told(message: string, counts: Readonly<Record<string, number>>): void {
      const found = Object.entries(counts).map(([kind, times]) => ({ kind, times }))
      logger.info({ message, found }, 'redacted')
    }

    /** Item by item, on the event loop, because the object itself carries its server. */
    function listed(result: JsonObject, kind: Kind, method: string): JsonObject {
      const { [kind]: list, ...rest } = result
      if (!Array.isArray(list)) return struck(result, method)
      const counts = new Tally()
      const changed = list.map((item) => {
        if (!isObject(item)) return item
        const known = items.get(item)
        if (known) return known
        const now = withoutPromises(
          changeTexts(item, 'strings', (text, sort, name) => apply(text, counts, sort, name)),
        )
        items.set(item, now)
        return now
      })
      const around = struck(rest, method, counts)
      if (around === rest && changed.every((item, at) => item === list[at])) return result
      return { ...around, [kind]: changed }
    }

    async function answered(result: Result, { method, signal, onStruck }: Exchange): Promise<Result> {
      onStruck?.(whole)
      const kind = kindOfList(method)
      if (kind !== undefined) return listed(plain(result), kind, method)
      const done = await change(result, whole, signal)
      if (Object.keys(done.counts).length > 0) told(method, done.counts)
      return done.result
    }

    function failed(thrown: unknown, method: string): unknown {
      const clean = (message: string, data?: JsonValue): JsonObject =>
        struck({ text: message, ...(data !== undefined && { data }) }, method)
      if (thrown instanceof RpcError) {
        const { text, data } = clean(thrown.message, thrown.data)
        return text === thrown.message && data === thrown.data
          ? thrown
          : new RpcError(thrown.code, String(text), data)
      }
      // Errors of the proxy's own may quote what a server said.
      if (thrown instanceof ProxyError) {
        const [text, next] = [clean(thrown.message).text, clean(thrown.next).text]
        return text === thrown.message && next === thrown.next
          ? thrown
          : new ProxyError(thrown.code, String(text), String(next))
      }
      if (!(thrown instanceof Error)) return thrown
      const { text } = clean(thrown.message)
      // The same error: what is thrown again counts as a failure of this module.
      if (text !== thrown.message)
        Object.defineProperty(thrown, 'message', { value: text, configurable: true, writable: true })
      return thrown
    }

    return {
      wrap: (next) => async (exchange) => {
        const { method, params, toward } = exchange
        const mayLeave = toward === 'client' || inArguments
        const changed = mayLeave ? struck(params, method) : params
        try {
          const result = await next(changed === params ? exchange : { ...exchange, params: changed })
          // The answer of a client goes to a server.
          return toward === 'client' && !inArguments ? result : await answered(result, exchange)
        } catch (thrown) {
          throw failed(thrown, method)
        }
      },
      notify: (next) => (notice) => {
        const { params } = notice
        if (!isObject(params) || (notice.toward === 'server' && !inArguments)) return next(notice)
        const changed = struck(params, notice.method)
        return next(changed === params ? notice : { ...notice, params: changed })
      },
      describe: (said) => {
        const counts = new Tally()
        const servers = said.servers.map(({ server, instructions }) => ({
          server,
          instructions: apply(instructions, counts),
        }))
        if (counts.size === 0) return said
        told('initialize', Object.fromEntries(counts))
        return { ...said, servers }
      },
    }
  },
})

/** A mail address that was struck out is none any more: a tool that promised one would be refused by clients. */
function withoutPromises(item: JsonObject): JsonObject {
  const { outputSchema } = item
  if (!isObject(outputSchema)) return item
  const schema = withoutForms(outputSchema)
  // The object with its symbols: they name its server.
  return schema === outputSchema ? item : { ...item, outputSchema: schema }
}
