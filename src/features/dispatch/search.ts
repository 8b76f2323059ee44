/** `search`: the tools that fit what is wanted, with how they are called. */
import type { FindableTool } from '../../discovery/finder.ts'
import type { Found } from '../../discovery/search.ts'
import { leadOf, signatureOf } from '../../discovery/signature.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { findConnection, unknownConnection } from '../../proxy/connections.ts'
import { wordsOf } from '../../text/words.ts'
import { type Action, dataReply, failureReply } from './actions.ts'

const someTools = 10
const lead = 120
const longestSignature = 300
const longestAnnotations = 1000

export const search: Action = async (
  { query = '', connection, limit = someTools, includeInputSchema },
  situation,
  { settings },
) => {
  const { listing, exchange, connections } = situation
  if (query.trim() === '')
    return failureReply(
      'search',
      'search needs query: what you want to do, in words. {"action":"list"} lists all tools.',
    )
  const wanted = connection === undefined ? undefined : findConnection(connection, connections)
  if (connection !== undefined && !wanted)
    return failureReply('search', unknownConnection(connection, connections))
  const { tools, search: find } = listing.index
  const ranked = await find(query, tools.length, exchange.signal)
  const found = [...ranked, ...byAnnotations(query, tools, ranked)].filter(
    ({ index }) => !wanted || tools[index]?.server === wanted.server,
  )
  const shown: JsonObject[] = []
  let room = settings.budget - 300
  for (const { index, score } of found.slice(0, limit)) {
    const tool = tools[index]
    if (tool === undefined) continue
    const alias = connections.find(({ server }) => server === tool.server)?.alias
    const told = describe(tool, alias, score, query, includeInputSchema === true)
    room -= JSON.stringify(told).length + 1
    if (room < 0 && shown.length > 0) break
    shown.push(told)
  }
  return dataReply('search', {
    query: query.slice(0, 200),
    totalMatches: found.length,
    ...(shown.length === 0 && { note: 'No tool fits. Ask in other words: what is done, and to what.' }),
    tools: shown,
  })
}

/** Tools that no other word of theirs would have found. */
function byAnnotations(query: string, tools: readonly FindableTool[], ranked: readonly Found[]): Found[] {
  const known = new Set(ranked.map(({ index }) => index))
  const wanted = wantedIn(query)
  return tools.flatMap(({ definition }, index) =>
    !known.has(index) && wordsOf(annotationText(definition)).some((word) => wanted.has(word))
      ? [{ index, score: 0 }]
      : [],
  )
}

/** What a hint that holds is called in a question. That a tool meets the world outside is said of most. */
const HINTS: Readonly<Record<string, string>> = {
  readOnlyHint: 'readonly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
}

/** The texts of a tool's annotations, and a word for each hint that holds. */
function annotationText(definition: JsonObject): string {
  const annotations = own(definition, 'annotations')
  if (!isObject(annotations)) return ''
  const texts = Object.values(annotations).filter((value) => typeof value === 'string')
  const hints = Object.entries(HINTS).flatMap(([name, word]) =>
    own(annotations, name) === true ? [word] : [],
  )
  return [...texts, ...hints].join(' ').slice(0, longestAnnotations)
}

/** The words of a question, `read-only` as one. */
function wantedIn(query: string): ReadonlySet<string> {
  return new Set(wordsOf(query.replaceAll(/\bread[- ]only\b/gi, '$& readonly')))
}

function describe(
  { original, definition }: FindableTool,
  alias: string | undefined,
  score: number,
  query: string,
  withSchema: boolean,
): JsonObject {
  const { description } = definition
  const schema = own(definition, 'inputSchema')
  return {
    name: original,
    ...(alias !== undefined && { connection: alias }),
    score: Math.round(score * 100) / 100,
    matchedFields: matchedFields(definition, original, query),
    ...(typeof description === 'string' && { description: leadOf(description, lead) }),
    ...(withSchema && schema !== undefined
      ? { inputSchema: schema }
      : { signature: signatureOf('', schema, longestSignature) }),
  }
}

/** Where words of the query stand. A tool may be found by what they mean, and then it is none of them. */
function matchedFields(definition: JsonObject, original: string, query: string): string[] {
  const wanted = wantedIn(query)
  const has = (text: string): boolean => wordsOf(text).some((word) => wanted.has(word))
  const schema = own(definition, 'inputSchema')
  const properties = isObject(schema) ? own(schema, 'properties') : undefined
  const fields: [string, string][] = [
    ['name', original],
    ['description', String(definition.description ?? '')],
    ['annotations', annotationText(definition)],
    ['parameters', isObject(properties) ? Object.keys(properties).join(' ') : ''],
  ]
  return fields.filter(([, text]) => has(text)).map(([field]) => field)
}
