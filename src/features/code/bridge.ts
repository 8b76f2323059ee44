/** Answers what a program asks for: parts of what its owner keeps, tools of servers, and what it wants to have kept. */

import * as z from 'zod'
import type { FindableTool } from '../../discovery/finder.ts'
import { leadOf, signatureOf } from '../../discovery/signature.ts'
import { partialLines } from '../../documents/paging/standing.ts'
import { hashInSlices } from '../../engine/content.ts'
import type { Engine, Reading } from '../../engine/contract.ts'
import { byOwnNames, questionParams } from '../../processors/parameters.ts'
import { asksForInput, blocksOf, isText, LargeResult, type Result, textIn } from '../../protocol/content.ts'
import { type Effect, effectOf, type Limit, within } from '../../protocol/effects.ts'
import { ProxyError, RpcError } from '../../protocol/errors.ts'
import type { Exchange, Handler } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { listedNames } from '../../protocol/spellings.ts'
import type { OutputTypesOf } from '../../proxy/exposure.ts'
import { refusal } from '../../proxy/own-tools.ts'
import { readParams } from '../../proxy/parameters.ts'
import type { ToolIndex } from '../../proxy/tool-index.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry } from '../../store/store.ts'
import { goneWords } from '../../text/format.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'
import { ellipsis } from '../../text/shorten.ts'
import { didYouMean } from '../../text/words/edit-distance.ts'
import type { Asking } from './asking.ts'
import { Fault } from './fault.ts'
import { gate } from './gate.ts'
import { LONGEST_TEXT, PAGE_LENGTH, PAGE_ROWS } from './guest.ts'
import { createPages, type Got } from './pages.ts'
import type { SubCalls } from './sub-calls.ts'

export interface BridgeParts {
  readonly engine: Engine
  readonly resultStore: ResultStore
  /** The way of programs to the tools of servers: through every layer except the ones that shorten results for models. */
  readonly call: Handler
  /** The tools that the client may call. */
  index(exchange: Exchange): Promise<ToolIndex>
  /** Names of the proxy's own tools: a program has what they do. */
  readonly ownTools: ReadonlySet<string>
  readonly calls: 'readOnly' | 'all'
  /** The types of the results of tools so far. */
  readonly outputTypes?: OutputTypesOf | undefined
  readonly maxCalls: number
  readonly callsAtOnce: number
  /** The way to the client. */
  readonly asking: Asking
  /** Questions to a model. */
  readonly subCalls: SubCalls
}

export interface Bridge {
  /** The answer to a question, as JSON. Rejects with a Fault, which the program catches. `bytes`: what is to be kept. */
  answer(ask: string, args: string, bytes: Uint8Array<SharedArrayBuffer> | undefined): Promise<string>
  /** Calls of tools that were made. */
  readonly calls: number
  /** Of what the program read and called, a line for each that is a part of its collection. */
  partial(): Promise<string[]>
}

/** Characters of what a program asks, but for what it keeps. */
const LONGEST_ASK = 1_000_000
/** Bytes of a result above which a program gets a document in its place. */
const LARGEST_VALUE = 1_000_000
/** Questions at once. */
const QUESTIONS_AT_ONCE = 8
/** Handles that a document may name. */
const MOST_HANDLES = 16

const ids = z.array(z.string().max(200)).min(1).max(MOST_HANDLES)
const whole = z.number().int().min(0).catch(0)
const most = (limit: number): z.ZodType<number> => z.number().min(0).max(limit).catch(limit)

/** The questions to a document, the same as those of the tools. */
const ASKED: Readonly<Record<'filter' | 'search', z.ZodObject>> = {
  filter: z.strictObject(questionParams.filter.shape),
  search: z.strictObject(questionParams.search.shape),
}

