/**
 * The answer in place of a second preview: that a result is as it was, or what changed since the same call before. The new result is kept
 * whole under its own handle, whatever is said of it.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { partsIn } from '../../documents/binary/parts.ts'
import {
  call,
  concat,
  type Dialect,
  HOLE,
  lengthOf,
  lines,
  spoken,
  type Template,
} from '../../documents/template.ts'
import type { Comparison, Digest, Engine } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import type { Handle } from '../../store/handles.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry } from '../../store/store.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'

type Shaped = NonNullable<Digest['shaped']>

/** How much may be said: always a preview, that nothing changed, or what did. */
export type Repeats = 'preview' | 'unchanged' | 'changes'

/** Calls that are remembered, of all clients. One that is forgotten gets a preview. */
const REMEMBERED = 2000

/** Bytes of a result that is compared: a larger one takes too long for what somebody waits for. */
const LARGEST_COMPARED = 8 * 1024 * 1024

/** The changes must cost less than this part of the preview that they stand for. */
const WORTH = 0.75

/** Characters of the type that an unchanged result is told with. */
const LONGEST_TYPE = 300

interface ToldOptions {
  engine: Pick<Engine, 'compare' | 'countTokens'>
  resultStore: Pick<ResultStore, 'get'>
  logger: Logger
}

/** Remembers under which handle each client was told the result of each call. */
export interface Told {
  /** The preview that goes out, or what is said in its place. */
  instead(entry: Entry, shaped: Shaped, asked: Asked): Promise<Shaped>
}

interface Asked {
  exchange: Exchange
  repeats: Repeats
  /** The server of the tool. */
  server: string
  /** The most characters of a preview. */
  previewSize: number
  dialect: Dialect | undefined
}

/** The last answer that a client got for a call, or for the pages of a server. */
interface Before {
  readonly handle: Handle
  /** The call, in one spelling. */
  readonly call: string
  /** The reply had a few lines: a model that did not see the preview before calls again. */
  isShort: boolean
}

export function createTold({ engine, resultStore, logger }: ToldOptions): Told {
  const told = new LRUCache<string, Before>({ max: REMEMBERED })

  async function compared(
    since: Handle,
    entry: Entry,
    { exchange, previewSize }: Asked,
  ): Promise<Comparison | undefined> {
    const isComparable = ({ content, size }: Entry): boolean =>
      size <= LARGEST_COMPARED && partsIn(content).length === 0
    // The one before may lie on disk: it is read only where it is compared.
    const before = isComparable(entry) ? await resultStore.get(exchange.agent, since) : undefined
    if (before === undefined || !isComparable(before)) return undefined
    const found = await engine.compare(before, entry, previewSize, exchange.signal)
    return found.text === undefined ? undefined : found
  }

  return {
    async instead(entry, shaped, asked) {
      const { exchange, repeats, dialect } = asked
      // One owner stands for several clients: what another was told is nothing that this one knows.
      if (exchange.agent.kind === 'anonymous' || repeats === 'preview') return shaped
      const isTree = shaped.shape?.startsWith('tree') === true
      const key = keyOf(asked, isTree)
      const before = told.get(key)
      // The reply to a cancelled call is never read.
      if (exchange.signal.aborted) return shaped
      const now: Before = { handle: entry.handle, call: callOf(exchange), isShort: false }
      told.set(key, now)
      if (before === undefined) return shaped
      const since = before.handle
      // Several agents may share a connection, and a context may have lost the preview: the second time in a row it comes.
      if (before.isShort && before.call === now.call && since === now.handle) return shaped
      try {
        if (since === entry.handle) {
          const text = spoken(unchanged(entry, shaped), dialect)
          if (lengthOf(text) >= lengthOf(shaped.text)) return shaped
          const [tokens = 0] = await engine.countTokens([text.join(entry.handle)])
          now.isShort = true
          return { ...shaped, text, tokens }
        }
        if (repeats !== 'changes') return shaped
        const changes = await compared(since, entry, asked)
        if (changes === undefined) return shaped
        const head = spoken(changed(entry, shaped, since, changes, isTree), dialect)
        const [first = 0] = await engine.countTokens([head.join(entry.handle)])
        const tokens = first + changes.tokens
        // Of a page the changes are what the next step needs; elsewhere a preview that is hardly longer tells more.
        if (tokens >= shaped.tokens * (isTree ? 1 : WORTH)) return shaped
        now.isShort = true
        return { ...shaped, text: concat(head, `\n${changes.text}`), tokens }
      } catch (error) {
        if (exchange.signal.aborted) throw error
        logger.warn({ err: error, tool: entry.tool }, 'a result could not be compared with the one before')
        return shaped
      }
    },
  }
}

/** The same call of the same client; of pages, the page that it saw last, by whatever call of the server. */
function keyOf({ exchange, server }: Asked, isTree: boolean): string {
  const { client, agent } = exchange
  const what = isTree ? server : callOf(exchange)
  return createHash('sha256')
    .update(JSON.stringify([agent.id, client.id, isTree, what]))
    .digest('base64')
}

function callOf({ params }: Exchange): string {
  const written = JSON.stringify([params.name, inOrder(params.arguments ?? {})])
  return createHash('sha256').update(written).digest('base64')
}

/** The same value with its keys in one order. */
function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isObject(value)) return value
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, held]) => [name, inOrder(held)])
}

function factsOf({ tool, shape, tokens }: Entry): { tool: string; facts: string } {
  const facts = [
    ...(shape === undefined ? [] : [shape]),
    ...(tokens ? [`${formatCount(tokens)} tokens`] : []),
  ]
  return { tool: ellipsis(tool, 80), facts: facts.length > 0 ? ` (${facts.join(', ')})` : '' }
}

function standingIn({ standing }: Shaped): string {
  return standing === undefined ? '' : ` ${ellipsis(standing, 400)}.`
}

/** The reader may share a connection with the agent that got the preview (a sub-agent). */
const AGAIN = ', or the same call once more for the preview'

function unchanged(entry: Entry, shaped: Shaped): Template {
  const { tool, facts } = factsOf(entry)
  const type = shaped.text.flatMap((part) => part.split('\n')).find((line) => line.startsWith('type: '))
  return lines([
    concat(
      'cache_id ',
      HOLE,
      ` keeps the whole result of ${tool}${facts}: unchanged since you got it before.${standingIn(shaped)}`,
    ),
    ...(type === undefined ? [] : [concat(ellipsis(type, LONGEST_TYPE))]),
    concat('To see what is in it again: ', call('proxy_explore', {}), AGAIN),
  ])
}

function changed(
  entry: Entry,
  shaped: Shaped,
  since: Handle,
  { counts: { added, removed, changed }, noun }: Comparison,
  isTree: boolean,
): Template {
  const { tool, facts } = factsOf(entry)
  const counts = `${formatPlural(added, noun)} added, ${formatCount(removed)} removed, ${formatCount(changed)} changed`
  return lines([
    concat('cache_id ', HOLE, ` keeps the whole result of ${tool}${facts}.${standingIn(shaped)}`),
    concat(
      `Since cache_id ${since} ${counts}, below; all else is as it was${isTree ? ', with the same references' : ''}. To see what is in it: `,
      call('proxy_explore', {}),
      AGAIN,
    ),
  ])
}
