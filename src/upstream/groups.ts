/** Who sees the same lists: clients of like capabilities, until a session changes its own. */
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { digest } from './remember.ts'

/** Groups of one session that changed its own lists. */
const OWN = 'own:'

/** Kinds of clients a modern server is asked for in turn when its lists change: a person has a handful. */
const MAX_GROUPS = 16

/** The groups that one connection fetches lists for. */
export interface Groups {
  /** The group of this client; of nobody in particular when there is none. */
  of(client: Client | undefined): string
  /** The same, when it is one of `all`. */
  peek(client: Client): string | undefined
  readonly all: readonly string[]
  /** What clients of the group can do, as the server was or is told. */
  capabilities(group: string): JsonObject
}

/** A legacy connection speaks for one client: one group. */
export class OneGroup implements Groups {
  #group: string
  readonly #capabilities: JsonObject

  constructor(client: Client | undefined) {
    this.#group = groupOf(client)
    this.#capabilities = client?.capabilities ?? {}
  }

  of(): string {
    return this.#group
  }

  peek(): string {
    return this.#group
  }

  get all(): readonly string[] {
    return [this.#group]
  }

  capabilities(): JsonObject {
    return this.#capabilities
  }

  /** The session no longer sees what the others see. */
  split(client: Client): string {
    this.#group = OWN + client.id
    return this.#group
  }

  get isOwn(): boolean {
    return isOwn(this.#group)
  }
}

/** A modern connection speaks for all, each request for whom it says. */
export class ManyGroups implements Groups {
  readonly #capabilities = new Map<string, JsonObject>()
  readonly #byClient = new WeakMap<Client, string>()
  readonly #outgrown: (group: string) => void

  /** `outgrown` is told the group that makes room for a new one: of its lists no changes are followed any more. */
  constructor(outgrown: (group: string) => void) {
    this.#outgrown = outgrown
  }

  of(client: Client | undefined): string {
    const known = client && this.#byClient.get(client)
    if (known !== undefined && this.#capabilities.has(known)) return known
    const capabilities = client?.capabilities ?? {}
    const group = digest(['modern', capabilities])
    if (client) this.#byClient.set(client, group)
    this.#capabilities.delete(group)
    this.#capabilities.set(group, capabilities)
    const [oldest] = this.#capabilities.keys()
    if (this.#capabilities.size > MAX_GROUPS && oldest !== undefined) {
      this.#capabilities.delete(oldest)
      this.#outgrown(oldest)
    }
    return group
  }

  peek(client: Client): string | undefined {
    const group = this.#byClient.get(client)
    return group !== undefined && this.#capabilities.has(group) ? group : undefined
  }

  get all(): readonly string[] {
    return [...this.#capabilities.keys()]
  }

  capabilities(group: string): JsonObject {
    return this.#capabilities.get(group) ?? {}
  }
}

/** True for a group of one session alone. */
export function isOwn(group: string): boolean {
  return group.startsWith(OWN)
}

/** The group of connections that serve all clients or none. */
const NOBODY = digest('nobody')

function groupOf(client: Client | undefined): string {
  return client ? digest([client.capabilities, client.protocolVersion]) : NOBODY
}
