/** Writes down what passes: which messages, and where to, as the configuration says. Never changes anything. */
import { logOptions } from '../config/modules/log.ts'
import { messageOf, ProxyError, RpcError } from '../protocol/errors.ts'
import type { Agent, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { LargeResult, type Result } from '../protocol/result.ts'
import { fingerprint } from '../telemetry/secret.ts'
import { compileChange, Tally } from '../text/change.ts'
import { matcherOf } from '../text/glob.ts'
import { openLogFile } from './log-file.ts'
import { shownText } from './log-text.ts'
import { defineModule } from './module.ts'
import { byShownName, patternsIn } from './patterns.ts'
import { createRoster, type Kind, kindOfList } from './roster.ts'

/** One line of the log: texts, numbers and flags, under names of the proxy's own. */
type Line = Record<string, string | number | boolean | undefined>

export const log = defineModule({
  name: 'log',
  options: logOptions,
  messages: ({ methods, servers }) =>
    // Whose a tool is, lists tell.
    servers === undefined ? (methods ?? ['*']) : [...(methods ?? ['*']), 'tools/list', 'prompts/list'],
  patterns: ({ tools }) =>
    patternsIn('tools', tools, ['tools', 'prompts', 'resources', 'resourceTemplates'], byShownName),
  create(options, { logger, elapsed, now }) {
    const { direction, content, maxLength } = options
    const isMethod = options.methods === undefined ? () => true : matcherOf(options.methods)
    const isServer = options.servers && matcherOf(options.servers)
    const isTool = options.tools && matcherOf(options.tools)
    const roster = createRoster()
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
        const began = elapsed()
        const ended = (more: () => Line): void => {
          const ms = elapsed() - began
          write('message', () => ({
            method,
            toward,
            agent: agentOf(exchange.agent),
            ...(server !== undefined && { server }),
            ...(typeof params.name === 'string' && { name: plainly(params.name) }),
            ...(typeof params.uri === 'string' && { uri: plainly(params.uri) }),
            ...(content !== 'none' && { params: shown(params) }),
            ms,
            ...more(),
          }))
        }
        try {
          const result = await next(exchange)
          ended(() => ({ ...sizeOf(result), ...answer(result) }))
          return await learnt(result)
        } catch (error) {
          const code = error instanceof RpcError || error instanceof ProxyError ? error.code : undefined
          ended(() => ({ error: plainly(messageOf(error)), ...(code !== undefined && { code }) }))
          throw error
        }
      },
      notify: (next) => (notice) => {
        const { method, params = {}, toward, server, client } = notice
        if (isWanted(method, toward, params) && (!isServer || (server !== undefined && isServer(server))))
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
      return { result: result instanceof LargeResult ? `(${result.bytes.length} bytes)` : shown(result) }
    }
  },
})

const agents = new WeakMap<Agent, string>()

/** Who knows the id of a session has the session. */
function agentOf(agent: Agent): string {
  const known = agents.get(agent) ?? fingerprint(agent.id)
  agents.set(agent, known)
  return known
}

function sizeOf(result: Result): Line {
  if (result instanceof LargeResult) return { bytes: result.bytes.length }
  return isObject(result) && result.isError === true ? { isError: true } : {}
}