/** The parameters of each question. */
const QUESTIONS = {
  info: z.object({ ids }),
  rows: z.object({
    ids,
    kind: z.enum(['filter', 'search']),
    params: z.custom<JsonObject>(isObject),
    offset: whole,
    limit: most(PAGE_ROWS),
  }),
  text: z.object({ ids, from: whole, to: whole.optional() }),
  at: z.object({ ids, path: z.string().max(4000).optional() }),
  search: z.object({ words: z.string().max(2000), limit: most(50).optional() }),
  describe: z.object({ name: z.string().max(500) }),
  call: z.object({ name: z.string().max(500), args: z.custom<JsonObject>(isObject, 'must be an object') }),
  keep: z.object({ name: z.string().max(200).optional() }),
  ask: z.object({
    prompt: z.string().min(1),
    data: z.string().optional(),
    schema: z.string().max(20_000).optional(),
  }),
} as const

type Ask = keyof typeof QUESTIONS

/** One program's. `exchange`: the call of `proxy_code`; its signal ends when the program does. */
export function createBridge(exchange: Exchange, parts: BridgeParts): Bridge {
  const { engine, resultStore } = parts
  const questions = gate(QUESTIONS_AT_ONCE)
  const calling = gate(parts.callsAtOnce)
  let calls = 0
  const partial = new Set<string>()
  const pages = createPages(engine, exchange.signal)

  async function sources(handles: readonly string[]): Promise<Entry[]> {
    const entries: Entry[] = []
    for (const handle of new Set(handles)) {
      const entry = await resultStore.get(exchange.agent, handle)
      if (!entry) throw new Fault(gone(handle))
      entries.push(entry)
    }
    for (const line of partialLines(entries)) partial.add(line)
    return entries
  }

  /** `{"value": …}` with what else the answer has. */
  async function read(handles: readonly string[], wanted: Reading): Promise<string> {
    const entries = await sources(handles)
    const answer = await questions(() => engine.read(entries, wanted, exchange.signal))
    if ('error' in answer) throw new Fault(answer.error)
    const { json, total, notes } = answer
    return `{"value":${json},"total":${total},"notes":${JSON.stringify(notes)}}`
  }

  async function found(name: string): Promise<FindableTool> {
    const index = await parts.index(exchange)
    const [only, another] = index.meant(name)
    if (only && !another) return only
    if (another !== undefined)
      throw new Fault(
        `There are several tools that ${name} may mean: take one of ${listedNames(index.meant(name))}.`,
      )
    const own = parts.ownTools.has(name)
    throw new Fault(
      own
        ? `${name} is not called from a program: a document has what it does, as d.rows, d.search and d.info.`
        : `There is no tool ${name}.${didYouMean(
            name,
            index.tools.map((tool) => tool.name),
          )} Find one with await tools.search("what it does").`,
    )
  }

  async function call(name: string, args: JsonObject): Promise<string> {
    if (calls >= parts.maxCalls)
      throw new Fault(
        `A program may make ${parts.maxCalls} calls of tools, and made them. Return the results so far, and go on in another program.`,
      )
    const tool = await found(name)
    calls++
    return calling(async () => {
      let collected: string | undefined
      const result = await called(tool, args, (standing) => {
        collected = standing
      })
      const schema = own(tool.definition, 'inputSchema')
      return valueIn(result, {
        tool: tool.name,
        args,
        schema: isObject(schema) ? schema : undefined,
        collected,
      })
    })
  }

  /** Held to what may be called; what may destroy something is called once a person has said so. */
  async function called(
    { name, definition }: FindableTool,
    args: JsonObject,
    onCollected: (standing: string) => void,
  ): Promise<Result> {
    const params: JsonObject = { name, arguments: args }
    const { keep: _, onKept: _kept, onSaved: _saved, supplied: _supplied, ...rest } = exchange
    const asked: Exchange = { ...rest, method: 'tools/call', params, onCollected }
    const limited = (most: Effect): Promise<Result> => {
      let refused: Effect | undefined
      const limit: Limit = {
        most,
        refuse(effect) {
          refused = effect
          return {}
        },
      }
      return parts
        .call(within(asked, limit))
        .catch(refusal)
        .then((result) => {
          if (refused !== undefined) throw new Refused(refused)
          return result
        })
    }
    if (parts.calls === 'readOnly') return limited('read').catch(notReading(name))
    try {
      return await limited('write')
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      await approved(name, args, effectOf(definition))
      return limited('destructive').catch(notReading(name))
    }
  }

  /** Asks the person. Throws where the client cannot ask or the answer is no. */
  async function approved(name: string, args: JsonObject, effect: Effect): Promise<void> {
    const what = effect === 'destructive' ? 'may delete or overwrite something' : 'may change something'
    const call = `${name} ${ellipsis(JSON.stringify(args), 1000)}`
    if (!parts.asking.can('elicitation'))
      throw new Fault(
        `${name} ${what}, and this client cannot ask a person whether it may be called. Nothing was called; call it yourself, outside of the program.`,
      )
    const { action } = await parts.asking.ask({
      method: 'elicitation/create',
      params: {
        message: `A program wants to call a tool that ${what}:\n${call}\nMay it?`,
        requestedSchema: { type: 'object', properties: {} },
      },
    })
    if (action !== 'accept') throw new Fault(`${name} was not called: the person said no.`)
  }

  async function valueIn(result: Result, got: Got): Promise<string> {
    const { tool: name } = got
    if (asksForInput(result))
      throw new Fault(`${name} asks a person for something first: call it yourself, outside of the program.`)
    const bytes = result instanceof LargeResult ? result.bytes : undefined
    if (bytes !== undefined && bytes.byteLength > LARGEST_VALUE) return kept(bytes, got)
    const plain = result instanceof LargeResult ? result.json() : result
    const blocks = blocksOf(plain)
    const texts = blocks.flatMap((block) => (isText(block) ? [block.text] : []))
    if (plain.isError === true)
      throw new Fault(`${name} failed: ${ellipsis(texts.join('\n') || 'it says nothing of why', 4000)}`)
    const { structuredContent } = plain
    const isTexts = texts.length === blocks.length
    const value: JsonObject =
      structuredContent !== undefined
        ? { value: structuredContent }
        : isTexts
          ? { text: texts.join('\n') }
          : { value: blocks.map((block): JsonValue => textIn(block) ?? block) }
    const json = JSON.stringify(value)
    const content = bytes ?? sharedBytes(JSON.stringify(plain))
    if (json.length > LARGEST_VALUE) return kept(content, got)
    pages.note(content, got)
    return json
  }

  async function kept(content: Uint8Array<SharedArrayBuffer>, got: Got): Promise<string> {
    const origin = { tool: got.tool, arguments: got.args }
    const look = { standing: await pages.standing(content, got) }
    const hash = await hashInSlices(content)
    const entry = await resultStore.keep(exchange.agent, { content, hash, origin, look })
    return JSON.stringify({ cache_id: entry.handle })
  }

  const ANSWERS: {
    [A in Ask]: (
      args: z.infer<(typeof QUESTIONS)[A]>,
      bytes?: Uint8Array<SharedArrayBuffer>,
    ) => Promise<string>
  } = {
    info: ({ ids }) => read(ids, { op: 'info' }),
    async rows({ ids, kind, params, offset, limit }) {
      const asked = readParams(
        kind === 'filter' ? 'd.rows' : 'd.search',
        ASKED[kind],
        byOwnNames(kind, params),
      )
      if ('failure' in asked) throw new Fault(asked.failure)
      const wanted = { op: 'rows', kind, params: asked.params as JsonObject, offset, limit } as const
      return read(ids, { ...wanted, maxLength: PAGE_LENGTH })
    },
    text: ({ ids, from, to = from + LONGEST_TEXT }) =>
      read(ids, { op: 'text', from, to: Math.min(to, from + LONGEST_TEXT) }),
    at: ({ ids, path }) => read(ids, { op: 'at', path, maxLength: PAGE_LENGTH }),
    async search({ words, limit = 10 }) {
      const index = await parts.index(exchange)
      const hits = await index.search(words, limit, exchange.signal)
      return JSON.stringify({
        value: hits.flatMap(({ index: at }) => {
          const tool = index.tools[at]
          return tool === undefined ? [] : [shown(tool)]
        }),
      })
    },
    async describe({ name }) {
      const tool = await found(name)
      const types = parts.outputTypes?.(exchange.agent, tool.definition) ?? []
      return JSON.stringify({ value: described(tool, types) })
    },
    call: ({ name, args }) => call(name, args),
    async keep({ name }, content) {
      if (content === undefined) throw new Fault('keep(value, name): there is no value')
      const origin = { tool: 'proxy_code', arguments: { keep: name ?? '' } }
      const entry = await resultStore.keep(exchange.agent, {
        content,
        hash: await hashInSlices(content),
        origin,
      })
      return JSON.stringify({ value: entry.handle })
    },
    ask: async (asked) => JSON.stringify({ value: await parts.subCalls.ask(asked) }),
  }

  async function answer(ask: string, args: string, bytes?: Uint8Array<SharedArrayBuffer>): Promise<string> {
    if (!Object.hasOwn(QUESTIONS, ask)) throw new Fault('There is no such question.')
    if (args.length > LONGEST_ASK)
      throw new Fault(
        ask === 'ask'
          ? 'A question is longer than 1,000,000 characters: ask about parts.'
          : 'The arguments are longer than 1,000,000 characters: pass large data on as {"$from": await keep(value)}.',
      )
    const read = QUESTIONS[ask as Ask].safeParse(JSON.parse(args))
    if (!read.success) {
      const [issue] = read.error.issues
      throw new Fault(`${ask}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'it cannot be read'}`)
    }
    const run = ANSWERS[ask as Ask] as (
      args: unknown,
      bytes?: Uint8Array<SharedArrayBuffer>,
    ) => Promise<string>
    try {
      return await run(read.data, bytes)
    } catch (error) {
      if (error instanceof ProxyError) throw new Fault(error.text)
      if (error instanceof RpcError) throw new Fault(error.message)
      throw error
    }
  }

  return {
    answer,
    partial: async () => [...partial, ...(await pages.lines())],
    get calls() {
      return calls
    },
  }
}

