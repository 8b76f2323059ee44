/** What the three query tools have in common: find the source, ask the engine, keep what did not fit. */
import type { ZodObject } from 'zod'
import * as z from 'zod'
import type { Dialect } from '../documents/template.ts'
import type { Engine } from '../engine/engine.ts'
import type { Query, QueryAnswer } from '../engine/operation.ts'
import { errorResult, META, textBlock } from '../protocol/content.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Exchange } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Entry } from '../store/store.ts'
import { readParams } from './params.ts'
import { publicSchema } from './public-schema.ts'
import { findSource, type SourceOptions } from './source.ts'
import { sourceParams } from './source-params.ts'
import type { ProxyTool } from './tool.ts'

export interface QueryToolOptions extends SourceOptions {
  engine: Engine
  /** The most characters of an answer. */
  budget: number
  /** How suggested calls are written. Default: as tools. */
  dialect?: Dialect
}

export interface QueryToolDeclaration {
  name: string
  title: string
  kind: Query['kind']
  description: string
  params: ZodObject
  /** Parameters that another of the tools explains, or the description: only their types are listed. Default: none. */
  explained?: readonly string[]
}

/** A tool that puts one kind of query to kept results. */
export function createQueryTool(declaration: QueryToolDeclaration, options: QueryToolOptions): ProxyTool {
  const { name, title, description, kind } = declaration
  const params = z.strictObject({ ...sourceParams, ...declaration.params.shape })
  return {
    name,
    definition: {
      name,
      title,
      description,
      inputSchema: publicSchema(params, declaration.explained),
      // No annotations: a fresh call runs a tool of any kind, so no hint can promise anything about it.
    },
    async call(args, exchange) {
      const read = readParams(name, params, args)
      if ('failure' in read) return errorResult(read.failure)
      const { cache_id, tool, arguments: toolArguments, ...query } = read.params
      const found = await findSource(name, { cache_id, tool, arguments: toolArguments }, exchange, options)
      if ('failure' in found) return found.failure
      const heading = found.fresh ? freshHeading(found.entries) : ''
      const budget = Math.max(200, options.budget - heading.length)
      try {
        const answer = await options.engine.query(
          found.entries,
          { kind, params: query, budget, ...(options.dialect && { dialect: options.dialect }) },
          exchange.signal,
        )
        return await reply(answer, heading, found.entries, query, name, exchange, options)
      } catch (error) {
        if (error instanceof ProxyError && error.code !== 'CANCELLED') return errorResult(error.text)
        throw error
      }
    },
  }
}

async function reply(
  answer: QueryAnswer,
  heading: string,
  entries: readonly Entry[],
  query: JsonObject,
  name: string,
  exchange: Exchange,
  { keeper }: QueryToolOptions,
): Promise<JsonObject> {
  const own =
    answer.whole &&
    (await keeper.keep(exchange.agent, {
      ...answer.whole,
      origin: { tool: name, arguments: { cache_id: entries.map(({ handle }) => handle), ...query } },
    }))
  return {
    content: [textBlock(heading + answer.text.join(own?.handle ?? ''))],
    ...(answer.failed && { isError: true }),
    _meta: {
      ...(own && { [`${META}cache-id`]: own.handle }),
      [`${META}savings`]: {
        originalTokens: answer.originalTokens,
        deliveredTokens: answer.answerTokens,
        steps: answer.steps,
      },
    },
  }
}

function freshHeading(entries: readonly Entry[]): string {
  return entries.map(({ handle, tool }) => `cache_id ${handle} keeps the whole result of ${tool}.\n`).join('')
}
