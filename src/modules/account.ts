/** Keeps the savings ledger: what every answer cost a model, and what it would have cost. Outermost, so it sees what goes out. */
import { blocksOf, isText, META } from '../protocol/content.ts'
import { isInputRequired } from '../protocol/eras.ts'
import type { Exchange, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { LargeResult, type Result } from '../protocol/result.ts'
import type { Ledger, SavingsRecord } from '../telemetry/savings.ts'

export interface AccountOptions {
  ledger: Ledger
  /** Names of the proxy's own tools: their definitions and answers are cost. */
  ownTools: ReadonlySet<string>
  /** The proxy's own part of the server instructions, which every client reads. */
  instructions: string
}

/** Bytes of a large result that are looked at to learn how many characters a token has. */
const SAMPLE_BYTES = 4096

export function createAccount({ ledger, ownTools, instructions }: AccountOptions): Middleware {
  return {
    name: 'account',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => async (exchange) => {
      const result = await next(exchange)
      // A server that asks for input has not answered yet, and what it asks is not for the model.
      const asks = !(result instanceof LargeResult) && isInputRequired(result)
      if (asks) return result
      if (exchange.method === 'tools/call') ledger.record(recordOf(exchange, result, ownTools))
      else ledger.record(definitions(exchange, result, ownTools, instructions))
      return result
    },
  }
}

function recordOf(exchange: Exchange, result: Result, ownTools: ReadonlySet<string>): SavingsRecord {
  const tool = String(exchange.params.name)
  const about = { agent: exchange.agent.id, tool, kind: ownTools.has(tool) ? 'proxy-tool' : 'call' } as const
  if (result instanceof LargeResult) {
    const { bytes } = result
    const sample = (): string => Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).toString('utf8')
    return { ...about, originalCharacters: bytes.length, deliveredCharacters: bytes.length, sample }
  }
  const savings = isObject(result._meta) ? own(result._meta, `${META}savings`) : undefined
  const characters = textLength(result)
  if (!isObject(savings)) {
    const text = (): string =>
      blocksOf(result)
        .filter(isText)
        .map((block) => block.text)
        .join('\n')
    return { ...about, originalCharacters: characters, deliveredCharacters: characters, sample: text }
  }
  const originalTokens = countOf(savings, 'originalTokens')
  const deliveredTokens = countOf(savings, 'deliveredTokens')
  const delivered = {
    ...(deliveredTokens !== undefined && { deliveredTokens }),
    deliveredCharacters: characters,
  }
  if (about.kind === 'proxy-tool') return { ...about, originalTokens: 0, originalCharacters: 0, ...delivered }
  return {
    ...about,
    ...(originalTokens !== undefined && { originalTokens }),
    originalCharacters: countOf(savings, 'originalCharacters') ?? characters,
    // A result that a proxy tool asked for goes to that tool, not to the model.
    ...(exchange.keep ? { deliveredTokens: 0, deliveredCharacters: 0 } : delivered),
  }
}

function definitions(
  exchange: Exchange,
  result: Result,
  ownTools: ReadonlySet<string>,
  instructions: string,
): SavingsRecord {
  const tools = result instanceof LargeResult || !Array.isArray(result.tools) ? [] : result.tools
  const mine = tools.filter(
    (tool) => isObject(tool) && typeof tool.name === 'string' && ownTools.has(tool.name),
  )
  const text = JSON.stringify(mine) + instructions
  return {
    agent: exchange.agent.id,
    tool: '(definitions)',
    kind: 'definitions',
    originalTokens: 0,
    originalCharacters: 0,
    deliveredCharacters: text.length,
    sample: () => text,
  }
}

function textLength(result: JsonObject): number {
  return blocksOf(result).reduce((sum, block) => sum + (isText(block) ? block.text.length : 0), 0)
}

/** More tokens than the longest message can have. */
const MAX_COUNT = 2 ** 30

/** A count that was made. Servers can write this member too, and a ledger with one wrong number is wrong for good. */
function countOf(savings: JsonObject, key: string): number | undefined {
  const value = savings[key]
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_COUNT
    ? Number(value)
    : undefined
}
