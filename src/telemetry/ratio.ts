/** How many characters of a tool's results make a token: measured on samples of them, never assumed. */

/** Exact tokens of short texts, counted away from the event loop. */
export type CountTokens = (texts: readonly string[]) => Promise<number[]>

export interface Ratio {
  /** A result of this tool has passed. `sample` is asked for its text only when that is wanted. */
  offer(tool: string, sample: () => string): void
  /** A measured result. */
  learn(tool: string, characters: number, tokens: number): void
  /** Counts the samples that were not counted yet. Those that fail or take too long wait for the next time. */
  measure(): Promise<void>
  /** Tokens of so many characters. Undefined: nothing was ever measured. */
  tokens(tool: string, characters: number): number | undefined
}

/** Kept of each tool: enough for a few per cent, at most 16 KB. */
const SAMPLES = 8
export const SAMPLE_CHARACTERS = 2_048

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
export function createRatio(countTokens: CountTokens, random: () => number): Ratio {
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
