/** What happens when a module fails, takes too long, or only looks on. */
import { messageOf } from '../protocol/errors.ts'
import type { Logger } from '../telemetry/log.ts'
import { enforced } from './enforced.ts'
import type { Module, Notice, Notify } from './module.ts'
import { onlooker } from './onlooker.ts'
import { keepOrigins } from './origins.ts'

export interface GuardOptions {
  name: string
  mode: 'enforce' | 'audit'
  /** True: what the module fails at goes on unchanged. */
  failOpen: boolean
  /** Milliseconds that it may work on a message before it passes it on, and on the result after. Undefined: as long as it takes. */
  timeoutMs: number | undefined
  logger: Logger
}

/** The module, unable to do more than it may. */
export function guard(module: Module, options: GuardOptions): Module {
  const { wrap, notify } = module
  const isWatching = options.mode === 'audit'
  return {
    ...(wrap && {
      wrap: (next) =>
        isWatching
          ? onlooker(wrap.bind(module), next, options)
          : keepOrigins((inner) => enforced(wrap.bind(module), inner, options), next),
    }),
    ...(notify && { notify: (next) => notices(notify.bind(module), next, options) }),
    ...(module.describe && !isWatching && { describe: module.describe.bind(module) }),
    ...(module.reaches && !isWatching && { reaches: module.reaches.bind(module) }),
    ...(module.health && { health: () => module.health?.() ?? { state: 'ok', message: '' } }),
    ...(module.check && { check: () => module.check?.() ?? Promise.resolve({ state: 'ok', message: '' }) }),
    ...(module.close && { close: module.close.bind(module) }),
  }
}

function notices(notify: NonNullable<Module['notify']>, next: Notify, options: GuardOptions): Notify {
  const { mode, failOpen, logger } = options
  const failed = (error: unknown): void =>
    logger.error({ error: messageOf(error) }, 'a module failed at a notification')
  if (mode === 'audit') {
    const watching = notify(() => {})
    return (notice) => {
      void attempt(() => watching(notice), failed)
      return next(notice)
    }
  }
  const handler = notify(next)
  // A notification has nobody to be refused to: it is gone, or goes on.
  return (notice: Notice) =>
    attempt(
      () => handler(notice),
      (error) => {
        failed(error)
        return failOpen ? next(notice) : undefined
      },
    )
}

function attempt(
  run: () => void | Promise<void>,
  failed: (error: unknown) => void | Promise<void>,
): void | Promise<void> {
  try {
    const done = run()
    return done instanceof Promise ? done.catch(failed) : done
  } catch (error) {
    return failed(error)
  }
}
