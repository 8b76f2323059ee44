/** The logger every layer is handed: pino's shape, fields first, so that pino itself fits. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const ignore = (): void => {}

/** For embedding and for tests: says nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** The same logger with the server's name in every line. */
export function named(logger: Logger, server: string): Logger {
  return {
    debug: (fields, message) => logger.debug({ server, ...fields }, message),
    info: (fields, message) => logger.info({ server, ...fields }, message),
    warn: (fields, message) => logger.warn({ server, ...fields }, message),
    error: (fields, message) => logger.error({ server, ...fields }, message),
  }
}
