/** What every part is handed to tell of itself: a logger, and a clock for how long things take. */

/** Pino's shape, fields first, so that pino itself fits. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const ignore = (): void => {}

/** For embedding and for tests: says nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** The same logger with these fields in every line, such as whose line it is. */
export function withFields(logger: Logger, always: Readonly<Record<string, unknown>>): Logger {
  return {
    debug: (fields, message) => logger.debug({ ...always, ...fields }, message),
    info: (fields, message) => logger.info({ ...always, ...fields }, message),
    warn: (fields, message) => logger.warn({ ...always, ...fields }, message),
    error: (fields, message) => logger.error({ ...always, ...fields }, message),
  }
}

/** Whole milliseconds since any moment, by a clock that nobody sets. */
export const steadyClock = (): number => Math.floor(performance.now())
