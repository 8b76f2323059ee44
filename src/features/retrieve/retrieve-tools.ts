/** `retrieve_tools`: the few tools that fit what is wanted, of all there are. */

import * as z from 'zod'
import { cutAdaptively, mergeAnswers } from '../../discovery/adaptive.ts'
import type { FindableTool } from '../../discovery/finder.ts'
import type { Found } from '../../discovery/search.ts'
import { leadOf, signatureOf } from '../../discovery/signature.ts'
import type { Usage, Who } from '../../discovery/usage.ts'
import { errorResult, textBlock } from '../../protocol/content.ts'
import { annotationsOf, effectOf } from '../../protocol/effects.ts'
import type { Client, Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own, renamed } from '../../protocol/json.ts'
import { callNameFor, findable } from '../../proxy/own-tools.ts'
import { counted, listed, publicSchema, readParams } from '../../proxy/parameters.ts'
import type { ToolIndex } from '../../proxy/tool-index.ts'
import { ellipsis } from '../../text/shorten.ts'
import { type ExposureTool, isSplit, type Registry, type RetrieveSettings, type Servers } from './routing.ts'

const NAME = 'retrieve_tools'
const mostQuestions = 10
const mostTools = 50
/** Characters of a description in a reply: enough to choose by. */
const longestLead = 120
const longestSignature = 300
/** Of one longer than `shortSignature` the parameters that may be left out are told as far as they have room in `brief`, and counted. */
const shortSignature = 100
const brief = 40
/** Characters of a schema that is told whole. */
const longestSchema = 4000
/** Characters of a question that are repeated: enough to tell several apart. */
const longestEcho = 200
/** Servers that are told to be missing. */
const mostAbsent = 5
/** Servers that a description names: some 150 tokens. */
const mostNames = 40

/** Characters of a question that are looked at: what comes later tells little of what is wanted. */
const longestQuestion = 2_000

const question = z.preprocess(asText, z.string())
const questions = z
  .preprocess(
    (given) => listed(isObject(given) || typeof given === 'number' ? asText(given) : given),
    z.array(question).max(mostQuestions),
  )
  .optional()

/** A value that is no text is read as its JSON: its words are the wanted ones. */
function asText(given: unknown): unknown {
  if (typeof given === 'string' || given === null) return given
  try {
    return JSON.stringify(given)
  } catch {
    // Nested deeper than the stack.
    return given
  }
}

const params = z.strictObject({
  query: questions.meta({ type: 'string', description: 'What you want to do, in words.' }),
  queries: questions.meta({ type: 'array', items: { type: 'string' }, description: 'Several at once.' }),
  top_k: z
    .preprocess(counted(mostTools), z.int().min(1).max(mostTools))
    .optional()
    .meta({ type: 'integer', description: '' }),
})

/** Other names that models write for them. */
const OTHER_NAMES = {
  q: 'query',
  question: 'query',
  limit: 'top_k',
  max_results: 'top_k',
  topK: 'top_k',
  k: 'top_k',
}

const FIND = 'Find the tools for a task among all connected servers.'
const DESCRIPTION = {
  call: `${FIND} Gives names and signatures for call_tool.`,
  split: `${FIND} Gives names, signatures and which tool to call them with.`,
  dynamic: `${FIND} What is found is added to your tools, to be called by its name.`,
}

export function retrieveTools(
  settings: RetrieveSettings,
  registry: Registry | undefined,
  servers: (client: Client) => Pick<Servers, 'unavailable'> = () => ({ unavailable: [] }),
  usage?: Usage,
): ExposureTool {
  const { topK } = settings
  const way = settings.routing === 'call' && isSplit(settings) ? 'split' : settings.routing
  return {
    name: NAME,
    definition: {
      name: NAME,
      description: DESCRIPTION[way],
      inputSchema: publicSchema(params),
      annotations: annotationsOf('read', 'closed'),
      _meta: findable('find tools for a task among all connected servers, search what can be done'),
    },
    async call(args, exchange, { index }) {
      const read = readParams(NAME, params, renamed(args, OTHER_NAMES))
      if ('failure' in read) return errorResult(read.failure)
      const { query = [], queries = [], top_k: asked } = read.params
      const asWritten = [...new Set([...query, ...queries])].filter((text) => text.trim() !== '')
      const wanted = asWritten.map((text) => text.slice(0, longestQuestion))
      const cut = asWritten.some((text) => text.length > longestQuestion)
      if (wanted.length === 0)
        return errorResult(
          `${NAME} needs query: what you want to do, in words, such as "create a calendar event".`,
        )
      const limit = asked ?? (topK === 'adaptive' ? mostTools : topK)
      const answers = await Promise.all(
        wanted.map((question) => index.search(question, limit, exchange.signal)),
      )
      const found = mergeAnswers(answers)
      const isClose = found.some(({ score }) => score >= (settings.closeFrom ?? 0))
      const fit = asked === undefined && topK === 'adaptive' ? deserving(answers, found) : found
      const named = fit.map((one) => ({ ...one, name: nameAt(index, one.index) }))
      const kept = usage?.order(whoAsks(exchange), wanted, named) ?? named
      usage?.found(
        whoAsks(exchange),
        new Map(
          wanted.map((question, nth) => [
            question,
            (answers[nth] ?? []).map(({ index: at }) => nameAt(index, at)),
          ]),
        ),
      )
      const pooled = registry?.pools.of(exchange.agent.id)
      // A tool that its server no longer has is not listed either: it only takes up room.
      pooled?.remove((name) => index.find(name) === undefined)
      const admission = pooled?.admit(kept)
      if (admission && admission.registered.length + admission.evicted.length > 0)
        registry?.changed(exchange.client)
      const fresh = new Set(admission?.registered)
      const tools = kept.flatMap(({ index: at, score }): JsonObject[] => {
        const tool = index.tools[at]
        // More were found than the pool holds: the client would not see them.
        if (tool === undefined || pooled?.has(tool.name) === false) return []
        const told = describe(tool, score)
        return pooled === undefined
          ? [{ ...told, ...howToCall(tool, settings) }]
          : [{ ...told, newly_registered: fresh.has(tool.name) }]
      })
      return reply(settings, {
        message: `${messageOf(tools.length, index, way, isClose)}${cut ? ` Only the first ${longestQuestion} characters of a question were read.` : ''}`,
        query: wanted.length === 1 ? shown(wanted[0]) : wanted.map(shown),
        total_available_tools: index.tools.length,
        ...(pooled &&
          admission && {
            newly_registered: [...admission.registered],
            evicted_tools: [...admission.evicted],
            pool_size: pooled.names.length,
            pool_limit: pooled.limit,
          }),
        ...absentOf(servers(exchange.client), index),
        tools,
      })
    },
  }
}

