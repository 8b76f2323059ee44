/** The ledger: what results would have cost a model, what was delivered, and what the proxy itself costs. */
import { createHash } from 'node:crypto'
import { blocksOf, isText } from '../protocol/content.ts'
import { LargeResult, type Result } from '../protocol/result.ts'
import { type CountTokens, createRatio, SAMPLE_CHARACTERS } from './ratio.ts'
import { type SavingsReport, type SavingsRow, totalsOf } from './savings-report.ts'

/**
 * `call`: a tool of a server. `proxy-tool`: an answer of the proxy's own tools. `definitions`: the proxy's own tool
 * definitions and instructions, as a client receives them. The last two are pure cost.
 */
export type SavingsKind = 'call' | 'proxy-tool' | 'definitions'

export interface Savings {
  /** A result of a server's tool went to the client as it came. */
  passed(agent: string, tool: string, result: Result): void
  /** A result of a server's tool was measured: its tokens, and those of what went to the client. */
  record(agent: string, tool: string, originalTokens: number, deliveredTokens: number): void
  /** A tool of the proxy answered about results of `tool`. */
  answered(agent: string, tool: string, tokens: number): void
  /** A client received the proxy's own definitions or instructions: `text` is their JSON or text. */
  defined(agent: string, text: string): void
  /** What this run came to so far. Tokens that were not counted are reckoned by the ratio of the tool's samples. */
  report(): Promise<SavingsReport>
}

export interface SavingsOptions {
  countTokens: CountTokens
  /** Milliseconds since 1970. */
  now: () => number
  /** 0 ≤ x < 1, picks the samples. */
  random?: () => number
}

const DEFINITIONS = 'definitions'

/** Beyond this many names in one run the rest are counted together. */
const MAX_NAMES = 2_000
const REST = '(others)'

/** Counted tokens, and characters whose tokens are reckoned when somebody asks. */
interface Amount {
  tokens: number
  characters: number
}

interface Tally {
  tool: string
  kind: SavingsKind
  calls: number
  original: Amount
  delivered: Amount
}

type Tallies = Map<string, Tally>

export function createSavings({ countTokens, now, random = Math.random }: SavingsOptions): Savings {
  const ratio = createRatio(countTokens, random)
  const tools: Tallies = new Map()
  const agents = new Map<string, Tallies>()
  const days = new Map<string, Tallies>()

  function note(agent: string, tool: string, kind: SavingsKind, original: Amount, delivered: Amount): void {
    const day = new Date(now()).toISOString().slice(0, 10)
    for (const tallies of [tools, group(agents, agent), group(days, day)]) {
      count(tallies, tool, kind, original, delivered)
    }
  }

  function passed(agent: string, tool: string, result: Result): void {
    const text = textOf(result)
    if (text.characters > 0) ratio.offer(tool, text.sample)
    const amount = { tokens: 0, characters: text.characters }
    note(agent, tool, 'call', amount, amount)
  }

  function defined(agent: string, text: string): void {
    for (let start = 0; start < text.length; start += SAMPLE_CHARACTERS) {
      ratio.offer(DEFINITIONS, () => text.slice(start, start + SAMPLE_CHARACTERS))
    }
    note(agent, DEFINITIONS, 'definitions', NOTHING, { tokens: 0, characters: text.length })
  }

  async function report(): Promise<SavingsReport> {
    await ratio.measure()
    const rows = (tallies: Tallies): SavingsRow[] => [...tallies.values()].map(toRow)
    const all = rows(tools)
    return {
      totals: totalsOf(all),
      tools: all,
      agents: [...agents].map(([agent, tallies]) => ({
        agent: shortAgent(agent),
        ...totalsOf(rows(tallies)),
      })),
      days: [...days].map(([day, tallies]) => ({ day, tools: rows(tallies) })),
      unmeasuredCharacters: ratio.tokens('', 1) === undefined ? unmeasured(tools) : 0,
    }
  }

  function toRow({ tool, kind, calls, original, delivered }: Tally): SavingsRow {
    const tokens = (amount: Amount): number =>
      Math.round(amount.tokens + (ratio.tokens(tool, amount.characters) ?? 0))
    return { tool, kind, calls, originalTokens: tokens(original), deliveredTokens: tokens(delivered) }
  }

  return {
    passed,
    defined,
    report,
    record: (agent, tool, original, delivered) =>
      note(agent, tool, 'call', counted(original), counted(delivered)),
    answered: (agent, tool, tokens) => note(agent, tool, 'proxy-tool', NOTHING, counted(tokens)),
  }
}

/** How much text a model reads of a result, and that text. Of a large one only the beginning is decoded. */
function textOf(result: Result): { characters: number; sample: () => string } {
  if (result instanceof LargeResult) {
    const { bytes } = result
    const sample = (): string => Buffer.from(bytes.subarray(0, SAMPLE_CHARACTERS)).toString('utf8')
    return { characters: bytes.length, sample }
  }
  const texts = blocksOf(result).flatMap((block) => (isText(block) ? [block.text] : []))
  return { characters: texts.reduce((sum, text) => sum + text.length, 0), sample: () => texts.join('\n') }
}

const NOTHING: Amount = { tokens: 0, characters: 0 }

function counted(tokens: number): Amount {
  return { tokens, characters: 0 }
}

function group(groups: Map<string, Tallies>, name: string): Tallies {
  const key = groups.has(name) || groups.size < MAX_NAMES ? name : REST
  const tallies = groups.get(key) ?? new Map<string, Tally>()
  groups.set(key, tallies)
  return tallies
}

function count(tallies: Tallies, tool: string, kind: SavingsKind, original: Amount, delivered: Amount): void {
  const wanted = `${kind} ${tool}`
  const fits = tallies.has(wanted) || tallies.size < MAX_NAMES
  const key = fits ? wanted : `${kind} ${REST}`
  const tally = tallies.get(key) ?? {
    tool: fits ? tool : REST,
    kind,
    calls: 0,
    original: NOTHING,
    delivered: NOTHING,
  }
  tallies.set(key, {
    ...tally,
    calls: tally.calls + 1,
    original: add(tally.original, original),
    delivered: add(tally.delivered, delivered),
  })
}

function add(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, characters: a.characters + b.characters }
}

function unmeasured(tallies: Tallies): number {
  return [...tallies.values()].reduce(
    (sum, { original, delivered }) => sum + Math.max(original.characters, delivered.characters),
    0,
  )
}

/** An agent's id may be the id of its session, which opens that session: it is not written anywhere. */
function shortAgent(agent: string): string {
  return createHash('sha256').update(agent).digest('hex').slice(0, 8)
}
