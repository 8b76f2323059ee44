/** Writes down what passes: which messages, and where to, as the configuration says. Never changes anything. */

import { closeSync, createWriteStream, openSync } from 'node:fs'
import { toJson } from '../../documents/json/stringify.ts'
import { defineModule } from '../../module-runtime/module.ts'
import { ALL_KINDS, byServer, patternsIn } from '../../module-runtime/patterns.ts'
import { fingerprint } from '../../observe/redact.ts'
import { LargeResult, maySayError, type Result } from '../../protocol/content.ts'
import type { Destination } from '../../protocol/effects.ts'
import { messageOf, ProxyError, RpcError } from '../../protocol/errors.ts'
import type { Agent } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { namesAt, tracked } from '../../protocol/lists.ts'
import type { Origin } from '../../protocol/origin.ts'
import { compileChange } from '../../text/change/change.ts'
import { Tally } from '../../text/change/change-rules.ts'
import { matcherOf } from '../../text/patterns/glob.ts'
import { logOptions } from './options.ts'

/** One line of the log: texts, numbers and flags, under names of the proxy's own. */
type Line = Record<string, string | number | boolean | undefined>

export const log = defineModule({
  name: 'log',
  options: logOptions,
  messages: ({ methods }) => methods ?? ['*'],
  patterns: ({ servers, tools }) => [
    ...patternsIn('servers', servers, ALL_KINDS, byServer),
    ...patternsIn('tools', tools, ALL_KINDS),
  ],
  create(options, { logger, elapsed, now }) {
    const { direction, content, maxLength } = options
    const isMethod = options.methods === undefined ? () => true : matcherOf(options.methods)
    const isServer = options.servers && matcherOf(options.servers)
    const isTool = options.tools && matcherOf(options.tools)
    const secrets = compileChange([
      { kind: 'sensitive', kinds: ['secrets'], patterns: {}, entropy: 0, replacement: '***', allow: [] },
    ])
    const uncounted = new Tally()
    const sink = options.file === undefined ? undefined : openLogFile(options.file, now)

    /** Nothing of a message is changed once it is under way: `line` may look at it later. */
    function write(message: string, line: () => Line): void {
      if (sink) sink.write(message, line)
      else logger.info(line(), message)
    }

    /** A name or a message, without secrets. */
    function plainly(text: string): string {
      return options.redact ? secrets(text, uncounted) : text
    }

    /** Texts of messages are written as text, so that a line stays short and nothing in it is taken for a field. */
    const shown = (value: JsonValue | undefined): string | undefined =>
      value === undefined ? undefined : shownText(value, maxLength, options.redact ? plainly : undefined)

    function isWanted(method: string, toward: 'client' | 'server'): boolean {
      return (
        isMethod(method) &&
        (direction === 'both' || direction === (toward === 'client' ? 'toClient' : 'toServer'))
      )
    }

    /** `place`: where it ended, as far as that is known. */
    function isChosen(params: JsonObject, server: string | undefined, place?: Origin | Destination): boolean {
      if (isServer && (server === undefined || !isServer(server))) return false
      if (isTool === undefined) return true
      const shown = [params.name, params.uri].find((name) => typeof name === 'string') ?? place?.name
      if (typeof shown !== 'string') return false
      const where = place ?? (server === undefined ? undefined : { server, name: shown })
      return namesAt(where, shown).some(isTool)
    }

    return {
      wrap: (next, inside) => async (exchange) => {
        const { method, params, toward = 'server' } = exchange
        const chooses = isServer !== undefined || isTool !== undefined
        if (!isWanted(method, toward)) return next(exchange)
        const { sent, place } = chooses ? tracked(exchange) : { sent: exchange, place: () => undefined }
        const began = elapsed()
        const ended = async (more: () => Line): Promise<void> => {
          const ms = elapsed() - began
          // A fact that cannot be found out is not chosen; the answer goes its way.
          const where =
            place() ?? (chooses ? await inside.origin(exchange).catch(() => undefined) : undefined)
          const server = exchange.server ?? where?.server
          if (chooses && !isChosen(params, server, where)) return
          write('message', () => ({
            method,
            toward,
            agent: agentOf(exchange.agent),
            ...(chooses && server !== undefined && { server }),
            ...(typeof params.name === 'string' && { name: plainly(params.name) }),
            ...(typeof params.uri === 'string' && { uri: plainly(params.uri) }),
            ...(content !== 'none' && { params: shown(params) }),
            ms,
            ...more(),
          }))
        }
        try {
          const result = await next(sent)
          await ended(() => ({ ...sizeOf(result), ...answer(result) }))
          return result
        } catch (error) {
          const code = error instanceof RpcError || error instanceof ProxyError ? error.code : undefined
          await ended(() => ({ error: plainly(messageOf(error)), ...(code !== undefined && { code }) }))
          throw error
        }
      },
      notify: (next) => (notice) => {
        const { method, params = {}, toward, server, client } = notice
        if (isWanted(method, toward) && isChosen(params, server))
          write('notification', () => ({
            method,
            toward,
            agent: agentOf(client.agent),
            ...(server !== undefined && { server }),
            ...(content !== 'none' && { params: shown(params) }),
          }))
        return next(notice)
      },
      close: async () => sink?.close(),
    }

    function answer(result: Result): Line {
      if (content !== 'all') return {}
      if (!(result instanceof LargeResult)) return { result: shown(result) }
      return { result: shownJson(result.bytes, maxLength, options.redact ? plainly : undefined) }
    }
  },
})

