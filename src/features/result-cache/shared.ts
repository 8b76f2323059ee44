/**
 * Results that replicas remember together, in phases. A stored result counts in the phase of its agent alone, and a call that may change
 * something begins another phase. So a result that was read before the change, and is put after it, is found by no replica.
 */
import { randomUUID } from 'node:crypto'
import { LargeResult, type Result } from '../../protocol/content.ts'
import type { Agent } from '../../protocol/exchange.ts'
import { isObject } from '../../protocol/json.ts'
import type { SharedValues } from '../../store/valkey/values.ts'

/** Nothing of it rejects: where the store cannot be asked, this process remembers by itself. */
export interface SharedResults {
  /** The current beginning of keys of this agent. */
  phase(agent: Agent): Promise<string>
  get(key: string): Promise<Result | undefined>
  /** It counts for so many milliseconds. */
  put(key: string, result: Result, ttl: number): Promise<void>
  /** Begins another phase. */
  forget(agent: Agent): Promise<void>
}

/** Longer than a result counts, and than a call takes. */
const PHASE_MS = 2 * 86_400_000
/** Characters of a result that is shared: a larger one is of this process alone. */
const MOST_LENGTH = 256 * 1024
/** Agents that began a phase while the store was away. */
const MOST_PENDING = 10_000

const PHASE = 'cache-phase'
const RESULT = 'cache'
const FIELD = 'value'

export function sharedResults(values: SharedValues): SharedResults {
  /** Phases that the store has not been told, by agent: until then, this process remembers by itself. */
  const pending = new Map<string, string>()
  const nameOf = ({ kind, id }: Agent): string => JSON.stringify([kind, id])

  async function tell(name: string, phase: string): Promise<boolean> {
    try {
      await values.put(PHASE, name, FIELD, phase, PHASE_MS)
      if (pending.get(name) === phase) pending.delete(name)
      return true
    } catch {
      return false
    }
  }

  return {
    async phase(agent) {
      const name = nameOf(agent)
      const untold = pending.get(name)
      if (untold !== undefined && !(await tell(name, untold))) return untold
      try {
        const [phase = ''] = await values.values(PHASE, name)
        return phase
      } catch {
        return 'alone'
      }
    },
    async get(key) {
      try {
        const [text] = await values.values(RESULT, key)
        const result: unknown = text === undefined ? undefined : JSON.parse(text)
        return isObject(result) ? result : undefined
      } catch {
        return undefined
      }
    },
    async put(key, result, ttl) {
      if (result instanceof LargeResult) return
      const text = JSON.stringify(result)
      if (text.length > MOST_LENGTH) return
      await values.put(RESULT, key, FIELD, text, ttl).catch(() => {})
    },
    async forget(agent) {
      const name = nameOf(agent)
      const phase = randomUUID()
      pending.delete(name)
      pending.set(name, phase)
      const [oldest] = pending.keys()
      if (pending.size > MOST_PENDING && oldest !== undefined) pending.delete(oldest)
      await tell(name, phase)
    },
  }
}