/** The name under which learning from use knows the caller. */
export function whoAsks({ agent, client }: Exchange): Who {
  return { agent: agent.id, profile: client.profile ?? '' }
}

/** Each question keeps what its own best result leaves standing. */
function deserving(answers: readonly Found[][], found: readonly Found[]): Found[] {
  const indexes = new Set(answers.flatMap((answer) => cutAdaptively(answer).map(({ index }) => index)))
  return found.filter(({ index }) => indexes.has(index))
}

function describe(tool: FindableTool, score: number): JsonObject {
  const description = own(tool.definition, 'description')
  return {
    name: tool.name,
    original_name: tool.original,
    server: tool.server,
    // Rounded it would look like a tool that was not found.
    score: Math.max(0.01, Math.round(score * 100) / 100),
    description: typeof description === 'string' ? leadOf(description, longestLead) : '',
  }
}

function howToCall({ definition }: FindableTool, settings: RetrieveSettings): JsonObject {
  const schema = own(definition, 'inputSchema')
  const split = isSplit(settings)
  return {
    ...(settings.detail === 'full' && schema !== undefined && isShort(schema)
      ? { inputSchema: schema }
      : { signature: briefSignature(schema) }),
    ...(split && { call_with: callNameFor(effectOf(definition), split) }),
  }
}

/** The required parameters, always; of the rest what is short: `describe_tool` tells it whole. */
function briefSignature(schema: JsonValue | undefined): string {
  const whole = signatureOf('', schema, longestSignature)
  return whole.length <= shortSignature ? whole : signatureOf('', schema, longestSignature, brief)
}

/** A schema that would fill a reply alone is told by its signature; `describe_tool` gives it whole. */
function isShort(schema: JsonValue): boolean {
  try {
    return JSON.stringify(schema).length <= longestSchema
  } catch {
    // Nested deeper than the stack.
    return false
  }
}

const HOW = {
  call: 'Run one with call_tool.',
  split: 'Run one with the tool that its call_with names.',
  dynamic: 'Call one by its name.',
}

function messageOf(count: number, { tools }: ToolIndex, way: keyof typeof HOW, isClose: boolean): string {
  if (count > 0)
    return `The best ${count} of ${tools.length} tools${isClose ? '' : ', none of them a close match'}. ${HOW[way]}`
  return tools.length === 0
    ? 'No server has given its tools yet; ask again in a moment.'
    : 'No tool fits. Ask in other words, in English where the tools are: what is done, and to what.'
}

/** Whole, or without its last tools: a query for fifty tools with long signatures gets as many as fit. */
function reply({ budget }: RetrieveSettings, answer: JsonObject & { tools: JsonObject[] }): JsonObject {
  let text = JSON.stringify(answer)
  const { tools } = answer
  for (let count = tools.length - 1; text.length > budget && count > 0; count--) {
    const left = tools.length - count
    text = JSON.stringify({
      ...answer,
      message: `${answer.message} ${left} more found; ask for fewer by top_k or more exactly.`,
      tools: tools.slice(0, count),
    })
  }
  return { content: [textBlock(text)] }
}

/** Servers with unknown tools, which cannot be found: the reply does not say that their tasks are impossible. */
function absentOf({ unavailable }: Pick<Servers, 'unavailable'>, { tools }: ToolIndex): JsonObject {
  if (unavailable.length === 0) return {}
  const known = new Set(tools.map(({ server }) => server))
  const absent = unavailable.filter(({ server }) => !known.has(server)).slice(0, mostAbsent)
  if (absent.length === 0) return {}
  return {
    unavailable_servers: Object.fromEntries(
      absent.map(({ server, reason }) => [server, ellipsis(reason, longestLead)]),
    ),
  }
}

/** The part of a description about the servers: their names, and which of them cannot be reached, with the reason. Empty for none. */
export function describeServers({ names, unavailable }: Servers): string {
  const absent = new Set(unavailable.map(({ server }) => server))
  const there = names.filter((name) => !absent.has(name))
  const failed = unavailable.map(({ server, reason }) => `${server} (${ellipsis(reason, longestLead)})`)
  return [
    there.length === 0 ? '' : ` Servers: ${inShort(there, mostNames)}.`,
    failed.length === 0 ? '' : ` Not available now: ${inShort(failed, mostAbsent)}.`,
  ].join('')
}

function inShort(words: readonly string[], most: number): string {
  const more = words.length > most ? ` and ${words.length - most} more` : ''
  return `${words.slice(0, most).join(', ')}${more}`
}

function shown(question = ''): string {
  return ellipsis(question, longestEcho)
}

function nameAt({ tools }: ToolIndex, at: number): string {
  return tools[at]?.name ?? ''
}
