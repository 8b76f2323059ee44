/** The ledger: what results would have cost a model, what was delivered, and what the proxy itself costs. */
import { type CountTokens, createRatio, SAMPLE_CHARACTERS } from './ratio.ts'
import { type SavingsReport, type SavingsRow, totalsOf, unmeasuredOf } from './savings-report.ts'
import { fingerprint } from './secret.ts'

/**
 * `call`: a tool of a server. `proxy-tool`: an answer of the proxy's own tools. `definitions`: the proxy's own tool
 * definitions and instructions, as a client receives them. The last two are pure cost.
 */
export type SavingsKind = 'call' | 'proxy-tool' | 'definitions'

export interface SavingsRecord {
  agent: string
  tool: string
  kind: SavingsKind
  /** Where they were counted. The others are reckoned from characters by a measured ratio. */
  originalTokens?: number
  deliveredTokens?: number
  originalCharacters: number
  deliveredCharacters: number
  /** The text of the result, asked for only when a sample is wanted. */
  sample?: () => string
}

export interface Ledger {
  /** Takes note of one exchange. Never throws, never waits. */
  record(record: SavingsRecord): void
  /** What this run came to so far. */
  report(): Promise<SavingsReport>
}

export interface LedgerOptions {
  countTokens: CountTokens
  /** Milliseconds since 1970. */
  now: () => number
  /** 0 ≤ x < 1, picks the samples. */
  random?: () => number
}

/** Beyond this many names in one run the rest are counted together. */
const MAX_NAMES = 2_000
const REST = '(others)'

/**
 * Milliseconds after the first call until samples are counted for the first time. What counts has to be loaded, some tenths of a second:
 * at that moment nobody waits, at the end of a session somebody does.
 */
const FIRST_COUNT_MS = 2_000

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

export function createLedger({ countTokens, now, random = Math.random }: LedgerOptions): Ledger {
  const ratio = createRatio(countTokens, random)
  const tools: Tallies = new Map()
  const agents = new Map<string, Tallies>()
  const days = new Map<string, Tallies>()
  const dayOf = createCalendar()
  let called = false

  function record(given: SavingsRecord): void {
    if (given.kind === 'call') countSoon()
    const wanted = keyOf(given)
    const fits = tools.has(wanted) || tools.size < MAX_NAMES
    const entry = fits ? given : { ...given, tool: REST }
    const key = fits ? wanted : keyOf(entry)
    const { tool, originalTokens, deliveredTokens, originalCharacters } = entry
    if (originalTokens !== undefined) ratio.learn(tool, originalCharacters, originalTokens)
    if (deliveredTokens === undefined) offer(entry)
    count(tools, key, entry)
    count(group(agents, entry.agent), key, entry)
    count(group(days, dayOf(now())), key, entry)
  }

  function countSoon(): void {
    if (called) return
    called = true
    setTimeout(() => void ratio.measure(), FIRST_COUNT_MS).unref()
  }

  /** Definitions are few and hardly change, so all of their text is counted and not a window of it. */
  function offer({ tool, kind, sample }: SavingsRecord): void {
    if (sample === undefined) return
    if (kind !== 'definitions') {
      ratio.offer(tool, sample)
      return
    }
    const text = sample()
    for (let start = 0; start < text.length; start += SAMPLE_CHARACTERS) {
      ratio.offer(tool, () => text.slice(start, start + SAMPLE_CHARACTERS))
    }
  }

  async function report(): Promise<SavingsReport> {
    await ratio.measure()
    const rows = (tallies: Tallies): SavingsRow[] => [...tallies.values()].map(toRow)
    const all = rows(tools)
    return {
      totals: totalsOf(all),
      tools: all,
      agents: [...agents].map(([agent, tallies]) => ({
        // It may be the id of a session, which opens that session.
        agent: fingerprint(agent),
        ...totalsOf(rows(tallies)),
      })),
      days: [...days].map(([day, tallies]) => ({ day, tools: rows(tallies) })),
      unmeasuredCharacters: unmeasuredOf(all),
    }
  }

  function toRow({ tool, kind, calls, original, delivered }: Tally): SavingsRow {
    const tokens = (amount: Amount): number =>
      Math.round(amount.tokens + (ratio.tokens(tool, amount.characters) ?? 0))
    const row = { tool, kind, calls, originalTokens: tokens(original), deliveredTokens: tokens(delivered) }
    const left = Math.max(original.characters, delivered.characters)
    return ratio.tokens(tool, left) === undefined ? { ...row, unmeasuredCharacters: left } : row
  }

  return { record, report }
}

function keyOf({ kind, tool }: Pick<SavingsRecord, 'kind' | 'tool'>): string {
  return `${kind} ${tool}`
}

const DAY_MS = 86_400_000

/** The day of a time as `2026-12-31`, written out once a day and not once a call. */
function createCalendar(): (ms: number) => string {
  let day = Number.NaN
  let name = ''
  return (ms) => {
    const wanted = Math.floor(ms / DAY_MS)
    if (wanted !== day) {
      day = wanted
      name = new Date(ms).toISOString().slice(0, 10)
    }
    return name
  }
}

function group(groups: Map<string, Tallies>, name: string): Tallies {
  const there = groups.get(name)
  if (there !== undefined) return there
  const key = groups.size < MAX_NAMES ? name : REST
  const tallies = groups.get(key) ?? new Map<string, Tally>()
  groups.set(key, tallies)
  return tallies
}

function count(tallies: Tallies, key: string, entry: SavingsRecord): void {
  const { originalTokens, deliveredTokens, originalCharacters, deliveredCharacters } = entry
  const tally = tallies.get(key) ?? begin(tallies, key, entry)
  tally.calls++
  addTo(tally.original, originalTokens, originalCharacters)
  addTo(tally.delivered, deliveredTokens, deliveredCharacters)
}

function begin(tallies: Tallies, wanted: string, { kind, tool }: SavingsRecord): Tally {
  const fits = tallies.size < MAX_NAMES
  const key = fits ? wanted : keyOf({ kind, tool: REST })
  const tally = tallies.get(key) ?? {
    tool: fits ? tool : REST,
    kind,
    calls: 0,
    original: { tokens: 0, characters: 0 },
    delivered: { tokens: 0, characters: 0 },
  }
  tallies.set(key, tally)
  return tally
}

function addTo(amount: Amount, tokens: number | undefined, characters: number): void {
  if (tokens === undefined) amount.characters += characters
  else amount.tokens += tokens
}
