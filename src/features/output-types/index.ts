/**
 * The type of the large results of each tool so far. The preview of each result has this type anyway. It is remembered in one line for a
 * model that is about to call the tool again. Nothing is read for it but the preview, outside of which its layer stands.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import type { Config } from '../../config/schema.ts'
import { writeDurably } from '../../data/private-files.ts'
import type { Logger } from '../../observe/log.ts'
import { LargeResult, type Result, textsOf } from '../../protocol/content.ts'
import type { Destination } from '../../protocol/effects.ts'
import { hasCode } from '../../protocol/errors.ts'
import type { Agent, Middleware } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { originOf } from '../../protocol/origin.ts'
import { ellipsis } from '../../text/shorten.ts'
import { hasHiddenCharacters } from '../../text/suspicion.ts'

export interface OutputTypes {
  readonly layer: Middleware
  /** Types of what the tool has given this agent, the latest first, a line each. */
  of(agent: Agent, definition: JsonObject): readonly string[]
  close(): void
}

interface OutputTypesOptions {
  /** Where they outlive the proxy. Absent: nowhere. */
  readonly file?: string
  readonly inDescriptions: boolean
  readonly logger: Logger
}

/** Characters of a type, types of a tool, and tools of all agents: those not seen for longest give way. */
const LONGEST = 400
const MOST_TYPES = 3
const MOST_TOOLS = 2000
/** Milliseconds in which what is new is gathered before it is written. */
const SOON_MS = 2000

/** In `dataDir`. */
const FILE = 'output-types.json'

export function openOutputTypes({ settings }: Pick<Config, 'settings'>, logger: Logger): OutputTypes {
  const { learn, inDescriptions } = settings.outputTypes
  return createOutputTypes({
    ...(learn === 'file' && { file: join(settings.dataDir, FILE) }),
    inDescriptions,
    logger,
  })
}

export function createOutputTypes({ file, inDescriptions, logger }: OutputTypesOptions): OutputTypes {
  const known = new LRUCache<string, readonly string[]>({ max: MOST_TOOLS })
  if (file !== undefined) for (const [key, types] of readTypes(file, logger)) known.set(key, types)
  let writing: NodeJS.Timeout | undefined

  function write(): void {
    clearTimeout(writing)
    writing = undefined
    if (file === undefined) return
    try {
      // The latest last, as they are read again.
      const tools = [...known.entries()].toReversed().filter(([key]) => !key.startsWith(PASSING))
      writeDurably(file, JSON.stringify({ tools }))
    } catch (error) {
      logger.warn({ err: error }, 'the types of results could not be written')
    }
  }

  function learn(agent: Agent, { server, name }: Destination, type: string): void {
    const key = keyOf(agent, server, name)
    const before = known.get(key) ?? []
    if (before[0] === type) return
    known.set(key, [type, ...before.filter((one) => one !== type)].slice(0, MOST_TYPES))
    if (file !== undefined) writing ??= setTimeout(write, SOON_MS).unref()
  }

  function of(agent: Agent, definition: JsonObject): readonly string[] {
    const origin = originOf(definition)
    return (origin && known.get(keyOf(agent, origin.server, origin.name))) ?? []
  }

  /** The definition with the latest type behind its description. */
  function told(agent: Agent, definition: JsonObject): JsonObject {
    const [type] = of(agent, definition)
    if (type === undefined) return definition
    const { description } = definition
    const before = typeof description === 'string' && description !== '' ? `${description}\n` : ''
    return { ...definition, description: `${before}Results so far: ${type}` }
  }

  return {
    layer: {
      name: 'output-types',
      methods: ['tools/call', ...(inDescriptions ? ['tools/list'] : [])],
      list: ({ items }, { agent }) => items.map((tool) => told(agent, tool)),
      wrap: (next) => async (exchange) => {
        const { agent } = exchange
        // All anonymous clients are one agent: none may learn what another has seen.
        if (agent.kind === 'anonymous') return next(exchange)
        let ended: Destination | undefined
        let handle: string | undefined
        const result = await next({
          ...exchange,
          admit(destination) {
            ended = destination
            return exchange.admit?.(destination)
          },
          onKept(kept) {
            handle = kept
            exchange.onKept?.(kept)
          },
        })
        if (ended !== undefined && handle !== undefined) {
          const type = typeIn(result, handle)
          if (type !== undefined) learn(agent, ended, type)
        }
        return result
      },
    },
    of,
    close() {
      if (writing !== undefined) write()
    },
  }
}

/** Sessions end with the proxy at the latest. */
const PASSING = 'session '

/** By the names that the server itself has, whatever the tool is called further out. No id of an agent stands in a file. */
function keyOf({ id, kind }: Agent, server: string, tool: string): string {
  return `${kind} ${createHash('sha256')
    .update(JSON.stringify([id, server, tool]))
    .digest('base64url')}`
}

/** Characters of a preview in which its type begins. */
const HEAD = 4000

/** The type that stands in the preview; only the proxy can write one there, because the handle cannot be guessed. */
function typeIn(result: Result, handle: string): string | undefined {
  if (result instanceof LargeResult) return undefined
  const preview = textsOf(result).find((text) => text.includes(handle))
  const head = preview?.slice(0, HEAD) ?? ''
  const [, type] = /^type: (.+)$/m.exec(head) ?? []
  if (type === undefined || hasHiddenCharacters(type)) return undefined
  const [, place] = /\(\w+: [\d,]+ records in (\$[\w.[\]*]*),/.exec(head.slice(0, head.indexOf('\n'))) ?? []
  return ellipsis(place === undefined ? type : `records in ${place}: ${type}`, LONGEST)
}

const fileSchema = z.object({
  tools: z
    .array(z.tuple([z.string().max(200), z.array(z.string().max(LONGEST)).max(MOST_TYPES)]))
    .max(MOST_TOOLS),
})

/** None from a file that is not there, or is none of ours: they are learned again. */
function readTypes(file: string, logger: Logger): [key: string, types: string[]][] {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).tools
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) logger.warn({ err: error }, 'the types of results could not be read')
    return []
  }
}
