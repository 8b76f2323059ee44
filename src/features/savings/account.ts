/** Keeps the savings ledger: what every answer cost a model, and what it would have cost. Outermost, so it sees what goes out. */
import { textLength, textsOf } from '../../documents/blocks.ts'
import type { Ledger, SavingsRecord } from '../../observe/savings.ts'
import { LargeResult, META, type Result } from '../../protocol/content.ts'
import { isInputRequired } from '../../protocol/eras.ts'
import type { Exchange, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'

export interface AccountOptions {
  ledger: Ledger
  /** Names of the proxy's own tools: their definitions and answers are cost. */
  ownTools: ReadonlySet<string>
  /** The proxy's own part of the server instructions, which every client reads. */
  instructions: string
  /** The tool that a call ends at; by default the one it names. */
  calledName?(params: JsonObject): string
}

/** Bytes of a large result that are looked at to learn how many characters a token has. */
const SAMPLE_BYTES = 4096

export function createAccount({
  ledger,
  ownTools,
  instructions,
  calledName = ({ name }) => String(name),
}: AccountOptions): Middleware {
  return {
    name: 'account',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => async (exchange) => {
      const result = await next(exchange)
      // A server that asks for input has not answered yet, and what it asks is not for the model.
      const asks = !(result instanceof LargeResult) && isInputRequired(result)
      if (asks) return result
      if (exchange.method === 'tools/call')
        ledger.record(recordOf(exchange, result, calledName(exchange.params), ownTools))
      else ledger.record(definitions(exchange, result, ownTools, instructions))
      return result
    },
  }
}

const SAVINGS = `${META}savings`

function recordOf(
  exchange: Exchange,
  result: Result,
  tool: string,
  ownTools: ReadonlySet<string>,
): SavingsRecord {
  const about = { agent: exchange.agent.id, tool, kind: ownTools.has(tool) ? 'proxy-tool' : 'call' } as const
  if (result instanceof LargeResult) {
    const { bytes } = result
    return unshaped(about, bytes.length, () => Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).toString('utf8'))
  }
  const characters = textLength(result)
  const savings = isObject(result._meta) ? own(result._meta, SAVINGS) : undefined
  if (!isObject(savings)) return unshaped(about, characters, () => textsOf(result).join('\n'))
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

/** What passed as it came. Most calls come here, so nothing is copied but what is needed. */
function unshaped(
  { agent, tool, kind }: Pick<SavingsRecord, 'agent' | 'tool' | 'kind'>,
  characters: number,
  sample: () => string,
): SavingsRecord {
  return { agent, tool, kind, originalCharacters: characters, deliveredCharacters: characters, sample }
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

/** More tokens than the longest message can have. */
const MAX_COUNT = 2 ** 30

/** A count that was made. Servers can write this member too, and a ledger with one wrong number is wrong for good. */
function countOf(savings: JsonObject, key: string): number | undefined {
  const value = savings[key]
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_COUNT
    ? Number(value)
    : undefined
}
