/** The ledger: what results would have cost a model, what was delivered, and what the proxy itself costs. */
import { createTrials, type Trying } from './holdout.ts'
import { fingerprint } from './redact.ts'
import {
  type SavingsKind,
  type SavingsReport,
  type SavingsRow,
  totalsOf,
  unmeasuredOf,
} from './savings-report.ts'

/** `large`, `about`: of a call with a large result, and of an answer of the proxy's tools. */
export interface SavingsRecord extends Pick<Trying, 'large' | 'about'> {
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
  /** The savings of this run so far. */
  report(): Promise<SavingsReport>
}

interface LedgerOptions {
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
 * Milliseconds after the first call until samples are counted for the first time. Loading the tokenizer takes some tenths of a second: no
 * client waits at that moment, but one does at the end of a session.
 */
const FIRST_COUNT_MS = 2_000

/** Counted tokens, and characters to be converted to tokens on demand. */
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
  const trials = createTrials()
  const dayOf = createCalendar()
  let called = false

  function record(given: SavingsRecord): void {
    if (given.large || (trials.all.length > 0 && given.kind !== 'definitions')) trials.note(given)
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
      trials: [...trials.all],
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

// How many characters of a tool's results make a token: measured on samples of them, never assumed.

/** Exact tokens of short texts, counted away from the event loop. */
type CountTokens = (texts: readonly string[]) => Promise<number[]>

interface Ratio {
  /** A result of this tool has passed. `sample` is asked for its text only when that is wanted. */
  offer(tool: string, sample: () => string): void
  /** A measured result. */
  learn(tool: string, characters: number, tokens: number): void
  /** Counts the samples that were not counted yet. Samples that fail or take too long wait for the next time. */
  measure(): Promise<void>
  /** Tokens of so many characters. Undefined: nothing was ever measured. */
  tokens(tool: string, characters: number): number | undefined
}

/** Kept of each tool: enough for a few per cent, at most 16 KB. */
const SAMPLES = 8
const SAMPLE_CHARACTERS = 2_048

interface Sample {
  text: string
  tokens?: number
}

interface Sums {
  characters: number
  tokens: number
}

interface Known extends Sums {
  offered: number
  samples: Sample[]
}

/** `random` picks which results are sampled: every one is as likely as every other (reservoir sampling, Vitter 1985, algorithm R). */
function createRatio(countTokens: CountTokens, random: () => number): Ratio {
  const tools = new Map<string, Known>()

  function known(tool: string): Known {
    const there = tools.get(tool)
    if (there !== undefined) return there
    const fresh: Known = { characters: 0, tokens: 0, offered: 0, samples: [] }
    tools.set(tool, fresh)
    return fresh
  }

  function offer(tool: string, sample: () => string): void {
    const entry = known(tool)
    const slot =
      entry.samples.length < SAMPLES ? entry.samples.length : Math.floor(random() * (entry.offered + 1))
    entry.offered++
    if (slot < SAMPLES) entry.samples[slot] = { text: window(sample()) }
  }

  function window(text: string): string {
    const start = Math.floor(random() * Math.max(0, text.length - SAMPLE_CHARACTERS))
    return text.slice(start, start + SAMPLE_CHARACTERS)
  }

  async function measure(): Promise<void> {
    const open = [...tools.values()]
      .flatMap(({ samples }) => samples)
      .filter(({ tokens }) => tokens === undefined)
    if (open.length === 0) return
    const counts = await inTime(countTokens(open.map(({ text }) => text)))
    open.forEach((sample, index) => {
      const count = counts[index]
      if (count !== undefined) sample.tokens = count
    })
  }

  function tokens(tool: string, characters: number): number | undefined {
    if (characters === 0) return 0
    const entry = tools.get(tool)
    const own = entry === undefined ? NOTHING : sums(entry)
    const base = own.tokens > 0 ? own : [...tools.values()].map(sums).reduce(add, NOTHING)
    return base.tokens > 0 ? characters * (base.tokens / base.characters) : undefined
  }

  function learn(tool: string, characters: number, count: number): void {
    const entry = known(tool)
    entry.characters += characters
    entry.tokens += count
  }

  return { offer, learn, measure, tokens }
}

/** Milliseconds to wait for the counts: a report at shutdown must not hold it up. */
const PATIENCE = 1_000

/** No counts when they fail or take too long. */
async function inTime(counting: Promise<number[]>): Promise<readonly number[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<number[]>((resolve) => {
    timer = setTimeout(resolve, PATIENCE, [])
  })
  try {
    return await Promise.race([counting.catch(() => []), late])
  } finally {
    clearTimeout(timer)
  }
}

const NOTHING: Sums = { characters: 0, tokens: 0 }

function add(a: Sums, b: Sums): Sums {
  return { characters: a.characters + b.characters, tokens: a.tokens + b.tokens }
}

function sums({ characters, tokens, samples }: Known): Sums {
  const counted = samples.flatMap(({ text, tokens }) =>
    tokens === undefined ? [] : [{ characters: text.length, tokens }],
  )
  return counted.reduce(add, { characters, tokens })
}
