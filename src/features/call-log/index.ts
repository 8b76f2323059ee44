/**
 * A line of the log for each call: who called, the tool that was run, whichever tool ran it, how long it took, about how much went in and
 * out, and how it ended.
 */
import type { Logger } from '../../observe/log.ts'
import { fingerprint } from '../../observe/redact.ts'
import { LargeResult } from '../../protocol/content.ts'
import type { Client, Middleware } from '../../protocol/exchange.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { Feature } from '../../proxy/feature.ts'
import { calledName } from '../../proxy/own-tools.ts'

export interface CallLogOptions {
  logger: Logger
  /** The tool that a call ends at; by default the one it names. */
  calledName?(params: JsonObject): string
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
}

/** Characters of names that clients make up. */
const NAMED = 100
/** Values that are looked at to measure something: beyond them a size is what they have. */
const MOST_VALUES = 2000

/** Outermost. Neither arguments nor results are written: they may hold anything. */
export function createCallLog({
  logger,
  calledName = ({ name }) => String(name),
  elapsed,
}: CallLogOptions): Middleware {
  return {
    name: 'call-log',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const begun = elapsed()
      let ended: 'result' | 'isError' | 'error' = 'error'
      let characters = 0
      try {
        const result = await next(exchange)
        characters = result instanceof LargeResult ? result.bytes.byteLength : lengthAbout(result)
        ended = !(result instanceof LargeResult) && result.isError === true ? 'isError' : 'result'
        return result
      } finally {
        const tool = calledName(exchange.params).slice(0, 200)
        const { client, agent } = callerOf(exchange.client)
        const asked = lengthAbout(exchange.params.arguments)
        const { name: by } = exchange.agent
        const line = { client, agent, tool, ms: elapsed() - begun, ended, asked, answered: characters }
        logger.info(by === undefined ? line : { ...line, by }, 'call')
      }
    },
  }
}

/** Who calls, as lines of the log name it; made once for each client. */
interface Caller {
  /** What the client says it is: `claude-code 2.1`. */
  readonly client: string
  /** Stands for the owner of what is kept. */
  readonly agent: string
}

function callerOf(client: Client): Caller {
  const known = callers.get(client)
  if (known !== undefined) return known
  const { name, version } = client.info
  const says = [name, version].filter((part) => typeof part === 'string').join(' ')
  const made = { client: says.slice(0, NAMED), agent: fingerprint(client.agent.id) }
  callers.set(client, made)
  return made
}

const callers = new WeakMap<Client, Caller>()

/** Characters of a value as JSON, about: nothing is written out to be measured. */
function lengthAbout(value: JsonValue | undefined): number {
  let length = 0
  const waiting: (JsonValue | undefined)[] = [value]
  for (let seen = 0; waiting.length > 0 && seen < MOST_VALUES; seen++) {
    const one = waiting.pop()
    if (typeof one === 'string') length += one.length + 2
    else if (Array.isArray(one)) {
      length += one.length + 1
      for (const item of one.slice(0, MOST_VALUES)) waiting.push(item)
    } else if (typeof one === 'object' && one !== null) {
      length += 2
      for (const key of Object.keys(one).slice(0, MOST_VALUES)) {
        length += key.length + 4
        waiting.push(one[key])
      }
    } else length += String(one ?? '').length
  }
  return length
}

export const callLog: Feature = {
  name: 'call-log',
  what: 'Logs every call: client, tool, time, sizes and end.',
  when: '`log.level` is `info` or `debug`',
  layer: ({ settings, logger, elapsed }) =>
    ['debug', 'info'].includes(settings.log.level)
      ? createCallLog({ logger, elapsed, ...(settings.exposure !== 'passthrough' && { calledName }) })
      : undefined,
}