const agents = new WeakMap<Agent, string>()

/** The id of a session grants access to it. */
function agentOf(agent: Agent): string {
  const known = agents.get(agent) ?? fingerprint(agent.id)
  agents.set(agent, known)
  return known
}

function sizeOf(result: Result): Line {
  if (result instanceof LargeResult)
    return { bytes: result.bytes.length, ...(isLargeError(result) && { isError: true }) }
  return isObject(result) && result.isError === true ? { isError: true } : {}
}

/** Longer ones are not parsed for a line of a log. */
const MOST_BYTES = 1024 * 1024

function isLargeError(result: LargeResult): boolean {
  if (result.bytes.length > MOST_BYTES || !maySayError(result)) return false
  try {
    return result.json().isError === true
  } catch {
    return false
  }
}

// A file that lines of JSON are appended to. Lines are made when the event loop has nothing more urgent to do, so that no message waits
// for them. Many are written at once, because a write costs many times what a line does.

/** Milliseconds that a line waits for others, and characters that wait no longer. */
const LINGER_MS = 50
const MOST_TOGETHER = 64 * 1024
/** Bytes that wait for a slow disk; what comes then is lost. */
const MOST_WAITING = 64 * 1024 * 1024

interface LogFile {
  /** `fields` is called later; the line has the time of now. */
  write(message: string, fields: () => Readonly<Record<string, unknown>>): void
  /** Resolves when all is written. */
  close(): Promise<void>
}

/** Readable by the user alone. `now`: milliseconds since 1970. Throws ProxyError CONFIG_INVALID. */
export function openLogFile(file: string, now: () => number): LogFile {
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `The log file ${file} cannot be opened: ${messageOf(error)}`,
      'Name another file.',
    )
  }
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 })
  // A full disk must not end the proxy: lines are lost, messages are not.
  stream.on('error', () => {})
  let unmade: (() => string)[] = []
  let made = ''
  let writing: NodeJS.Timeout | undefined
  const timestamp = createTimestamp()

  function make(): void {
    const makers = unmade
    unmade = []
    for (const maker of makers) made += lineOf(maker)
    if (made.length > MOST_TOGETHER) put()
    else writing ??= setTimeout(put, LINGER_MS)
  }

  function put(): void {
    clearTimeout(writing)
    writing = undefined
    if (made !== '' && stream.writableLength < MOST_WAITING) stream.write(made)
    made = ''
  }

  return {
    write(message, fields) {
      if (unmade.length === 0) setImmediate(make)
      const ms = now()
      unmade.push(() => `${JSON.stringify({ time: timestamp(ms), message, ...fields() })}\n`)
    },
    close: async () => {
      make()
      put()
      if (stream.destroyed) return
      await new Promise<void>((resolve) => {
        stream.once('close', () => resolve())
        stream.end()
      })
    },
  }
}