/** A call that was not made, because its tool may do more than it may. */
class Refused extends Error {
  readonly effect: Effect

  constructor(effect: Effect) {
    super(`a tool that is ${effect} was not called`)
    this.effect = effect
  }
}

function notReading(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refused)) throw error
    throw new Fault(
      `${name} does not declare that it only reads, so it was not called. Return what it needs, and call it yourself.`,
    )
  }
}

function gone(handle: string): string {
  return `${goneWords(handle)} Call the tool that gave it again, here with tools.call.`
}

const LEAD = 120

function shown({ name, definition }: FindableTool): JsonObject {
  const description = own(definition, 'description')
  return {
    name,
    signature: signatureOf(name, own(definition, 'inputSchema')),
    description: typeof description === 'string' ? leadOf(description, LEAD) : '',
  }
}

/** Characters of a description that a program reads. */
const LONGEST_DESCRIPTION = 4000

function described({ name, definition }: FindableTool, types: readonly string[]): string {
  const description = own(definition, 'description')
  const output = own(definition, 'outputSchema')
  return [
    signatureOf(name, own(definition, 'inputSchema'), 2000),
    ...(isObject(output) ? [`gives ${signatureOf('', output, 2000)}`] : []),
    ...types.map((type) => `has given ${type}`),
    ...(effectOf(definition) === 'read' ? [] : ['It does not declare that it only reads.']),
    ...(typeof description === 'string' ? [ellipsis(description, LONGEST_DESCRIPTION)] : []),
  ].join('\n')
}
