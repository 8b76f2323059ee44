/** A feature that stands around every exchange. Contract: the index of its folder in `src/features/` exports it, `src/gateway/onion.ts` lists it. */
import type { Config } from '../config/schema.ts'
import type { ResultSettings } from '../config/servers.ts'
import type { Engine } from '../engine/contract.ts'
import type { Logger } from '../observe/log.ts'
import type { Ledger } from '../observe/savings.ts'
import type { Middleware } from '../protocol/exchange.ts'
import type { ResultStore } from '../store/result-store.ts'

export interface Feature {
  /** The name of its layer in `status`, `doctor` and the log. */
  readonly name: string
  /** Its work, in a sentence for the documentation and for `status`. */
  readonly what: string
  /** When it is there, as the documentation says it. */
  readonly when: string
  /** Its layer. Undefined: this configuration does without it. */
  layer(parts: FeatureParts): Middleware | undefined
}

/** The parts that the gateway hands to features. */
export interface FeatureParts {
  readonly settings: Config['settings']
  readonly engine: Engine
  readonly resultStore: ResultStore
  readonly ledger: Ledger
  readonly logger: Logger
  /** Milliseconds by a clock that is never set. */
  readonly elapsed: () => number
  /** The proxy's own part of the server instructions. */
  readonly instructions: string
  /** The part of the configuration that may change while the proxy runs. */
  readonly live: LiveResultSettings
}

export interface LiveResultSettings {
  /** The current settings for results of a tool. */
  readonly resultSettings: ResultSettingsOf
}

/** Settings for results, by the server and the name that the tool has there. The same object each time. */
export interface ResultSettingsOf {
  (server: string, tool: string): ResultSettings
  /** False: every tool has what is said for all, but for `structured`. */
  readonly differ: boolean
}