/** A line that cannot be written must not end the proxy. */
function lineOf(make: () => string): string {
  try {
    return make()
  } catch {
    return ''
  }
}

/** Many lines come in one millisecond. */
function createTimestamp(): (ms: number) => string {
  let at = Number.NaN
  let text = ''
  return (ms) => {
    if (ms !== at) {
      at = ms
      text = new Date(ms).toISOString()
    }
    return text
  }
}

// The beginning of a message as one text for a log line.

/**
 * Characters behind the cut that are looked at for secrets. More is not needed: what the cut goes through is left out whole, up to the
 * blank or quote before it.
 */
const MARGIN = 64

/** Longer than any word that is one secret. */
const LONGEST_WORD = 4_096

/** As minified JSON, cut to `most` characters with `…`. `clean` takes secrets out; half a secret would not be recognised. */
export function shownText(value: JsonValue, most: number, clean?: (text: string) => string): string {
  const left = { characters: most + MARGIN }
  const json = toJson(beginning(value, left, 0))
  if (left.characters >= 0 && json.length <= most) return clean ? clean(json) : json
  return cut(json, most, clean)
}

/** The same of a value that lies there as UTF-8 JSON, which is not parsed. */
function shownJson(bytes: Uint8Array, most: number, clean?: (text: string) => string): string {
  const { buffer, byteOffset, length } = bytes
  // A character has four bytes at most; the last one may be cut.
  const from = Buffer.from(buffer, byteOffset, Math.min(length, (most + MARGIN) * 4)).toString('utf8')
  if (from.length > most || length > (most + MARGIN) * 4) return cut(from, most, clean)
  return clean ? clean(from) : from
}

function cut(json: string, most: number, clean: ((text: string) => string) | undefined): string {
  const text = clean ? clean(json.slice(0, most + MARGIN)) : json
  return `${text.slice(0, clean ? endBefore(text, most) : most)}…`
}

/** Deeper nesting does not help a reader of a log. */
const DEEPEST = 100

/** The beginning of a value, so that no more than needed is written as JSON. The same value where it is short. */
function beginning(value: JsonValue, left: { characters: number }, depth: number): JsonValue {
  if (typeof value === 'string') {
    const room = Math.max(0, left.characters)
    left.characters -= value.length
    return value.length > room ? value.slice(0, room) : value
  }
  left.characters -= 1
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '…'
  if (Array.isArray(value)) {
    let items: JsonValue[] | undefined
    for (let index = 0; index < value.length; index++) {
      if (left.characters < 0) return (items ?? value).slice(0, index)
      const item = value[index] as JsonValue
      const now = beginning(item, left, depth + 1)
      if (now === item) continue
      items ??= [...value]
      items[index] = now
    }
    return items ?? value
  }
  return beginningOf(value, left, depth)
}

function beginningOf(object: JsonObject, left: { characters: number }, depth: number): JsonObject {
  let copy: JsonObject | undefined
  for (const key in object) {
    if (left.characters < 0) return before(copy ?? object, key)
    left.characters -= key.length
    const inner = object[key] as JsonValue
    const now = beginning(inner, left, depth + 1)
    if (now === inner) continue
    copy ??= { ...object }
    setOwn(copy, key, now)
  }
  return copy ?? object
}

/** The members before this one. */
function before(object: JsonObject, end: string): JsonObject {
  const copy: JsonObject = {}
  for (const key in object) {
    if (key === end) break
    setOwn(copy, key, object[key] as JsonValue)
  }
  return copy
}

/** Where the last word begins that the cut goes through. */
function endBefore(text: string, most: number): number {
  let end = most
  while (end > 0 && most - end < LONGEST_WORD && !BETWEEN.has(text.charCodeAt(end))) end--
  return end
}

/** Blank, line feed, `"`, `'`, `\\`. */
const BETWEEN: ReadonlySet<number> = new Set([32, 10, 34, 39, 92])
