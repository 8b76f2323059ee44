/** How a run ends: a signal or the client's leaving closes everything once, in bounded time. */
import { hasCode, messageOf } from '../protocol/errors.ts'
import type { Logger } from '../telemetry/log.ts'
import type { ProcessEvents } from './host.ts'

export interface ShutdownOptions {
  events: ProcessEvents
  /** The client left: its input ended, or its output broke. */
  ended: Promise<void>
  close(): Promise<void>
  /** What SIGHUP does; absent: it stops as the others do. */
  hangUp?: () => void
  /** Ends the process at once, for a second signal. */
  exit(code: number): void
  logger: Logger
  /** Milliseconds that closing may take: kept results go to disk meanwhile. Default 8,000, within the ten seconds that supervisors give. */
  patience?: number
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Resolves with the exit code when everything is closed, or when closing took too long. */
export async function untilStopped(options: ShutdownOptions): Promise<number> {
  const { events, ended, close, exit, logger, patience = 8_000 } = options
  let signalled = false
  let stop: (reason: string) => void = () => {}
  const reason = new Promise<string>((resolve) => {
    stop = resolve
  })
  const listeners = new Map<string, (value: unknown) => void>()
  const listen = (event: string, listener: (value: unknown) => void): void => {
    listeners.set(event, listener)
    events.on(event, listener)
  }
  for (const signal of SIGNALS) {
    listen(signal, () => {
      if (signal === 'SIGHUP' && options.hangUp !== undefined) return options.hangUp()
      // A client that leaves sends a signal to whoever is not gone at once: that is no order to lose what is being kept.
      if (signalled) exit(1)
      signalled = true
      stop(signal)
    })
  }
  // A session outlives a mistake in one request; what went wrong is in the log.
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    listen(event, (error) => {
      if (hasCode(error, 'EPIPE')) stop('the client is gone')
      else logger.error({ err: error, event }, `not caught: ${messageOf(error)}`)
    })
  }
  void ended.then(() => stop('the client left'))

  logger.info({ reason: await reason }, 'stopping')
  const code = await inTime(close(), patience, logger)
  for (const [event, listener] of listeners) events.off(event, listener)
  return code
}

async function inTime(closing: Promise<void>, patience: number, logger: Logger): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, patience, 'late')
  })
  try {
    if ((await Promise.race([closing, late])) !== 'late') return 0
    logger.warn({ patience }, 'closing took too long')
    return 1
  } catch (error) {
    logger.error({ err: error }, 'closing failed')
    return 1
  } finally {
    clearTimeout(timer)
  }
}
