/** Writes down what passes: which messages, and where to, as the configuration says. Never changes anything. */
import { closeSync, createWriteStream, openSync } from 'node:fs'
import { logOptions } from '../config/modules/log.ts'
import { messageOf, ProxyError, RpcError } from '../protocol/errors.ts'
import type { Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { LargeResult, type Result } from '../protocol/result.ts'
import { createRedactor } from '../telemetry/redact.ts'
import { compileChange } from '../text/change.ts'
import { matcherOf } from '../text/glob.ts'
import { defineModule } from './module.ts'
import { createRoster, type Kind, kindOfList } from './roster.ts'

/** One line of the log: texts, numbers and flags, under names of the proxy's own. */
type Line = Record<string, string | number | boolean | undefined>

/** What is without secrets already. */
const SHOWN: ReadonlySet<string> = new Set(['params', 'result'])

/** Characters behind the cut that are looked at: a private key has no more. */
const MARGIN = 4_096

export const log = defineModule({
  name: 'log',
  options: logOptions,
  messages: ({ methods, servers }) =>
    // Whose a tool is, lists tell.
    servers === undefined ? (methods ?? ['*']) : [...(methods ?? ['*']), 'tools/list', 'prompts/list'],
  create(options, { logger, elapsed, now }) {
    const { direction, content, maxLength } = options
    const isMethod = options.methods === undefined ? () => true : matcherOf(options.methods)
    const isServer = options.servers && matcherOf(options.servers)
    const isTool = options.tools && matcherOf(options.tools)
    const roster = createRoster()
    const redactor = createRedactor()
    const secrets = compileChange([
      { kind: 'sensitive', kinds: ['secrets'], patterns: {}, entropy: 0, replacement: '***', allow: [] },
    ])
    const sink = options.file === undefined ? undefined : openSink(options.file)

    function write(line: Line, message: string): void {
      const fields = options.redact ? withoutSecrets(line) : line
      if (sink) sink.write(`${JSON.stringify({ time: new Date(now()).toISOString(), message, ...fields })}\n`)
      else logger.info(fields, message)
    }

    function withoutSecrets(line: Line): Line {
      const struck: Line = {}
      for (const [key, value] of Object.entries(line))
        struck[key] = typeof value === 'string' && !SHOWN.has(key) ? withoutSecret(value) : value
      return struck
    }

    function withoutSecret(text: string): string {
      return redactor.text(secrets(text, new Map()))
    }

    /**
     * Texts of messages are written as text, so that a line stays short and nothing in it is taken for a field. They are cut once
     * secrets are out: of half a secret nobody sees that it is one.
     */
    const shown = (value: JsonValue | undefined): string | undefined => {
      if (value === undefined) return undefined
      const json = JSON.stringify(value)
      const part = json.length > maxLength + MARGIN ? json.slice(0, maxLength + MARGIN) : json
      const text = options.redact ? withoutSecret(part) : part
      if (json.length <= maxLength) return text
      return `${text.slice(0, maxLength)}… (${json.length} characters)`
    }

    function isWanted(method: string, toward: 'client' | 'server', params: JsonObject): boolean {
      if (!isMethod(method)) return false
      if (direction !== 'both' && direction !== (toward === 'client' ? 'toClient' : 'toServer')) return false
      return (
        isTool === undefined ||
        [params.name, params.uri].some((name) => typeof name === 'string' && isTool(name))
      )
    }

    async function serverOf(
      exchange: Exchange,
      find: () => ReturnType<typeof roster.find>,
    ): Promise<string | undefined> {
      if (exchange.server !== undefined) return exchange.server
      const item = await find()
      return item && originOf(item)?.server
    }

    return {
      wrap: (next) => async (exchange) => {
        const { method, params, toward = 'server' } = exchange
        const kind = isServer && kindOfList(method)
        const learnt = async (result: Result): Promise<Result> =>
          kind === undefined ? result : roster.learn(kind, result, exchange.client).result
        if (!isWanted(method, toward, params)) return learnt(await next(exchange))
        const named: Kind | undefined =
          method === 'tools/call' ? 'tools' : method === 'prompts/get' ? 'prompts' : undefined
        const server =
          isServer &&
          (await serverOf(exchange, () => named && roster.find(named, String(params.name), exchange, next)))
        if (isServer && (server === undefined || !isServer(server))) return learnt(await next(exchange))
        const about: Line = {
          method,
          toward,
          agent: exchange.agent.id,
          ...(server !== undefined && { server }),
          ...(typeof params.name === 'string' && { name: params.name }),
          ...(typeof params.uri === 'string' && { uri: params.uri }),
          ...(content !== 'none' && { params: shown(params) }),
        }
        const began = elapsed()
        try {
          const result = await next(exchange)
          write({ ...about, ms: elapsed() - began, ...sizeOf(result), ...answer(result) }, 'message')
          return await learnt(result)
        } catch (error) {
          const code = error instanceof RpcError || error instanceof ProxyError ? error.code : undefined
          write(
            { ...about, ms: elapsed() - began, error: messageOf(error), ...(code !== undefined && { code }) },
            'message',
          )
          throw error
        }
      },
      notify: (next) => (notice) => {
        const { method, params = {}, toward, server } = notice
        if (isWanted(method, toward, params) && (!isServer || (server !== undefined && isServer(server))))
          write(
            {
              method,
              toward,
              agent: notice.client.agent.id,
              ...(server !== undefined && { server }),
              ...(content !== 'none' && { params: shown(params) }),
            },
            'notification',
          )
        return next(notice)
      },
      close: async () => sink?.end(),
    }

    function answer(result: Result): Line {
      if (content !== 'all') return {}
      return { result: result instanceof LargeResult ? `(${result.bytes.length} bytes)` : shown(result) }
    }
  },
})

function sizeOf(result: Result): Line {
  if (result instanceof LargeResult) return { bytes: result.bytes.length }
  return isObject(result) && result.isError === true ? { isError: true } : {}
}

/** Readable by the user alone. Throws ProxyError CONFIG_INVALID. */
function openSink(file: string): { write(line: string): void; end(): void } {
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
  return { write: (line) => stream.write(line), end: () => stream.end() }
}
