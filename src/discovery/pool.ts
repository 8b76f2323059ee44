/** The tools that are registered for an agent: as many as the limit, the best and the latest used stay. */

interface PoolOptions {
  /** Tools that may be registered at once. */
  limit: number
  scoreWeight: number
  freshnessWeight: number
  /** Seconds until a tool that is not used counts as not fresh at all. */
  maxAgeSeconds: number
  /** Milliseconds. */
  now: () => number
}

/** A tool that was found. */
interface Hit {
  readonly name: string
  /** 0 to 1. */
  readonly score: number
}

/** The changes of the pool by a search, each in the order in which it happened. */
interface Admission {
  /** Registered by this search. */
  readonly registered: readonly string[]
  readonly evicted: readonly string[]
  /** Found, and neither registered nor there before: more were found than the pool holds. */
  readonly omitted: readonly string[]
}

interface Member {
  score: number
  /** When it was last found or called (ms). */
  used: number
}

export class ToolPool {
  readonly limit: number
  readonly #score: number
  readonly #freshness: number
  readonly #maxAge: number
  readonly #now: () => number
  /** In the order in which they were registered, which decides among equals. */
  readonly #members = new Map<string, Member>()

  constructor({ limit, scoreWeight, freshnessWeight, maxAgeSeconds, now }: PoolOptions) {
    this.limit = limit
    this.#score = scoreWeight
    this.#freshness = freshnessWeight
    this.#maxAge = maxAgeSeconds
    this.#now = now
  }

  get names(): string[] {
    return [...this.#members.keys()]
  }

  has(name: string): boolean {
    return this.#members.has(name)
  }

  /**
   * Registers what a search found, best first, and makes room by evicting what counts least. A tool that this search found is never
   * evicted for it; of more hits than the pool holds, the first are taken.
   */
  admit(hits: readonly Hit[]): Admission {
    const best = new Map<string, number>()
    for (const { name, score } of hits) best.set(name, Math.max(best.get(name) ?? 0, unit(score)))
    const found = [...best]
    const taken = found.slice(0, this.limit)
    const now = this.#now()
    const registered: string[] = []
    for (const [name, score] of taken) {
      const member = this.#members.get(name)
      if (!member) registered.push(name)
      // Found again, perhaps by a question it fits less: it is as good as it ever was.
      this.#members.set(name, { score: Math.max(member?.score ?? 0, score), used: now })
    }
    const omitted = found.slice(this.limit).map(([name]) => name)
    const evicted = this.#makeRoom(new Set(taken.map(([name]) => name)))
    return { registered, evicted, omitted: omitted.filter((name) => !this.#members.has(name)) }
  }

  /** A call keeps a tool fresh. */
  used(name: string): void {
    const member = this.#members.get(name)
    if (member) member.used = this.#now()
  }

  /** Takes out what is not there any more; gives the names that were registered. */
  remove(isGone: (name: string) => boolean): string[] {
    const gone = this.names.filter(isGone)
    for (const name of gone) this.#members.delete(name)
    return gone
  }

  /** The weight that decides which tools stay: 0.7 · score + 0.3 · freshness by default; undefined for a tool that is not registered. */
  weight(name: string): number | undefined {
    const member = this.#members.get(name)
    if (!member) return undefined
    return this.#score * member.score + this.#freshness * freshness(this.#now() - member.used, this.#maxAge)
  }

  #makeRoom(safe: ReadonlySet<string>): string[] {
    const excess = this.#members.size - this.limit
    if (excess <= 0) return []
    const evicted = this.names
      .filter((name) => !safe.has(name))
      .map((name) => ({ name, weight: this.weight(name) ?? 0 }))
      // Stable: of equals the one that was registered first goes first.
      .sort((a, b) => a.weight - b.weight)
      .slice(0, excess)
      .map(({ name }) => name)
    for (const name of evicted) this.#members.delete(name)
    return evicted
  }
}

/** 1 for what was used just now, 0 after `maxAge` seconds. */
export function freshness(age: number, maxAge: number): number {
  return 1 - Math.min(1, Math.max(0, age) / 1000 / maxAge)
}

function unit(score: number): number {
  return Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 0
}

// A pool for each agent: no agent sees what another has found.

interface PoolsOptions extends PoolOptions {
  /** Agents that have a pool; the one that was idle for longest loses it. */
  maxAgents: number
}

export class ToolPools {
  readonly #options: PoolsOptions
  /** The agent that asked last is last. */
  readonly #pools = new Map<string, ToolPool>()

  constructor(options: PoolsOptions) {
    this.#options = options
  }

  /** The agent's pool, made when it has none. */
  of(agent: string): ToolPool {
    const pool = this.#pools.get(agent) ?? new ToolPool(this.#options)
    this.#pools.delete(agent)
    this.#pools.set(agent, pool)
    const [idle] = this.#pools.keys()
    if (this.#pools.size > this.#options.maxAgents && idle !== undefined) this.#pools.delete(idle)
    return pool
  }

  /** The pool of an agent that has one, for looking: it makes none and keeps none from ageing. */
  peek(agent: string): ToolPool | undefined {
    return this.#pools.get(agent)
  }

  /** The agent has left. */
  drop(agent: string): void {
    this.#pools.delete(agent)
  }

  /** Takes tools that are gone out of all pools; gives the agents who had one of them registered. */
  remove(isGone: (name: string) => boolean): string[] {
    return [...this.#pools].filter(([, pool]) => pool.remove(isGone).length > 0).map(([agent]) => agent)
  }
}
