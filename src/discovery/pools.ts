/** A pool for each agent: nobody sees what another has found. */
import { type PoolOptions, ToolPool } from './pool.ts'

export interface PoolsOptions extends PoolOptions {
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
