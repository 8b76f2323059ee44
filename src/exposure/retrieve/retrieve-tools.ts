/** `retrieve_tools`: the few tools that fit what is wanted, of all there are. */
import * as z from 'zod'
import { cutAdaptively, mergeAnswers } from '../../discovery/adaptive.ts'
import type { FindableTool } from '../../discovery/finder.ts'
import { leadOf } from '../../discovery/lead.ts'
import type { Found } from '../../discovery/search.ts'
import { signatureOf } from '../../discovery/signature.ts'
import { errorResult, textBlock } from '../../protocol/content.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import { readParams } from '../../tools/params.ts'
import { publicSchema } from '../../tools/public-schema.ts'
import type { Shelf } from '../shelf.ts'
import type { ExposureTool, Registry, RetrieveSettings } from './routing.ts'

const NAME = 'retrieve_tools'
const mostQuestions = 10
const mostTools = 50
/** Characters of a description in a reply: enough to choose by. */
const longestLead = 120
const longestSignature = 300

const params = z.strictObject({
  query: z.string().max(4000).meta({ description: 'What you want to do, in words.' }).optional(),
  queries: z
    .array(z.string().max(4000))
    .max(mostQuestions)
    .meta({ description: 'Several at once.' })
    .optional(),
  top_k: z.int().min(1).max(mostTools).meta({ description: '' }).optional(),
})

const DESCRIPTION = {
  call: 'Find the tools for a task among all connected servers. Gives names and signatures for call_tool.',
  dynamic:
    'Find the tools for a task among all connected servers. What is found is added to your tools, to be called by its name.',
}

export function retrieveTools(settings: RetrieveSettings, registry: Registry | undefined): ExposureTool {
  const { routing, topK } = settings
  return {
    name: NAME,
    definition: {
      name: NAME,
      description: DESCRIPTION[routing],
      inputSchema: publicSchema(params),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async call(args, exchange, { shelf }) {
      const read = readParams(NAME, params, args)
      if ('failure' in read) return errorResult(read.failure)
      const { query, queries = [], top_k: asked } = read.params
      const questions = [...(query === undefined ? [] : [query]), ...queries].filter(
        (text) => text.trim() !== '',
      )
      if (questions.length === 0)
        return errorResult(
          `${NAME} needs query: what you want to do, in words, such as "create a calendar event".`,
        )
      const limit = asked ?? (topK === 'adaptive' ? mostTools : topK)
      const answers = await Promise.all(
        [...new Set(questions)].map((question) => shelf.search(question, limit, exchange.signal)),
      )
      const found = mergeAnswers(answers)
      const kept = asked === undefined && topK === 'adaptive' ? deserving(answers, found) : found
      const pooled = registry?.pools.of(exchange.agent.id)
      const admission = pooled?.admit(kept.map(({ index, score }) => ({ name: nameAt(shelf, index), score })))
      if (admission && admission.registered.length + admission.evicted.length > 0)
        registry?.changed(exchange.client)
      const fresh = new Set(admission?.registered)
      const tools = kept.flatMap(({ index, score }) => {
        const tool = shelf.tools[index]
        if (tool === undefined) return []
        const told = describe(tool, score)
        return [
          pooled === undefined
            ? { ...told, signature: signature(tool) }
            : { ...told, newly_registered: fresh.has(tool.name) },
        ]
      })
      return reply(settings, {
        message: messageOf(tools.length, shelf, routing),
        query: questions.length === 1 ? (questions[0] ?? '') : questions,
        total_available_tools: shelf.tools.length,
        ...(pooled &&
          admission && {
            newly_registered: [...admission.registered],
            evicted_tools: [...admission.evicted],
            pool_size: pooled.names.length,
            pool_limit: pooled.limit,
          }),
        tools,
      })
    },
  }
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
    score: Math.round(score * 100) / 100,
    description: typeof description === 'string' ? leadOf(description, longestLead) : '',
  }
}

function signature(tool: FindableTool): string {
  return signatureOf('', own(tool.definition, 'inputSchema'), longestSignature)
}

function messageOf(count: number, { tools }: Shelf, routing: RetrieveSettings['routing']): string {
  if (count === 0)
    return tools.length === 0
      ? 'No server has given its tools yet; ask again in a moment.'
      : 'No tool fits. Ask in other words: what is done, and to what.'
  const how = routing === 'call' ? 'Run one with call_tool.' : 'Call one by its name.'
  return `${count} of ${tools.length} tools fit. ${how}`
}

/** Whole, or without its last tools: whoever asks for fifty tools with long signatures gets as many as fit. */
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

function nameAt({ tools }: Shelf, index: number): string {
  return tools[index]?.name ?? ''
}
