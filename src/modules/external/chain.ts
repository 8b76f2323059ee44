/** A message on its way through the interceptors of one module: changed, judged, told of, in the order of the proposal. */
import type { ExternalModule } from '../../config/modules/entry.ts'
import { messageOf, RPC, RpcError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Logger } from '../../telemetry/log.ts'
import { failure } from '../failure.ts'
import { type Ask, changeOf, type Message, type Verdict, verdictOf } from './ask.ts'
import type { Interceptor } from './interceptor.ts'
import type { Chain } from './offer.ts'

/** What became of a message: other content, or an answer in place of one. */
export interface Passed {
  readonly payload: JsonObject
  readonly answer?: JsonObject
}

export interface Run {
  /** Changes, each on what the one before made of it. Rejects where a failure keeps the message from going on. */
  mutate(chain: Chain, message: Message, payload: JsonObject): Promise<Passed>
  /** Judges, all at once. Rejects with RpcError where one refuses. */
  validate(chain: Chain, message: Message, payload: JsonObject): Promise<void>
  /** Nobody waits for those that are only told. */
  tell(chain: Chain, message: Message, payload: JsonObject): void
  /** What a failure means. Throws where the message must not go on. */
  failed(one: Interceptor, message: Message, error: unknown): void
}

/** Messages that a module looks at while nobody waits for it; more of them are not shown to it. */
const MAX_WATCHED = 100
const MAX_TEXT = 2_000

export function createRun(config: ExternalModule, ask: Ask, logger: Logger): Run {
  const { name } = config
  let watched = 0
  const isAudit = (one: Interceptor): boolean => (config.mode ?? one.mode) === 'audit'

  function failed(one: Interceptor, { event, about }: Message, error: unknown): void {
    if (about.signal?.aborted) throw error
    const failsOpen = config.failOpen ?? one.failOpen
    logger[failsOpen ? 'warn' : 'error'](
      { interceptor: one.name, event, error: messageOf(error) },
      'a module failed',
    )
    if (!failsOpen && !isAudit(one)) throw failure(name, error)
  }

  /** Shows it a message that does not wait for it. */
  function watch(
    one: Interceptor,
    { about: { client, agent }, ...message }: Message,
    payload: JsonObject,
    heard: (answer: JsonObject, message: Message) => void,
  ): void {
    const alone = { ...message, about: { client, agent } }
    if (watched >= MAX_WATCHED) {
      logger.warn(
        { interceptor: one.name, event: message.event },
        'a module is behind; a message was not shown to it',
      )
      return
    }
    watched++
    ask(one, alone, payload)
      .then((answer) => heard(answer, alone))
      .catch((error: unknown) => {
        const level = (config.failOpen ?? one.failOpen) || one.type === 'sink' ? 'warn' : 'error'
        logger[level](
          { interceptor: one.name, event: message.event, error: messageOf(error) },
          'a module failed',
        )
      })
      .finally(() => {
        watched--
      })
  }

  async function mutate(chain: Chain, message: Message, payload: JsonObject): Promise<Passed> {
    const { event, phase } = message
    let current = payload
    for (const one of chain.mutations) {
      if (isAudit(one)) {
        watch(one, message, current, (said, asked) => {
          const { answer, content } = changeOf(said, asked, config.payload)
          const fields = { interceptor: one.name, event, phase }
          if (answer) logger.info(fields, 'audit: the module would have answered in place of the server')
          else if (content) logger.info(fields, 'audit: the module would have changed the message')
        })
        continue
      }
      try {
        const { answer, content } = changeOf(await ask(one, message, current), message, config.payload)
        if (answer) return { payload: current, answer }
        current = content ?? current
      } catch (error) {
        failed(one, message, error)
      }
    }
    return { payload: current }
  }

  async function judged(one: Interceptor, message: Message, payload: JsonObject): Promise<Verdict[]> {
    try {
      const verdict = verdictOf(one, await ask(one, message, payload))
      return verdict ? [verdict] : []
    } catch (error) {
      failed(one, message, error)
      return []
    }
  }

  async function validate(chain: Chain, message: Message, payload: JsonObject): Promise<void> {
    if (chain.validations.length === 0) return
    const { event, phase } = message
    const note = ({ one, blocks, texts }: Verdict, isWatched: boolean): void =>
      logger.info(
        { interceptor: one.name, event, phase, messages: texts },
        blocks && isWatched
          ? 'audit: the module would have refused the message'
          : 'a module has something to say about a message',
      )
    for (const one of chain.validations) {
      if (!isAudit(one)) continue
      watch(one, message, payload, (said) => {
        const verdict = verdictOf(one, said)
        if (verdict) note(verdict, true)
      })
    }
    const asked = chain.validations.filter((one) => !isAudit(one))
    const verdicts = (await Promise.all(asked.map((one) => judged(one, message, payload)))).flat()
    for (const verdict of verdicts) if (!verdict.blocks) note(verdict, false)
    const refusals = verdicts.filter(({ blocks }) => blocks)
    if (refusals.length > 0) throw refusal(refusals)
  }

  function refusal(verdicts: readonly Verdict[]): RpcError {
    const validationErrors = verdicts.flatMap(({ one, texts }) =>
      (texts.length > 0 ? texts : ['']).map((message) => ({
        interceptor: one.name,
        severity: 'error',
        message,
      })),
    )
    const said = validationErrors
      .map(({ message }) => message)
      .filter((text) => text !== '')
      .join('; ')
      .slice(0, MAX_TEXT)
    const words = `Refused by the module \`${name}\`${said === '' ? '' : `: ${said}`}`
    return new RpcError(RPC.invalidParams, words, { validationErrors })
  }

  return {
    mutate,
    validate,
    failed,
    tell(chain, message, payload) {
      for (const one of chain.sinks) watch(one, message, payload, () => {})
    },
  }
}
