/** Takes over what is new in the configuration file while the proxy runs. */
import type { Problem } from '../config/problem.ts'
import type { Config } from '../config/schema.ts'
import { type FileWatch, watchFile } from '../config/watch.ts'
import type { Reconfigured } from '../gateway.ts'
import { messageOf } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'
import type { Logger } from '../telemetry/log.ts'

export interface ReloadParts {
  /** As it was loaded. */
  config: Config
  /** Of its file when it was loaded (`stampOf`): what was written since then is not missed. */
  stamp: string | undefined
  /** Reads the file anew; throws what is wrong with it. */
  load(): Promise<{ config: Config; warnings: readonly Problem[] }>
  /** Puts the servers of a configuration to use. */
  apply(config: Config): Promise<Reconfigured>
  logger: Logger
  /** Milliseconds until the file is watched: the client waits for its first answer, not for this. */
  watchAfterMs?: number
}

export interface Reload {
  /** Reads the file, one time after the other. Never rejects: a file that is not valid changes nothing. */
  now(): Promise<void>
  close(): Promise<void>
}

/** Settings that are looked at whenever a server is connected or called; the others are read once. */
const LIVE: readonly string[] = ['profile', 'connect.timeoutMs', 'connect.callTimeoutMs', 'connect.lazy']

/** Watches the file of the configuration, where it has one. */
export function startReload({
  config: first,
  stamp,
  load,
  apply,
  logger,
  watchAfterMs = 1_000,
}: ReloadParts): Reload {
  let running = first
  let last = Promise.resolve()
  let closed = false

  async function reload(): Promise<void> {
    if (closed) return
    try {
      const { config, warnings } = await load()
      for (const { place, path, message, remedy } of warnings)
        logger.warn({ place }, `${path === '' ? '' : `${path} `}${message}. ${remedy}`)
      const { added, changed, removed } = await apply(config)
      const later = settingsThatDiffer(running.settings, config.settings).filter(
        (path) => !LIVE.includes(path),
      )
      if (later.length > 0)
        logger.warn({ settings: later }, 'these settings count when the proxy is started again')
      logger.info({ added, changed, removed }, 'the configuration was read again')
      // What waits for the next start is told with every change until then.
      running = { ...config, settings: running.settings }
    } catch (error) {
      logger.error(
        { error: messageOf(error) },
        'the configuration is not valid and was not taken over; the one before goes on',
      )
    }
  }

  function now(): Promise<void> {
    last = last.then(reload)
    return last
  }

  const { file } = first
  let watching: FileWatch | undefined
  const opening = setTimeout(() => {
    if (file !== undefined) watching = tryToWatch(file, stamp, now, logger)
  }, watchAfterMs).unref()
  return {
    now,
    async close() {
      closed = true
      clearTimeout(opening)
      watching?.close()
      await last
    },
  }
}

function tryToWatch(
  file: string,
  since: string | undefined,
  now: () => Promise<void>,
  logger: Logger,
): FileWatch | undefined {
  try {
    return watchFile(file, () => void now(), { since })
  } catch (error) {
    logger.warn({ file, error: messageOf(error) }, 'changes of the configuration will not be noticed')
    return undefined
  }
}

/** Paths of the settings that are not the same: `['log.level']`. */
function settingsThatDiffer(before: object, now: object, prefix = ''): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.flatMap((name) => {
    const [a, b] = [before, now].map((settings) => (settings as Record<string, unknown>)[name])
    if (isObject(a) && isObject(b)) return settingsThatDiffer(a, b, `${prefix}${name}.`)
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [prefix + name]
  })
}
