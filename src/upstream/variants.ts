/**
 * Clients that see the same lists. A server may show clients of other capabilities another variant of each list. Clients of like capabilities
 * see the same variant, until the server changes the lists of one session alone.
 */
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { digest } from './memory.ts'

/** Begins the name of a variant that one session sees alone. */
const OWN = 'own:'

/** Variants that a modern server is asked for in turn when its lists change: a person has a handful of clients. */
const MAX_VARIANTS = 16

/** The variants that are fetched over one connection. */
export interface Variants {
  /** The variant that this client sees; without a client, the one for no client in particular. */
  of(client: Client | undefined): string
  /** The same, when it is one of `all`. */
  peek(client: Client): string | undefined
  readonly all: readonly string[]
  /** The capabilities of clients of this variant, as the server was or is told. */
  capabilities(variant: string): JsonObject
}

/** A legacy connection serves one client, which sees one variant. */
export class SingleVariant implements Variants {
  #variant: string
  readonly #capabilities: JsonObject

  constructor(client: Client | undefined) {
    this.#variant = variantOf(client)
    this.#capabilities = client?.capabilities ?? {}
  }

  of(): string {
    return this.#variant
  }

  peek(): string {
    return this.#variant
  }

  get all(): readonly string[] {
    return [this.#variant]
  }

  capabilities(): JsonObject {
    return this.#capabilities
  }

  /** From now on the session sees a variant of its own. Gives its name. */
  split(client: Client): string {
    this.#variant = OWN + client.id
    return this.#variant
  }

  get isOwn(): boolean {
    return isOwn(this.#variant)
  }
}

/** A modern connection serves all clients; each request tells the server what its client can do. */
export class ManyVariants implements Variants {
  readonly #capabilities = new Map<string, JsonObject>()
  readonly #byClient = new WeakMap<Client, string>()
  readonly #outgrown: (variant: string) => void

  /** `outgrown` is told the variant that makes room for a new one: changes of its lists are not followed any more. */
  constructor(outgrown: (variant: string) => void) {
    this.#outgrown = outgrown
  }

  of(client: Client | undefined): string {
    const known = client && this.#byClient.get(client)
    if (known !== undefined && this.#capabilities.has(known)) return known
    const capabilities = client?.capabilities ?? {}
    const variant = digest(['modern', capabilities])
    if (client) this.#byClient.set(client, variant)
    this.#capabilities.delete(variant)
    this.#capabilities.set(variant, capabilities)
    const [oldest] = this.#capabilities.keys()
    if (this.#capabilities.size > MAX_VARIANTS && oldest !== undefined) {
      this.#capabilities.delete(oldest)
      this.#outgrown(oldest)
    }
    return variant
  }

  peek(client: Client): string | undefined {
    const variant = this.#byClient.get(client)
    return variant !== undefined && this.#capabilities.has(variant) ? variant : undefined
  }

  get all(): readonly string[] {
    return [...this.#capabilities.keys()]
  }

  capabilities(variant: string): JsonObject {
    return this.#capabilities.get(variant) ?? {}
  }
}

/** True for a variant that one session sees alone. */
export function isOwn(variant: string): boolean {
  return variant.startsWith(OWN)
}

/** The variant of connections that serve all clients or none. */
const NOBODY = digest('nobody')

function variantOf(client: Client | undefined): string {
  return client ? digest([client.capabilities, client.protocolVersion]) : NOBODY
}
