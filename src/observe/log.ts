/** The parts by which every part reports on itself: a logger, a clock for how long things take, and the fields of a call. */
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { fingerprint } from './redact.ts'

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

/** The same logger with these fields in every line, such as the server of the line. */
export function withFields(logger: Logger, always: Readonly<Record<string, unknown>>): Logger {
  return {
    debug: (fields, message) => logger.debug({ ...always, ...fields }, message),
    info: (fields, message) => logger.info({ ...always, ...fields }, message),
    warn: (fields, message) => logger.warn({ ...always, ...fields }, message),
    error: (fields, message) => logger.error({ ...always, ...fields }, message),
  }
}

/** Whole milliseconds by a monotonic clock. */
export const steadyClock = (): number => Math.floor(performance.now())

// The fields of a call without its content: who makes it, and about how large it is.

/** Who calls. */
interface Caller {
  /** The name and version that the client gives: `claude-code 2.1`. */
  readonly client: string
  /** Stands for the owner of what is kept. */
  readonly agent: string
}

/** Characters of names that clients make up. */
const NAMED = 100

/** Made once for each client. */
export function callerOf(client: Client): Caller {
  const known = callers.get(client)
  if (known !== undefined) return known
  const { name, version } = client.info
  const says = [name, version].filter((part) => typeof part === 'string').join(' ')
  const made = { client: says.slice(0, NAMED), agent: fingerprint(client.agent.id) }
  callers.set(client, made)
  return made
}

const callers = new WeakMap<Client, Caller>()

/** The most values of a result that are measured: a longer result counts with the size of these. */
const MOST_VALUES = 2000

/** Characters of a value as JSON, about: nothing is written out, and little is made, to measure it. */
export function lengthAbout(value: JsonValue | undefined): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return String(value ?? '').length
  let length = 0
  let seen = 0
  const waiting: (JsonObject | readonly JsonValue[])[] = [value]
  const measure = (one: JsonValue | undefined): void => {
    if (typeof one === 'object' && one !== null) waiting.push(one)
    else length += typeof one === 'string' ? one.length + 2 : String(one ?? '').length
  }
  for (let one = waiting.pop(); one !== undefined && seen < MOST_VALUES; one = waiting.pop()) {
    if (Array.isArray(one)) {
      length += one.length + 1
      for (let index = 0; index < one.length && seen < MOST_VALUES; index++, seen++) measure(one[index])
    } else {
      length += 2
      for (const key in one) {
        if (seen++ >= MOST_VALUES) break
        length += key.length + 4
        measure((one as JsonObject)[key])
      }
    }
  }
  return length
}
