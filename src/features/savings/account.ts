/** Keeps the savings ledger: what every answer cost a model, and what it would have cost. Outermost, so it sees what goes out. */
import type { Ledger, SavingsRecord } from '../../observe/savings.ts'
import { blocksOf, isText, LargeResult, META, type Result } from '../../protocol/content.ts'
import { isInputRequired } from '../../protocol/eras.ts'
import type { Exchange, Middleware, Savings } from '../../protocol/exchange.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'

export interface AccountOptions {
  ledger: Ledger
  /** Names of the proxy's own tools: their definitions and answers are cost. */
  ownTools: ReadonlySet<string>
  /** The proxy's own part of the server instructions, which every client reads. */
  instructions: string
  /** Clients read in `_meta` of a result what it saved them. Default: they do not, as some show that to their model. */
  tells?: boolean
  /** The tool that a call ends at; by default the one it names. */
  calledName?(params: JsonObject): string
}

/** Bytes of a large result that are looked at to learn how many characters a token has. */
const SAMPLE_BYTES = 4096

export function createAccount({
  ledger,
  ownTools,
  instructions,
  tells = false,
  calledName = ({ name }) => String(name),
}: AccountOptions): Middleware {
  return {
    name: 'account',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => async (exchange) => {
      if (exchange.method !== 'tools/call') {
        const list = await next(exchange)
        ledger.record(definitions(exchange, list, ownTools, instructions))
        return list
      }
      let savings: Savings | undefined
      const onSaved = (counted: Savings): void => {
        savings = counted
      }
      const result = await next({ ...exchange, onSaved })
      // A server that asks for input has not answered yet, and what it asks is not for the model.
      const asks = !(result instanceof LargeResult) && isInputRequired(result)
      if (asks) return result
      ledger.record(recordOf(exchange, result, savings, calledName(exchange.params), ownTools))
      return tells && savings !== undefined && !(result instanceof LargeResult)
        ? withSavings(result, savings)
        : result
    },
  }
}

function withSavings(result: JsonObject, savings: Savings): JsonObject {
  const meta = isObject(result._meta) ? result._meta : {}
  return { ...result, _meta: { ...meta, [`${META}savings`]: { ...savings } } }
}

function recordOf(
  exchange: Exchange,
  result: Result,
  savings: Savings | undefined,
  tool: string,
  ownTools: ReadonlySet<string>,
): SavingsRecord {
  const about = { agent: exchange.agent.id, tool, kind: ownTools.has(tool) ? 'proxy-tool' : 'call' } as const
  if (result instanceof LargeResult) {
    const { bytes } = result
    return unshaped(about, bytes.length, () => Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).toString('utf8'))
  }
  const characters = textLength(result)
  if (savings === undefined) return unshaped(about, characters, () => textOf(result))
  const originalTokens = counted(savings.originalTokens)
  const deliveredTokens = counted(savings.deliveredTokens)
  const delivered = {
    ...(deliveredTokens !== undefined && { deliveredTokens }),
    deliveredCharacters: characters,
  }
  if (about.kind === 'proxy-tool') return { ...about, originalTokens: 0, originalCharacters: 0, ...delivered }
  return {
    ...about,
    ...(originalTokens !== undefined && { originalTokens }),
    originalCharacters: savings.originalCharacters ?? characters,
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

function textLength(result: JsonObject): number {
  let characters = 0
  for (const block of blocksOf(result)) if (isText(block)) characters += block.text.length
  return characters
}

function textOf(result: JsonObject): string {
  return blocksOf(result)
    .filter(isText)
    .map((block) => block.text)
    .join('\n')
}

/** Undefined for what nobody counted. */
function counted(tokens: number | undefined): number | undefined {
  return tokens === 0 ? undefined : tokens
}
