/** Keeps the savings ledger: what every answer cost a model, and what it would have cost. Outermost, so it sees what goes out. */
import { blocksOf, isText, META } from '../protocol/content.ts'
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
  if (about.kind === 'proxy-tool') {
    const deliveredTokens = numberOf(savings, 'deliveredTokens')
    return {
      ...about,
      originalTokens: 0,
      originalCharacters: 0,
      deliveredTokens,
      deliveredCharacters: characters,
    }
  }
  return {
    ...about,
    originalTokens: numberOf(savings, 'originalTokens'),
    originalCharacters: numberOf(savings, 'originalCharacters'),
    // A result that a proxy tool asked for goes to that tool, not to the model.
    deliveredTokens: exchange.keep ? 0 : numberOf(savings, 'deliveredTokens'),
    deliveredCharacters: exchange.keep ? 0 : characters,
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

function numberOf(savings: JsonObject, key: string): number {
  const value = savings[key]
  return typeof value === 'number' ? value : 0
}
